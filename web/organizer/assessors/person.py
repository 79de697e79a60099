"""The page of one person: batches, answers, statistics and decisions; and readmitting an excluded person."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from collection.models import Study
from judging.assessor_names import assessor_name
from judging.models import FROM_FILES, OPEN, Assessor, Assignment, Decision, QuestionRole
from judging.people import person_names, remarks, roster
from judging.people.receipt_numbers import receipt_number
from judging.verdicts import decisions
from panels.base import PANELS, Marketplace
from panels.participants import people
from panels.payments import work_time
from web.organizer.assessors import person_verdict
from web.organizer.assessors.answer_log import in_order
from web.organizer.assessors.answers import answers, summary
from web.organizer.assessors.people_table import outcomes
from web.organizer.assessors.time_strip import time_strip
from web.organizer.confirmation import Confirmation, confirm
from web.organizer.forms import ReasonForm
from web.shared.access import for_organizers
from web.shared.influence_sentences import effect_of_person
from web.shared.objections import signs_of_people
from web.shared.phrases import count, time_taken
from web.shared.view_choices import choice_of

A_PAGE = 20
State = Assignment.State


@for_organizers
@require_safe
def person(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Show a person's record, with the answers of one batch.

    The batch is the one that `?batch=` names, else the latest that was discarded with wrong challenges, else
    the latest. Cost grows with this person's answers.
    """
    assessor = get_object_or_404(Assessor, study=study, pk=pk)
    own = Assignment.objects.filter(assessor=assessor).exclude(state=State.LOADING)
    rows = own.select_related("task", "entry").annotate(
        asked=Count("batch"), checked=Count("batch", filter=Q(batch__role=QuestionRole.CHALLENGE))
    )
    page = Paginator(rows.order_by("-pk"), A_PAGE).get_page(request.GET.get("page"))
    shown = _shown(rows, list(page.object_list), request.GET.get("batch", ""))
    open_one = own.filter(state__in=OPEN).first()
    only = choice_of(request.GET, "only", ["challenges"])
    log = in_order(assessor, request.GET.get("answers"), study.set_as, only_challenges=bool(only))
    told, signs = summary(study, assessor), signs_of_people(study).get(pk, "")
    figures = person_verdict.figures_of(study, assessor, told)
    due = open_one is not None or assessor.paused_at or assessor.excluded_at
    said, doubt = person_verdict.verdict(assessor, figures)
    context = {
        "study": study,
        "assessor": assessor,
        "name": person_names.name_of(assessor),
        "recorded_as": assessor_name(assessor.panel, assessor.label, assessor.pk),
        "open": open_one,
        "away": open_one is not None and open_one.state == State.IDLE,
        "warned": decisions.is_warned(assessor),
        "log": log,
        "strip": time_strip(log.lines),
        "only": only,
        "of_a_panel": isinstance(PANELS.get(assessor.panel), Marketplace)
        and request.user.has_perm(people.PERMISSION),
        "recorded": assessor.panel == FROM_FILES,
        "decisions": Decision.objects.filter(assessor=assessor).select_related("by").order_by("-pk"),
        "page": page,
        "batches": _numbered(page),
        "batches_said": outcomes(*roster.facts("batches", [pk]).get(pk, (0, 0, 0, 0))),
        "shown": shown,
        "receipt": receipt_number(shown.pk) if shown and shown.submitted_at else "",
        "answers": answers(study, shown) if shown else [],
        "summary": told,
        "signs": signs,
        "sentences": remarks.number_of(assessor),
        "verdict": said,
        "doubt": doubt,
        "doubtful": 0 if assessor.excluded_at else figures.doubtful,
        "figures": person_verdict.key_figures(assessor, figures),
        "shares": told.shares if figures.person is None or figures.person.left is None else [],
        "counts": figures.own is not None and not assessor.excluded_at,
        "effect": effect_of_person(study, assessor.pk) if figures.own else "",
        "acts_shown": bool(doubt or due),
    }
    return render(request, "organizer/person.html", context)


def _numbered(page: Page[Any]) -> list[tuple[int, Assignment, str]]:
    """Return batches with their number, the first one's 1, and the time that each took; "" if it is not sent.

    Batches of one minute begin at the same time as the page writes it.
    """
    last = page.paginator.count - page.start_index() + 1 if page.paginator.count else 0
    taken = [work_time.seconds_taken(one) for one in page]
    return [
        (last - n, one, "" if seconds is None else time_taken(seconds))
        for n, (one, seconds) in enumerate(zip(page, taken, strict=True))
    ]


def _shown(rows: QuerySet[Assignment], batches: list[Assignment], wanted: str) -> Assignment | None:
    """Return the wanted batch, else the first of this page that failed its challenges, else the first."""
    chosen = [batch for batch in batches if str(batch.pk) == wanted]
    if not chosen and wanted.isdecimal() and len(wanted) < 19:
        chosen = list(rows.filter(pk=int(wanted)))
    failed = [batch for batch in batches if batch.state == State.DISCARDED and batch.challenges_wrong]
    return next(iter(chosen or failed or batches), None)


@for_organizers
def readmit(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Show what readmitting an excluded assessor restores; on POST readmit them."""
    assessor = get_object_or_404(Assessor, study=study, pk=pk)
    form = ReasonForm(request.POST or None)
    batches, answers = decisions.would_count_again(assessor)
    if request.method == "POST" and form.is_valid():
        was_out = assessor.excluded_at is not None
        decisions.readmit(assessor.pk, form.cleaned_data["why"], by=request.user)
        if was_out:
            told = f"They are let back in, and {count(batches, 'batch')} kept again."
            messages.success(request, told)
        return redirect("person", study.slug, pk)
    out, name = assessor.excluded_at, person_names.name_of(assessor)
    kept = "No batch of theirs would be kept again."
    if batches:
        kept = (
            f"{count(batches, 'batch')} with {count(answers, 'answer')} would be kept again, also where "
            "others were asked meanwhile."
        )
    asked = Confirmation(
        heading=f"Let {name} back in?" if out else f"{name} is not excluded",
        says=(
            f"{kept} A batch that failed its own challenges stays discarded, and one that was open stays "
            "closed. They can judge again as soon as they open their link.",
        ),
        back=(name, reverse("person", args=[study.slug, pk])),
        button="Let them back in" if out else "",
        since=("Excluded", out, assessor.excluded_why) if out else None,
    )
    return confirm(request, study, asked, form)
