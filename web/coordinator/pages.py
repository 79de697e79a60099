"""The page that holds measures against run preferences: which of them agrees with what assessors say of whole
result pages. The tables of Xie et al. (SIGIR 2020) and of Luo's thesis (2021), for any two runs.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from collection.models import Run, Study, Topic
from config.queueing import nudge_at_most_every
from scoring import jobs, page_agreement
from scoring.page_agreement import Compared, Pair
from web.access import for_members
from web.coordinator.comparing import chance
from web.coordinator.leaderboard import asked_persistence
from web.words import count

if TYPE_CHECKING:
    from prefir.measures import PageAgreement, PageOptions

# Tables that are being made are looked for again after so many seconds.
AGAIN_SECONDS = 3
SURE = 0.05
TENTHS = tuple(tenth / 10 for tenth in range(11))
FORMS = ("D", "W", "M", "N")
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
class Line:
    """A measure's line: its name and title, what was found, and its share as a bar of 100."""

    name: str
    title: str
    found: "PageAgreement"
    share: str
    chi2: str
    chi2_p: str
    binomial_p: str


def _options(request: HttpRequest, study: Study) -> "PageOptions":
    from prefir.measures import PageOptions

    def tenth(name: str, usual: float) -> float:
        return next((one for one in TENTHS if f"{one:.1f}" == request.GET.get(name)), usual)

    form = request.GET.get("form", "N")
    split = "tie" if request.GET.get("split") == "tie" else "left"
    return PageOptions(
        lam=tenth("lam", 0.7),
        gamma=tenth("gamma", 0.1),
        form=form if form in FORMS else "N",
        p=asked_persistence(request, study),
        split=split,
    )


def _pair(request: HttpRequest, pairs: list[Pair]) -> Pair:
    asked = request.GET.get("runs", "")
    return next((pair for pair in pairs if pair.key == asked), pairs[0])


@for_members
@require_safe
def agreement(request: HttpRequest, study: Study) -> HttpResponse:
    """Measures of two runs' result pages beside the preferences between these. 13 queries at most from what
    is kept; where nothing is, a job makes the tables, or those of a small study are made at once.
    """
    pairs = page_agreement.pairs(study)
    told: dict[str, object] = {"study": study, "tab": "leaderboard", "pairs": pairs}
    named = dict(Run.objects.filter(study=study).order_by("name").values_list("pk", "name"))
    told["runs"] = len(named)
    # Of runs that were replaced nothing is shown.
    pairs = [pair for pair in pairs if pair.first in named and pair.second in named]
    if not pairs:
        return render(request, "coordinator/page_agreement.html", told)
    pair, options = _pair(request, pairs), _options(request, study)
    found = _found(study, pair, options)
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
    }
    if found is None:
        response = render(request, "coordinator/page_agreement.html", told)
        response["Refresh"] = str(AGAIN_SECONDS)
        return response
    lines = _lines(found)
    told |= {
        "found": found,
        "lines": lines,
        "answer": answer(found, lines, named[pair.first], named[pair.second]),
        "pages": found.found.pages,
        "mixtures": [
            (f"{lam:.1f}", [_said(found.found.mixtures[form, lam]) for form in FORMS]) for lam in TENTHS
        ],
        "best": max(found.found.mixtures.items(), key=lambda one: (one[1] == one[1], one[1]))[0],
        "penalties": [(f"{gamma:.1f}", _said(value)) for gamma, value in found.found.penalties.items()],
    }
    return render(request, "coordinator/page_agreement.html", told)


def _found(study: Study, pair: Pair, options: "PageOptions") -> Compared | None:
    """What is kept, or small tables at once; else a job is asked for them."""
    found = page_agreement.kept(study, pair, options)
    if found is not None:
        return found
    if page_agreement.is_small(study):
        return page_agreement.compute(study, pair, options)
    page_agreement.ask(study, pair, options)
    nudge_at_most_every(AGAIN_SECONDS, jobs.compare_result_pages, study.pk)
    return None


def _said(value: float) -> str:
    return f"{value:.3f}" if value == value else "–"


