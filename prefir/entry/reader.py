"""`prefir.read`: what a file or a frame holds, told by looking; and the readers of each kind."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

# Recognition and votes are loaded where they are used, through the package: a command of grades and runs has
# no need of them.
from prefir import formats
from prefir.formats import (
    ANYTHING,
    PreferenceRecord,
    Progress,
    RunRecord,
    Source,
    Ties,
    docno_problem,
    each_preference,
    read_grades,
    read_run_scores,
    read_runs,
    read_runs_places,
    read_table,
    table_names,
)
from prefir.formats.headers import named_columns, names_of, prompted_votes
from prefir.formats.ids import id_problem, quoted, tie_problem
from prefir.formats.lines import drop_comments, first_text, most_bytes, read_bytes, read_fields
from prefir.formats.problems import Problems
from prefir.formats.tables import read_rows

from .judgments import Preferences
from .sources import is_frame, is_path, open_source, rows_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from prefir.formats import ItemLists

T = TypeVar("T")
Grades = Mapping[str, Mapping[str, float]]
Kind = Literal["", "grades", "run", "preferences", "votes"]
"""What a file holds; "" where that is told by looking."""
_KINDS: Mapping[str, Kind] = {"judgments": "preferences", "qrels": "grades", "run": "run"}
# What the columns of a table are called; more names are in `prefir.formats.headers`.
_COLUMNS = {
    "qrels": "grades have topic, docno and grade",
    "run": "runs have topic, docno and rank or score",
    "judgments": "preferences have topic, a, b and winner, or topic, winner and loser",
    "votes": "votes have model_a, model_b and winner, or winner and loser, and perhaps topic and judge",
}
_KNOWN = "; ".join(_COLUMNS.values())
GRADES = "these are grades"
_LINES, _SHOWN = 20, 8  # of a file's beginning: lines, names of columns
_PAIR_FIELDS = 3  # topic preferred other


class Runs(dict[str, dict[str, list[str]]]):
    """Runs of a file: tag -> topic -> docnos, best first."""


def read(source: Any, *, kind: Kind = "", ties: Ties = "descending") -> Grades | Runs | Preferences:
    """Read a file of grades, runs, preferences or votes, whichever it is.

    source: a path, packed by gzip or not; "-", standard input; or a data frame. TREC's formats, `topic a b
    winner [assessor]`, `topic preferred other`, and tables: CSV, JSON, JSON lines, Parquet, workbooks.
    kind: where looking does not tell, "grades", "run", "preferences" or "votes"; votes are preferences
    between systems, by name, whose topic may be missing. ties: the order of equal scores, as in `read_run`.

    Returns topic -> docno -> grade; `Runs`, tag -> topic -> docnos; or `Preferences`.
    Raises BadFile naming every bad line, and for a file of another kind; ValueError where several kinds fit.
    """
    if kind not in get_args(Kind):
        raise ValueError(f"the kind is {kind!r}; the kinds are {', '.join(filter(None, get_args(Kind)))}")
    if is_frame(source):
        names = [str(name) for name in source.columns]
        kind = kind or _kind_of_names(names)
        if not kind:
            raise ValueError(
                f"a frame with the columns {', '.join(names)} holds no grades, run or votes: {_KNOWN}"
            )
    elif is_path(source):
        source = open_source(source)
        kind = kind or _kind_of(*source)
    else:
        raise TypeError(f"a path or a data frame is read, no {type(source).__name__}")
    if kind == "grades":
        return read_grades_of(source)
    if kind == "run":
        return Runs((run.tag, run.rankings) for run in read_runs_of(source, ties))
    return read_votes_of(source) if kind == "votes" else read_preferences_of(source)


def read_grades_of(source: Any, progress: Progress | None = None) -> Grades:
    """Read grades, topic -> docno -> grade, in file order. Raises BadFile."""
    return _read("qrels", source, lambda name, given: read_grades(name, given, ANYTHING, progress=progress))


def read_runs_of(source: Any, ties: Ties, progress: Progress | None = None) -> list[RunRecord]:
    """Read the runs of a file. Raises BadFile."""
    return _read("run", source, lambda name, given: read_runs(name, given, ANYTHING, ties, progress=progress))


def read_scores_of(source: Any, progress: Progress | None = None) -> tuple[str, dict[str, dict[str, float]]]:
    """Read one run: its tag, and topic -> docno -> score. Raises BadFile."""
    return _read("run", source, lambda name, given: read_run_scores(name, given, ANYTHING, progress=progress))


def read_places_of(
    source: Any, ties: Ties, lists: "ItemLists", progress: Progress | None = None
) -> "list[tuple[str, dict[str, NDArray[np.int32]]]]":
    """Read the runs of a file as places in these lists of items, so that its text is not kept."""
    return _read(
        "run",
        source,
        lambda name, given: read_runs_places(name, given, ANYTHING, lists, ties, progress=progress),
    )


def read_preferences_of(source: Any, progress: Progress | None = None) -> Preferences:
    """Read preferences, `topic a b winner [assessor]` or `topic preferred other`, as the first line has it.

    Raises BadFile.
    """
    if not is_frame(source):
        name, opened = _named(source)
        data = read_bytes(opened, Problems(name), most_bytes(free=True))
        text = drop_comments(first_text(data[: formats.HEAD])).lstrip()
        if told := _no_preferences(text, data[: formats.HEAD]):
            raise Problems(name).stop(told)
        if _has_pairs(text):
            return Preferences(_pairs(name, data, progress), sides=False)
        source = name, data
    return Preferences(list(_read("judgments", source, partial(_judged, progress))), sides=True)


def read_votes_of(source: Any, progress: Progress | None = None) -> Preferences:
    """Read votes between systems: as preferences, or a table whose rows need not name a topic.

    Votes in a table of answers are taken, too. Raises BadFile.
    """
    if not is_frame(source):
        name, opened = source = _named(source)
        head = _head(name, opened)
        names = names_of(drop_comments(first_text(head)).lstrip())
        if (
            names
            and not any(named_columns(kind, names) for kind in _COLUMNS)
            and not formats.recognize(head).votes
        ):
            told = ", ".join(names[:_SHOWN])
            raise Problems(name).stop(f"its first line has {told}; it must name columns: {_COLUMNS['votes']}")
        if _kind_of(name, opened) != "votes":
            return read_preferences_of(source, progress)
        if not named_columns("votes", table_names(first_text(_head(name, opened)).lstrip())):
            return Preferences(list(formats.read_judgments(name, opened, ANYTHING)), sides=True)
    return Preferences(list(_read("votes", source, partial(_judged, progress))), sides=True)


def _judged(progress: Progress | None, name: str, given: Source) -> list[PreferenceRecord]:
    return list(each_preference(name, given, ANYTHING, progress=progress))


def _pairs(name: str, data: bytes, progress: Progress | None) -> list[PreferenceRecord]:
    problems, records = Problems(name), []
    columns = "topic preferred other, as on the first line"
    for line, fields in read_fields(data, problems, columns, counts=(3,), progress=progress, free=True):
        topic, preferred, other = fields
        wrong = [id_problem("topic", topic, free=True)]
        wrong += [docno_problem(one, free=True) or tie_problem(one) for one in (preferred, other)]
        if reason := next(filter(None, wrong), None):
            problems.add(line, reason)
        elif preferred == other:
            problems.add(line, f"docno {quoted(preferred)} is compared with itself")
        else:
            records.append(PreferenceRecord(topic, preferred, other, preferred, None, line))
    problems.settle()
    return records


def _read(kind: str, source: Any, read: Callable[[str, Source], T]) -> T:
    """Read a file, or a frame by the same reader."""
    if is_frame(source):
        names = [str(name) for name in source.columns]
        if not named_columns(kind, names):
            told = f"a frame with the columns {', '.join(names)} holds no {_plural(kind)}"
            raise ValueError(f"{told}; {_COLUMNS[kind]}")
        rows = list(rows_of(source))
        return read_rows(kind, "run", rows, lambda given: read("the frame", given), free=True)
    name, opened = _named(source)
    return read_table(kind, name, opened, lambda given: read(name, given), free=True)


def _plural(kind: str) -> str:
    return {"qrels": "grades", "run": "run", "votes": "votes"}.get(kind, "preferences")


def _named(source: Any) -> tuple[str, Source]:
    """A name and what is read: of a path, or of what was opened already."""
    return source if isinstance(source, tuple) else open_source(source)


def _head(name: str, source: Source) -> bytes:
    """The first bytes of a file, or of the first table in it."""
    if isinstance(source, bytes):
        head = source[: formats.HEAD]
    else:
        assert isinstance(source, Path)
        try:
            with source.open("rb") as file:
                head = file.read(formats.HEAD)
        except OSError as error:
            raise Problems(name).stop(f"cannot be read: {error.strerror or error}") from error
    if not formats.is_text(head) and (parts := formats.parts_of(name, source)):
        with parts[0].open() as file:
            return file.read(formats.HEAD)
    return head


def _kind_of(name: str, source: Source) -> Kind:
    """What a file holds. Raises BadFile for another kind, ValueError for several."""
    head = _head(name, source)
    guess = formats.recognize(head)
    text = drop_comments(first_text(head)).lstrip()
    if prompted_votes(table_names(text)):
        return "votes"
    if guess.kind in _KINDS:
        return _KINDS[guess.kind]
    if guess.votes:
        return "votes"
    if "judgments" in guess.others:
        return "preferences"
    if guess.others == ("run", "qrels"):
        raise ValueError(f'{name}: {guess.why}; say which by kind="run" or kind="grades"')
    if kind := _kind_of_names(table_names(text)):
        return kind
    if not guess.kind and _has_pairs(text):
        return "preferences"
    raise Problems(name).stop(f"no grades, run, preferences or votes: {guess.why}")


def _no_preferences(text: str, head: bytes) -> str:
    """Why a file holds no preferences between items, where it is seen at once; "" else."""
    names = table_names(text)
    if named_columns("votes", names) and not named_columns("judgments", names):
        return "votes that name no topic, as prefir rank takes them; preferences have a column topic"
    # Preferences may end with a number too, a docno; their second field is no 0 on every line.
    seconds = {line.split()[1:2] == ["0"] for line in text.splitlines()[:_LINES] if line.strip()}
    if seconds == {True} and formats.recognize(head).kind == "qrels":
        return f"{GRADES}, no preferences"
    return "this is a run, no preferences" if formats.recognize(head).kind == "run" else ""


def _has_pairs(text: str) -> bool:
    """Whether a file begins with `topic preferred other`."""
    first = text.partition("\n")[0]
    return len(first.split()) == _PAIR_FIELDS and not named_columns("judgments", table_names(first))


def _kind_of_names(names: list[str]) -> Kind:
    """What a table holds, by its columns' names; "" if they do not say. Raises ValueError if they fit two."""
    fitting: list[Kind] = [kind for own, kind in _KINDS.items() if named_columns(own, names)]
    if len(fitting) > 1:
        both = f"the columns {', '.join(names)}: scores of a run, or grades"
        raise ValueError(f'{both}; say which by kind="run" or kind="grades"')
    if fitting:
        return fitting[0]
    return "votes" if named_columns("votes", names) else ""
