"""Downloads of the SERP agreement tables: CSV in full precision, LaTeX with four decimals."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from collection.models import Run, Study, Topic
from scoring.analysis import serp_agreement
from scoring.analysis.serp_agreement import AGREEMENT, ComparedTables
from web.coordinator.compare.serp_options import asked_options, asked_pair
from web.coordinator.compare.serp_page import TITLES
from web.coordinator.tabular import Row, csv_line, latex
from web.shared import waiting_pages
from web.shared.access import for_viewers


@dataclass(frozen=True)
class PageTable:
    """A table for download: its head, and a function that yields its rows for two runs."""

    head: Row
    rows: Callable[[Study, ComparedTables, tuple[str, str]], Iterator[Row]]


def _agreement(_: Study, found: ComparedTables, __: tuple[str, str]) -> Iterator[Row]:
    nan = float("nan")
    for name, one in found.found.measures.items():
        test = one.test
        tests = (test.agree, test.disagree, test.share, test.chi2, test.chi2_p, test.binomial_p)
        yield name, *tests, found.found.holm_p.get(name, nan), one.pearson, one.spearman, one.tau


def _topics(_: Study, found: ComparedTables, runs: tuple[str, str]) -> Iterator[Row]:
    for name, one in found.found.measures.items():
        for says, counts in zip((*runs, "tie"), one.table, strict=True):
            yield name, says, *counts


def _mixing(_: Study, found: ComparedTables, __: tuple[str, str]) -> Iterator[Row]:
    """Yield correlations for each form and λ without penalty, then for each γ with the page's form and λ."""
    for (form, lam), value in found.found.mixtures.items():
        yield "lambda", form, lam, value
    for gamma, value in found.found.penalties.items():
        yield "gamma", "", gamma, value


def _values(study: Study, found: ComparedTables, _: tuple[str, str]) -> Iterator[Row]:
    topics = dict(Topic.objects.filter(study=study).values_list("pk", "name"))
    for name, one in found.found.measures.items():
        for topic, pair in zip(found.topics, one.values, strict=True):
            yield topics[topic], name, *pair


TESTS = ("agree", "disagree", "share", "chi2", "chi2_p", "binomial_p", "holm_p")
TABLES = {
    "agreement": PageTable(("measure", *TESTS, "pearson", "spearman", "tau"), _agreement),
    "topics": PageTable(("measure", "says", "page_first", "page_second", "page_tie"), _topics),
    "mixing": PageTable(("parameter", "form", "value", "pearson"), _mixing),
    "values": PageTable(("topic", "measure", "first", "second"), _values),
}


@for_viewers
@require_safe
def as_csv(request: HttpRequest, study: Study) -> HttpResponseBase:
    """Download the table that `?table=` names (by default the agreement) as CSV.

    If no result pages were compared, it has only its head. If the tables are not computed yet, redirect to
    the page, which waits for them.
    """

    def file(table: PageTable, rows: Iterable[Row], _: str) -> HttpResponseBase:
        lines = (csv_line(row) for row in (table.head, *rows))
        return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")

    return _answer(request, study, "csv", file)


@for_viewers
@require_safe
def as_latex(request: HttpRequest, study: Study) -> HttpResponseBase:
    """Download a table as a LaTeX tabular to input, which needs no package. Otherwise as `as_csv`."""

    def file(table: PageTable, rows: Iterable[Row], said: str) -> HttpResponseBase:
        made = latex(table.head, rows, said, TITLES)
        return HttpResponse(made, content_type="application/x-tex; charset=utf-8")

    return _answer(request, study, "tex", file)


def _answer(
    request: HttpRequest,
    study: Study,
    kind: str,
    file: Callable[[PageTable, Iterable[Row], str], HttpResponseBase],
) -> HttpResponseBase:
    name = request.GET.get("table", "")
    name = name if name in TABLES else "agreement"
    table = TABLES[name]
    named = dict(Run.objects.filter(study=study).values_list("pk", "name"))
    pairs = [p for p in serp_agreement.pairs(study) if p.first in named and p.second in named]
    rows: Iterable[Row] = ()
    said = "no result pages were compared"
    if pairs:
        pair, options = asked_pair(request.GET, pairs), asked_options(request.GET, study)
        found = waiting_pages.result(AGREEMENT, study, pair, options)
        if found is None:
            return redirect(f"{reverse('page-agreement', args=[study.slug])}?{request.GET.urlencode()}")
        runs = named[pair.first], named[pair.second]
        rows = table.rows(study, found, runs)
        said = (
            f"first: {runs[0]}, second: {runs[1]}; lambda {options.lam}, gamma {options.gamma}, "
            f"PMR {options.form}, p {options.p}, split votes: {options.split}"
        )
    response = file(table, rows, said)
    filename = f"{study.slug}-result-pages-{name}.{kind}"
    response["Content-Disposition"] = f'attachment; filename="{filename}"'
    return response
