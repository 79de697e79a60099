"""Roster: the people of a study with their figures, in lists that can be searched, filtered and sorted.

A page of people is one statement, and each kind of fact is one more for the people of the page. Lists sorted
by figures that add up everybody's answers go by those that the last sweep kept
(`judging.people.assessor_stats`).

Figures of answers are those of the page of trust (`scoring.quality.trust`), which the rooms above pass in.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from collection.models import Study
from config.sql import execute, ids
from judging.assessor_names import NOBODY
from judging.models import FROM_FILES
from judging.people.receipt_numbers import batch_of

A_PAGE = 50

# The people whose facts are asked for.
PEOPLE = "SELECT id FROM judging_assessor WHERE id {among}"

BATCHES = """
SELECT batch.assessor_id, sum(CASE WHEN batch.state <> 'lapsed' THEN 1 ELSE 0 END) AS batches,
       sum(CASE WHEN batch.state = 'kept' THEN 1 ELSE 0 END) AS kept,
       sum(CASE WHEN batch.state = 'discarded' THEN 1 ELSE 0 END) AS discarded,
       sum(CASE WHEN batch.state = 'lapsed' THEN 1 ELSE 0 END) AS lapsed
FROM judging_assignment batch WHERE batch.assessor_id IN ({people}) GROUP BY batch.assessor_id
"""
# Of batches that have a verdict, which says how many were wrong; `judging.verdicts.decisions` says what
# counts.
CHALLENGES = """
SELECT batch.assessor_id, sum(batch.answered - batch.wrong) AS right_ones, sum(batch.answered) AS answered,
       100.0 * sum(batch.answered - batch.wrong) / sum(batch.answered) AS share
FROM (SELECT decided.assessor_id, decided.challenges_wrong AS wrong, count(*) AS answered
      FROM judging_assignment decided
      JOIN judging_judgment answer ON answer.assignment_id = decided.id
      JOIN judging_question question ON question.id = answer.question_id
      WHERE decided.assessor_id IN ({people}) AND decided.challenges_wrong IS NOT NULL
            AND answer.role = 'challenge' AND answer.revision = 0
            AND question.set_aside_at IS NULL
      GROUP BY decided.id) batch
GROUP BY batch.assessor_id
"""

# The newest word about a warning; found among the few decisions that are about no batch.
WARNED = """
SELECT assessor_id FROM judging_decision
WHERE assignment_id IS NULL AND what IN ('warned', 'unwarned') AND assessor_id IS NOT NULL
GROUP BY assessor_id
HAVING max(CASE WHEN what = 'warned' THEN id ELSE 0 END) > max(CASE WHEN what = 'warned' THEN 0 ELSE id END)
"""
STATE = """
CASE WHEN excluded_at IS NOT NULL THEN 'excluded'
     WHEN id IN (SELECT assessor_id FROM judging_assignment WHERE state = 'working') THEN 'judging'
     WHEN id IN (SELECT assessor_id FROM judging_assignment WHERE state = 'idle') THEN 'away'
     WHEN id IN (SELECT assessor_id FROM judging_assignment) THEN 'finished' ELSE 'never' END
"""
# What each filter asks of somebody, of a row of `everybody`.
FILTERS = {
    **{state: f"{STATE} = '{state}'" for state in ("judging", "away", "finished", "excluded", "never")},
    "warned": f"id IN ({WARNED}) AND excluded_at IS NULL",
    "paused": "paused_at IS NOT NULL",
    # Those whom a page names (`Wanted.named`).
    "look": "id IN ({named})",
}
# Figures that lists are sorted by and that a page gives (`Wanted.given`).
GIVEN = ("seconds", "left", "tie", "agreement")
# What a list is sorted by: a column of `everybody`, or of the figures that are kept
# (`judging.people.assessor_stats`).
SORTS = {
    "number": "number",
    "label": "lower(label)",
    "state": STATE,
    "batches": "(SELECT count(*) FROM judging_assignment "
    "WHERE assessor_id = everybody.id AND state <> 'lapsed')",
    **dict.fromkeys(GIVEN, "given.column2"),
    "challenges": "challenges",
}


def sort_by(name: str, text: str) -> None:
    """Add an order of lists: an SQL expression about a row of `everybody`, for figures of the rooms above."""
    SORTS[name] = text


# Of these the list is as new as the last sweep.
KEPT = {"challenges"}
EVERYBODY = f"""
WITH everybody AS MATERIALIZED (
    SELECT assessor.id, assessor.panel, assessor.label, assessor.excluded_at, assessor.paused_at,
           row_number() OVER (ORDER BY assessor.id) AS number
    FROM judging_assessor assessor
    WHERE assessor.study_id = %s AND (assessor.panel <> '{FROM_FILES}' OR NOT EXISTS
          (SELECT 1 FROM judging_assignment WHERE assessor_id = assessor.id AND state = 'loading')
          AND assessor.label NOT IN ('{NOBODY}', '{FROM_FILES}-{NOBODY}')
          AND assessor.label NOT LIKE '{NOBODY} (%%' AND assessor.label NOT LIKE '{FROM_FILES}-{NOBODY}_(%%'))
