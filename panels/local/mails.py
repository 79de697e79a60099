"""Outbox of mails to invited people: each is stored before it is sent, and sent once, also after a crash.

    waiting -> claimed -> sending -> sent | refused | waiting (later) | doubt
    waiting | claimed -> dropped (not needed any more)      doubt | refused | dropped -> waiting (asked for)

Every arrow is one conditional update, and no transaction is open while the mail server is contacted. If a
process dies before the content of a mail is sent, the next process sends it. If it dies while the content is
sent, the mail is in doubt, and is sent again only when an organizer asks for it. A mail that fails is
postponed, and the others continue.
"""

import logging
import re
from datetime import datetime, timedelta

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from collection import audit_log
from collection.models import Study
from judging.models import Assignment
from panels.local import letters
from panels.local.addresses import opened
from panels.local.mail_delivery import MailRefusal, Post, Unreached
from panels.models import Address, Mail, Mailing

logger = logging.getLogger(__name__)
State, Kind = Mail.State, Mailing.Kind

# Longer than all timeouts of one mail together. After it, its sender is considered dead.
CLAIM = timedelta(minutes=5)
AT_ONCE = 25
# Waits double from a minute to an hour, so this is about a day, in which a mail server should recover.
MOST_ATTEMPTS = 30
# Why a mail that only became a file was not sent.
NO_SERVER = "No mail server is set: the mail became a file. The server's administrator sets EMAIL_URL."
# Groups of people to whom a reminder can go.
TO = {
    "not finished": "have not finished a batch",
    "not begun": "have not begun",
    "begun": "have begun, and not finished a batch",
}


class CannotMail(Exception):
    """The reason why no mail was sent, as a sentence for the organizer."""


def by_smtp() -> bool:
    """Return True if mails leave this server; otherwise they are written to files."""
    return not settings.EMAIL_BACKEND.endswith(".filebased.EmailBackend")


def can_leave() -> bool:
    """Return True if mails leave this server and have a sender."""
    return by_smtp() and bool(settings.DEFAULT_FROM_EMAIL)


def recipients(study: Study, kind: str, to: str = "") -> QuerySet[Address]:
    """Return the addresses to which a mailing would go now, in the order of the invitations."""
    live = Address.objects.filter(study=study, deleted_at=None, assessor__excluded_at=None)
    mails = Mail.objects.filter(address=OuterRef("pk"))
    if kind == Kind.INVITATION:
        found = live.exclude(Exists(mails.filter(kind=Kind.INVITATION)))
    else:
        unsettled = [State.WAITING, State.CLAIMED, State.SENDING]
        found = live.filter(Exists(mails.filter(state__in=[State.SENT, State.DOUBT])))
        found = found.exclude(Exists(mails.filter(state__in=unsettled)))
        batches = Assignment.objects.filter(assessor=OuterRef("assessor"))
        found = found.exclude(Exists(batches.filter(submitted_at__isnull=False)))
        if to != "not finished":
            found = found.filter(Exists(batches)) if to == "begun" else found.exclude(Exists(batches))
    return found.select_related("assessor").order_by("assessor", "pk")


def next_number(study: Study) -> int:
    """Return the number of the next mailing."""
    return Mailing.objects.filter(study=study).count() + 1


