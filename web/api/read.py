"""Routes that read: studies, leaderboard, scores, topics and judgments, paged by a cursor."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from django.db.models import F
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Query, Router

from collection.models import Item, Run, Study, Topic
from judging import ledger
from judging.aspect_answers import AspectAnswer, aspect_answers
from judging.models import Judgment, Release
from judging.transfer import pseudonyms
from judging.transfer.judgment_export import SUPPORTED
from scoring.board import leaderboard, standings
from scoring.scores import score_rows
from scoring.scores.stored_measures import chosen, options
from scoring.scores.topic_scores import PERSISTENCES
from web.api import shapes
from web.api.authorization import READING, Scope, Slug, Token, acting, owner, study_of
from web.api.problems import answers
from web.live import leaderboard_headline
from web.shared.access import studies_of

router = Router(auth=Token(Scope.READ), tags=["read"])
router.add_decorator(acting, mode="operation")
# What an answer has of a board as it is.
COUNTS = (
    *("version", "p", "topics", "topics_judged", "topics_whole", "topics_placed"),
    *("judgments", "provisional", "kept_only", "waiting"),
)
Limit = Annotated[int, Query(ge=1, le=1000, description="at most so many")]
Cursor = Annotated[
    str, Query(pattern=r"^([0-9]{1,18}(-[0-9]{1,18})?)?$", description="`next` of the page before")
]
P = Annotated[Literal["0.8", "0.85", "0.9", "0.95"] | None, Query(description="else the study's")]


def _number(cursor: str) -> int:
    """The number in a cursor; 0 without one."""
    return int(cursor.partition("-")[0] or 0)


def _persistence(study: Study, p: str | None) -> float:
    wanted = study.persistence if p is None else float(p)
    return wanted if wanted in PERSISTENCES else max(PERSISTENCES)


@router.get("/studies", response=answers(shapes.Studies))
def studies(request: HttpRequest, limit: Limit = 100, cursor: Cursor = "") -> dict[str, Any]:
    """List the studies whose results you may see, newest first."""
    rows = studies_of(owner(request)).filter(role__in=READING).order_by("-pk")  # type: ignore[misc]
    before = _number(cursor)
    found = list((rows.filter(pk__lt=before) if before else rows)[: limit + 1])
    more = str(found[limit - 1].pk) if len(found) > limit else None
    return {"studies": [_study(study) for study in found[:limit]], "next": more}


@router.get("/studies/{study}", response=answers(shapes.StudyShape))
def study(request: HttpRequest, study: Slug) -> dict[str, Any]:
    """Show one study."""
    return _study(study_of(request, study))


def _study(study: Study) -> dict[str, Any]:
    state = "open" if study.judging_is_open else "paused" if study.paused else "closed"
    return {
        "slug": study.slug,
        "name": study.name,
        "kind": study.kind,
        "role": str(getattr(study, "role", "")),
        "state": state if study.opened_at else "preparing",
        "persistence": study.persistence,
        "opened_at": study.opened_at,
    }


@router.get("/studies/{study}/leaderboard", response=answers(shapes.Leaderboard))
def board(
    request: HttpRequest,
    study: Slug,
    p: P = None,
    topics: Annotated[
        Literal["whole", "all"], Query(description="whole: those with a full round, where there are two")
    ] = "whole",
    limit: Limit = 1000,
    cursor: Cursor = "",
) -> dict[str, Any]:
    """Show the leaderboard with every number of its page, from the current standing.

    The cursor counts rows: if a later page has another `version`, start again.
    """
    found = study_of(request, study)
    standing, persistence = standings.current(found), _persistence(found, p)
    shown = leaderboard.board_of(standing, persistence, every=topics == "all")
    other = leaderboard.board_of(standing, persistence, every=topics != "all")
    said, first = leaderboard_headline.verdict(shown, found.words), _number(cursor)
    return {name: getattr(shown, name) for name in COUNTS} | {
        "over": "whole" if shown.whole else "all",
        "answer": said.answer,
        "but": said.but,
        "remark": leaderboard_headline.over_now(found, shown, other),
        "runs": [_line(row) for row in shown.rows[first : first + limit]],
        "next": str(first + limit) if first + limit < len(shown.rows) else None,
    }


def _line(row: leaderboard.BoardRow) -> dict[str, Any]:
    return {"run": row.name, "means": {measure: _mean(mean) for measure, mean in row.means.items()}}


def _mean(mean: leaderboard.Mean) -> dict[str, Any]:
    best, worst = mean.ranks or (None, None)
    told = {name: getattr(mean, name) for name in ("value", "low", "high", "topics", "ceiling")}
    return told | {"best_rank": best, "worst_rank": worst, "ceiling_is_bound": mean.at_most}


@router.get("/studies/{study}/scores", response=answers(shapes.Scores))
def scores(
    request: HttpRequest, study: Slug, p: P = None, limit: Limit = 100, cursor: Cursor = ""
) -> dict[str, Any]:
    """Show each run's stored scores on each topic, at one p."""
    found = study_of(request, study)
    persistence, measures = _persistence(found, p), chosen(found.measures)
    runs = list(Run.objects.filter(study=found).order_by("pk").values_list("pk", "name"))
    if not runs:
        return {"p": persistence, "scores": [], "next": None}
    # The cursor is the topic and the run that were last.
    at, after = (int(part or 0) for part in (cursor + "--").split("-")[:2])
    rows = Topic.objects.filter(study=found, pk__gte=at).order_by("pk").values_list("pk", "name")
    # Topics that fill a page though of the first only some runs are left.
    topics = list(rows[: limit // len(runs) + 3])
    stored = score_rows.read(pk for pk, _ in topics)
    lines = [
        (pk, run_pk, {"topic": name, "run": run, "scores": values[run_pk], "ceilings": ceilings})
        for pk, name in topics
        for values in [_values(stored.get(pk), [one for one, _ in runs], measures, persistence)]
        for ceilings in [_ceilings(stored.get(pk), measures, persistence)]
        for run_pk, run in runs
        if pk > at or run_pk > after
    ]
    more = f"{lines[limit - 1][0]}-{lines[limit - 1][1]}" if len(lines) > limit else None
    return {"p": persistence, "scores": [line for *_, line in lines[:limit]], "next": more}


def _values(
    scores: score_rows.TopicScores | None, runs: list[int], measures: Sequence[str], p: float
) -> dict[int, dict[str, float | None]]:
    """Each run's scores of one topic by measure; None where absent."""
    found: dict[int, dict[str, float | None]] = {run: dict.fromkeys(measures) for run in runs}
    if scores is None:
        return found
    option = options(p)
    for measure in measures:
        if (measure, option) in scores.columns:
            row = scores.values[scores.columns.index((measure, option))]
            for run, value in zip(scores.runs, row, strict=True):
                if run in found and value == value:  # nan: absent
                    found[run][measure] = value
    return found


def _ceilings(
    scores: score_rows.TopicScores | None, measures: Sequence[str], p: float
) -> dict[str, float | None]:
    """Best value of any ranking on one topic by measure; None where absent."""
    return {name: scores.ceiling((name, options(p))) if scores else None for name in measures}


@router.get("/studies/{study}/topics", response=answers(shapes.Topics))
def topics(request: HttpRequest, study: Slug, limit: Limit = 100, cursor: Cursor = "") -> dict[str, Any]:
    """List the topics of a study in the order of loading."""
    rows = Topic.objects.filter(study=study_of(request, study), pk__gt=_number(cursor)).order_by("pk")
    found = list(rows.values("pk", "text", "asked", "full_rounds", topic=F("name"))[: limit + 1])
    more = str(found[limit - 1]["pk"]) if len(found) > limit else None
    return {"topics": found[:limit], "next": more}


@router.get("/studies/{study}/judgments", response=answers(shapes.Judgments))
def judgments(
    request: HttpRequest,
    study: Slug,
    release: Annotated[
        str,
        Query(pattern=f"^({pseudonyms.NAME.pattern})?$", description="whose pseudonyms; one that there is"),
    ] = "",
    limit: Limit = 100,
    cursor: Cursor = "",
) -> dict[str, Any]:
    """List the judgments of kept batches under pseudonyms, as their export does.

    Challenges, repeats and corrected answers are left out. `limit` counts answers, of which one may give
    several preferences, or none.
    """
    found = study_of(request, study)
    of = _release(found, release)
    settled = Judgment.objects.settled().filter(topic__study=found, pk__gt=_number(cursor))
    keys = list(settled.order_by("pk").values_list("pk", flat=True)[: limit + 1])
    rows = _preferences(settled.filter(pk__lte=keys[:limit][-1]), of) if keys else []
    return {
        "release": of.name,
        "judgments": rows,
        "next": str(keys[limit - 1]) if len(keys) > limit else None,
    }


def _release(study: Study, name: str) -> Release:
    """The release of a name; only the usual one is made if it does not exist."""
    if name and name != pseudonyms.USUAL:
        return get_object_or_404(Release, study=study, name=name)
    return pseudonyms.release_of(study)


def _preferences(settled: Any, release: Release) -> list[dict[str, Any]]:
    """The preferences of some judgments."""
    fields = ("assignment__assessor__panel", "assignment__assessor__label", "assignment__assessor_id")
    named = pseudonyms.names_in(release)
    rows = list(ledger.derived_with(settled, *fields))
    told = {one.preference.judgment: one for one, _ in aspect_answers(settled.filter(details__isnull=False))}
    items = {pk for one, _ in rows for pk in (one.first, one.second)}
    docnos = dict(Item.objects.filter(pk__in=items).values_list("pk", "docno"))
    topics = dict(Topic.objects.filter(pk__in={one.topic for one, _ in rows}).values_list("pk", "name"))

    def winner(one: ledger.Preference, lean: int) -> str | None:
        return docnos[one.first if lean > 0 else one.second] if lean else None

    return [
        {
            "topic": topics[one.topic],
            "a": docnos[one.first],
            "b": docnos[one.second],
            "winner": winner(one, one.lean),
            "strength": abs(one.lean),
            "assessor": named(*person),
            "aspects": {name: winner(one, lean) for name, lean in further.aspects.items()} if further else {},
            "reasons": list(further.reasons) if further else [],
            "claims": _claims(further, docnos),
        }
        for one, person in rows
        for further in [told.get(one.judgment)]
    ]


def _claims(told: AspectAnswer | None, docnos: dict[int, str]) -> dict[str, list[str | None]]:
    """What was marked of the sentences that cite, by the docno of their item."""
    if not told or not told.claims:
        return {}
    items = (told.preference.first, told.preference.second)
    return {
        docnos[item]: [SUPPORTED[mark] for mark in marks]
        for item, marks in zip(items, told.claims, strict=True)
        if marks
    }
