"""Downloads of a study.

For members: judgments, merged and collected grades, answers about result pages. For organizers also declined
questions, the sealed ledger, versions of texts, and a release.
"""

from collections.abc import Iterator
from itertools import islice

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_safe

from collection.material import grade_export as collection
from collection.models import Study
from judging.assessor_names import Namer
from judging.models import Release
from judging.transfer import judgment_export, pseudonyms
from web.release import files
from web.release.folder import zipped
from web.release.pair_files import pair_files
from web.shared.access import for_members, for_organizers, steers

LINES = 500  # in a block that is sent at once


@for_members
@require_safe
def judgments(request: HttpRequest, study: Study) -> StreamingHttpResponse:
    """Download the judgments of kept batches; `?assessors=1` adds the assessors' pseudonyms of a release."""
    named = request.GET.get("assessors") == "1"
    lines = judgment_export.judgments(study, names=_names(request, study) if named else None)
    return _file(lines, f"{study.slug}-judgments.txt")


@for_members
@require_safe
def aspects(request: HttpRequest, study: Study) -> StreamingHttpResponse:
    """Download what answers of kept batches say of aspects and reasons; `?sentences=1` adds what assessors
    wrote, for organizers.
    """
    told = request.GET.get("sentences") == "1"
    if told and not steers(study):
        raise Http404
    lines = judgment_export.aspects(study, _names(request, study), sentences=told)
    return _file(lines, f"{study.slug}-aspects.jsonl")


@for_members
@require_safe
def qrels(request: HttpRequest, study: Study) -> StreamingHttpResponse:
    """Download the merged grades as qrels."""
    return _file(collection.merged_qrels(study), f"{study.slug}-merged.qrels")


@for_members
@require_safe
def grades(request: HttpRequest, study: Study) -> StreamingHttpResponse:
    """Download the collected grades as qrels; `?assessors=1` adds how many assessors gave each."""
    lines = judgment_export.collected_grades(study, assessors=request.GET.get("assessors") == "1")
    return _file(lines, f"{study.slug}-collected.qrels")


@for_members
@require_safe
def pages(request: HttpRequest, study: Study) -> StreamingHttpResponse:
    """Download the answers about result pages; `?assessors=1` adds the assessors and the strength."""
    named = request.GET.get("assessors") == "1"
    lines = judgment_export.run_preferences(study, names=_names(request, study) if named else None)
    return _file(lines, f"{study.slug}-pages.txt")


@for_members
@require_safe
def pairs(request: HttpRequest, study: Study) -> HttpResponseBase:
    """Download preference pairs as a zip: JSON lines, Parquet, and a data card."""
    name = f"{study.slug}-preference-pairs"
    response = StreamingHttpResponse(zipped(pair_files(study), name), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{name}.zip"'
    return response


@for_organizers
@require_safe
def declined(request: HttpRequest, study: Study) -> StreamingHttpResponse:
    """Download the questions that assessors declined, and why."""
    return _file(judgment_export.declined(study, _names(request, study)), f"{study.slug}-cannot-judge.tsv")


@for_organizers
@require_safe
def release(request: HttpRequest, study: Study) -> HttpResponseBase:
    """Download the study as a release: a zip that is streamed while it is written.

    If that is not possible now, redirect with the reason to the page where it can be solved.
    """
    if why := files.why_not(study):
        messages.error(request, f"Not now. {why}")
        # Undecided batches can be closed on the page study-close.
        return redirect(
            "study-close" if files.undecided(study) and not study.judging_is_open else "study", study.slug
        )
    told = files.release(study, pictures=request.GET.get("pictures") != "no")
    name = f"{study.slug}-release"
    response = StreamingHttpResponse(zipped(told, name), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{name}.zip"'
    return response


@for_organizers
@require_safe
def ledger(request: HttpRequest, study: Study) -> StreamingHttpResponse:
    """Download the sealed rows of the ledger with their seals."""
    return _file(judgment_export.sealed_ledger(study), f"{study.slug}-ledger.jsonl")


@for_organizers
@require_safe
def texts(request: HttpRequest, study: Study) -> StreamingHttpResponse:
    """Download the versions of the texts that assessors read, and which version each batch showed."""
    return _file(judgment_export.texts(study, _names(request, study)), f"{study.slug}-texts.jsonl")


def _names(request: HttpRequest, study: Study) -> Namer:
    """Return the pseudonyms of the release that `?release=` names, by default those of the usual release.

    Only `manage.py export --release` creates other releases. Raises Http404 for one that does not exist.
    """
    name = request.GET.get("release", "")
    if name and name != pseudonyms.USUAL:
        return pseudonyms.names_in(get_object_or_404(Release, study=study, name=name))
    return pseudonyms.names_in(pseudonyms.release_of(study))


def _file(lines: Iterator[str], name: str) -> StreamingHttpResponse:
    response = StreamingHttpResponse(_blocks(lines), content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _blocks(lines: Iterator[str]) -> Iterator[str]:
    """Join lines into blocks, since each piece costs a network call."""
    while block := "".join(islice(lines, LINES)):
        yield block
