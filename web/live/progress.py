"""Progress of a study's tournaments: a row for each topic, and a summary."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, F, Func, IntegerField, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Left

from collection.material.levels import place
from collection.material.pictures import is_picture
from collection.models import Item, Study, Topic
from judging.models import BatchQuestion, Judgment, Question, Subject
from judging.questions import asking, question_holds
from prefir.rules import RoundState as PlayedRound
from tournament.models import Plan, Round, Tournament
from tournament.plans import plan_of
from web.shared import tokens
from web.shared.typesetting import first_words

# Letters of the best item's text that a line names, and of the text that are read for it.
LETTERS, EXCERPT = 70, 560
NOT_OPEN = "not open yet"
# States of a topic, in the order in which it goes through them, and their names on the page.
STATES = {
    "waiting": "waits for its first round",
    "round": "in a round before the final",
    "final": "in its final",
    "finished": "finished",
    "nothing": "nothing to compare",
}


class _Length(Func):
    """SQL function: number of elements of a JSON list."""

    function = "jsonb_array_length"
    output_field = IntegerField()

    def as_sqlite(self, compiler: Any, connection: Any, **more: Any) -> Any:
        return self.as_sql(compiler, connection, function="json_array_length", **more)


@dataclass(frozen=True)
class Placed:
    """An item at its place among a topic's top k, shared by ties. picture: a signed token, or "".

    name: the first words of the first of them, the docno of the others.
    """

    place: int
    docno: str
    picture: str
    name: str


@dataclass(frozen=True)
class TopicProgress:
    """One topic's line.

    state: a key of STATES; round: the round or the state in words. pool: None before the study is opened.
    still_in: None with a strategy that drops no item before the end (dedicated assessors).
    pairs: (answered, all) of the open round. Judgments of the topic: `asked` for in all rounds so far,
    `answered` in batches that were not discarded, and `kept` of these, in batches that passed.
    top: the top k once finished, best first.
    """

    topic: Topic
    state: str
    round: str
    pool: int | None
    still_in: int | None
    pairs: tuple[int, int] | None
    open_questions: int
    asked: int
    answered: int
    kept: int
    top: list[Placed]


@dataclass(frozen=True)
class ProgressSummary:
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
    """A stamp that changes whenever `summary` or `lines` may have changed."""
    # Handing out a batch closes questions without a judgment, so those are counted too.
    waiting = asking.open_questions(study).order_by().values("study_id").annotate(n=Count("pk"))
    # An answer raises no counter of its topic until the verdict on its batch.
    given = Judgment.objects.provisional().filter(assignment__assessor__study=study)
    provisional = given.order_by().values("assignment__assessor__study").annotate(n=Count("pk"))
    row = (
        Topic.objects.filter(study=study)
        .order_by("study_id")
        .values("study_id")
        .annotate(
            topics=Count("pk"),
            revisions=Sum("revision"),
            seen=Sum("tournament__seen"),
            up_to_date=Sum("scored__revision"),
            answered=Sum("scored__judgments"),
            waiting=Subquery(waiting.values("n")),
            provisional=Subquery(provisional.values("n")),
        )
        .values_list("topics", "revisions", "seen", "up_to_date", "answered", "waiting", "provisional")
        .first()
    )
    steered = (study.opened_at is not None, study.closed_at is not None, study.paused)
    return ".".join(str(int(part or 0)) for part in (*(row or ()), *steered))


def topics(study: Study, *, state: str = "", search: str = "", most_first: bool = False) -> QuerySet[Topic]:
    """Topics of a study by name, or those with most judgments first, filtered by `search` in name or text and
    by state: a key of STATES, or "not-open".
    """
    most = [F("scored__judgments").desc(nulls_last=True)] if most_first else []
    rows = Topic.objects.filter(study=study).order_by(*most, "name")
    begun, is_open = Q(tournament__seen__gte=0), Q(opened_at__isnull=False)
    rounds = Round.objects.filter(tournament__topic=OuterRef("pk"))
    finals = rounds.filter(complete=False, kind=Round.Kind.FINAL)
    conditions: dict[str, list[Any]] = {
        "not-open": [~is_open],
        "waiting": [is_open, ~begun | Q(tournament=None)],
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


def summary(study: Study) -> ProgressSummary:
    """Count a study's topics by state."""
    topics, plan = Topic.objects.filter(study=study).count(), plan_of(study)
    states: Counter[str] = Counter()
    left = 0
    later = Round.objects.filter(tournament=OuterRef("tournament"), number__gt=OuterRef("number"))
    last_rounds = Round.objects.filter(~Exists(later), tournament__topic__study=study)
    rounds = {
        row[0]: row[1:] for row in last_rounds.values_list("tournament", "kind", _Length("pool"), "answered")
    }
    # Of some tournaments are there thousands, so no objects are made of them.
    rows = Tournament.objects.filter(topic__study=study).annotate(played=Sum("rounds__answered"))
    for pk, seen, finished, size, played in rows.values_list(
        "pk", "seen", "finished", _Length("pool"), "played"
    ):
        kind, still_in, answered = rounds.get(pk, (None, None, 0))
        state = _state(seen, finished, kind)
        states[state] += 1
        if state not in ("finished", "nothing"):
            left += plan.rules.most_left(
                size, round_size=still_in, answered=answered, played=played or 0, settings=plan.settings
            )
    states["waiting"] += topics - states.total()
    waiting = asking.open_questions(study).count()
    in_hand = question_holds.held(BatchQuestion.objects.filter(assessor__study=study)).count()
    return ProgressSummary(topics, {key: states[key] for key in STATES}, waiting, in_hand, left)


