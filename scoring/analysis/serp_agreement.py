"""SERP agreement: measures of two runs' result pages beside preferences between whole pages. Cached."""

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Count, Sum

from collection.cached_results import CachedResult, Progress
from collection.models import Item, Placement, Run, Study, Topic
from judging import ledger
from judging.models import Judgment
from judging.questions import result_pages
from scoring.compute import child_process
from scoring.models import StoredScores

if TYPE_CHECKING:
    from prefir.measures import PageAgreements, PageOptions, PageTopic

# Judgments of items up to which the tables are made while the page waits: some tenths of a second.
AT_ONCE = 5_000


@dataclass(frozen=True)
class RunPair:
    """Two runs whose result pages were compared, the smaller id first. topics: number of topics."""

    first: int
    second: int
    topics: int

    @property
    def key(self) -> str:
        return f"{self.first}-{self.second}"


@dataclass(frozen=True)
class ComparedTables:
    """The tables of two runs. topics: ids, in the order of the values in `found`. judgments: of items of
    these topics.
    """

    topics: list[int]
    judgments: int
    found: "PageAgreements"


def pairs(study: Study) -> list[RunPair]:
    """Pairs of runs whose result pages were compared, most topics first."""
    task = result_pages.task_of(study)
    counts: dict[tuple[int, int], int] = defaultdict(int)
    for one in result_pages.collected(task) if task else ():
        counts[one.compared.runs] += 1
    found = [RunPair(*runs, topics) for runs, topics in counts.items()]
    return sorted(found, key=lambda pair: (-pair.topics, pair.first, pair.second))


def version(study: Study) -> str:
    """A stamp that changes whenever the tables may."""
    runs = Run.objects.filter(study=study).order_by().values("study_id").annotate(n=Sum("pk")).values("n")
    rows = Topic.objects.filter(study=study).order_by("study_id").values("study_id")
    found = rows.annotate(topics=Count("pk"), revisions=Sum("revision"), runs=runs).first()
    return ".".join(str(found[key]) for key in ("topics", "revisions", "runs")) if found else ""


def _is_small(study: Study) -> bool:
    scored = StoredScores.objects.filter(topic__study=study).aggregate(n=Sum("judgments"))["n"]
    return scored is not None and scored <= AT_ONCE


def _compute(study: Study, _: Progress, pair: RunPair, options: "PageOptions") -> ComparedTables:
    """Compute the tables of two runs."""
    from prefir.measures import compare_pages

    topics, judgments = evidence(study, pair)
    return ComparedTables(
        list(topics), judgments, child_process.call(compare_pages, list(topics.values()), options)
    )


def evidence(study: Study, pair: RunPair) -> "tuple[dict[int, PageTopic], int]":
    """What two runs' pages show on each compared topic, by topic in order of loading; and the number of item
    judgments.

    For a run without a grid each rank is a row. Labels are leans as the pages showed them; open batches are
    included.
    """
    from prefir.measures import PageTopic

    task = result_pages.task_of(study)
    said = {
        one.compared.topic: float(-one.lean)
        for one in (result_pages.collected(task) if task else ())
        if one.compared.runs == (pair.first, pair.second)
    }
    docnos: dict[int, str] = dict(Item.objects.filter(topic__in=list(said)).values_list("pk", "docno"))
    grids: dict[tuple[int, int], list[tuple[str, int, int, int]]] = defaultdict(list)
    placed = Placement.objects.filter(topic__in=list(said), run__in=[pair.first, pair.second])
    fields = ("topic_id", "run_id", "item_id", "rank", "row", "column", "row_length")
    for topic, run, item, rank, row, column, length in placed.order_by("rank").values_list(*fields):
        cell = (rank - 1, 0, 1) if row is None else (row, column, length)
        grids[topic, run].append((docnos[item], *cell))
    labels: dict[int, list[tuple[str, str, float]]] = defaultdict(list)
    judgments = set()
    given = Judgment.objects.counting().filter(topic__in=list(said))
    for one, (shown,) in ledger.derived_with(given, "shown"):
        judgments.add(one.judgment)
        left, right, lean = docnos[one.first], docnos[one.second], -float(one.lean)
        if shown == "10":
            left, right, lean = right, left, -lean
        labels[one.topic].append((left, right, lean))
    topics = {
        topic: PageTopic(grids[topic, pair.first], grids[topic, pair.second], labels[topic], page)
        for topic, page in sorted(said.items())
    }
    return topics, len(judgments)


# Of a pair of runs and options.
AGREEMENT = CachedResult("page-agreement", version=version, compute=_compute, is_small=_is_small)
