"""Preferences of a file or a table: between items of a topic, or between systems."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from prefir.formats.preferences import PreferenceRecord
from prefir.measures.graph import PreferenceGraph


@dataclass(frozen=True, slots=True)
class Preferences:
    """Judgments; sides: whether they say which of the two was shown left and which right.

    They are between items of a topic, as `prefir.evaluate` takes them, or votes between systems, as
    `prefir.rank` does.
    """

    records: Sequence[PreferenceRecord]
    sides: bool

    def __len__(self) -> int:
        return len(self.records)

    def graphs(self) -> dict[str, PreferenceGraph]:
        """Make topic -> preference graph, topics in file order."""
        graphs: dict[str, PreferenceGraph] = {}
        for record in self.records:
            add_record(graphs.setdefault(record.topic, PreferenceGraph()), record)
        return graphs


def add_record(graph: PreferenceGraph, record: PreferenceRecord) -> None:
    """Add one judgment to a graph."""
    if record.winner is None:
        graph.add_tie(record.a, record.b)
    else:
        graph.add(record.winner, record.b if record.winner == record.a else record.a)


def graphs_of(
    judged: Mapping[str, PreferenceGraph | Iterable[tuple[str, str]]],
) -> dict[str, PreferenceGraph]:
    """Make topic -> preference graph of topic -> (preferred, other) pairs, or of graphs."""
    return {
        topic: pairs if isinstance(pairs, PreferenceGraph) else PreferenceGraph(pairs)
        for topic, pairs in judged.items()
    }
