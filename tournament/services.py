"""Start, advance and rebuild tournaments. Each function may be repeated and run concurrently."""

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.dispatch import Signal
from django.utils import timezone

from collection import audit_log
from collection.changes import raise_revisions
from collection.material import levels
from collection.models import Study, Topic
from collection.study import lifecycle
from config.task_queue import sweep_each
from judging import ledger
from judging.batches import examples
from judging.models import Question, Task
from judging.questions import asking, challenges, grading, grids, texts
from judging.tasks.pick import Pick
from prefir import rules
from tournament.models import Pairing, Plan, Round, Tournament
from tournament.plans import all_pools, plan_of
from tournament.waves import first_wave

# Sent inside the transaction that brought a topic's rounds up to date, with study_id and whether it has
# ended with that.
tournament_advanced = Signal()


Progress = Callable[[int, int], None]
CHUNK = 100


class CannotStart(Exception):
    """Judging cannot be opened; the message is for the organizer."""


def start(study_id: int, most: int | None = None, *, drawn: bool = False) -> int:
    """Open a study, or further topics of one that is open: ask what is to be graded, fix each topic's pool,
    and make challenges if it has none. `catch_up` asks the rounds.

    most: so many topics at most, in the order in which they were loaded, or `drawn` at random by the study's
    seed, as a first wave or a pilot; a later call opens others. Those about which nothing can be asked are
    opened with the rest. Where tournaments wait for grades, only the grading begins, of all topics at once;
    `take_grades` begins the tournaments.

    A repeat only adds what is missing. Returns how many topics were opened. Raises CannotStart. Cost grows
    with topics and items.
    """
    with transaction.atomic():
        study = _locked(study_id)
        tasks = grading.tasks_of(study)
        if any(task.settings_of_kind.grades_first for task in tasks):
            if study.opened_at:
                raise CannotStart("Grades came first in this study, and chose the pools of all its topics.")
            if most is not None:
                raise CannotStart("Where grades come first, all topics are opened at once.")
            if not sum(grading.ask(task) for task in tasks):
                raise CannotStart("No run places an item to be graded: load runs first.")
            _open(study)
            return _mark_open(Topic.objects.filter(study=study))
        for task in tasks:
            grading.ask(task)
        topics = _fix_pools(study, most, drawn=drawn)
        if study.opened_at and topics:
            audit_log.note(study.pk, audit_log.What.OPENED, after={"further topics": topics})
        _open(study)
    return topics


def waiting(study_id: int) -> int:
    """Count a study's topics that are not open for judging."""
    return Topic.objects.filter(study=study_id, opened_at=None).count()


def _mark_open(topics: QuerySet[Topic]) -> int:
    return topics.filter(opened_at=None).update(opened_at=timezone.now())


def _open(study: Study) -> None:
    """Open judging, and put the texts on record."""
    lifecycle.open_judging(study)
    texts.put_on_record(study.pk)
    _keep_out(study)


def _keep_out(study: Study) -> None:
    """Set examples aside as challenges, because the instructions give their answers."""
    for task in Task.objects.filter(study=study):
        examples.keep_out(task)


def take_grades(study_id: int, task_id: int) -> tuple[int, int]:
    """Make a task's collected grades the study's, and begin the tournaments that waited for them.

    Returns how many grades and how many topics there are. Raises CannotStart, also once tournaments have
    begun: the grades that chose their pools stand still.
    """
    with transaction.atomic():
        study = _locked(study_id)
        if study.opened_at is None:
            raise CannotStart("Judging is not open yet: no grade was collected.")
        if Tournament.objects.filter(topic__study=study).exists():
            raise CannotStart("The tournaments have begun: the grades that chose their pools stand still.")
        grades = grading.adopt(Task.objects.select_related("study").get(pk=task_id, study=study))
        if not grades:
            raise CannotStart("No batch of grades was kept yet: there are no collected grades.")
        topics = _fix_pools(study, all_again=True)
        _keep_out(study)
        return grades, topics


def _locked(study_id: int) -> Study:
    """Lock a study, and check that it is not closed."""
    study = Study.objects.select_for_update(no_key=True).get(pk=study_id)
    if study.archived_at:
        raise CannotStart("This study is in the archive. Take it out of the archive first.")
    if study.closed_at:
        raise CannotStart("This study is closed.")
    return study


def _fix_pools(study: Study, most: int | None = None, *, drawn: bool = False, all_again: bool = False) -> int:
    """Fix the pools of topics that are not open yet, and make challenges if there are none; return how many
    topics.

    all_again: grades were collected, so that open topics have no pool yet.
    """
    plan = plan_of(study)
    pools = all_pools(study, plan)
    new = set(pools) if all_again else set(_not_open(study))
    if study.opened_at is None or all_again:
        if not any(len(pools[topic]) > 1 for topic in new):
            raise CannotStart("No topic has two items to compare: load items, and grades if there are any.")
    elif not new:
        return 0
    opened = first_wave(sorted(new), pools, most, study.seed if drawn else None)
    if plan.rules.asks == Pick.name:
        grids.from_grades(plan.task, pools, plan.settings["grid_size"], plan.k)
    else:
        challenges.from_grades(study)
    Tournament.objects.bulk_create(
        [Tournament(topic_id=topic, pool=pools[topic]) for topic in opened],
        ignore_conflicts=True,
        batch_size=500,
    )
    # Some databases take only so many values in a statement.
    for at in range(0, len(opened), CHUNK):
        _mark_open(Topic.objects.filter(pk__in=opened[at : at + CHUNK]))
    return len(opened)


