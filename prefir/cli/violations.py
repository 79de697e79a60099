"""The command `violations`: how many preferences runs violate, their ideal rankings, and the best order."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping

from prefir.measures.feedback_arcs import fewest_violated, violated_preferences
from prefir.measures.graph import PreferenceGraph
from prefir.measures.preference import ideal_ranking
from prefir.measures.scores import Line

from .commands import Command, add_output_options, add_ties_option
from .files import preferences_of, runs_of, tell_what_is_left_out
from .output import note, steps

FEWEST = "(fewest)"
DESCRIPTION = f"""\
PREFS: `topic a b winner`, winner a, b or tie, or `topic preferred other`. RUN: `topic Q0 docno rank score
tag`. Both may be gzipped. Lines: run, topic, measure and value, with tabs between; `all` is the sum over
topics:
  violated         judgments that the run's order contradicts: its backward arcs. An item that the run lacks
                   is below all that it has; of two that it lacks nothing is said
  ideal_violated   judgments that its ideal ranking contradicts, as PGC takes it (Greedy PGC)
and of the run `{FEWEST}`: preferences, all judgments that prefer an item; and, over the topics in which no
more than --largest items prefer one another in circles, violated, the least number that any order of the
items contradicts (an exact minimum feedback arc set), and ideal_violated, that of the ideal ranking without a
run.
Source: Luo, thesis, Waterloo 2021, 3.1, 3.2."""


def commands() -> list[Command]:
    """List the command violations."""
    return [
        Command(
            "violations",
            "How many preferences runs, their ideal rankings and the best possible order violate",
            "violations judgments.pref bm25.run neural.run --per-topic",
            DESCRIPTION,
            _configure,
            _violations,
        )
    ]


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("prefs", metavar="PREFS")
    parser.add_argument("files", nargs="*", metavar="RUN")
    parser.add_argument(
        "--largest",
        type=int,
        default=50,
        help="items in circles for which the exact answer is still looked for (default: %(default)s)",
    )
    add_ties_option(parser)
    add_output_options(parser)


def _violations(arguments: Namespace) -> Iterator[Line]:
    graphs = preferences_of(arguments.prefs).graphs()
    found: dict[tuple[str, str], dict[str, int]] = {}
    if arguments.files:
        runs = runs_of(
            arguments.files, arguments.ties, {topic: graph.nodes for topic, graph in graphs.items()}
        )
        tell_what_is_left_out(graphs, arguments.prefs, runs, present_only=True)
        for topic, graph in steps(list(graphs.items()), "Runs"):
            rows, nodes = runs.rankings.rows(topic, graph.nodes), graph.nodes
            there = runs.rankings.having(topic)
            for run, row, has in zip(runs.rankings.runs, rows.tolist(), there.tolist(), strict=True):
                if has:
                    order = [nodes[item] for item in row if item >= 0]
                    name = runs.names[run]
                    found.setdefault((name, "violated"), {})[topic] = _count(order, graph)
                    ideal = ideal_ranking(order, graph)
                    found.setdefault((name, "ideal_violated"), {})[topic] = _count(ideal, graph)
    found[FEWEST, "preferences"] = {topic: graph.edge_count for topic, graph in graphs.items()}
    found[FEWEST, "violated"] = fewest = _fewest(graphs, arguments.largest)
    found[FEWEST, "ideal_violated"] = {
        topic: _count(ideal_ranking((), graphs[topic]), graphs[topic]) for topic in fewest
    }
    for (run, measure), by_topic in found.items():
        for topic, count in by_topic.items() if arguments.per_topic else ():
            yield Line(run, topic, measure, count)
        yield Line(run, "all", measure, sum(by_topic.values()))


def _count(order: tuple[str, ...] | list[str], graph: PreferenceGraph) -> int:
    return sum(violated_preferences(order, graph).values())


def _fewest(graphs: Mapping[str, PreferenceGraph], largest: int) -> dict[str, int]:
    """Fewest violated by topic; notes the topics whose circles are too large, which are left out."""
    found, large = {}, []
    for topic, graph in steps(list(graphs.items()), "Best orders"):
        try:
            found[topic] = fewest_violated(graph, largest=largest).violated
        except ValueError:
            large.append(topic)
    if large:
        note(
            f"{FEWEST}: left out {len(large):,} of {len(graphs):,} topics, in which more than {largest} "
            "items prefer one another in circles"
        )
    return found
