"""The page of e-mail to invited people: recipients, text, and a log of what was sent."""

import hashlib
import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from collection import audit_log
from collection.models import Study
from config.task_queue import run_in_background
from judging.people import person_names
from panels import jobs
from panels.local import addresses, letters, mails
from panels.models import Address, Mail, Mailing
from prefir.formats import BadFile, text_of
from web.shared.access import for_organizers
from web.shared.form_words import Worded
from web.shared.phrases import count

A_PAGE = 50
MOST_BYTES = 2 * 2**20
INVITE = "invitation"
State, Kind = Mail.State, Mailing.Kind
OPEN = (State.WAITING, State.CLAIMED, State.SENDING)
AGAIN = (State.REFUSED, State.DOUBT, State.DROPPED)


class ListForm(Worded, forms.Form):
    """A list of addresses, typed or in a file."""

    people = forms.CharField(
        required=False,
        label="Addresses",
        widget=forms.Textarea(attrs={"rows": 5, "autocomplete": "off", "spellcheck": "false"}),
        help_text="One a line: ada@example.org, or Ada Lovelace <ada@example.org>, or ada@example.org, "
        "seat 4. Or the lines of a table whose first line names its columns: email, name, label.",
    )
    file = forms.FileField(required=False, label="Or a file", help_text="CSV, text or a workbook (.xlsx).")

    def clean(self) -> dict[str, Any]:
        """Parse the list into `list`; each bad line is an error."""
        values = super().clean() or self.cleaned_data
        text, file = values.get("people", ""), values.get("file")
        if self.errors:
            return values
        if file is not None and text.strip():
            raise ValidationError("Give lines or a file, not both.")
        if file is not None:
            if file.size > MOST_BYTES:
                raise ValidationError("The file is larger than 2 MB.")
            try:
                text = text_of(file.name or "file", file.read())
            except BadFile as error:
                raise ValidationError(
                    [ValidationError(str(problem)) for problem in error.problems]
                ) from error
        try:
            values["list"] = addresses.read(text)
        except addresses.BadList as error:
            raise ValidationError([ValidationError(problem) for problem in error.problems]) from error
        return values


class LetterForm(Worded, forms.Form):
    """The subject and text of a mailing."""

    subject = forms.CharField(required=False, label="Subject", max_length=letters.LONGEST_SUBJECT)
    text = forms.CharField(
        required=False,
        label="Text",
        strip=False,
        max_length=letters.LONGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": 14}),
        help_text="Filled in for each person: "
        + ", ".join(f"{{{name}}} is {said}" for name, said in letters.BLANKS.items())
        + ".",
    )

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.study = study

    def clean(self) -> dict[str, Any]:
        """Refuse a letter with problems (`letters.problems`), such as a missing {link}."""
        values = super().clean() or self.cleaned_data
        if not self.errors:
            values["text"] = values["text"].replace("\r\n", "\n")
            for field, problem in letters.problems(self.study, values["subject"], values["text"]).items():
                self.add_error(field, problem)
        return values


@dataclass(frozen=True)
class MailRow:
    """A person in the list, with their decrypted address and the mails to them, latest last."""

    row: Address
    name: str
    address: str
    mails: list[Mail]


@never_cache
@for_organizers
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the addresses, the letter to send, and the outcome of each mail. 19 queries at most."""
    return _page(request, study)


def _page(
    request: HttpRequest,
    study: Study,
    *,
    people: ListForm | None = None,
    letter: LetterForm | None = None,
    preview: dict[str, Any] | None = None,
    to: str = "",
) -> HttpResponse:
    numbers = {one: mails.recipients(study, *_whom(one)).count() for one in (INVITE, *mails.TO)}
    to = to or request.GET.get("to", "")
    if to not in numbers:
        to = INVITE if numbers[INVITE] or not numbers["not finished"] else "not finished"
    if letter is None:
        subject, text = letters.usual(study, _whom(to)[0])
        letter = LetterForm(initial={"subject": subject, "text": text}, study=study)
    found = Address.objects.filter(study=study).filter(Q(deleted_at=None) | Q(mails__isnull=False)).distinct()
    pages = Paginator(found.order_by("assessor", "pk"), A_PAGE)
    page = pages.get_page(request.GET.get("page"))
    rows = _rows(study, list(page.object_list))
    if any(row.address for row in rows):
        audit_log.note_once(study.pk, audit_log.What.SAW_MAILS, within=timedelta(hours=1))
    context = {
        "study": study,
        "by_smtp": mails.by_smtp(),
        "host": settings.EMAIL_HOST,
        "sender": settings.DEFAULT_FROM_EMAIL,
        "to": to,
        "choices": [(one, said, numbers[one]) for one, said in _choices()],
        "number": numbers[to],
        "people": people or ListForm(),
        "letter": letter,
        "form": people or (letter if letter.is_bound else None),
        "preview": preview,
        "page": page,
        "rows": rows,
        "again": AGAIN,
        "unsent": Mail.objects.filter(
            mailing__study=study, state=State.REFUSED, address__deleted_at=None
        ).count(),
        "known": Address.objects.filter(study=study, deleted_at=None).count(),
        "wished": Address.objects.filter(study=study, more_wished=True).count(),
        "mailings": _mailings(study),
    }
    return render(request, "organizer/mails.html", context)


def _choices() -> list[tuple[str, str]]:
    return [(INVITE, "are not invited by e-mail yet"), *mails.TO.items()]


def _whom(to: str) -> tuple[str, str]:
    """Return the kind of a mailing and whom it reminds ("" for an invitation), from the page's choice."""
    return (Kind.INVITATION, "") if to == INVITE else (Kind.REMINDER, to)


