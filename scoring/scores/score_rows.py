"""Stored scores: one row for each topic, with the numbers of all runs and measures.

A study of 10,000 topics and 300 runs has 24,000,000 scores. As rows of their own they would take gigabytes,
and rescoring one topic would write thousands of them; together they are one value that is written at once.
"""

import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from django.db.models import BinaryField, QuerySet
from django.db.models.functions import Substr

from collection.models import Study
from scoring.models import StoredScores
from scoring.scores.stored_measures import options

# As array.array and numpy name them; stored with the lowest byte first.
NUMBER, RUN = "d", "q"


def columns(measures: Sequence[str]) -> list[tuple[str, str]]:
    """Columns of a topic's table: each measure at each persistence."""
    return [(measure, options(p)) for measure in measures for p in Study.PERSISTENCES]


class Score(NamedTuple):
    """A run's value of one measure, under one set of options, on one topic; None is absent, not 0."""

    topic_id: int
    run_id: int
    measure: str
    options: str
    value: float | None


@dataclass(frozen=True)
class TopicScores:
    """All scores of a topic. values: (columns, runs), nan where absent. ceilings: (columns,), the best
    values that a ranking could have; nan where absent, or all missing in rows of before there were any.
    """

    columns: Sequence[tuple[str, str]]
    runs: Sequence[int]
    values: Sequence[Sequence[float]]
    ceilings: Sequence[float] = ()

    def packed(self) -> dict[str, Any]:
        """The fields of `StoredScores` that hold them."""
        return {
            "columns": "\n".join(map(" ".join, self.columns)),
            "runs": _bytes_of(array(RUN, self.runs)),
            "numbers": _bytes_of(array(NUMBER, chain.from_iterable(self.values))),
            "ceilings": _bytes_of(array(NUMBER, self.ceilings)),
        }

    def ceiling(self, column: tuple[str, str]) -> float | None:
        """The ceiling of one column; None where it is absent or unknown."""
        known = dict(zip(self.columns, self.ceilings, strict=False))
        value = known.get(column)
        return None if value is None or value != value else value

    def rows(self, topic_id: int) -> Iterator[Score]:
        """Each score by itself, column by column."""
        for (measure, option), row in zip(self.columns, self.values, strict=True):
            for run, value in zip(self.runs, row, strict=True):
                yield Score(topic_id, run, measure, option, None if value != value else value)


def unpacked(columns: Any, runs: Any, numbers: Any, ceilings: Any = b"") -> TopicScores:
    """The scores in these fields of `StoredScores`."""
    named, own, every = named_columns(columns), numbers_in(RUN, runs), numbers_in(NUMBER, numbers)
    width = len(own)
    values = [every[i * width : (i + 1) * width] for i in range(len(named))]
    return TopicScores(named, own, values, numbers_in(NUMBER, ceilings))


def named_columns(columns: str) -> list[tuple[str, str]]:
    """Measure and options of each column, from the field of `StoredScores` that names them."""
    parts = (name.partition(" ") for name in columns.split("\n") if name)
    return [(measure, option) for measure, _, option in parts]


def numbers_in(kind: str, stored: Any) -> Any:
    """The numbers in a field of `StoredScores`, as an array. kind: NUMBER or RUN."""
    found: array[Any] = array(kind)
    found.frombytes(bytes(stored))
    if sys.byteorder == "big":
        found.byteswap()
    return found


def _bytes_of(numbers: "array[Any]") -> bytes:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def read(topics: Iterable[int]) -> dict[int, TopicScores]:
    """Stored scores of these topics; topics that were never scored are left out."""
    rows = StoredScores.objects.filter(topic__in=list(topics)).values_list(
        "topic_id", "columns", "runs", "numbers", "ceilings"
    )
    return {topic: unpacked(*fields) for topic, *fields in rows}


def stored(scored: QuerySet[StoredScores]) -> Iterator[Score]:
    """Every score in these rows, by topic."""
    rows = scored.order_by("topic_id").values_list("topic_id", "columns", "runs", "numbers")
    for topic, columns, runs, numbers in rows.iterator(200):
        yield from unpacked(columns, runs, numbers).rows(topic)


def of_run(study: Study, run_id: int, measure: str, option: str) -> dict[int, float]:
    """One run's scores of one measure by topic; absent ones are left out. Reads eight bytes of each topic."""
    found: dict[int, float] = {}
    rows = StoredScores.objects.filter(topic__study=study)
    for columns, runs in rows.order_by().values_list("columns", "runs").distinct():
        own, names = numbers_in(RUN, runs), columns.split("\n")
        if run_id not in own or f"{measure} {option}" not in names:
            continue
        place = 8 * (names.index(f"{measure} {option}") * len(own) + own.index(run_id))
        alike = rows.filter(columns=columns, runs=runs)
        piece = Substr("numbers", place + 1, 8, output_field=BinaryField())
        for topic, value in alike.values_list("topic_id", piece):
            (number,) = numbers_in(NUMBER, value)
            if number == number:
                found[topic] = number
    return found
