"""The SERP agreement page: which measures agree with the run preferences of assessors.

It has the tables of Xie et al. (SIGIR 2020) and of Luo's thesis (2021), for any two runs.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collection.models import Run, Study
from scoring.analysis import serp_agreement
from scoring.analysis.serp_agreement import AGREEMENT, ComparedTables
from web.coordinator.compare.comparison_pages import chance
from web.coordinator.compare.serp_figures import mixing_shown
from web.coordinator.compare.serp_options import FORMS, TENTHS, asked_options, asked_pair
from web.shared import waiting_pages
from web.shared.access import for_viewers
from web.shared.phrases import count

if TYPE_CHECKING:
    from prefir.measures import PageAgreement

SURE = 0.05
# Tables for download: the value of `?table=`, and a title.
FILES = (
    ("agreement", "Agreement"),
    ("topics", "What each says of the topics"),
    ("mixing", "How PWP is mixed"),
    ("values", "Every topic’s values"),
)
TITLES = {
    "pmr_d": "PMR, in reading order",
    "pmr_w": "PMR, weighted by rank",
    "pmr_m": "PMR, middle first",
    "pmr_n": "PMR, near neighbours",
    "wr": "WR, share of duels won",
    "pb": "PB, penalty of bad items",
    "pwp": "PWP",
    "pgc_default": "PGC, left to right",
    "pgc_reverse": "PGC, from the end",
    "pgc_middle": "PGC, middle first",
    "pgc_manhattan": "PGC, by Manhattan distance",
    "pgc_euclidean": "PGC, by Euclidean distance",
}


@dataclass(frozen=True)
class RunPreferenceLine:
    """A measure's line: name, title, agreement, and its figures formatted; share in percent."""

    name: str
    title: str
    found: "PageAgreement"
    share: str
    chi2: str
    chi2_p: str
    binomial_p: str
    holm_p: str


@for_viewers
@require_safe
def agreement(request: HttpRequest, study: Study) -> HttpResponse:
    """Show how measures of two runs' result pages agree with the preferences between these pages.

    If no tables are cached, those of a small study are computed at once, others by a job while the page
    refreshes. 13 queries at most, if they are cached.
    """
    pairs = serp_agreement.pairs(study)
    told: dict[str, object] = {"study": study, "pairs": pairs}
    named = dict(Run.objects.filter(study=study).order_by("name").values_list("pk", "name"))
    told["runs"] = len(named)
    # Leave out pairs with runs that were replaced.
    pairs = [pair for pair in pairs if pair.first in named and pair.second in named]
    if not pairs:
        return render(request, "coordinator/page_agreement.html", told)
    pair, options = asked_pair(request.GET, pairs), asked_options(request.GET, study)
    found = waiting_pages.result(AGREEMENT, study, pair, options)
    told |= {
        "pairs": [(one, named[one.first], named[one.second]) for one in pairs],
        "pair": pair,
        "first": named[pair.first],
        "second": named[pair.second],
        "options": options,
        "forms": FORMS,
        "tenths": [f"{one:.1f}" for one in TENTHS],
        "lam": f"{options.lam:.1f}",
        "gamma": f"{options.gamma:.1f}",
        "others": request.GET.urlencode(),
        "files": FILES,
    }
    if found is None:
        told["waiting"] = waiting_pages.waiting(AGREEMENT, study, pair, options)
        return waiting_pages.looks_again(request, "coordinator/page_agreement.html", told)
    lines = _lines(found)
    told |= {
        "found": found,
        "lines": lines,
        "answer": answer(found, named[pair.first], named[pair.second]),
        "pages": found.found.pages,
        "mixtures": [
            (f"{lam:.1f}", [_said(found.found.mixtures[form, lam]) for form in FORMS]) for lam in TENTHS
        ],
        "figure": mixing_shown(request.GET, study, pair, found),
        "penalties": [(f"{gamma:.1f}", _said(value)) for gamma, value in found.found.penalties.items()],
    }
    return render(request, "coordinator/page_agreement.html", told)


def _said(value: float) -> str:
    return f"{value:.3f}" if value == value else "–"


def _chance(p: float) -> str:
    """Format a p value for a cell, without a line break; "–" for nan."""
    return chance(p).replace(" ", "\u00a0") if p == p else "–"


def _lines(found: ComparedTables) -> list[RunPreferenceLine]:
    lines = []
    for name, one in found.found.measures.items():
        share = one.test.share
        lines.append(
            RunPreferenceLine(
                name,
                TITLES[name],
                one,
                f"{100 * share:.0f} %" if share == share else "–",
                f"{one.test.chi2:.4f}" if one.test.chi2 == one.test.chi2 else "–",
                _chance(one.test.chi2_p),
                _chance(one.test.binomial_p),
                _chance(found.found.holm_p.get(name, float("nan"))),
            )
        )
    return lines


def answer(found: ComparedTables, first: str, second: str) -> tuple[str, str]:
    """Return in two sentences whose pages people preferred, and which measure agrees most clearly."""
    ones, others, ties = found.found.pages
    ahead, behind, more, less = (
        (first, second, ones, others) if ones >= others else (second, first, others, ones)
    )
    topics = count(len(found.topics), "topic")
    if more == less:
        said = f"People preferred {first} and {second} on {more:,} of {topics} each; {ties:,} were ties."
    else:
        said = f"People preferred {ahead} on {more:,} of {topics}, {behind} on {less:,}; {ties:,} were ties."
    holm_p, clearest = found.found.holm_p, found.found.clearest()
    if not holm_p:
        return said, "No measure can be held against this yet: no topic is decided by both."
    if clearest is None:
        return said, "No measure agrees with them more often than not."
    test = found.found.measures[clearest].test
    p = chance(holm_p[clearest])
    p = f"p {p}" if p.startswith("<") else f"p = {p}"
    sure = "more than chance would" if holm_p[clearest] < SURE else "which may be chance"
    return said, (
        f"{TITLES[clearest]} agrees most clearly: on {test.agree:,} of the "
        f"{count(test.agree + test.disagree, 'topic')} that both decide, {sure} "
        f"({p} with Holm’s correction for {count(len(holm_p), 'measure')})."
    )
