"""Letter templates: subject and text of a mail with placeholders, validated and filled in for one person."""

import re

from django.urls import reverse
from django.utils.translation import gettext as _

from collection.models import Study
from judging.models import Assessor
from panels.models import Mailing

BLANKS = {
    "name": "the person's name",
    "link": "their personal link",
    "study": "the study's name",
    "contact": "whom to write to",
}
LONGEST_SUBJECT, LONGEST_TEXT = 200, 10_000
_BLANK = re.compile(r"\{(\w*)\}")
# If there is no name, the space before it is removed too: "Hello {name}," becomes "Hello,".
_NAME = re.compile(r" ?\{name\}")

USUAL = {
    Mailing.Kind.INVITATION: (
        "Invitation to judge: {study}",
        "Hello {name},\n\n"
        "you are invited to judge for “{study}”. Please use this link. It is yours alone, so do not pass it "
        "on:\n\n{link}\n\n"
        "The first page says what is asked of you and how long it takes. You can come back by the same link "
        "at any time.\n\n"
        "Questions, or no more mails like this? Write to {contact}.\n",
    ),
    Mailing.Kind.REMINDER: (
        "Reminder: {study}",
        "Hello {name},\n\n"
        "some days ago you were invited to judge for “{study}”, and you have not finished a batch yet. Your "
        "link still works:\n\n{link}\n\n"
        "Questions, or no more mails like this? Write to {contact}.\n",
    ),
}


def usual(study: Study, kind: str) -> tuple[str, str]:
    """Return the default subject and text for a page: the last ones sent of this kind, if any."""
    last = Mailing.objects.filter(study=study, kind=kind).order_by("-number").first()
    if last is not None:
        return last.subject, last.text
    subject, text = USUAL[Mailing.Kind(kind)]
    if not study.contact:
        text = text.replace(" Write to {contact}.", " Answer this mail.")
    return subject, text


def of_more(study: Study) -> tuple[str, str]:
    """Return subject and text, in the active language, of the letter that people asked for."""
    text = _(
        "Hello {name},\n\n"
        "there are questions for you again in “{study}”. You asked for a mail when there are. Your link is "
        "the same as before:\n\n{link}\n\n"
        "No other mail follows unless you ask for it on that page.\n"
    )
    return _("More to judge: {study}"), text


def problems(study: Study, subject: str, text: str) -> dict[str, str]:
    """Validate a letter; return an error sentence by field ("subject", "text")."""
    found = {}
    if not subject.strip():
        found["subject"] = "Write a subject."
    elif len(subject) > LONGEST_SUBJECT:
        found["subject"] = f"At most {LONGEST_SUBJECT} characters."
    elif len(subject.splitlines()) > 1:
        found["subject"] = "A subject has one line."
    if "{link}" in subject:
        found["subject"] = "The link belongs into the text: subjects are shown to others."
    if "{link}" not in text:
        found["text"] = "Without {link} in the text nobody could come."
    elif len(text) > LONGEST_TEXT:
        found["text"] = f"At most {LONGEST_TEXT:,} characters."
    for field, value in (("subject", subject), ("text", text)):
        if unknown := [name for name in _BLANK.findall(value) if name not in BLANKS]:
            known = ", ".join(f"{{{name}}}" for name in BLANKS)
            found.setdefault(field, f"{{{unknown[0]}}} would stay as it is. There are {known}.")
        if "{contact}" in value and not study.contact:
            found.setdefault(field, "{contact} is empty: fill in whom to write to under Settings.")
    return found


def link_of(assessor: Assessor, site: str) -> str:
    """Return an invited person's personal link, on the server at `site`."""
    return site.rstrip("/") + reverse("invitation", args=[assessor.reference])


def filled(template: str, study: Study, name: str, link: str) -> str:
    """Fill in the placeholders of a subject or text."""
    values = {"name": name, "link": link, "study": study.name, "contact": study.contact}
    if not name:
        template = _NAME.sub("", template)
    return _BLANK.sub(lambda blank: values.get(blank[1], blank[0]), template)