def _not_open(study: Study) -> QuerySet[Topic, int]:
    return Topic.objects.filter(study=study, opened_at=None).values_list("pk", flat=True)


def set_plan(study_id: int, strategy: str, settings: Mapping[str, int]) -> None:
    """Choose how a study's tournaments will be played, on record. Raises CannotStart once judging is open, or
    where its task asks otherwise; ValidationError for settings that cannot be played.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study_id)
    if study.opened_at:
        raise CannotStart("Judging is open: the tournament's settings stand still.")
    plan = plan_of(study)
    if rules.STRATEGIES[strategy].asks != plan.task.kind:
        raise CannotStart(
            "This study asks picks from grids. Choose a tournament of pairs under Settings first."
        )
    before = {"tournament": plan.strategy} | plan.settings
    plan.strategy, plan.settings = strategy, dict(settings)
    plan.save()
    after = {"tournament": plan.strategy} | plan.settings
    if after != before:
        changed = [name for name in after.keys() | before.keys() if before.get(name) != after.get(name)]
        audit_log.note(
            study_id,
            audit_log.What.SETTINGS,
            before={name: before.get(name) for name in sorted(changed)},
            after={name: after.get(name) for name in sorted(changed)},
        )


@transaction.atomic
def raise_judgments(study_id: int, number: int) -> None:
    """Ask each pair or grid of an open study of more people than before. Tournaments are then played again
    with that number: rounds take the further answers, and those that follow are drawn anew where these
    decide otherwise. No answer is lost. Raises ValueError for a smaller number.
    """
    plan = Plan.objects.select_for_update(of=["self"]).select_related("task").get(study=study_id)
    if number < plan.settings["judgments_per_pair"]:
        raise ValueError("Judgments of each pair can only be raised: rounds have taken so many answers.")
    plan.settings = plan.settings | {"judgments_per_pair": number}
    plan.save()
    # Anyone who is playing one of them by the old plan has then not seen its last verdict.
    topics = Tournament.objects.filter(topic__study=study_id).order_by("topic_id")
    raise_revisions(topics.values_list("topic_id", flat=True), settled=True)


def advance(topic_id: int) -> bool:
    """Bring a topic's rounds up to date with its settled judgments; return whether anything was done.

    The whole tournament is played again from its pool, which costs milliseconds and makes the result
    a function of the ledger alone: a repeat, a race or a judgment taken back later all end the same.
    It is played before anything is locked. Of two callers the one who has seen more verdicts wins.
    The rows written are those of the rounds that changed; where none did, only how far the open one has come.
    """
    tournament = Tournament.objects.filter(topic_id=topic_id).first()
    if tournament is None:
        return False
    # One query with the topic's: few topics have a question that is set aside.
    aside = Exists(Question.objects.filter(topic=OuterRef("pk"), set_aside_at__isnull=False))
    topic = Topic.objects.select_related("study__plan__task").annotate(aside=aside).get(pk=topic_id)
    # Read before the answers: what arrives in between raises the number, so the next call meets it.
    if tournament.seen >= topic.settled:
        return False
    plan = topic.study.plan
    pairs = aside_of(topic_id, plan.task_id) if topic.aside else ()
    state = replayed(plan, tournament, topic, settled(plan, topic_id), aside=pairs)
    return _write(topic, plan.task, state, _digest(plan.task_id, state))


@transaction.atomic
def _write(topic: Topic, task: Task, state: rules.State, digest: str) -> bool:
    """Store the replayed tournament, unless another process has stored later verdicts."""
    tournament = _lock(Tournament.objects.filter(topic=topic))
    if tournament is None or tournament.seen >= topic.settled:
        return False
    if tournament.stored != digest:
        _store(tournament, task, state)
    elif not state.finished:
        # Most verdicts only bring the open round a little nearer to its end.
        open_round = Round.objects.filter(tournament=tournament, complete=False)
        open_round.update(answered=state.rounds[-1].answered)
    stored = {"seen": topic.settled, "finished": state.finished, "stored": digest}
    Tournament.objects.filter(pk=tournament.pk).update(**stored)
    ended = state.finished and not tournament.finished
    tournament_advanced.send(sender=Tournament, study_id=topic.study_id, ended=ended)
    return True


def _digest(task_id: int, state: rules.State) -> str:
    """Digest of everything that `_store` writes except the open round's progress."""
    rounds = [
        (round_.number, round_.kind, round_.pool, round_.pairs, round_.complete and round_.wins)
        for round_ in state.rounds
    ]
    whole = (task_id, rounds, sorted(state.wanted().items()), state.top)
    return hashlib.sha256(repr(whole).encode()).hexdigest()


