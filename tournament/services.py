"""Starting, advancing and rebuilding tournaments. Each function may be repeated and raced."""

from collections.abc import Callable, Mapping, Sequence

from django.db import transaction
from django.db.models import F, QuerySet

from collection import levels
from collection.models import Item, Study, Topic
from judging import asking, ledger
from judging.models import Choice, Question
from prefir import rules
from tournament.models import Pairing, Round, Tournament


class CannotStart(Exception):
    """Why a study's judging cannot be opened, in a sentence for its organizer."""


def start(study_id: int) -> int:
    """Open a study: fix each topic's pool, and make challenges if it has none. `catch_up` asks the rounds.

    A repeat only adds what is missing. Returns the number of topics. Raises CannotStart.
    Cost grows with the number of topics and their items; six queries.
    """
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=study_id)
        if study.closed_at:
            raise CannotStart("This study is closed.")
        pools = _pools(study)
        if not any(len(pool) > 1 for pool in pools.values()):
            raise CannotStart("No topic has two items to compare: load items, and grades if there are any.")
        asking.challenges_from_grades(study)
        asking.freeze(study)
        Tournament.objects.bulk_create(
            [Tournament(topic_id=topic, pool=pool) for topic, pool in pools.items()],
            ignore_conflicts=True,
            batch_size=500,
        )
    return len(pools)


def _pools(study: Study) -> dict[int, list[int]]:
    """Each topic's first pool. Two queries.

    From the grades where a topic has any; else all its items that can be shown; else all of them.
    """
    grades: dict[int, dict[int, float]] = {}
    shown: dict[int, list[int]] = {}
    known: dict[int, list[int]] = {}
    for topic in Topic.objects.filter(study=study).values_list("pk", flat=True):
        grades[topic], shown[topic], known[topic] = {}, [], []
    rows = Item.objects.filter(topic__study=study).order_by("pk")
    for pk, topic, grade, text, image in rows.values_list("pk", "topic_id", "grade__value", "text", "image"):
        known[topic].append(pk)
        if text or image:
            shown[topic].append(pk)
        if grade is not None:
            grades[topic][pk] = grade
    return {
        topic: rules.initial_pool(grades[topic], study.k) if grades[topic] else shown[topic] or known[topic]
        for topic in known
    }


@transaction.atomic
def advance(topic_id: int) -> bool:
    """Bring a topic's rounds up to date with its settled judgments; return whether anything was done.

    The whole tournament is played again from its pool, which costs milliseconds and makes the result
    a function of the ledger alone: a repeat, a race or a judgment taken back later all end the same.
    About ten queries; the rows written are those of the rounds that changed.
    """
    locked = Tournament.objects.filter(topic_id=topic_id)
    tournament = _lock(locked)
    if tournament is None:
        return False
    topic = Topic.objects.select_related("study").get(pk=topic_id)
    # Read before the answers: what arrives in between is met again under a higher number.
    if tournament.seen == topic.settled:
        return False
    state = play(tournament, topic)
    asking.want(topic_id, state.wanted())
    _write_rounds(tournament, state)
    tournament.finished = state.finished
    tournament.seen = topic.settled
    tournament.save(update_fields=["finished", "seen"])
    places: dict[int, int] = {}
    for place, items in enumerate(state.top or (), 1):
        places |= dict.fromkeys(items, place)
    levels.set_places(topic_id, places)
    return True


def _lock(tournaments: QuerySet[Tournament]) -> Tournament | None:
    """The tournament's row, held until the transaction ends: one caller at a time advances it."""
    return tournaments.select_for_update(no_key=True).first()


def play(tournament: Tournament, topic: Topic) -> rules.State:
    """Replay a topic's tournament by its study's settings. One query."""
    return replayed(tournament, topic, ledger.answers(topic.pk))


def replayed(
    tournament: Tournament, topic: Topic, settled: Mapping[tuple[int, int], Sequence[Choice]]
) -> rules.State:
    """Replay a topic's tournament from its settled answers, as `ledger.answers` gives them. No query."""
    study = topic.study
    answers = {pair: [rules.Choice(choice) for choice in choices] for pair, choices in settled.items()}
    seed = f"{study.seed}:{topic.name}"
    if study.mode == Study.Mode.DEDICATED:
        return rules.play_dedicated(
            tournament.pool, answers, k=study.k, judgments_per_pair=study.judgments_per_pair, seed=seed
        )
    return rules.play(
        tournament.pool,
        answers,
        k=study.k,
        final_size=study.final_size,
        pairings=study.pairings,
        judgments_per_pair=study.judgments_per_pair,
        seed=seed,
    )


def _write_rounds(tournament: Tournament, state: rules.State) -> None:
    """Make the stored rounds those of `state`: rounds that still hold stay, others are made again."""
    stored = {r.number: r for r in tournament.rounds.all()}
    questions: dict[tuple[int, int], int] = {}
    for pk, a, b in Question.objects.filter(topic_id=tournament.topic_id).values_list(
        "pk", "item_a_id", "item_b_id"
    ):
        questions[a, b] = pk
    asked: dict[int, set[int]] = {number: set() for number in stored}
    pairings = Pairing.objects.filter(round__tournament=tournament)
    for number, question in pairings.values_list("round__number", "question_id"):
        asked[number].add(question)
    played = {r.number: r for r in state.rounds}
    # Highest number first, so that there is never a moment with two open rounds.
    for number in sorted(stored, reverse=True):
        if number not in played or asked[number] != {questions[pair] for pair in played[number].pairs}:
            stored.pop(number).delete()
    for number, round_ in played.items():
        wins = {str(item): won for item, won in (round_.wins or {}).items()} if round_.complete else {}
        row = stored.get(number)
        if row is None:
            row = Round.objects.create(
                tournament=tournament,
                number=number,
                kind=round_.kind,
                pool=list(round_.pool),
                wins=wins,
                answered=round_.answered,
                complete=round_.complete,
            )
            Pairing.objects.bulk_create(
                [Pairing(round=row, question_id=questions[pair]) for pair in round_.pairs], batch_size=500
            )
        elif (row.wins, row.answered, row.complete) != (wins, round_.answered, round_.complete):
            row.wins, row.answered, row.complete = wins, round_.answered, round_.complete
            row.save(update_fields=["wins", "answered", "complete"])


def behind() -> list[int]:
    """Topics whose tournament has not seen their latest verdicts. One query."""
    rows = Tournament.objects.exclude(seen=F("topic__settled"))
    return list(rows.order_by("topic_id").values_list("topic_id", flat=True))


def catch_up(progress: Callable[[int, int], None] = lambda done, total: None) -> int:
    """Advance every tournament that is behind, one transaction each; return how many there were."""
    topics = behind()
    for done, topic_id in enumerate(topics, 1):
        advance(topic_id)
        progress(done, len(topics))
    return len(topics)


def rebuild(study_id: int) -> int:
    """Drop every derived row of a study's tournaments and play them again from the ledger."""
    topics = list(
        Tournament.objects.filter(topic__study_id=study_id)
        .order_by("topic_id")
        .values_list("topic_id", flat=True)
    )
    for topic_id in topics:
        with transaction.atomic():
            tournament = Tournament.objects.select_for_update(no_key=True).get(topic_id=topic_id)
            tournament.rounds.all().delete()
            tournament.seen, tournament.finished = -1, False
            tournament.save(update_fields=["seen", "finished"])
            # This also sets every place and every question's `wanted` anew, whatever they are now.
            advance(topic_id)
    return len(topics)
