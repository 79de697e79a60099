"""Mail servers for tests: real ones on this machine that take mails, refuse some, or die in the middle."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.message import Message
from typing import Any

from aiosmtpd.controller import Controller
from django.test import override_settings

from panels.local import addresses, mails
from panels.models import Mail, Mailing

SMTP = "django.core.mail.backends.smtp.EmailBackend"
SITE = "https://judging.example.org"


class Office:
    """What a mail server was given. refused: what it answers to RCPT, by address.

    dies_after: addresses for which it takes the mail, and hangs up without saying so; dies_before: those at
    whose RCPT it hangs up; spoils: what it answers after the mail, by address.
    """

    def __init__(self) -> None:
        self.mails: list[tuple[str, Message]] = []
        self.refused: dict[str, str] = {}
        self.spoils: dict[str, str] = {}
        self.dies_after: set[str] = set()
        self.dies_before: set[str] = set()

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        if address in self.dies_before:
            server.transport.abort()
        if address in self.refused:
            return self.refused[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        (address,) = envelope.rcpt_tos
        if address in self.spoils:
            return self.spoils[address]
        self.mails.append((address, message_from_bytes(envelope.content)))
        if address in self.dies_after:
            server.transport.abort()
        return "250 Message accepted for delivery"

    @property
    def to(self) -> list[str]:
        return [address for address, _ in self.mails]


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


@contextmanager
def mail_server() -> Iterator[Office]:
    """Run a mail server, to which the product sends its mails."""
    office = Office()
    controller = Controller(office, hostname="127.0.0.1", port=free_port())
    controller.start()
    try:
        with reached_at(controller.port):
            yield office
    finally:
        controller.stop()


def reached_at(port: int) -> Any:
    """Settings with which mails go to this port."""
    return override_settings(
        EMAIL_BACKEND=SMTP,
        EMAIL_HOST="127.0.0.1",
        EMAIL_PORT=port,
        EMAIL_HOST_USER="",
        EMAIL_HOST_PASSWORD="",
        EMAIL_USE_TLS=False,
        EMAIL_USE_SSL=False,
        DEFAULT_FROM_EMAIL="Garden Lab <lab@example.org>",
    )


def load(study, *people: str) -> addresses.Loaded:
    """Load addresses, a line each."""
    return addresses.load(study, addresses.read("\n".join(people)))


def mail_to(study, kind=Mailing.Kind.INVITATION, to="", **given) -> Mailing:
    """Ask for a mailing with the usual texts."""
    from panels.local import letters

    subject, text = letters.usual(study, kind)
    return mails.send(study, kind, to, subject, text, site=SITE, **given)


def states() -> dict[str, str]:
    """The state of each mail by its address, those of the latest mailing."""
    found = Mail.objects.select_related("address").order_by("pk")
    return {addresses.opened(mail.address)[0]: mail.state for mail in found}