@transaction.atomic
def send(
    study: Study, kind: str, to: str, subject: str, text: str, *, site: str, number: int | None = None
) -> Mailing:
    """Store a mailing and its mails; `send_due` sends them.

    number: the number of the mailing when the page was opened, so that a second press of the button does
    nothing. Raises CannotMail.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if number is not None and number != next_number(study):
        raise CannotMail("Mails were sent since this page was opened. Look below at what was sent.")
    if kind == Kind.REMINDER and to not in TO:
        raise CannotMail("Say who is to be reminded.")
    if wrong := letters.problems(study, subject, text):
        raise CannotMail(" ".join(wrong.values()))
    if by_smtp() and not settings.DEFAULT_FROM_EMAIL:
        raise CannotMail(
            "Mails would come from nobody: the server's administrator is to set DEFAULT_FROM_EMAIL."
        )
    if study.closed_at is not None and not study.paused:
        raise CannotMail("Judging is over: anyone who came would find nothing to do.")
    found = list(recipients(study, kind, to))
    if not found:
        raise CannotMail("There is nobody to whom this mail would go.")
    _refuse_beyond_daily_limit(audit_log.account_id(), len(found))
    return store(study, kind, to, subject, text, site, found)


def store(
    study: Study, kind: str, to: str, subject: str, text: str, site: str, found: list[Address]
) -> Mailing:
    """Store a mailing to these addresses, and note it in the trail. The caller locks the study."""
    mailing = Mailing.objects.create(
        study=study,
        number=next_number(study),
        kind=kind,
        to=to,
        subject=subject.strip(),
        text=text,
        site=site.rstrip("/"),
        by_id=audit_log.account_id(),
        actor=audit_log.actor(),
    )
    now = timezone.now()
    Mail.objects.bulk_create(
        Mail(mailing=mailing, address=address, kind=kind, not_before=now) for address in found
    )
    about = f"{mailing.get_kind_display().lower()}, mailing {mailing.number}"
    after = {"people": len(found), "subject": mailing.subject}
    audit_log.note(study.pk, audit_log.What.MAILED, about=about, after=after)
    return mailing


def _refuse_beyond_daily_limit(account: int | None, more: int) -> None:
    """Raise CannotMail beyond an account's daily limit over all its studies. Commands have no limit."""
    if account is None:
        return
    day = timezone.now() - timedelta(days=1)
    sent = Mail.objects.filter(mailing__by=account, mailing__created_at__gt=day).count()
    if sent + more > settings.MAILS_A_DAY:
        raise CannotMail(
            f"An account sends at most {settings.MAILS_A_DAY:,} mails in 24 hours. You have sent {sent:,}, "
            f"and this would be {more:,} more. Send the rest tomorrow, or ask the operator of this server "
            "to raise MAILS_A_DAY."
        )


@transaction.atomic
def send_again(study: Study, mail_id: int | None) -> int:
    """Queue a refused, dropped or doubtful mail again, with None all that were refused; return how many."""
    asked = Mail.objects.filter(mailing__study=study, address__deleted_at=None)
    if mail_id is None:
        asked, about = asked.filter(state=State.REFUSED), "all that were not sent"
    else:
        asked = asked.filter(pk=mail_id, state__in=[State.DOUBT, State.REFUSED, State.DROPPED])
        about = f"mail {mail_id}"
    now = timezone.now()
    number = asked.update(state=State.WAITING, not_before=now, attempts=0, error="", settled_at=None)
    if number:
        audit_log.note(study.pk, audit_log.What.MAILED, about=f"{about} once more")
    return number


def due(mailing_id: int | None = None) -> QuerySet[Mail]:
    """Return the mails that can be sent now, and those whose sender seems to have died; oldest first."""
    found: QuerySet[Mail] = Mail.objects.due([State.WAITING], [State.CLAIMED, State.SENDING])
    return found if mailing_id is None else found.filter(mailing=mailing_id)


def send_due(mailing_id: int | None = None, *, most: int = AT_ONCE) -> int:
    """Send due mails of one mailing or of all; return how many were tried.

    Fewer than `most` means that no more are due now, or that the mail server cannot be reached.
    """
    found = list(due(mailing_id).values_list("pk", flat=True)[:most])
    tried = 0
    with Post() as post:
        for pk in found:
            try:
                make(post, pk)
            except Unreached:
                break
            tried += 1
    return tried


