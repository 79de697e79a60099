"""How far a study's tournaments have got: one line a topic, and a sum over all of them."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Sum

from collection.models import Item, Study, Topic
from judging import asking
from judging.models import Assignment, BatchQuestion, Question
from prefir import rules
from tournament import forecast
from tournament.models import Round, Tournament
from web import tokens

# Where a topic can stand, in the order of its life, and what the page calls it.
STATES = {
    "waiting": "waits for its first round",
    "round": "in a round before the final",
    "final": "in its final",
    "finished": "finished",
    "nothing": "nothing to compare",
}


@dataclass(frozen=True)
class Placed:
    """An item at its place among a topic's top k. picture: a signed token, or empty."""

    place: int
    docno: str
    picture: str


@dataclass(frozen=True)
class Line:
    """One topic's line.

    state: a key of STATES; round: how a person says it. pool: None before the study is opened.
    still_in: None where nobody can be called out before the end (dedicated assessors).
    pairs: (answered, all) of the open round. judgments: kept or being given now.
    top: the top k once finished, best first.
    """

    topic: Topic
    state: str
    round: str
    pool: int | None
    still_in: int | None
    pairs: tuple[int, int] | None
    open_questions: int
    judgments: int
    top: list[Placed]


@dataclass(frozen=True)
class Summary:
    """All topics of a study together; `states` counts them by key of STATES.

    open_questions wait for an assessor, in_hand are in batches now.
    most_left: judgments still needed at most, unless answers leave pairs undecided.
    """

    topics: int
    states: dict[str, int]
    open_questions: int
    in_hand: int
    most_left: int


def version(study: Study) -> str:
    """Changes whenever anything that `summary` or `lines` say may have changed. One query."""
    # Handing out a batch closes questions without a judgment, so those are counted too.
    waiting = asking.open_questions(study).order_by().values("topic__study_id").annotate(n=Count("pk"))
    row = (
        Topic.objects.filter(study=study)
        .order_by("study_id")
        .values("study_id")
        .annotate(
            topics=Count("pk"),
            revisions=Sum("revision"),
            seen=Sum("tournament__seen"),
            waiting=Subquery(waiting.values("n")),
        )
        .values_list("topics", "revisions", "seen", "waiting")
        .first()
    )
    steered = (study.opened_at is not None, study.closed_at is not None)
    return ".".join(str(int(part or 0)) for part in (*(row or ()), *steered))


def topics(study: Study, *, state: str = "", search: str = "") -> QuerySet[Topic]:
    """A study's topics by name: those in a state (a key of STATES) with `search` in their name or text."""
    rows = Topic.objects.filter(study=study).order_by("name")
    begun = Q(tournament__seen__gte=0)
    rounds = Round.objects.filter(tournament__topic=OuterRef("pk"))
    finals = rounds.filter(complete=False, kind=Round.Kind.FINAL)
    conditions: dict[str, list[Any]] = {
        "waiting": [~begun | Q(tournament=None)],
        "round": [Exists(rounds.filter(complete=False)), ~Exists(finals)],
        "final": [Exists(finals)],
        "finished": [begun, Q(tournament__finished=True), Exists(rounds)],
        "nothing": [begun, Q(tournament__finished=True), ~Exists(rounds)],
    }
    for condition in conditions.get(state, []):
        rows = rows.filter(condition)
    if search:
        rows = rows.filter(Q(name__icontains=search) | Q(text__icontains=search))
    return rows


def summary(study: Study) -> Summary:
    """Count where all topics stand. Five queries; cost grows with the topics and the open questions."""
    topics = Topic.objects.filter(study=study).count()
    states: Counter[str] = Counter()
    left = 0
    for tournament, round_ in _with_last_round(Tournament.objects.filter(topic__study=study)):
        state = _state(tournament, round_)
        states[state] += 1
        if state not in ("finished", "nothing"):
            left += _most_left(study, tournament, round_)
    states["waiting"] += topics - states.total()
    waiting = asking.open_questions(study).count()
    in_hand = BatchQuestion.objects.filter(
        assessor__study=study, assignment__state=Assignment.State.WORKING, challenge=False
    ).count()
    return Summary(topics, {key: states[key] for key in STATES}, waiting, in_hand, left)


