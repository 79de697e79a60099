"""Reader of judgments: a file of its own, a table, or the votes in a table of answers of models."""

from collections.abc import Callable, Iterable, Mapping

from .answer_columns import guess_roles, has_votes
from .answers import prompt_key, read_answers
from .ids import UNKNOWN_TOPIC, Known, joined_id, quoted
from .lines import Progress, Source
from .preferences import PreferenceRecord, each_preference
from .problems import BadFile, Problems
from .tables import read_table, table_rows


def read_judgments(
    name: str,
    source: Source,
    known: Known,
    *,
    prompts: Mapping[str, str] | None = None,
    columns: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Iterable[PreferenceRecord]:
    """Read judgments from a file of its own, from a table, or from the votes in a table of answers.

    Parameters as of `read_answers`. Raises BadFile naming every bad row, at the latest with the last record.
    """
    guessed = columns if columns is not None else _guess_columns(name, source)
    if not has_votes(guessed.values()):
        return read_table(
            "judgments",
            name,
            source,
            lambda rows: each_preference(name, rows, known, progress=progress),
            columns=columns,
            topic_of=topic_by_text(known, prompts),
        )
    votes = read_answers(name, source, known, prompts=prompts, columns=columns).votes
    problems = Problems(name)
    if not votes:
        raise problems.stop("no row says which answer won")
    for vote in votes:
        if vote.topic not in known.topics:
            problems.add(vote.line, f"{UNKNOWN_TOPIC} {quoted(vote.topic)}; load the answers first")
        elif not known.new_items:
            for docno in (vote.a, vote.b):
                if not known.has_item(vote.topic, docno):
                    problems.add(
                        vote.line, f"{quoted(docno)} has no answer to {quoted(vote.topic)}; load it first"
                    )
    problems.settle()
    return votes


def topic_by_text(known: Known, prompts: Mapping[str, str] | None) -> Callable[[str], str]:
    """Make a function that returns the topic of a cell, which has its text or its id; "" for none.

    prompts: as of `read_answers`.
    """

    def find(cell: str) -> str:
        topic = (prompts or {}).get(prompt_key(cell)) or joined_id(cell)
        return topic if topic in known.topics else ""

    return find


def _guess_columns(name: str, source: Source) -> Mapping[str, str]:
    """Guess the role of each column of a table of answers; {} for any other file."""
    problems = Problems(name)
    try:
        table = table_rows(problems, source, guess_roles)
    except BadFile:
        return {}
    return table.columns if table else {}
