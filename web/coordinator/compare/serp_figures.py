"""The figure of the SERP agreement page: how the mixture in PWP changes the correlation."""

from django.http import Http404, QueryDict

from collection.models import Run, Study
from prefir import plots
from scoring.analysis import serp_agreement
from scoring.analysis.serp_agreement import AGREEMENT, ComparedTables, RunPair
from web.coordinator.compare.serp_options import FORMS, TENTHS, asked_options, asked_pair
from web.shared import waiting_pages
from web.shared.plots import Drawing, ShownPlot, figure

ACROSS = "λ"
UP = "Pearson correlation"


@figure(
    "mixing", asks=("runs", "form", "lam", "gamma", "split", "p"), version=serp_agreement.version, wide=380
)
def mixing(asked: QueryDict, study: Study) -> Drawing:
    """Draw the correlation of λ PMR + (1 - λ) WR with the run preferences, a line for each form of PMR."""
    here = set(Run.objects.filter(study=study).values_list("pk", flat=True))
    pairs = [pair for pair in serp_agreement.pairs(study) if {pair.first, pair.second} <= here]
    if not pairs:
        return Drawing(plots.nothing, {"title": "Mixtures", "said": "No result pages were compared yet."})
    found = waiting_pages.result(AGREEMENT, study, asked_pair(asked, pairs), asked_options(asked, study))
    if found is None:
        raise Http404("The tables are being made.")
    values = found.found.mixtures
    best = found.found.best_mixture()
    lines = {f"PMR {form}": [(_known(values[form, lam]), None, None) for lam in TENTHS] for form in FORMS}
    marks = [(best[1], "")] if best else []  # the sentence below the figure names it
    given = {
        "steps": TENTHS,
        "racers": lines,
        "across": ACROSS,
        "measure": UP,
        "marks": marks,
        "ticks": "g",
    }
    return Drawing(plots.race, given)


def _known(value: float) -> float | None:
    return value if value == value else None


def mixing_shown(asked: QueryDict, study: Study, pair: RunPair, found: ComparedTables) -> ShownPlot | None:
    """Return the figure with its caption, for the page; None if no mixture has a correlation."""
    best = found.found.best_mixture()
    if best is None:
        return None
    form, lam = best
    ends = {
        one: f"{found.found.mixtures[one, 0.0]:.3f} at λ = 0, {found.found.mixtures[one, 1.0]:.3f} at λ = 1"
        for one in FORMS
    }
    said = f"PMR {form} is highest: {found.found.mixtures[best]:.3f} at λ = {lam:.1f}."
    alt = f"Lines of the {UP} over λ. {said} " + "; ".join(f"PMR {one} {end}" for one, end in ends.items())
    query = {key: asked[key] for key in ("form", "lam", "gamma", "split", "p") if key in asked}
    return ShownPlot(study, "mixing", f"{alt}.", said, {"runs": pair.key, **query})
