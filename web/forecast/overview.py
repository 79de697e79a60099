"""Counts behind the organizer's checklist."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

from django.core.cache import cache
from django.db.models import Count, Exists, Max, Min, OuterRef, Q
from django.utils import timezone

from collection.material.item_counts import Counts, counted
from collection.models import Grade, Import, Item, Run, Study, Topic
from judging.models import FROM_FILES, OPEN, UNDECIDED, Assessor, Assignment, Decision, Task
from judging.questions import challenges, grids
from judging.questions.asking import FEEDING, task_of
from judging.tasks.pick import Pick
from panels import local
from tournament.plans import Pool, plan_of, pool_of

# How long counts are kept at most that nothing makes wrong.
KEPT_SECONDS = 600
# Batches that are counted each time, before those that are decided are kept as a sum.
MANY = 500


@dataclass(frozen=True)
class Stock:
    """What was loaded, and the candidates it makes."""

    topics: int
    without_items: list[str]  # topics
    items: int
    bare: int  # items with neither text nor image
    described: int  # pictures or recordings with a description
    grades: int
    graded_topics: int
    pools: list[int]  # candidates of each topic
    not_open: list[int]  # candidates of each topic that is not open for judging
    bare_candidates: int
    short: list[str]  # topics with fewer than two candidates
    placed: int  # topics whose top items are known
    challenges: int  # that there are
    challenges_possible: int  # how many opening would make from the grades

    @property
    def playable(self) -> list[int]:
        """Pools with something to compare."""
        return [n for n in self.pools if n > 1]

    @property
    def to_open(self) -> list[int]:
        """Pools with something to compare, of topics that are not open yet."""
        return [n for n in self.not_open if n > 1]


@dataclass(frozen=True)
class People:
    """How many were invited, how many came, and the results of their batches; without files."""

    invited: int
    came: int  # of those who were invited
    joined: int  # by the open link
    others: int  # from other panels than the local one
    excluded: int
    working: int
    kept: int
    discarded: int
    recorded: int  # labels in files of recorded judgments


def stock(study: Study) -> Stock:
    """Count a study's collection; cached, else cost grows with its items.

    The study's plan, which is asked for k, must not change what is cached.
    """
    plan = plan_of(study)
    k = plan.k
    # Whatever is loaded leaves an import, and opening makes challenges and locks what they were made from.
    loaded = Import.objects.filter(study=study, state=Import.State.DONE).aggregate(
        n=Count("pk"), last=Max("pk")
    )
    topics = Topic.objects.filter(study=study).aggregate(n=Count("pk"), opened=Count("opened_at"))
    known = (topics["n"], topics["opened"])
    version = (loaded["n"], loaded["last"], known, k, plan.settings.get("grid_size"), study.opened_at)
    key = f"stock:{study.pk}"
    kept = cache.get(key)
    if kept is None or kept[0] != version:
        kept = (version, _counted(study, k))
        cache.set(key, kept, timeout=KEPT_SECONDS)
    placed = Item.objects.filter(topic__study=study, top_rank__isnull=False)
    return replace(kept[1], placed=placed.aggregate(n=Count("topic", distinct=True))["n"])


def _described(study: Study) -> int:
    return Item.objects.filter(topic__study=study).exclude(image="").exclude(description="").count()


def _counted(study: Study, k: int) -> Stock:
    rows = list(Topic.objects.filter(study=study).order_by("pk").values_list("pk", "name", "opened_at"))
    names = {pk: name for pk, name, _ in rows}
    counts = counted(study)
    pools = {pk: pool_of(counts[pk], k) for pk in names}
    cells = [(grade, bare, n) for topic in counts.values() for (grade, bare), n in topic.items()]
    return Stock(
        topics=len(names),
        without_items=[names[pk] for pk in names if not counts[pk]],
        items=sum(n for _, _, n in cells),
        bare=sum(n for _, bare, n in cells if bare),
        described=_described(study) if study.kind != Study.Kind.TEXT else 0,
        grades=sum(n for grade, _, n in cells if grade is not None),
        graded_topics=sum(any(grade is not None for grade, _ in topic) for topic in counts.values()),
        pools=[pool.size for pool in pools.values()],
        not_open=[pools[pk].size for pk, _, opened in rows if opened is None],
        bare_candidates=sum(pool.bare for pool in pools.values()),
        short=[names[pk] for pk, pool in pools.items() if pool.size < 2],
        placed=0,
        challenges=challenges.count(task_of(study)),
        challenges_possible=_challenges_possible(study, counts, pools),
    )


def _challenges_possible(study: Study, counts: Mapping[int, Counts], pools: Mapping[int, Pool]) -> int:
    plan = plan_of(study)
    if plan.rules.asks != Pick.name:
        return challenges.possible(counts.values())
    size = plan.settings["grid_size"]
    known = zip(counts, challenges.clear_counts(counts.values()), strict=True)
    return sum(grids.possible(*clear, pools[pk].size, size, plan.k) for pk, clear in known)


def challenges_in_batch(study: Study, task: Task) -> int:
    """Challenges that each batch of a task holds; before they are made, what known grades let expect.

    task: stored or not. Queries as `stock`, at most.
    """
    known = challenges.count(task) if task.pk else 0
    if not known and task.kind not in FEEDING:
        known = int(Grade.objects.filter(item__topic__study=study).exists())
    elif not known and not study.opened_at:
        known = stock(study).challenges_possible
    return challenges.in_batch(task, known)


def runs(study: Study) -> list[tuple[str, int]]:
    """Each run's name and the number of topics it ranks, in order of loading."""
    return list(Run.objects.filter(study=study).order_by("pk").values_list("name", "topics"))