def make(post: Post, mail_id: int) -> bool:
    """Send a mail that is due; return False if another process has it, or it is no longer needed.

    Raises Unreached, after postponing the mail, if the mail server could not be reached.
    """
    died = Mail.objects.due((), [State.SENDING]).filter(pk=mail_id)
    if died.settle(State.DOUBT, error="The program stopped while this mail went out."):
        return False
    ready = Mail.objects.due([State.WAITING], [State.CLAIMED]).filter(pk=mail_id)
    until = ready.claim(State.CLAIMED, CLAIM)
    if until is None:
        return False
    mail = Mail.objects.select_related("mailing__study", "address__assessor").get(pk=mail_id)
    if why := _not_needed(mail):
        return _settle(mail, State.DROPPED, why) and False
    address, name = opened(mail.address)
    try:
        post.send(_message(mail, address, name), lambda: _going_out(mail, until))
    except _Lost:
        return False
    except Unreached as error:
        _later(mail, _without(str(error), address))
        raise
    except MailRefusal as error:
        said = _without(str(error), address)
        if error.for_good:
            return _settle(mail, State.REFUSED, said)
        return _later(mail, said)
    except Exception as error:  # after any error the mail may have gone out
        said = _without(f"{type(error).__name__}: {error}", address)
        # Logged without the traceback, which may contain the address.
        logger.warning("Mail %s failed: %s", mail.pk, said)
        gone = Mail.objects.filter(pk=mail.pk, state=State.SENDING).exists()
        return _settle(mail, State.DOUBT, said) if gone else _later(mail, said)
    return _settle(mail, State.SENT, "") if by_smtp() else _settle(mail, State.REFUSED, NO_SERVER)


class _Lost(Exception):
    """Another process has the mail, or it is no longer to be sent."""


def _going_out(mail: Mail, until: datetime) -> None:
    """Note that the mail's content is being sent; a crash from here on leaves a doubt. Raises _Lost."""
    mine = Mail.objects.filter(pk=mail.pk, state=State.CLAIMED, claimed_until=until)
    if not mine.update(state=State.SENDING, claimed_until=timezone.now() + CLAIM):
        raise _Lost


def _not_needed(mail: Mail) -> str:
    """Return why a mail is not needed any more; "" if it is."""
    assessor, study = mail.address.assessor, mail.mailing.study
    if mail.address.deleted_at is not None:
        return "The address was deleted."
    if assessor.excluded_at is not None:
        return "They are excluded."
    if study.closed_at is not None and not study.paused:
        return "Judging is over."
    if mail.kind == Kind.REMINDER:
        batches = Assignment.objects.filter(assessor=assessor)
        if batches.filter(submitted_at__isnull=False).exists():
            return "They have finished a batch meanwhile."
        if mail.mailing.to == "not begun" and batches.exists():
            return "They have begun meanwhile."
    if mail.kind == Kind.MORE:
        since = Assignment.objects.filter(assessor=assessor, opened_at__gt=mail.mailing.created_at)
        return "They have begun another batch meanwhile." if since.exists() else ""
    return ""


def _message(mail: Mail, address: str, name: str) -> EmailMessage:
    mailing = mail.mailing
    study = mailing.study
    link = letters.link_of(mail.address.assessor, mailing.site)
    subject = letters.filled(mailing.subject, study, name, "")
    return EmailMessage(
        " ".join(subject.split()),
        letters.filled(mailing.text, study, name, link),
        settings.DEFAULT_FROM_EMAIL or "faceoff@localhost",
        [address],
        reply_to=[study.contact] if _is_address(study.contact) else None,
        # Suppresses automatic replies such as absence notices.
        headers={"Auto-Submitted": "auto-generated"},
    )


def _is_address(text: str) -> bool:
    try:
        validate_email(text)
    except Exception:
        return False
    return True


def _without(said: str, address: str) -> str:
    """Return a message with the address replaced, because it is shown and logged."""
    hidden = re.sub(re.escape(address), "the address", said, flags=re.IGNORECASE) if address else said
    return " ".join(hidden.split())[:300]


def _settle(mail: Mail, state: str, error: str) -> bool:
    mine = Mail.objects.filter(pk=mail.pk, state__in=[State.CLAIMED, State.SENDING])
    return bool(mine.settle(state, error=error))


def _later(mail: Mail, error: str) -> bool:
    """Postpone a mail that was certainly not sent; after too many attempts, give up."""
    if mail.attempts >= MOST_ATTEMPTS:
        return _settle(mail, State.REFUSED, f"Given up after {mail.attempts} attempts: {error}"[:300])
    mine = Mail.objects.filter(pk=mail.pk, state__in=[State.CLAIMED, State.SENDING])
    return bool(mine.postpone(State.WAITING, mail.next_wait, error=error))
