"""What a study holds, and what opening it would ask: the numbers behind the organizer's checklist."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import BooleanField, Count, Exists, ExpressionWrapper, OuterRef, Q

from collection.models import Item, Run, Study, Topic
from judging.asking import CHALLENGES_PER_TOPIC, open_questions
from judging.models import Assessor, Assignment, Question

# A topic's items counted by (grade or None, whether there is nothing to show).
Counts = Mapping[tuple[float | None, bool], int]


@dataclass(frozen=True)
class Stock:
    """What was loaded, and the candidates that it makes."""

    topics: int
    without_items: list[str]  # topics
    items: int
    bare: int  # items with neither text nor image
    grades: int
    graded_topics: int
    pools: list[int]  # candidates of each topic
    bare_candidates: int
    short: list[str]  # topics with fewer than two candidates
    placed: int  # topics whose top places are known
    challenges_possible: int  # how many opening would make from the grades

    @property
    def playable(self) -> list[int]:
        """The pools in which there is something to compare."""
        return [n for n in self.pools if n > 1]


@dataclass(frozen=True)
class People:
    """Who was invited, who came, and what became of their batches."""

    invited: int
    came: int
    excluded: int
    working: int
    kept: int
    discarded: int
    recorded: int  # labels in files of recorded judgments


def stock(study: Study) -> Stock:
    """Count a study's collection. Two queries; cost grows with its items."""
    names = dict(Topic.objects.filter(study=study).order_by("pk").values_list("pk", "name"))
    counts: dict[int, dict[tuple[float | None, bool], int]] = {pk: defaultdict(int) for pk in names}
    placed: set[int] = set()
    rows = (
        Item.objects.filter(topic__study=study)
        .annotate(bare=ExpressionWrapper(Q(text="", image=""), output_field=BooleanField()))
        .values_list("topic_id", "grade__value", "bare")
        .annotate(n=Count("pk"), places=Count("place"))
        .order_by()
    )
    for topic, grade, bare, n, places in rows:
        counts[topic][grade, bool(bare)] += n
        if places:
            placed.add(topic)
    pools = {pk: pool(counts[pk], study.k) for pk in names}
    cells = [(grade, bare, n) for topic in counts.values() for (grade, bare), n in topic.items()]
    return Stock(
        topics=len(names),
        without_items=[names[pk] for pk in names if not counts[pk]],
        items=sum(n for _, _, n in cells),
        bare=sum(n for _, bare, n in cells if bare),
        grades=sum(n for grade, _, n in cells if grade is not None),
        graded_topics=sum(_is_graded(topic) for topic in counts.values()),
        pools=[size for size, _ in pools.values()],
        bare_candidates=sum(bare for _, bare in pools.values()),
        short=[names[pk] for pk, (size, _) in pools.items() if size < 2],
        placed=len(placed),
        challenges_possible=_challenges_possible(list(counts.values())),
    )


def pool(counts: Counts, k: int) -> tuple[int, int]:
    """How many candidates a topic has, and how many of them have nothing to show.

    Counts what the tournament would take: whole grades above 0, from the top, until there are k;
    without grades all items that can be shown, else all.
    """
    if not _is_graded(counts):
        shown = sum(n for (_, bare), n in counts.items() if not bare)
        return (shown, 0) if shown else (sum(counts.values()), sum(counts.values()))
    size = bare_ones = 0
    for grade in sorted({grade for grade, _ in counts if grade is not None and grade > 0}, reverse=True):
        if size >= k:
            break
        bare_ones += counts.get((grade, True), 0)
        size += counts.get((grade, True), 0) + counts.get((grade, False), 0)
    return size, bare_ones


def challenges(study: Study) -> int:
    """How many pairs of a study have a known answer. One query."""
    return Question.objects.filter(topic__study=study, expected__isnull=False).count()


def runs(study: Study) -> list[tuple[str, int]]:
    """Each run's name and the number of topics it ranks, in order of loading. One query."""
    ranked = Run.objects.filter(study=study).annotate(topics=Count("placements__topic", distinct=True))
    return list(ranked.order_by("pk").values_list("name", "topics"))


def people(study: Study, panel: str) -> People:
    """Count a study's assessors of one panel, and everybody's batches. Two queries."""
    sittings = Assignment.objects.filter(assessor=OuterRef("pk"))
    counted = Assessor.objects.filter(study=study).aggregate(
        invited=Count("pk", filter=Q(panel=panel)),
        came=Count("pk", filter=Q(Q(panel=panel), Exists(sittings))),
        excluded=Count("pk", filter=Q(excluded_at__isnull=False)),
        recorded=Count("pk", filter=~Q(panel=panel)),
    )
    batches = Assignment.objects.filter(assessor__study=study, assessor__panel=panel).aggregate(
        **{
            state.value: Count("pk", filter=Q(state=state))
            for state in (Assignment.State.WORKING, Assignment.State.KEPT, Assignment.State.DISCARDED)
        }
    )
    return People(**counted, **batches)


def waiting(study: Study) -> int:
    """How many questions wait for an assessor. One query."""
    return open_questions(study).count()


def _is_graded(counts: Counts) -> bool:
    return any(grade is not None for grade, _ in counts)


def _challenges_possible(topics: list[Counts]) -> int:
    """As `asking.challenges_from_grades` makes them: a top grade against 0 or below, only of items that
    can be shown where there are any."""
    graded = [{key: n for key, n in counts.items() if key[0] is not None} for counts in topics]
    if any(not bare for counts in graded for _, bare in counts):
        graded = [{key: n for key, n in counts.items() if not key[1]} for counts in graded]
    made = 0
    for counts in graded:
        levels: dict[float, int] = defaultdict(int)
        for (grade, _), n in counts.items():
            levels[float(grade or 0)] += n
        top = max(levels, default=0)
        junk = sum(n for grade, n in levels.items() if grade <= 0)
        if top > 0:
            made += min(CHALLENGES_PER_TOPIC, levels[top] * junk)
    return made