def people(study: Study) -> People:
    """Count a study's assessors by origin, and the batches of people.

    Cost grows with the people, and with recently opened batches.
    """
    by_link, in_files = Q(panel=local.PANEL, by_link=False), Q(panel=FROM_FILES)
    joined = Q(panel=local.PANEL, by_link=True)
    sittings = Assignment.objects.filter(assessor=OuterRef("pk"))
    found = Assessor.objects.filter(study=study).aggregate(
        invited=Count("pk", filter=by_link),
        came=Count("pk", filter=Q(by_link, Exists(sittings))),
        joined=Count("pk", filter=joined),
        others=Count("pk", filter=~Q(panel=local.PANEL) & ~in_files),
        excluded=Count("pk", filter=Q(excluded_at__isnull=False)),
        recorded=Count("pk", filter=in_files),
    )
    return People(**found, **batches(study))


def batches(study: Study) -> dict[str, int]:
    """Count the batches of people that are being judged, kept and discarded.

    Batches that were decided a while ago change only by a decision about a person or a challenge, or when
    reopened; so they are counted once, and later batches are added.
    """
    moving = Q(assignment=None) | Q(what=Decision.What.REOPENED)
    moved = Decision.objects.filter(moving).aggregate(last=Max("pk"))["last"]
    key = f"batches:{study.pk}"
    kept = cache.get(key)
    if kept is None or kept[0] != moved:
        kept = (moved, 0, Counter())
    _, upto, before = kept
    own = Assignment.objects.filter(assessor__study=study).exclude(assessor__panel=FROM_FILES)
    later = own.filter(pk__gt=upto).order_by().values_list("state").annotate(n=Count("pk"))
    total = before + Counter(dict(later))
    # An earlier number may belong to a batch whose opening is not committed yet.
    minute_ago = timezone.now() - timedelta(minutes=1)
    open_ones = Assignment.objects.filter(Q(state__in=UNDECIDED) | Q(opened_at__gt=minute_ago), pk__gt=upto)
    first = open_ones.aggregate(first=Min("pk"))["first"]
    last = (first - 1) if first else Assignment.objects.aggregate(last=Max("pk"))["last"] or 0
    if last - upto > MANY:
        settled = (
            own.filter(pk__gt=upto, pk__lte=last).order_by().values_list("state").annotate(n=Count("pk"))
        )
        cache.set(key, (moved, last, before + Counter(dict(settled))), timeout=KEPT_SECONDS)
    states = Assignment.State
    return {
        "working": sum(total[state] for state in OPEN),
        "kept": total[states.KEPT],
        "discarded": total[states.DISCARDED],
    }