def _lines(found: Compared) -> list[Line]:
    lines = []
    for name, one in found.found.measures.items():
        share = one.test.share
        lines.append(
            Line(
                name,
                TITLES[name],
                one,
                f"{100 * share:.0f} %" if share == share else "–",
                f"{one.test.chi2:.4f}" if one.test.chi2 == one.test.chi2 else "–",
                chance(one.test.chi2_p) if one.test.chi2_p == one.test.chi2_p else "–",
                chance(one.test.binomial_p) if one.test.binomial_p == one.test.binomial_p else "–",
            )
        )
    return lines


def answer(found: Compared, lines: list[Line], first: str, second: str) -> tuple[str, str]:
    """Whose pages people preferred, and which measure agrees most, in two sentences."""
    ones, others, ties = found.found.pages
    ahead, behind, more, less = (
        (first, second, ones, others) if ones >= others else (second, first, others, ones)
    )
    topics = count(len(found.topics), "topic")
    if more == less:
        said = f"People preferred {first} and {second} on {more:,} of {topics} each; {ties:,} were ties."
    else:
        said = f"People preferred {ahead} on {more:,} of {topics}, {behind} on {less:,}; {ties:,} were ties."
    decided = [line for line in lines if line.found.test.agree + line.found.test.disagree]
    if not decided:
        return said, "No measure can be held against this yet: no topic is decided by both."
    best = max(decided, key=lambda line: (line.found.test.share, -line.found.test.binomial_p))
    test = best.found.test
    sure = "more than chance would" if test.binomial_p < SURE else "which may be chance"
    return said, (
        f"{best.title} agrees most: on "
        f"{test.agree:,} of the {count(test.agree + test.disagree, 'topic')} that both decide, {sure}."
    )


HEAD = (
    *("measure", "says", "page_first", "page_second", "page_tie", "agree", "disagree", "share"),
    *("chi2", "chi2_p", "binomial_p", "pearson", "spearman", "tau"),
)


@for_members
@require_safe
def table(request: HttpRequest, study: Study) -> HttpResponse | StreamingHttpResponse:
    """The tables as CSV: three lines for each measure, then with `?values=1` the values topic by topic.

    Queries as of `agreement`. Where the tables are not made yet the page says so, and they are asked for.
    """
    named = dict(Run.objects.filter(study=study).values_list("pk", "name"))
    pairs = [p for p in page_agreement.pairs(study) if p.first in named and p.second in named]
    if not pairs:
        return _file(study, iter([_row(*HEAD)]))
    pair, options = _pair(request, pairs), _options(request, study)
    found = _found(study, pair, options)
    if found is None:
        return redirect(f"{reverse('page-agreement', args=[study.slug])}?{request.GET.urlencode()}")
    runs = named[pair.first], named[pair.second]
    return _file(
        study, _values(study, found, runs) if request.GET.get("values") == "1" else _tables(found, runs)
    )


def _file(study: Study, lines: Iterator[str]) -> StreamingHttpResponse:
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-result-pages.csv"'
    return response


def _row(*cells: object) -> str:
    import csv
    import io

    from prefir.formats import defused

    out = io.StringIO()
    plain = [defused(cell) if isinstance(cell, str) else "" if cell != cell else cell for cell in cells]
    csv.writer(out, lineterminator="\n").writerow(plain)
    return out.getvalue()


def _tables(found: Compared, runs: tuple[str, str]) -> Iterator[str]:
    yield _row(*HEAD)
    for name, one in found.found.measures.items():
        test = one.test
        tests = (test.agree, test.disagree, test.share, test.chi2, test.chi2_p, test.binomial_p)
        for says, counts in zip((*runs, "tie"), one.table, strict=True):
            yield _row(name, says, *counts, *tests, one.pearson, one.spearman, one.tau)


def _values(study: Study, found: Compared, runs: tuple[str, str]) -> Iterator[str]:
    topics = dict(Topic.objects.filter(study=study).values_list("pk", "name"))
    yield _row("topic", "measure", *runs)
    for name, one in found.found.measures.items():
        for topic, pair in zip(found.topics, one.values, strict=True):
            yield _row(topics[topic], name, *pair)
