"""Writers of preferences, grades and scores, line by line, in formats that the readers accept."""

import csv
import io
import math
from collections.abc import Iterable, Iterator

from .cells import defused
from .collection import GradeRecord
from .ids import TIE, docno_problem, id_problem
from .preferences import PreferenceRecord
from .scores import SCORE_HEADER, ScoreRecord

# Beyond this a float no longer tells neighbouring whole numbers apart, so its digits would be made up.
_EXACT = 2**53


def write_preferences(rows: Iterable[PreferenceRecord]) -> Iterator[str]:
    """Write lines `topic a b winner [assessor [strength]]`, each with its line end; a tie is the word `tie`.

    Raises ValueError for a row that could not be read back, as one with a strength but no assessor.
    """
    for row in rows:
        winner = TIE if row.winner is None else row.winner
        _check(id_problem("topic", row.topic) or docno_problem(row.a) or docno_problem(row.b))
        if row.a == row.b or winner not in (row.a, row.b, TIE):
            raise ValueError(f"no judgment of two items: {row}")
        fields = [row.topic, row.a, row.b, winner]
        if row.assessor is not None:
            _check(id_problem("assessor", row.assessor))
            fields.append(row.assessor)
        if row.strength is not None:
            if row.assessor is None or row.strength not in ((0,) if row.winner is None else (1, 2)):
                raise ValueError(f"no strength of a judgment by somebody: {row}")
            fields.append(str(row.strength))
        yield " ".join(fields) + "\n"


def write_qrels(rows: Iterable[GradeRecord]) -> Iterator[str]:
    """Write lines `topic 0 docno grade`, each with its line end; whole grades without a decimal point.

    Raises ValueError for a row that could not be read back.
    """
    for row in rows:
        _check(id_problem("topic", row.topic) or docno_problem(row.docno))
        if not math.isfinite(row.grade):
            raise ValueError(f"the grade of {row.docno} in topic {row.topic} is {row.grade}")
        yield f"{row.topic} 0 {row.docno} {_shortest(row.grade)}\n"


def write_scores(rows: Iterable[ScoreRecord]) -> Iterator[str]:
    """Write CSV lines run,topic,measure,p,value below their header; None becomes an empty cell.

    Names that a spreadsheet would take for formulas begin with an apostrophe.

    Raises ValueError for a value that is not finite.
    """
    yield _csv(SCORE_HEADER)
    for row in rows:
        if row.value is not None and not math.isfinite(row.value):
            raise ValueError(f"the {row.measure} of {row.run} in topic {row.topic} is {row.value}")
        p = "" if row.p is None else repr(float(row.p))
        value = "" if row.value is None else repr(float(row.value))
        yield _csv([*map(defused, (row.run, row.topic or "", row.measure)), p, value])


def _check(reason: str | None) -> None:
    if reason:
        raise ValueError(reason)


def _shortest(grade: float) -> str:
    """Format a number with the fewest digits that read back as the same number."""
    value = float(grade)  # numpy's floats would write their type
    return str(int(value)) if value.is_integer() and abs(value) < _EXACT else repr(value)


def _csv(cells: list[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()
