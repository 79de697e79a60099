"""Report of a study as a page, as PDF and as Markdown, all of the same facts."""

import base64
import hashlib
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from collection.models import Study
from prefir import plots
from web.coordinator.report import markdown
from web.coordinator.report.facts import Report, report_of
from web.coordinator.report.figure_labels import labels_apart
from web.shared import pdf
from web.shared.access import for_members
from web.shared.plots import drawn_shown

# Height of the figure on paper, in pixels; a row of a short board takes as much from it, and a decision.
# Below a long board the figure is low, and a decision takes less.
LOW, TALL, ROW, DECISION, LESS = 200, 480, 17, 175, 50


@never_cache
@for_members
@require_safe
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the report, with links to its other forms."""
    context = {"study": study, "tab": "leaderboard", "report": report_of(request, study)}
    return render(request, "coordinator/report.html", context)


@for_members
@require_safe
def as_pdf(request: HttpRequest, study: Study) -> HttpResponse:
    """The report on two A4 pages, printed anew whenever something that it says has changed."""
    report = report_of(request, study)
    if report.empty:
        return redirect("report", study.slug)
    html = _printed(report)
    return pdf.answer(request, study, "report", hashlib.sha256(html.encode()).hexdigest(), lambda: html)


@never_cache
@for_members
@require_safe
def as_markdown(request: HttpRequest, study: Study) -> HttpResponse:
    """The report as a Markdown file."""
    report = report_of(request, study)
    if report.empty:
        return redirect("report", study.slug)
    response = HttpResponse(markdown.written(report), content_type="text/markdown; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-report.md"'
    return response


def _printed(report: Report) -> str:
    """The whole document that becomes the PDF, with its figure in it."""
    context: dict[str, Any] = {"study": report.study, "report": report, "on_paper": True}
    if report.race is not None:
        look = plots.Look("svg", "light", plots.WIDE, _race_height(report))
        race, labels = labels_apart(drawn_shown(report.race, look))
        source = base64.b64encode(race.replace(b"system-ui", b"Inter", -1)).decode()
        context |= {"race_source": f"data:image/svg+xml;base64,{source}", "race_labels": labels}
    return render_to_string("coordinator/report_print.html", context)


def _race_height(report: Report) -> int:
    if report.board is None or not report.compares_first:
        return LOW - (LESS if report.decision else 0)
    return max(LOW, TALL - ROW * len(report.board.lines) - (DECISION if report.decision else 0))