def _store(tournament: Tournament, task: Task, state: rules.State) -> None:
    """Set the wanted questions, the stored rounds and the top ranks to those of a state."""
    asking.want(task, tournament.topic_id, dict(state.wanted()))
    _write_rounds(tournament, task.pk, state)
    # Matches of two are no rounds of all.
    full = sum(1 for round_ in state.rounds if round_.complete and round_.kind != Round.Kind.MATCH)
    Topic.objects.filter(pk=tournament.topic_id).exclude(full_rounds=full).update(full_rounds=full)
    ranks: dict[int, int] = {}
    for rank, items in enumerate(state.top or (), 1):
        ranks |= dict.fromkeys(items, rank)
    levels.set_top_ranks(tournament.topic_id, ranks)


def _lock(tournaments: QuerySet[Tournament]) -> Tournament | None:
    """Lock the tournament's row until the transaction ends, so that one caller at a time advances it."""
    return tournaments.select_for_update(no_key=True).first()


def aside_of(topic_id: int, task_id: int) -> set[tuple[int, ...]]:
    """Pairs or grids of a topic that are set aside; its tournament goes on without them."""
    return {tuple(sorted(asked)) for asked in asking.set_aside_in(topic_id, task_id)}


def settled(plan: Plan, topic_id: int) -> Mapping[Any, Sequence[Any]]:
    """A topic's settled answers for a plan's rules: of pairs, or of picks."""
    read = ledger.settled_picks if plan.rules.asks == Pick.name else ledger.settled
    return read(topic_id, plan.task_id)


def replayed(
    plan: Plan,
    tournament: Tournament,
    topic: Topic,
    answers: Mapping[Any, Sequence[Any]],
    *,
    aside: Collection[tuple[int, ...]] = (),
) -> rules.State:
    """Replay a topic's tournament from its settled answers; it does not wait for what `aside_of` names."""
    seed = f"{plan.seed}:{topic.name}"
    return plan.rules.play(tournament.pool, answers, plan.settings, seed=seed, aside=aside)


def _write_rounds(tournament: Tournament, task_id: int, state: rules.State) -> None:
    """Make the stored rounds those of `state`: matching rounds stay, others are replaced."""
    stored = {r.number: r for r in tournament.rounds.all()}
    questions: dict[tuple[int, ...], int] = {}
    asked_here = Question.objects.filter(topic_id=tournament.topic_id, task=task_id)
    for pk, key in asked_here.values_list("pk", "key"):
        questions[tuple(map(int, key.split()))] = pk
    asked: dict[int, set[int]] = {number: set() for number in stored}
    pairings = Pairing.objects.filter(round__tournament=tournament)
    for number, question in pairings.values_list("round__number", "question_id"):
        asked[number].add(question)
    played = {r.number: r for r in state.rounds}
    # Highest number first, so that two rounds are never open at once.
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
    """Topics whose tournament has not processed their latest verdicts."""
    rows = Tournament.objects.exclude(seen=F("topic__settled"))
    return list(rows.order_by("topic_id").values_list("topic_id", flat=True))


def catch_up(progress: Progress = lambda done, total: None) -> int:
    """Advance every tournament that is behind, one transaction each; return how many."""
    topics = behind()

    def one(numbered: tuple[int, int]) -> None:
        done, topic_id = numbered
        advance(topic_id)
        progress(done, len(topics))

    sweep_each("advancing topic", enumerate(topics, 1), one)
    return len(topics)


def drop(study_id: int) -> list[int]:
    """Drop every round of a study's tournaments, a hundred topics at a time; return the topics, in order.

    `advance` plays them again, no matter who calls it: sweeps, workers, or `rebuild`.
    """
    tournaments = Tournament.objects.filter(topic__study_id=study_id).order_by("topic_id")
    topics = list(tournaments.values_list("topic_id", flat=True))
    for start in range(0, len(topics), CHUNK):
        chunk = topics[start : start + CHUNK]
        with transaction.atomic():
            locked = Tournament.objects.select_for_update(no_key=True).filter(topic__in=chunk)
            list(locked.order_by("topic_id").values_list("pk"))
            Pairing.objects.filter(round__tournament__topic__in=chunk).delete()
            Round.objects.filter(tournament__topic__in=chunk).delete()
            Tournament.objects.filter(topic__in=chunk).update(seen=-1, finished=False, stored="")
    return topics


def play_again(topics: Sequence[int], progress: Progress = lambda done, total: None) -> None:
    """Advance these topics' tournaments, last first, because helping workers start at the other end.

    Also resets every top rank and every question's `wanted`.
    """
    for done, topic_id in enumerate(reversed(topics), 1):
        advance(topic_id)
        progress(done, len(topics))


def rebuild(study_id: int, progress: Progress = lambda done, total: None) -> int:
    """Drop every derived row of a study's tournaments and replay them from the ledger."""
    topics = drop(study_id)
    play_again(topics, progress)
    return len(topics)