def lines(study: Study, topics: Sequence[Topic]) -> list[TopicProgress]:
    """Rows of these topics of one study, in their order."""
    ids, plan = [topic.pk for topic in topics], plan_of(study)
    rounds = {t.topic_id: (t, r) for t, r in _with_last_round(Tournament.objects.filter(topic__in=ids))}
    open_now = Count("pk", filter=Q(taken__lt=F("wanted")))
    waiting = Question.objects.filter(topic__in=ids).order_by().values_list("topic_id").annotate(n=open_now)
    open_questions, given = dict(waiting), counts(plan, ids)
    top: dict[int, list[Placed]] = defaultdict(list)
    placed = Item.objects.filter(topic__in=ids, top_rank__isnull=False).order_by("top_rank", "docno")
    rows = placed.annotate(place=place(), start=Left("text", EXCERPT))
    for topic, pk, at, docno, image, start in rows.values_list(
        "topic_id", "pk", "place", "docno", "image", "start"
    ):
        picture = tokens.sign_image(pk) if is_picture(image) else ""
        is_named = picture or top[topic] or study.case == Study.Case.ANSWERS
        name = docno if is_named else first_words(start, docno, study, LETTERS)
        top[topic].append(Placed(at, docno, picture, name))
    return [
        _line(
            plan,
            topic,
            rounds.get(topic.pk),
            (open_questions.get(topic.pk, 0), *given.get(topic.pk, (0, 0))),
            top[topic.pk],
        )
        for topic in topics
    ]


def counts(plan: Plan, topics: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Judgments that a plan asked for, by topic id: (answered, kept); discarded ones are left out."""
    questions = Question.objects.filter(topic__in=topics, task=plan.task_id).order_by()
    taken = dict(questions.values_list("topic_id").annotate(n=Sum("taken")))
    places = BatchQuestion.objects.filter(question__topic__in=topics, question__task=plan.task_id)
    rows = question_holds.held(places).order_by().values_list("question__topic")
    counted = rows.annotate(held=Count("pk"), answers=Count("pk", filter=Q(answered=True)))
    in_batches = {topic: (held, answers) for topic, held, answers in counted}
    found = {}
    for topic, total in taken.items():
        held, answers = in_batches.get(topic, (0, 0))
        found[topic] = (total - held + answers, total - held)
    return found


def compared(topics: Sequence[int]) -> dict[int, tuple[int, int]]:
    """How many questions judgments that count answer, and how many items these are about, by topic id."""
    judged = Judgment.objects.counting().filter(topic__in=topics).order_by()
    questions = judged.values_list("topic").annotate(n=Count("question", distinct=True))
    about = Subject.objects.filter(question__in=judged.values("question"), item__isnull=False).order_by()
    items = dict(about.values_list("question__topic").annotate(n=Count("item", distinct=True)))
    return {topic: (n, items.get(topic, 0)) for topic, n in questions}


def _with_last_round(tournaments: QuerySet[Tournament]) -> list[tuple[Tournament, Round | None]]:
    """Each tournament with its last round, whose `asked` is its number of pairs."""
    rows = list(tournaments)
    later = Round.objects.filter(tournament=OuterRef("tournament"), number__gt=OuterRef("number"))
    rounds = Round.objects.filter(~Exists(later), tournament__in=tournaments).annotate(
        asked=Count("pairings")
    )
    last = {round_.tournament_id: round_ for round_ in rounds}
    return [(row, last.get(row.pk)) for row in rows]


def _state(seen: int, finished: bool, kind: str | None) -> str:
    """The state of a tournament. kind: of its last round, None if it has none."""
    if seen < 0:
        return "waiting"
    if kind is None:
        return "nothing"
    if finished:
        return "finished"
    return "final" if kind == Round.Kind.FINAL else "round"


def _line(
    plan: Plan,
    topic: Topic,
    rounds: tuple[Tournament, Round | None] | None,
    questions: tuple[int, int, int],
    top: list[Placed],
) -> TopicProgress:
    tournament, round_ = rounds or (None, None)
    kind = round_.kind if round_ else None
    state = _state(tournament.seen, tournament.finished, kind) if tournament else "waiting"
    still_in: int | None = None
    if state == "finished":
        still_in = len(top)
    elif tournament is not None and plan.rules.eliminates:
        still_in = len(round_.pool) if round_ else len(tournament.pool)
    open_questions, answered, kept = questions
    running = round_ is not None and state in ("round", "final")
    return TopicProgress(
        topic=topic,
        state=state,
        round=round_name(round_) if running and round_ else state_in_words(state, topic),
        pool=None if tournament is None else len(tournament.pool),
        still_in=still_in,
        pairs=(round_.answered, getattr(round_, "asked", 0)) if running and round_ else None,
        open_questions=open_questions,
        asked=topic.asked,
        answered=answered,
        kept=kept,
        top=top,
    )


def state_in_words(state: str, topic: Topic) -> str:
    """The state of a topic that is in no round, in words. state: a key of STATES."""
    return NOT_OPEN if state == "waiting" and topic.opened_at is None else STATES[state]


def round_name(round_: Round | PlayedRound) -> str:
    """Name a round: "round 2, pool reduction", "round 3, the last one" or "matches, wave 4"."""
    if round_.kind == Round.Kind.MATCH:
        return f"matches, wave {round_.number}"
    if round_.kind == Round.Kind.FINAL:
        return f"round {round_.number}, the last one"
    return f"round {round_.number}, {Round.Kind(round_.kind).label}"
