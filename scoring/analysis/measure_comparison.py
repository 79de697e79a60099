"""Comparison of a study's measures: which tell runs apart, and how alike they rank them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from collection.cached_results import CachedResult, Progress
from collection.models import Run, Study, Topic
from scoring.analysis.comparison_scores import number_or_none, read_all
from scoring.board import standings
from scoring.compute import child_process
from scoring.scores.score_rows import columns as columns_of
from scoring.scores.stored_measures import chosen

if TYPE_CHECKING:
    from prefir.measures import MeasureComparison

# Measures are compared while a page waits for so many topics x runs.
AT_ONCE = 50_000


@dataclass(frozen=True)
class MeasureFigures:
    """A measure at one persistence: the shares of the pairs of runs that it tells apart by the paired t-test
    at the 5 % level, plain and corrected; None where no pair can be tested. topics: that its means are over.
    """

    measure: str
    p: float
    topics: int
    share: float | None
    holm: float | None
    bonferroni: float | None


@dataclass(frozen=True)
class Measures:
    """The measures of a study compared. topics, runs: over how many; pairs: of runs, tested.

    taus: Kendall's tau-b between the orders in which two of `figures` rank the runs by their means, by place;
    None where a mean is absent or all are equal. names: of the runs; means: of each of `figures`, the runs'
    in this order, nan where absent.
    """

    whole: bool
    topics: int
    runs: int
    pairs: int
    figures: list[MeasureFigures]
    taus: list[list[float | None]]
    names: list[str]
    means: list[list[float]]


def _version(study: Study) -> str:
    return f"{'.'.join(chosen(study.measures))}.{standings.version(study)}"


def _is_small(study: Study) -> bool:
    return Topic.objects.filter(study=study).count() * Run.objects.filter(study=study).count() <= AT_ONCE


def _compared(study: Study, _: Progress, whole: bool | None) -> Measures:
    """Compare the measures that are stored, at each persistence: sensitivity and consistency.

    Queries as of `run_comparison.compare`; time grows with measures x topics x runs squared.
    """
    import numpy as np

    from prefir.measures import compare_measures

    named = dict(Run.objects.filter(study=study).order_by("name").values_list("pk", "name"))
    runs = list(named)
    columns = columns_of(chosen(study.measures))
    read = read_all(study, runs)
    whole = read.some if whole is None else whole
    values = read.table.values
    if whole and values.size:
        kept = np.stack([read.whole[measure] for measure, _ in columns])
        values = np.where(kept[:, :, None], values, np.nan)
    compared: MeasureComparison = child_process.call(compare_measures, values, weights=read.weights)
    figures = [
        MeasureFigures(
            measure,
            float(option.removeprefix("p=")),
            int((~np.isnan(own)).any(axis=1).sum()),
            number_or_none(one.share),
            number_or_none(one.holm),
            number_or_none(one.bonferroni),
        )
        for (measure, option), one, own in zip(columns, compared.sensitivities, values, strict=True)
    ]
    scored = ~np.isnan(values).all(axis=(0, 2)) if values.size else np.zeros(0, dtype=bool)
    return Measures(
        whole=whole,
        topics=int(scored.sum()),
        runs=len(runs),
        pairs=max((one.pairs for one in compared.sensitivities), default=0),
        figures=figures,
        taus=[[number_or_none(tau) for tau in row] for row in compared.taus.tolist()],
        names=list(named.values()),
        means=compared.means.tolist(),
    )


# whole: as of `run_comparison.compare`.
MEASURES = CachedResult("measures", version=_version, compute=_compared, is_small=_is_small)
