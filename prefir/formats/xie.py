"""Readers of the image data set of Xie et al. (SIGIR 2020), in its own four formats.

Its topics are queries; an image's docno is the path that the set gives it, such as
"baidu/tfboys_0.jpg": engine, query, number. The engines are Sogou ("0") and Baidu ("1").
Without `known`, any query is accepted; with it (see `known_of`), it must have all queries and images.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from .collection import GradeRecord, unique_keys
from .ids import Known, docno_problem, id_problem, number, quoted, topic_problem, whole_number
from .lines import Progress, Source, read_table, read_text
from .preferences import PreferenceRecord
from .problems import Problems
from .runs import MAX_SIDE, GridRecord, RunGrid

ENGINES = {"0": "sogou", "1": "baidu"}
ASSESSORS = ("1", "2", "3")
_LABELS = {text: value for value in range(-2, 3) for text in (f"{value}", f"{value}.0", f"+{value}")}
_LABELS["-0"] = _LABELS["-0.0"] = 0
_SERP_WINNERS = {"0": "sogou", "1": None, "2": "baidu"}


class SerpPreferenceRecord(NamedTuple):
    """Preference between the result pages of a query: "sogou", "baidu", or None for a tie."""

    topic: str
    winner: str | None
    line: int = 0


def known_of(grids: Iterable[GridRecord]) -> Known:
    """Collect the topics and images of grids, which are what the other three files may name."""
    items: dict[str, set[str]] = {}
    for grid in grids:
        for topic, places in grid.rankings.items():
            items.setdefault(topic, set()).update(place.docno for place in places)
    return Known(topics=items.keys(), items=items, kind="image", new_items=False)


def read_xie_annotations(
    name: str, source: Source, known: Known | None = None, *, progress: Progress | None = None
) -> list[PreferenceRecord]:
    """Read `image_pairs_annotation`: three judgments a line, by the assessors "1", "2" and "3".

    Labels -2 and -1 prefer the left image, 1 and 2 the right one, 0 is a tie; -1.0 is read as -1.
    The strength is the label without its sign. Raises BadFile naming every bad line.
    """
    problems = Problems(name)
    images = _Images(known)
    records: list[PreferenceRecord] = []
    first: dict[tuple[str, ...], int] = {}
    for line, cells in read_table(source, problems, _header("Query"), 5, progress=progress):
        topic, pair, *labels = cells
        a, comma, b = pair.partition(",")
        key = (topic, a, b) if a < b else (topic, b, a)
        if not comma or "," in b:
            problems.add(line, f"{quoted(pair)} is not two images with a comma between")
        elif reason := images.problem(topic, a) or images.problem(topic, b):
            problems.add(line, reason)
        elif a == b:
            problems.add(line, f"the image {quoted(a)} is compared with itself")
        elif wrong := [label for label in labels if label not in _LABELS]:
            problems.add(line, f"the label {quoted(wrong[0])} is not one of -2, -1, 0, 1, 2")
        elif (earlier := first.setdefault(key, line)) != line:
            problems.add(line, f"this pair was already judged on line {earlier}")
        else:
            for assessor, label in zip(ASSESSORS, labels, strict=True):
                value = _LABELS[label]
                winner = a if value < 0 else b if value > 0 else None
                records.append(PreferenceRecord(topic, a, b, winner, assessor, line, abs(value)))
    problems.settle()
    return records


def read_xie_relevance(
    name: str, source: Source, known: Known | None = None, *, progress: Progress | None = None
) -> list[GradeRecord]:
    """Read `relevance_data`: a grade from 0 to 100 for each image. Raises BadFile naming every bad line."""
    problems = Problems(name)
    images = _Images(known)
    records: list[GradeRecord] = []
    first: dict[tuple[str, str], int] = {}
    for line, (topic, docno, given) in read_table(source, problems, _header("Query"), 3, progress=progress):
        grade = number(given)
        if reason := images.problem(topic, docno):
            problems.add(line, reason)
        elif grade is None or not 0 <= grade <= 100:
            problems.add(line, f"the grade {quoted(given)} is not a number from 0 to 100")
        elif (earlier := first.setdefault((topic, docno), line)) != line:
            problems.add(line, f"the image {quoted(docno)} was already graded on line {earlier}")
        else:
            records.append(GradeRecord(topic, docno, grade, line))
    problems.settle()
    return records


def read_xie_serp_preferences(
    name: str, source: Source, known: Known | None = None, *, progress: Progress | None = None
) -> list[SerpPreferenceRecord]:
    """Read `SERP_level_preference`: 0 Sogou wins, 1 tie, 2 Baidu wins. Raises BadFile as the others do."""
    problems = Problems(name)
    records: list[SerpPreferenceRecord] = []
    first: dict[str, int] = {}
    for line, (topic, given) in read_table(source, problems, _header("Query"), 2, progress=progress):
        if reason := _query_problem(topic, known):
            problems.add(line, reason)
        elif given not in _SERP_WINNERS:
            problems.add(line, f"the winner {quoted(given)} is not 0 (Sogou), 1 (tie) or 2 (Baidu)")
        elif (earlier := first.setdefault(topic, line)) != line:
            problems.add(line, f"the query {quoted(topic)} was already judged on line {earlier}")
        else:
            records.append(SerpPreferenceRecord(topic, _SERP_WINNERS[given], line))
    problems.settle()
    return records


def write_xie_serp_preferences(rows: Iterable[SerpPreferenceRecord]) -> Iterator[str]:
    """Write `SERP_level_preference`, each line with its end, as `read_xie_serp_preferences` reads it.

    Raises ValueError for a row that could not be read back.
    """
    yield "Query\tWinner(0: Sogou, 1: Tie, 2: Baidu)\n"
    words = {winner: word for word, winner in _SERP_WINNERS.items()}
    for row in rows:
        if reason := _query_problem(row.topic, None):
            raise ValueError(reason)
        if row.winner not in words:
            raise ValueError(f"the winner {row.winner} is neither sogou nor baidu")
        yield f"{row.topic}\t{words[row.winner]}\n"


def read_xie_positions(
    name: str, source: Source, known: Known | None = None
) -> tuple[GridRecord, GridRecord]:
    """Read `Image_position.json`: the grids of Sogou and of Baidu, queries in file order.

    The file is {query: {engine: {image number: [row, column, images in the row]}}}.
    Raises BadFile naming every place that does not fit (line 0, except for broken JSON).
    """
    problems = Problems(name)
    text = read_text(source, problems)
    try:
        queries = json.loads(text, object_pairs_hook=unique_keys)
    except json.JSONDecodeError as error:
        problems.add(error.lineno, f"not JSON: {error.msg} at character {error.colno} of the line")
        problems.settle()
    except (ValueError, RecursionError) as error:
        raise problems.stop(f"not JSON that can be read: {error}") from error
    if not isinstance(queries, dict) or not queries:
        raise problems.stop("not a JSON object from queries to engines")
    grids: dict[str, dict[str, RunGrid]] = {engine: {} for engine in ENGINES}
    for query, engines in queries.items():
        if reason := _query_problem(query, known):
            problems.add(0, reason)
        elif not isinstance(engines, dict) or not engines or not engines.keys() <= ENGINES.keys():
            problems.add(0, f'query {quoted(query)}: not an object with the engines "0" and "1"')
        else:
            for engine, places in engines.items():
                grids[engine][query] = _grid(query, engine, places, known, problems)
    problems.settle()
    sogou, baidu = (
        GridRecord({query: grid.places() for query, grid in grids[engine].items()}) for engine in ENGINES
    )
    return sogou, baidu


def _grid(query: str, engine: str, places: Any, known: Known | None, problems: Problems) -> RunGrid:
    """Read the grid of one query and engine; note what does not fit in `problems`."""
    grid = RunGrid()
    where = f"query {quoted(query)}, engine {engine}"
    if not isinstance(places, dict) or not places:
        problems.add(0, f"{where}: not an object from image numbers to places")
        return grid
    stated: dict[str, int] = {}
    for image, place in places.items():
        at = f"{where}, image {quoted(image)}"
        docno = f"{ENGINES[engine]}/{query}_{image}.jpg"
        if whole_number(image) is None:
            problems.add(0, f"{at}: the image is not named by a whole number")
        elif not _is_place(place):
            problems.add(0, f"{at}: the place is not [row, column, images in the row]")
        elif reason := grid.put(docno, place[0], place[1], 0) or _image_problem(query, docno, known):
            problems.add(0, f"{at}: {reason}")
        else:
            stated[docno] = place[2]
            continue
        grid.whole = False
    for _, reason in grid.holes():
        problems.add(0, f"{where}: {reason}")
    for place in grid.places() if grid.whole else ():
        if stated[place.docno] != place.row_length:
            reason = f"is said to stand in a row of {stated[place.docno]}, but the row has {place.row_length}"
            problems.add(0, f"{where}: {quoted(place.docno)} {reason}")
    return grid


def _is_place(place: Any) -> bool:
    return (
        isinstance(place, list)
        and len(place) == 3
        and all(type(value) is int and 0 <= value < MAX_SIDE for value in place)
    )


class _Images:
    """Checker of images that remembers the good ones: 41,538 pairs name the same 2,919 images."""

    def __init__(self, known: Known | None) -> None:
        self._known = known
        self._good: set[tuple[str, str]] = set()

    def problem(self, topic: str, docno: str) -> str | None:
        """Check an image of the query `topic`: the reason why it is not valid, or None."""
        if (topic, docno) in self._good:
            return None
        reason = _query_problem(topic, self._known) or _image_problem(topic, docno, self._known)
        if reason is None:
            self._good.add((topic, docno))
        return reason


def _query_problem(topic: str, known: Known | None) -> str | None:
    return topic_problem(topic, known) if known else id_problem("query", topic)


def _image_problem(topic: str, docno: str, known: Known | None) -> str | None:
    if reason := docno_problem(docno):
        return reason
    engine, _, file = docno.partition("/")
    image = file.removeprefix(f"{topic}_").removesuffix(".jpg")
    if engine not in ENGINES.values() or file != f"{topic}_{image}.jpg" or whole_number(image) is None:
        return f"{quoted(docno)} is not an image of this query, such as {quoted(f'baidu/{topic}_0.jpg')}"
    if known and not known.new_items and not known.has_item(topic, docno):
        return f"topic {quoted(topic)} has no image {quoted(docno)}"
    return None


def _header(first_cell: str) -> Callable[[list[str]], str | None]:
    """Make a check that the first line is the header, not data."""

    def problem(cells: list[str]) -> str | None:
        if cells[0] == first_cell:
            return None
        return f"the first line must be the header, starting with {first_cell}"

    return problem
