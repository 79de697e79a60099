"""The people page: assessors and invitations, the open link, exclusions, members."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import OuterRef, Prefetch, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from collection import audit_log
from collection.models import Run, Study
from collection.study import lifecycle
from judging.batches import sittings
from judging.models import Assessor, Assignment, Judgment
from judging.people import person_names, roster
from judging.questions import texts
from judging.verdicts import decisions
from panels import account, local
from panels.local import addresses
from panels.models import Address, Campaign
from panels.recruitment.standstill import standstills
from web.organizer.assessors.automation import automation
from web.organizer.assessors.invitation_links import join_link
from web.organizer.assessors.people_table import table
from web.organizer.confirmation import Confirmation, confirm
from web.organizer.forms import ExcludeJoinedForm, InviteForm, MemberForm, ReasonForm, WhoAsksForm
from web.shared import throttles
from web.shared.access import for_organizers
from web.shared.csv_files import csv_blocks
from web.shared.phrases import count
from web.shared.throttles import Limit

WRONG_NAMES = Limit("wrong-names", 20, 3600)
State = Assignment.State


@never_cache
@for_organizers
def people(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the study's assessors, invitations and members.

    19 queries at most, and a few more where the agreement of people is computed anew.
    """
    return _page(request, study)


def _page(
    request: HttpRequest,
    study: Study,
    invite: InviteForm | None = None,
    member: MemberForm | None = None,
    joined: ExcludeJoinedForm | None = None,
    who: WhoAsksForm | None = None,
) -> HttpResponse:
    shown = table(request, study)
    if any(person.link for person in shown.rows):
        audit_log.note_once(study.pk, audit_log.What.SAW_LINKS, within=timedelta(hours=1))
    context = {
        "study": study,
        "table": shown,
        "silent": sittings.silent(study.pk).count(),
        "away_minutes": sittings.AWAY_MINUTES,
        "join": join_link(request, study),
        "members": study.members.select_related("user")
        .prefetch_related(Prefetch("runs", Run.objects.order_by("name")))
        .order_by("pk"),
        "invite": invite or InviteForm(),
        "member": member or MemberForm(study=study),
        "joined": joined or ExcludeJoinedForm(),
        # Asked here until both are filled in; after that they are changed under Settings.
        "who": None if study.says_who_asks else who or WhoAsksForm(instance=study),
        "form": invite or member or joined or who,
        "awaits": any(one.state == "never" and one.link for one in shown.rows),
        "automation": automation(study) if shown.total else None,
        **({} if shown.rows else _awaited(study)),
    }
    return render(request, "organizer/people.html", context)


def _awaited(study: Study) -> dict[str, Any]:
    """Return the campaign that people are to come from, if any, and whether it stands still."""
    last = study.campaigns.exclude(state=Campaign.State.CLOSED).order_by("-number").first()
    still = last is not None and any(one.campaign == last for one in standstills(study))
    return {"awaited": last, "awaited_still": still}


def _seen(study: Study) -> QuerySet[Assessor]:
    """Return the study's assessors, without those of a file that is still being loaded."""
    return Assessor.objects.filter(study=study).exclude(assignments__state=State.LOADING)


def _link(assessor: Assessor) -> str:
    return reverse("invitation", args=[assessor.reference])


@for_organizers
@require_POST
def invite(request: HttpRequest, study: Study) -> HttpResponse:
    """Create personal invitations."""
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _page(request, study, invite=form)
    made = local.invite(study, form.cleaned_data["labels"])
    audit_log.note(study.pk, audit_log.What.INVITED, after={"links": len(made)})
    messages.success(request, f"{count(len(made), 'invitation')} made. Send each link to one person.")
    before = _seen(study).filter(pk__lt=made[0].pk).count()
    return redirect(f"{reverse('people', args=[study.slug])}?page={before // roster.A_PAGE + 1}#invitations")


@for_organizers
@require_POST
def open_link(request: HttpRequest, study: Study) -> HttpResponse:
    """Turn the open link on or off."""
    wanted = request.POST.get("on")
    if wanted not in ("0", "1"):
        # Turning the link off cannot be undone, so it needs an explicit value from the page's button.
        messages.error(request, "Nothing was changed: the form did not say whether the link is to be on.")
        return redirect("people", study.slug)
    who = None
    if wanted == "1" and not study.says_who_asks:
        who = WhoAsksForm(request.POST, instance=Study.objects.get(pk=study.pk))
        if not who.is_valid() and request.POST.get("back") == "send":
            messages.error(request, "The link is not on yet: say who asks, and whom to write to.")
            return redirect("study-send", study.slug)
        if not who.is_valid():
            return _page(request, study, who=who)
    try:
        with transaction.atomic():
            if who is not None:
                texts.set_requester(study.pk, who.cleaned_data["asked_by"], who.cleaned_data["contact"])
            lifecycle.open_link(study.pk, on=wanted == "1")
    except lifecycle.CannotSteer as error:
        messages.error(request, str(error))
        return redirect("people", study.slug)
    if wanted == "1":
        told = (
            "The open link is on: anyone who has it can join. Scores count kept batches only: see Settings."
        )
        messages.success(request, told)
    else:
        messages.success(request, "The open link is off, for good: turned on again it will be another one.")
        if request.POST.get("batches") == "close":
            closed = decisions.close_open(study.pk, by_link=True, by=request.user)
            messages.success(request, f"{count(closed, 'open batch')} of those who joined by it closed.")
    return redirect("study-send" if request.POST.get("back") == "send" else "people", study.slug)