"""  # noqa: S608 - texts of ours
PAGE = f"""{EVERYBODY}
SELECT id, number, count(*) OVER () FROM everybody {{joined}}
WHERE {{wanted}} ORDER BY {{order}} LIMIT {A_PAGE} OFFSET %s
"""  # noqa: S608 - texts of ours


@dataclass(frozen=True)
class Wanted:
    """Which people a page shows: a text in their label, their number or a receipt's; a filter; an order.

    given: of each person who has it, by id, the figure of GIVEN that the list is sorted by. named: ids of
    those whom the filter "look" lets through.
    """

    search: str = ""
    state: str = ""
    sort: str = "number"
    down: bool = False
    page: int = 1
    given: Mapping[int, float] = field(default_factory=dict)
    named: Collection[int] = ()


@dataclass(frozen=True)
class RosterPage:
    """A page of people: ids and numbers in order, how many there are in all, and the page's number."""

    people: list[tuple[int, int]]
    total: int
    page: int


def find(study: Study, wanted: Wanted) -> RosterPage:
    """Find the people of a page."""
    rows = _page(study, wanted, wanted.page)
    if rows or wanted.page == 1:
        return RosterPage([row[:2] for row in rows], rows[0][2] if rows else 0, wanted.page)
    first = _page(study, wanted, 1)
    last = max(1, -(-(first[0][2] if first else 0) // A_PAGE))
    rows = first if last == 1 else _page(study, wanted, last)
    return RosterPage([row[:2] for row in rows], rows[0][2] if rows else 0, last)


def _page(study: Study, wanted: Wanted, page: int) -> list[tuple[Any, ...]]:
    values: list[Any] = [study.pk]
    kept = wanted.sort in KEPT
    joined = "LEFT JOIN judging_personfigures ON assessor_id = everybody.id" if kept else ""
    if wanted.sort in GIVEN:
        rows = ", ".join(f"({int(pk)}, {float(figure)})" for pk, figure in wanted.given.items())
        joined = f"LEFT JOIN (VALUES {rows or '(0, 0.0)'}) given ON given.column1 = everybody.id"
    named = ", ".join(str(int(pk)) for pk in wanted.named) or "NULL"
    conditions = [FILTERS[wanted.state].replace("{named}", named) if wanted.state else "1 = 1"]
    if wanted.search:
        number = int(wanted.search) if wanted.search.isdecimal() and len(wanted.search) < 10 else 0
        conditions.append(
            "(number = %s OR lower(label) LIKE %s ESCAPE '!' "
            "OR id = (SELECT assessor_id FROM judging_assignment WHERE id = %s))"
        )
        values += [number, f"%{_literally(wanted.search.lower())}%", batch_of(wanted.search)]
    way = "DESC" if wanted.down else "ASC"
    # Who has no such figure comes last, whichever way the others are sorted.
    order = f"{SORTS[wanted.sort]} {way} NULLS LAST, id"
    text = PAGE.format(joined=joined, wanted=" AND ".join(conditions), order=order)
    return execute(text, [*values, (page - 1) * A_PAGE])


def _literally(text: str) -> str:
    """Escape a text for LIKE."""
    for sign in "!%_":
        text = text.replace(sign, f"!{sign}")
    return text


FACTS = {"batches": BATCHES, "challenges": CHALLENGES}


def facts(fact: str, people: Sequence[int]) -> dict[int, tuple[Any, ...]]:
    """Read one kind of fact, a key of FACTS, about each of these people who has it, as the statement's
    columns.
    """
    text = FACTS[fact].replace("{people}", PEOPLE)
    return {row[0]: row[1:] for row in execute(text, [ids(people)])}


def warned(people: Iterable[int]) -> set[int]:
    """Those of these people whose warning is in force."""
    text = f"SELECT assessor_id FROM ({WARNED}) found WHERE assessor_id {{among}}"  # noqa: S608 - texts of ours
    rows = execute(text, [ids(people)])
    return {row[0] for row in rows}


def states(people: Iterable[int]) -> dict[int, str]:
    """What each of these people does now: a key of FILTERS."""
    text = f"SELECT id, {STATE} FROM judging_assessor WHERE id {{among}}"  # noqa: S608
    return dict(execute(text, [ids(people)]))