def _rows(study: Study, found: list[Address]) -> list[MailRow]:
    sent = Mail.objects.filter(address__in=found).select_related("mailing").order_by("pk")
    by_address: dict[int, list[Mail]] = {}
    for mail in sent:
        by_address.setdefault(mail.address_id, []).append(mail)
    names = person_names.names(study, [one.assessor_id for one in found], labels=True)
    return [
        MailRow(one, names[one.assessor_id], addresses.opened(one)[0], by_address.get(one.pk, []))
        for one in found
    ]


def _mailings(study: Study) -> list[tuple[Mailing, dict[str, int]]]:
    """Return the mailings of a study, latest first, with the number of mails by the name of their state."""
    counted = Mail.objects.filter(mailing__study=study).order_by()
    numbers: dict[int, dict[str, int]] = {}
    for pk, state, n in counted.values_list("mailing", "state").annotate(n=Count("pk")):
        numbers.setdefault(pk, {})[str(State(state).label).lower()] = n
    return [(one, numbers.get(one.pk, {})) for one in Mailing.objects.filter(study=study).order_by("-number")]


@for_organizers
@require_POST
def load(request: HttpRequest, study: Study) -> HttpResponse:
    """Add the people of an uploaded or typed list, or show what is wrong with it."""
    form = ListForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, study, people=form)
    loaded = addresses.load(study, form.cleaned_data["list"])
    said = f"{count(loaded.made, 'person')} added."
    if loaded.given:
        said += f" {count(loaded.given, 'person')} of the same label got the address."
    if loaded.known:
        left = "left as it was" if loaded.known == 1 else "left as they were"
        said += f" {count(loaded.known, 'address')} known before, {left}."
    messages.success(request, said + " No mail was sent so far.")
    return redirect("mails", study.slug)


@for_organizers
@require_POST
def send(request: HttpRequest, study: Study) -> HttpResponse:
    """Preview a letter as its first recipient will get it; send it to all once exactly this was previewed.

    The field `seen` holds a hash of the previewed letter, its number of recipients and its number.
    """
    to = request.POST.get("to", INVITE)
    if to not in (INVITE, *mails.TO):
        to = INVITE
    form = LetterForm(request.POST, study=study)
    if not form.is_valid():
        return _page(request, study, letter=form, to=to)
    kind, whom = _whom(to)
    subject, text = form.cleaned_data["subject"], form.cleaned_data["text"]
    found = mails.recipients(study, kind, whom)
    number = mails.next_number(study)
    seen = _in_short(to, subject, text, found.count(), number)
    if request.POST.get("do") != "send" or request.POST.get("seen") != seen:
        if request.POST.get("do") == "send":
            messages.info(request, "Nothing was sent: the mail, or to whom it goes, is not what you saw.")
        first = found.first()
        if first is None:
            messages.info(request, "There is nobody to whom this mail would go.")
            return _page(request, study, letter=form, to=to)
        preview = _preview(request, study, first, subject, text) | {"seen": seen}
        return _page(request, study, letter=form, preview=preview, to=to)
    site = request.build_absolute_uri("/")
    try:
        mailing = mails.send(study, kind, whom, subject, text, site=site, number=number)
    except mails.CannotMail as error:
        messages.error(request, str(error))
        return redirect("mails", study.slug)
    run_in_background(jobs.send_mails, mailing.pk)
    asked = mailing.mails.count()
    messages.success(request, f"{count(asked, 'mail')} on the way. Look below for the outcome of each.")
    return redirect("mails", study.slug)


def _in_short(*seen: Any) -> str:
    return hashlib.sha256(json.dumps(seen).encode()).hexdigest()[:20]


def _preview(request: HttpRequest, study: Study, first: Address, subject: str, text: str) -> dict[str, Any]:
    address, name = addresses.opened(first)
    link = letters.link_of(first.assessor, request.build_absolute_uri("/"))
    audit_log.note_once(study.pk, audit_log.What.SAW_LINKS, within=timedelta(hours=1))
    return {
        "address": address,
        "subject": letters.filled(subject, study, name, ""),
        "text": letters.filled(text, study, name, link),
    }


@for_organizers
@require_POST
def again(request: HttpRequest, study: Study) -> HttpResponse:
    """Send one mail again, or all that were not sent."""
    pk = request.POST.get("mail", "")
    known = pk == "all" or (pk.isdecimal() and len(pk) < 19)
    if known and (number := mails.send_again(study, None if pk == "all" else int(pk))):
        run_in_background(jobs.sweep_mails)
        messages.success(request, f"{count(number, 'mail')} on the way once more.")
    else:
        messages.info(request, "Nothing was sent: this mail was sent, or is on its way.")
    return redirect("mails", study.slug)


@for_organizers
@require_POST
def forget(request: HttpRequest, study: Study) -> HttpResponse:
    """Delete one address, or all addresses of a study."""
    pk = request.POST.get("address", "")
    found = Address.objects.filter(study=study)
    if pk != "all":
        found = found.filter(pk=int(pk)) if pk.isdecimal() and len(pk) < 19 else found.none()
    elif request.POST.get("sure") != "yes":
        messages.info(request, "Nothing was deleted: tick that you are sure first.")
        return redirect("mails", study.slug)
    gone = addresses.forget(study, found)
    messages.success(request, f"{count(gone, 'address')} deleted. Links and answers stay.")
    return redirect("mails", study.slug)
