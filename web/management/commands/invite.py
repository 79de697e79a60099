"""`manage.py invite STUDY what`: personal links, and invitations and reminders by e-mail."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db.models import Count

from collection import audit_log
from collection.commands import add_study, named_study
from collection.models import Study
from judging.people import person_names
from panels import local
from panels.local import addresses, letters, mails
from panels.models import Address, Mail, Mailing
from prefir.formats import BadFile, defused, text_of
from web.organizer.assessors import people
from web.organizer.forms import InviteForm
from web.shared.phrases import count

State, Kind = Mail.State, Mailing.Kind
WHOM = {"not-finished": "not finished", "not-begun": "not begun", "begun": "begun"}


class Command(BaseCommand):
    help = (
        "Invite people to judge: make personal links, list them, load e-mail addresses, send invitations "
        "and reminders, and say their outcomes. Nothing is sent but by `send` and `again`."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_study(parser)
        whats = parser.add_subparsers(dest="what", required=True)
        links = whats.add_parser("links", help="make personal links; print label, link, name on pages")
        links.add_argument("--number", type=int, help="how many")
        links.add_argument("--labels", metavar="FILE", help="a file with a label a line; - is standard input")
        whats.add_parser("list", help="all personal links as CSV, with all that is known of their people")
        load = whats.add_parser("load", help="add the people of a list of e-mail addresses; sends nothing")
        load.add_argument("file", help="a line a person, or CSV: email, name, label; - is standard input")
        for what, told in (
            ("letter", "show the mail as the first person would get it, and how many would; sends nothing"),
            ("send", "send it to all who have not got it, and say the outcome of each mail"),
        ):
            one = whats.add_parser(what, help=told)
            one.add_argument("--remind", choices=list(WHOM), help="a reminder, and to whom; else invitations")
            one.add_argument("--subject", help="else the last one sent, or the usual one")
            one.add_argument("--text", metavar="FILE", help="a file with the text; else as for the subject")
            one.add_argument("--site", default=settings.PUBLIC_URL, help="address of this server in links")
        whats.add_parser("status", help="the outcome of the mails that were sent")
        again = whats.add_parser("again", help="send a mail once more that was refused, dropped or in doubt")
        again.add_argument("mail", type=int, help="its number, as `status` says it")
        forget = whats.add_parser("forget", help="delete e-mail addresses for good; links and answers stay")
        forget.add_argument("address", help="the address, or `all`")

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        getattr(self, f"_{options['what']}")(study, options)

    def _links(self, study: Study, options: dict[str, Any]) -> None:
        labels = _read_list(options["labels"]) if options["labels"] else ""
        form = InviteForm({"number": options["number"], "labels": labels})
        if not form.is_valid():
            raise CommandError("\n".join(str(error) for errors in form.errors.values() for error in errors))
        made = local.invite(study, form.cleaned_data["labels"])
        audit_log.note(study.pk, audit_log.What.INVITED, after={"links": len(made)})
        names = person_names.names(study, [one.pk for one in made], labels=True)
        for one in made:
            link = letters.link_of(one, settings.PUBLIC_URL)
            self.stdout.write(f"{defused(one.label)}\t{link}\t{defused(names[one.pk])}")

    def _list(self, study: Study, options: dict[str, Any]) -> None:
        for line in people.invitations(study, settings.PUBLIC_URL.rstrip("/")):
            self.stdout.write(line, ending="")

    def _load(self, study: Study, options: dict[str, Any]) -> None:
        try:
            loaded = addresses.load(study, addresses.read(_read_list(options["file"])))
        except addresses.BadList as error:
            raise CommandError(f"Nothing was loaded.\n{error}") from error
        self.stdout.write(f"{count(loaded.made, 'person')} added.")
        if loaded.given:
            self.stdout.write(f"{count(loaded.given, 'person')} of the same label got the address.")
        if loaded.known:
            self.stdout.write(f"{count(loaded.known, 'address')} known before.")

    def _written(self, study: Study, options: dict[str, Any]) -> tuple[str, str, str, str]:
        """The kind of the mailing, whom it reminds, its subject and its text."""
        kind = Kind.REMINDER if options["remind"] else Kind.INVITATION
        subject, text = letters.usual(study, kind)
        subject = subject if options["subject"] is None else options["subject"]
        text = _read(options["text"]) if options["text"] else text
        return kind, WHOM.get(options["remind"] or "", ""), subject, text

    def _letter(self, study: Study, options: dict[str, Any]) -> None:
        kind, to, subject, text = self._written(study, options)
        if wrong := letters.problems(study, subject, text):
            raise CommandError("\n".join(wrong.values()))
        found = mails.recipients(study, kind, to)
        first = found.first()
        if first is None:
            raise CommandError("There is nobody to whom this mail would go.")
        audit_log.note(study.pk, audit_log.What.SAW_MAILS)
        address, name = addresses.opened(first)
        link = letters.link_of(first.assessor, options["site"])
        self.stdout.write(f"To: {address}\nSubject: {letters.filled(subject, study, name, '')}\n")
        self.stdout.write(letters.filled(text, study, name, link))
        self.stdout.write(f"This would go to {count(found.count(), 'person')}. Nothing was sent.")

    def _send(self, study: Study, options: dict[str, Any]) -> None:
        kind, to, subject, text = self._written(study, options)
        try:
            mailing = mails.send(study, kind, to, subject, text, site=options["site"])
        except mails.CannotMail as error:
            raise CommandError(str(error)) from error
        if not mails.by_smtp():
            self.stderr.write(f"No mail server is set: mails become files in {settings.EMAIL_FILE_PATH}.")
        while mails.send_due(mailing.pk) == mails.AT_ONCE:
            pass
        self._tell(mailing)

    def _status(self, study: Study, options: dict[str, Any]) -> None:
        known = Address.objects.filter(study=study, deleted_at=None).count()
        self.stdout.write(f"{count(known, 'address')}.")
        for mailing in Mailing.objects.filter(study=study).order_by("number"):
            self._tell(mailing, fails=False)

    def _tell(self, mailing: Mailing, *, fails: bool = True) -> None:
        """Say the outcome of a mailing. Raises CommandError where a mail is not sent and will not be."""
        counted = mailing.mails.order_by().values_list("state").annotate(n=Count("pk"))
        numbers = {State(state): n for state, n in counted}
        told = ", ".join(f"{n} {str(state.label).lower()}" for state, n in sorted(numbers.items()))
        self.stdout.write(f"Mailing {mailing.number} ({mailing.get_kind_display().lower()}): {told}.")
        bad = mailing.mails.filter(state__in=[State.REFUSED, State.DOUBT])
        for mail in bad.order_by("pk"):
            self.stdout.write(f"  mail {mail.pk}: {str(State(mail.state).label).lower()}. {mail.error}")
        if fails and bad.exists():
            raise CommandError("Not every mail was sent: `again` with its number sends one once more.")

    def _again(self, study: Study, options: dict[str, Any]) -> None:
        if not mails.send_again(study, options["mail"]):
            raise CommandError("Nothing was sent: this mail was sent, is on its way, or is another study's.")
        mailing = Mailing.objects.get(mails=options["mail"])
        mails.send_due(mailing.pk)
        self._tell(mailing)

    def _forget(self, study: Study, options: dict[str, Any]) -> None:
        found = Address.objects.filter(study=study)
        if options["address"] != "all":
            found = addresses.of(study, options["address"])
        gone = addresses.forget(study, found)
        if not gone:
            raise CommandError("No such address is known.")
        self.stdout.write(f"{count(gone, 'address')} deleted. Links and answers stay.")


def _bytes(name: str) -> bytes:
    """Read a file, or standard input. Raises CommandError."""
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise CommandError(f"{name}: {error.strerror}.") from error


def _read_list(name: str) -> str:
    """Read a list: text, CSV or the sheet of a workbook. Raises CommandError."""
    try:
        return text_of(name, _bytes(name))
    except BadFile as error:
        raise CommandError(str(error)) from error


def _read(name: str) -> str:
    """Read a text. Raises CommandError."""
    try:
        return _bytes(name).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CommandError(f"{name} is not UTF-8: its byte {error.start + 1} is none.") from error
