"""Readers of preference judgments and challenges: `topic a b winner [assessor [strength]]`."""

from collections.abc import Iterator
from typing import NamedTuple

from .ids import TIE, Known, docno_problem, id_problem, quoted, tie_problem, topic_problem
from .lines import Progress, Source, read_fields
from .problems import Problems

STRENGTHS = {"0": 0, "1": 1, "2": 2}


class PreferenceRecord(NamedTuple):
    """One judgment of two items: the winner's docno, or None for a tie.

    assessor: a label, or None if the file names none. strength: 0 (tie), 1 (better), 2 (definitely
    better), or None if the file does not say.
    """

    topic: str
    a: str
    b: str
    winner: str | None
    assessor: str | None = None
    line: int = 0
    strength: int | None = None


def read_preferences(
    name: str, source: Source, known: Known, *, progress: Progress | None = None
) -> list[PreferenceRecord]:
    """Read judgments, `topic a b winner [assessor [strength]]`, in file order.

    The winner is a, b or the word `tie`; the strength is 1 or 2 (definitely better), 0 with a tie.
    A pair may be judged many times. Unknown items are bad lines unless `known.new_items`.
    Raises BadFile naming every bad line.
    """
    return list(each_preference(name, source, known, progress=progress))


def each_preference(
    name: str, source: Source, known: Known, *, progress: Progress | None = None, about: str = "item"
) -> Iterator[PreferenceRecord]:
    """Yield what `read_preferences` returns, one at a time, so that a long file needs no more memory.

    about: what is compared, in the words of messages: items, or runs by their names.
    Raises BadFile only after the last line: until then nothing may be done that cannot be undone.
    """
    problems = Problems(name)
    yield from _each(source, known, problems, progress, about)
    problems.settle()


def read_challenges(
    name: str, source: Source, known: Known, *, progress: Progress | None = None
) -> list[PreferenceRecord]:
    """Read questions with a known answer: the same format, but without ties and each pair only once.

    Raises BadFile naming every bad line.
    """
    problems = Problems(name)
    records = list(_each(source, known, problems, progress))
    first: dict[tuple[str, frozenset[str]], int] = {}
    for record in records:
        earlier = first.setdefault((record.topic, frozenset((record.a, record.b))), record.line)
        if record.winner is None:
            problems.add(record.line, "a challenge has a known winner; a tie cannot be one")
        elif earlier != record.line:
            problems.add(record.line, f"this pair was already given on line {earlier}")
    problems.settle()
    return records


def _each(
    source: Source, known: Known, problems: Problems, progress: Progress | None, about: str = "item"
) -> Iterator[PreferenceRecord]:
    """Yield the good lines as records, and note the others in `problems`."""
    columns = "topic a b winner, then an assessor's label and a strength if you like"
    free = known.free
    for line, fields in read_fields(
        source, problems, columns, counts=(4, 5, 6), progress=progress, free=free
    ):
        topic, a, b, winner = fields[:4]
        assessor = fields[4] if len(fields) > 4 else None
        strength = STRENGTHS.get(fields[5]) if len(fields) > 5 else None
        wrong = (tie_problem(docno) or docno_problem(docno, free=free) for docno in (a, b))
        if reason := topic_problem(topic, known) or next(filter(None, wrong), None):
            problems.add(line, reason)
        elif a == b:
            word = "docno" if about == "item" else about
            problems.add(line, f"{word} {quoted(a)} is compared with itself")
        elif winner not in (a, b, TIE):
            problems.add(
                line, f"the winner {quoted(winner)} is neither {quoted(a)} nor {quoted(b)} nor the word tie"
            )
        elif assessor is not None and (reason := id_problem("assessor", assessor, free=free)):
            problems.add(line, reason)
        elif len(fields) > 5 and (strength is None or (strength == 0) != (winner == TIE)):
            problems.add(line, f"the strength {quoted(fields[5])} is not 1, 2 (definitely), or 0 with a tie")
        elif not known.new_items and (unknown := [d for d in (a, b) if not known.has_item(topic, d)]):
            names = " and ".join(quoted(docno) for docno in unknown)
            problems.add(line, f"topic {quoted(topic)} has no {about} {names}; load the {about}s first")
        else:
            yield PreferenceRecord(topic, a, b, None if winner == TIE else winner, assessor, line, strength)
