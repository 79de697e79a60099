"""Layouts of other programs that cannot be read as they are, each with how to mend it."""

import re
from typing import NamedTuple

from .answer_columns import guess_roles
from .headers import is_corpus, is_header, names_of, plain_name
from .rows import first_rows, table_names

_LINES = 20
_SHOWN = 8  # names of columns
_RENAME = (
    "rename them: topics have topic and text; passages docno, topic and text; grades topic, docno and grade; "
    "runs topic, docno and rank"
)
VOTES = "a line for each answer under the header topic, docno_a, docno_b, winner, assessor"
_ANSWERS = "answers of models; load the file as the kind answers, which takes it as it is"


class _Layout(NamedTuple):
    """A layout, by the names of its columns.

    keys: groups of names; a file has at least one of each group. without: names that it does not have. told:
    what it is, and how to mend it.
    """

    keys: tuple[str, ...]
    told: str
    without: str = ""


_TOPICS = "topic topic_id qid query_id query-id question_id prompt_id topicid queryid"
_LAYOUTS = (
    _Layout(
        ("g1_winner", "g2_winner"),
        f"two games a pair in one line: write {VOTES}, twice, once for each game",
    ),
    _Layout(
        ("winner", "model_a left a docno_a item_a item_x loser"),
        "votes that name no topic: add the column topic, with the id of each question, or prompt, with its "
        "text; where no question was asked, write the same word in each row, and load it as a topic",
        _TOPICS,
    ),
    _Layout(
        ("turn", "score", "judge"),
        "grades of several turns of a question: give each turn a topic of its own, such as 81-1, and write "
        "the columns topic, docno, grade, where the docno is the model",
    ),
    _Layout(
        ("annotations", "data"),
        f"an export of Label Studio, in which answers are nested: write {VOTES}, where left and right are "
        "the docnos that were shown there",
    ),
    _Layout(
        ("label_annotations displayed_text",),
        f"annotations of Potato, in which answers are nested: write {VOTES}",
    ),
    _Layout(("fields", "responses"), f"records of Argilla, in which answers are nested: write {VOTES}"),
    _Layout(
        ("hits candidates",),
        "rankings as lists within objects: write them as a TREC run, topic Q0 docno rank score tag, as "
        "Pyserini does with --output-format trec",
    ),
    _Layout(
        ("esci_label",),
        "grades that are letters: add the column grade with numbers, such as 3 for E, 2 for S, 1 for C and "
        "0 for I",
        "grade",
    ),
)
_CORPUS = (
    "passages that name no topic, as a corpus has them: add the column topic, with a row for each topic "
    "whose assessors are to see the passage"
)
_HEADERLESS = "columns without names, as MS MARCO has them: put this line first, with tabs between: "
_FEATURES = re.compile(r"-?\d+(\.\d+)?\s+qid:\S+\s+\d+:\S")
_OF_FEATURES = (
    "features for learning to rank: write lines of topic, 0, docno and grade (the docno follows # docid =)"
)
_TREC_TOPICS = (
    "topics in SGML or XML: write a line for each, its number, a tab and its title or another of its texts"
)
_TREC = re.compile(r"\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)?<(top|topics|num)\b", re.I | re.S)


def mend_of(head: str) -> str:
    """How to mend a file of a layout that is known and cannot be read, by its first text; "" for others."""
    if _TREC.match(head):
        return _TREC_TOPICS
    if guess_roles(table_names(head), first_rows(head)):
        return _ANSWERS
    lines = [line for line in re.split(r"\r\n|\n|\r", head, maxsplit=_LINES)[:_LINES] if line.strip()]
    shapes = {_shape_of(line) for line in lines}
    if len(shapes) == 1 and (told := shapes.pop()):
        return told
    return mend_of_names(names_of(head))


def rename(head: str) -> str:
    """How to rename the columns of a file if some but not all have a known name; "" for others."""
    if head.startswith(("{", "[")):
        return ""
    names = names_of(head)
    return f"the columns {', '.join(names[:_SHOWN])}: {_RENAME}" if is_header(names) else ""


def _shape_of(line: str) -> str:
    """How to mend a line without names of columns, by what it looks like; "" for others."""
    if _FEATURES.match(line):
        return _OF_FEATURES
    cells = line.split("\t")
    if len(cells) not in (3, 4) or " " in cells[0] or " " in cells[1]:
        return ""
    if len(cells) == 3:
        ranks = cells[2].isascii() and cells[2].isdigit()
        return f"{_HEADERLESS}qid, docno, rank (or, for grades, grade)" if ranks else ""
    if cells[1].startswith(("http:", "https:")):
        return _CORPUS
    return f"{_HEADERLESS}qid, pid, query, passage" if " " in cells[2] and " " in cells[3] else ""


def mend_of_names(names: list[str]) -> str:
    """Return how to fix a table with these columns; "" if they match no known layout."""
    given = {plain_name(name) for name in names}
    for keys, told, without in _LAYOUTS:
        if all(given & set(some.split()) for some in keys) and not given & set(without.split()):
            return told
    return _CORPUS if is_corpus(names) else ""
