"""What a study holds, and what opening it would ask: the numbers behind the organizer's checklist."""

from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q

from collection.counting import counted
from collection.models import Item, Run, Study, Topic
from judging import challenges, recorded
from judging.asking import open_questions
from judging.models import Assessor, Assignment
from panels import local
from tournament.plans import plan_of, pool_of


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
    placed: int  # topics whose top items are known
    challenges_possible: int  # how many opening would make from the grades

    @property
    def playable(self) -> list[int]:
        """The pools in which there is something to compare."""
        return [n for n in self.pools if n > 1]


@dataclass(frozen=True)
class People:
    """Who was invited, who came, and what became of everybody's batches but those of files."""

    invited: int
    came: int  # of those who were invited
    others: int  # from other panels than the local one
    excluded: int
    working: int
    kept: int
    discarded: int
    recorded: int  # labels in files of recorded judgments


def stock(study: Study) -> Stock:
    """Count a study's collection. Five queries; cost grows with its items."""
    names = dict(Topic.objects.filter(study=study).order_by("pk").values_list("pk", "name"))
    counts, k = counted(study), plan_of(study).k
    pools = {pk: pool_of(counts[pk], k) for pk in names}
    cells = [(grade, bare, n) for topic in counts.values() for (grade, bare), n in topic.items()]
    placed = Item.objects.filter(topic__study=study, top_rank__isnull=False)
    return Stock(
        topics=len(names),
        without_items=[names[pk] for pk in names if not counts[pk]],
        items=sum(n for _, _, n in cells),
        bare=sum(n for _, bare, n in cells if bare),
        grades=sum(n for grade, _, n in cells if grade is not None),
        graded_topics=sum(any(grade is not None for grade, _ in topic) for topic in counts.values()),
        pools=[pool.size for pool in pools.values()],
        bare_candidates=sum(pool.bare for pool in pools.values()),
        short=[names[pk] for pk, pool in pools.items() if pool.size < 2],
        placed=placed.aggregate(n=Count("topic", distinct=True))["n"],
        challenges_possible=challenges.possible(counts.values()),
    )


def runs(study: Study) -> list[tuple[str, int]]:
    """Each run's name and the number of topics it ranks, in order of loading. One query."""
    return list(Run.objects.filter(study=study).order_by("pk").values_list("name", "topics"))


def people(study: Study) -> People:
    """Count a study's assessors by where they come from, and the batches of people. Two queries."""
    by_link, in_files = Q(panel=local.PANEL), Q(panel=recorded.PANEL)
    sittings = Assignment.objects.filter(assessor=OuterRef("pk"))
    counted = Assessor.objects.filter(study=study).aggregate(
        invited=Count("pk", filter=by_link),
        came=Count("pk", filter=Q(by_link, Exists(sittings))),
        others=Count("pk", filter=~by_link & ~in_files),
        excluded=Count("pk", filter=Q(excluded_at__isnull=False)),
        recorded=Count("pk", filter=in_files),
    )
    own = Assignment.objects.filter(assessor__study=study).exclude(assessor__panel=recorded.PANEL)
    batches = own.aggregate(
        **{
            state.value: Count("pk", filter=Q(state=state))
            for state in (Assignment.State.WORKING, Assignment.State.KEPT, Assignment.State.DISCARDED)
        }
    )
    return People(**counted, **batches)


def waiting(study: Study) -> int:
    """Count the questions that wait for an assessor. One query."""
    return open_questions(study).count()