def lines(study: Study, topics: Sequence[Topic]) -> list[Line]:
    """The lines of these topics of one study, in their order. Four queries."""
    ids = [topic.pk for topic in topics]
    rounds = {t.topic_id: (t, r) for t, r in _with_last_round(Tournament.objects.filter(topic__in=ids))}
    asked = (
        Question.objects.filter(topic__in=ids)
        .order_by()
        .values("topic_id")
        .annotate(open=Count("pk", filter=Q(taken__lt=F("wanted"))), given=Sum("taken"))
    )
    questions = {row["topic_id"]: (row["open"], row["given"]) for row in asked}
    top: dict[int, list[Placed]] = defaultdict(list)
    placed = Item.objects.filter(topic__in=ids, place__isnull=False).order_by("place", "docno")
    for topic, pk, place, docno, image in placed.values_list("topic_id", "pk", "place", "docno", "image"):
        top[topic].append(Placed(place or 0, docno, tokens.sign_image(pk) if image else ""))
    return [
        _line(study, topic, rounds.get(topic.pk), questions.get(topic.pk), top[topic.pk]) for topic in topics
    ]


def _with_last_round(tournaments: QuerySet[Tournament]) -> list[tuple[Tournament, Round | None]]:
    """Each tournament with its last round, and in that round's `asked` how many pairs it has. Two queries."""
    rows = list(tournaments.annotate(played=Sum("rounds__answered")))
    later = Round.objects.filter(tournament=OuterRef("tournament"), number__gt=OuterRef("number"))
    rounds = Round.objects.filter(~Exists(later), tournament__in=tournaments).annotate(
        asked=Count("pairings")
    )
    last = {round_.tournament_id: round_ for round_ in rounds}
    return [(row, last.get(row.pk)) for row in rows]


def _state(tournament: Tournament | None, round_: Round | None) -> str:
    if tournament is None or tournament.seen < 0:
        return "waiting"
    if round_ is None:
        return "nothing"
    if tournament.finished:
        return "finished"
    return "final" if round_.kind == Round.Kind.FINAL else "round"


def _line(
    study: Study,
    topic: Topic,
    rounds: tuple[Tournament, Round | None] | None,
    questions: tuple[int, int] | None,
    top: list[Placed],
) -> Line:
    tournament, round_ = rounds or (None, None)
    state = _state(tournament, round_)
    still_in: int | None = None
    if state == "finished":
        still_in = len(top)
    elif tournament is not None and study.mode == Study.Mode.CROWD:
        still_in = len(round_.pool) if round_ else len(tournament.pool)
    open_questions, judgments = questions or (0, 0)
    running = round_ is not None and state in ("round", "final")
    return Line(
        topic=topic,
        state=state,
        round=round_name(round_) if running and round_ else STATES[state],
        pool=None if tournament is None else len(tournament.pool),
        still_in=still_in,
        pairs=(round_.answered, getattr(round_, "asked", 0)) if running and round_ else None,
        open_questions=open_questions,
        judgments=judgments,
        top=top,
    )


def round_name(round_: Round | rules.Round) -> str:
    """ "round 2, pool reduction", "round 3, final", "matches, wave 4"."""
    if round_.kind == Round.Kind.MATCH:
        return f"matches, wave {round_.number}"
    return f"round {round_.number}, {Round.Kind(round_.kind).label}"


def _most_left(study: Study, tournament: Tournament, round_: Round | None) -> int:
    """Judgments that a tournament may still take: of its open round, and of all that can follow."""
    size = len(tournament.pool)
    if study.mode == Study.Mode.DEDICATED:
        pairs = (rules.bound([size], study.k) if size > 1 else 0) - (getattr(tournament, "played", 0) or 0)
    elif round_ is None:
        pairs = forecast.most_pairs(size, study.final_size, study.pairings)
    else:
        pairs = forecast.most_pairs(len(round_.pool), study.final_size, study.pairings) - round_.answered
    return pairs * study.judgments_per_pair
