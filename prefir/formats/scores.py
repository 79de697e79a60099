"""Reader of the score files of `write_scores`: CSV with the columns run, topic, measure, p, value."""

import csv
from typing import NamedTuple

from .cells import restored
from .ids import MAX_ID, hidden_character, id_problem, number, number_problem, quoted
from .lines import Progress, Source, read_lines
from .problems import Problems

SCORE_HEADER = ["run", "topic", "measure", "p", "value"]


class ScoreRecord(NamedTuple):
    """One score of a run.

    topic: None for the mean over topics. p: None for a measure without persistence.
    value: None if the topic has no score (which is not a score of 0).
    """

    run: str
    topic: str | None
    measure: str
    p: float | None
    value: float | None
    line: int = 0


def read_scores(name: str, source: Source, *, progress: Progress | None = None) -> list[ScoreRecord]:
    """Read scores from CSV, in file order; an empty topic, p or value means None.

    Raises BadFile naming every bad line.
    """
    problems = Problems(name)
    records: list[ScoreRecord] = []
    first: dict[tuple[str, str, str, float | None], int] = {}
    rows = 0
    for line, raw in read_lines(source, problems, progress=progress):
        cells = _cells(raw)
        if line == 1:
            if cells != SCORE_HEADER:
                problems.add(1, "the first line must be the header run,topic,measure,p,value")
            continue
        rows += 1
        if len(cells) != len(SCORE_HEADER):
            problems.add(line, "not 5 cells between commas: run,topic,measure,p,value")
            continue
        run, topic, measure = map(restored, cells[:3])
        given_p, given_value = cells[3:]
        p, value = number(given_p), number(given_value)
        reason = _name_problem("run", run) or _name_problem("measure", measure)
        if topic:
            reason = reason or id_problem("topic", topic)
        if reason:
            problems.add(line, reason)
        elif given_p and (p is None or not 0 < p < 1):
            problems.add(line, f"p is {quoted(given_p)}, not a number between 0 and 1")
        elif given_value and value is None:
            problems.add(line, number_problem("value", given_value))
        elif (earlier := first.setdefault((run, topic, measure, p), line)) != line:
            problems.add(line, f"this run, topic, measure and p were already given on line {earlier}")
        else:
            records.append(ScoreRecord(run, topic or None, measure, p, value, line))
    if not rows and not problems.found:
        raise problems.stop("nothing follows the header")
    problems.settle()
    return records


def _cells(raw: str) -> list[str]:
    """Split a CSV line into cells; none if its quotes are broken (`write_scores` writes one-line cells)."""
    try:
        return next(csv.reader([raw], strict=True))
    except csv.Error:
        return []


def _name_problem(what: str, text: str) -> str | None:
    """Check the name of a run or measure, which may contain spaces: why it is not valid, or None."""
    if not text.strip():
        return f"the {what} is empty"
    if len(text) > MAX_ID:
        return f"the {what} has {len(text):,} characters; at most {MAX_ID} are allowed"
    if hidden := hidden_character(text):
        return f"the {what} {quoted(text)} contains the control or invisible character {hidden}"
    return None