@for_organizers
@require_POST
def exclude_joined(request: HttpRequest, study: Study) -> HttpResponse:
    """Exclude everybody who joined by the open link since a moment."""
    form = ExcludeJoinedForm(request.POST)
    if not form.is_valid():
        return _page(request, study, joined=form)
    given = form.cleaned_data
    excluded = decisions.exclude_joined(study.pk, given["since"], given["reason"], by=request.user)
    messages.success(request, f"{count(excluded, 'person')} excluded. Their answers count nowhere.")
    return redirect("people", study.slug)


@for_organizers
@require_POST
def release(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Release one person's open batch: its unanswered questions go to others at once."""
    assessor = get_object_or_404(Assessor, study=study, pk=pk)
    batch = Assignment.objects.filter(assessor=assessor, state=State.WORKING).first()
    if batch and sittings.release(batch.pk, by=request.user):
        told = "Released: what they have not answered is open to others. They can come back and go on."
        messages.success(request, told)
    else:
        messages.info(request, "Nothing was released: they are not in the middle of a batch any more.")
    return redirect(f"{reverse('people', args=[study.slug])}#invitations")


@for_organizers
@require_POST
def release_away(request: HttpRequest, study: Study) -> HttpResponse:
    """Release every open batch without a sign of life for `sittings.AWAY_MINUTES`."""
    released = sittings.release_away(study.pk, by=request.user)
    messages.success(request, f"{count(released, 'batch')} released. Who comes back can go on.")
    return redirect(f"{reverse('people', args=[study.slug])}#invitations")


@never_cache
@for_organizers
@require_safe
def invitations_csv(request: HttpRequest, study: Study) -> HttpResponseBase:
    """Download all personal links with labels, names and e-mail addresses as CSV, for a mail merge."""
    here = request.build_absolute_uri("/")[:-1]
    response = StreamingHttpResponse(invitations(study, here), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-invitations.csv"'
    return response


def invitations(study: Study, site: str) -> Iterator[str]:
    """Return the CSV of personal links in blocks; note the download in the trail at once.

    site: the server's address, which each link begins with.
    """
    audit_log.note(study.pk, audit_log.What.TOOK_LINKS)
    live = Address.objects.filter(study=study, deleted_at=None)
    if live.exists():
        audit_log.note(study.pk, audit_log.What.SAW_MAILS, about="in the file of links")
    sealed = live.filter(assessor=OuterRef("pk")).values("sealed")
    own = Assessor.objects.filter(study=study, panel=local.PANEL)
    names = person_names.names(study, list(own.values_list("pk", flat=True)), labels=True)
    rows = own.annotate(sealed=Subquery(sealed[:1]))
    return csv_blocks(_rows(rows.order_by("pk").iterator(500), names, site))


def _rows(assessors: Iterator[Any], names: Mapping[int, str], here: str) -> Iterator[list[Any]]:
    yield ["label", "link", "excluded", "name", "address", "person"]
    for assessor in assessors:
        excluded = assessor.excluded_why if assessor.excluded_at else ""
        address, name = addresses.unsealed(assessor.sealed)
        person = names.get(assessor.pk, "")  # somebody may have joined since
        yield [assessor.label, here + _link(assessor), excluded, name, address, person]


@for_organizers
def exclude(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Show what excluding an assessor does; on POST exclude them."""
    assessor = get_object_or_404(Assessor, study=study, pk=pk)
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        decisions.exclude(assessor.pk, form.cleaned_data["why"], by=request.user)
        messages.success(request, "The assessor is excluded. Their answers count nowhere.")
        return redirect("people", study.slug)
    answers = Judgment.objects.counting().filter(assignment__assessor=assessor).count()
    out = assessor.excluded_at
    gave = (
        f"The {count(answers, 'answer')} they gave will count nowhere, and the questions are asked again of "
        "others: tournaments and scores change accordingly."
        if answers
        else "They have given no answer that counts yet."
    )
    asked = Confirmation(
        heading=f"Exclude {person_names.name_of(assessor)}",
        says=(
            f"{gave} They are not asked again: a batch that they have open is closed, and their link says "
            "that there is nothing to judge at the moment, as it does to others.",
            "Their answers stay in the ledger. Letting them back in restores what this discards: their own "
            "page, behind their name among the people, does it.",
        ),
        back=("People", reverse("people", args=[study.slug])),
        button=""
        if out
        else "Exclude them" + (f" and discard {count(answers, 'answer')}" if answers else ""),
        grave=True,
        since=("Excluded already,", out, assessor.excluded_why) if out else None,
    )
    return confirm(request, study, asked, form)


@for_organizers
@require_POST
def chosen(request: HttpRequest, study: Study) -> HttpResponse:
    """Release the open batches of chosen people, or show what excluding them does, and exclude them."""
    asked = request.POST.get("do", "").split(",") if "do" in request.POST else request.POST.getlist("person")
    pks = [int(pk) for pk in asked if pk.isdecimal() and len(pk) < 19]
    people = list(_seen(study).filter(pk__in=pks, excluded_at=None).order_by("pk").distinct())
    back = f"{reverse('people', args=[study.slug])}#invitations"
    if not people:
        messages.info(request, "Nothing was changed: choose people in the list first.")
        return redirect(back)
    if request.POST.get("act") == "release":
        batches = Assignment.objects.filter(assessor__in=people, state=State.WORKING).order_by("pk")
        released = sum(sittings.release(batch.pk, by=request.user) for batch in batches)
        messages.success(request, f"{count(released, 'batch')} released. Who comes back can go on.")
        return redirect(back)
    form = ReasonForm(request.POST if "do" in request.POST else None)
    if form.is_valid():
        for assessor in people:
            decisions.exclude(assessor.pk, form.cleaned_data["why"], by=request.user)
        messages.success(request, f"{count(len(people), 'person')} excluded. Their answers count nowhere.")
        return redirect(back)
    answers = Judgment.objects.counting().filter(assignment__assessor__in=people).count()
    names = ", ".join(person_names.names(study, [one.pk for one in people], labels=True).values())
    confirmation = Confirmation(
        heading=f"Exclude {count(len(people), 'person')}",
        says=(
            f"{names}.",
            f"The {count(answers, 'answer')} they gave will count nowhere, and the questions are asked again "
            "of others. They are not asked again, and batches that they have open are closed.",
            "Their answers stay in the ledger. Each can be let back in on their own page.",
        ),
        back=("People", back),
        button=f"Exclude them and discard {count(answers, 'answer')}" if answers else "Exclude them",
        grave=True,
        do=",".join(str(one.pk) for one in people),
    )
    return confirm(request, study, confirmation, form)


@for_organizers
@require_POST
def add_member(request: HttpRequest, study: Study) -> HttpResponse:
    """Make an account a member of the study, or change its role."""
    form = MemberForm(request.POST, study=study)
    if not form.is_valid():
        return _page(request, study, member=form)
    # Treat a disabled account as missing, so that the page does not reveal that it exists.
    accounts = get_user_model().objects.filter(is_active=True)
    user = accounts.filter(username=form.cleaned_data["username"]).first()
    # Allow some mistyped names, but stop attempts to find out which accounts exist.
    if throttles.used_up(WRONG_NAMES, request.user.pk):
        form.add_error("username", "Too many names without an account were tried. Wait an hour.")
        return _page(request, study, member=form)
    if user is None:
        throttles.count(WRONG_NAMES, request.user.pk)
        form.add_error("username", "No account has this username. Ask somebody who may make accounts.")
        return _page(request, study, member=form)
    known = form.cleaned_data["person"]
    try:
        with transaction.atomic():
            if known is not None:
                account.connect(get_object_or_404(Assessor, study=study, pk=known, panel=local.PANEL), user)
            lifecycle.set_member(study.pk, user.pk, form.cleaned_data["role"], form.cleaned_data["runs"])
    except (lifecycle.CannotSteer, account.CannotConnect) as error:
        form.add_error("role" if known is None else "username", str(error))
        return _page(request, study, member=form)
    messages.success(request, f"{user} is now {form.cleaned_data['role']}.")
    # Organizers who changed their own role may not see this page any more.
    return redirect("study" if user.pk == request.user.pk else "people", study.slug)


@for_organizers
@require_POST
def remove_member(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Remove a member from the study, with the share links that they made."""
    member = get_object_or_404(study.members.select_related("user"), pk=pk)
    try:
        links = lifecycle.remove_member(study.pk, member.user_id)
    except lifecycle.CannotSteer as error:
        messages.error(request, str(error))
        return redirect("people", study.slug)
    ended = f" {count(links, 'link')} to its leaderboard that they made ended too." if links else ""
    messages.success(request, f"{member.user} has no part in the study any more.{ended}")
    if member.user_id == request.user.pk:
        return redirect("studies")
    return redirect("people", study.slug)
