"""Mail delivery: one connection for several mails, and the server's answer to each."""

import smtplib
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any

from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.smtp import EmailBackend


class Unreached(Exception):
    """The mail server cannot be reached, or refuses the login: no mail can be sent now."""


class MailRefusal(Exception):
    """The mail server refused this mail; for_good: permanently, so that a retry would not help."""

    def __init__(self, said: str, *, for_good: bool) -> None:
        super().__init__(said)
        self.for_good = for_good


class Post:
    """A connection to the mail server, opened for the first mail and reused for the next ones."""

    def __init__(self) -> None:
        self._connection: Any = None
        self._going_out: Callable[[], None] = lambda: None

    def __enter__(self) -> "Post":
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._close()

    def send(self, message: EmailMessage, going_out: Callable[[], None]) -> None:
        """Send a mail; call `going_out` just before its content is sent to the server.

        Raises Unreached or MailRefusal if it was certainly not sent. After any other error it may have been
        sent.
        """
        self._going_out = going_out
        try:
            if not self._reach():
                going_out()
            self._connection.send_messages([message])
        except BaseException as error:
            # The state of the SMTP session is unknown, so the next mail opens another.
            self._close()
            if refusal := _refusal(error):
                raise refusal from error
            raise

    def _reach(self) -> bool:
        """Open the connection unless it is open; return True for SMTP, where the content is sent late."""
        if self._connection is None:
            self._connection = get_connection()
        if not isinstance(self._connection, EmailBackend):
            # A new connection, and so a new file, for each mail: each is then easy to find.
            self._connection = get_connection()
            return False
        try:
            new = self._connection.open()
        except Exception as error:
            raise Unreached(f"{type(error).__name__}: {error}") from error
        if new and self._connection.connection is not None:
            self._watch(self._connection.connection)
        return True

    def _watch(self, server: smtplib.SMTP) -> None:
        """Call `going_out` when the SMTP session sends the content of the mail."""
        say = server.data

        def data(msg: Any) -> tuple[int, bytes]:
            self._going_out()
            return say(msg)

        server.data = data  # type: ignore[method-assign]

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):  # the server may already have closed it
                connection.close()


def _refusal(error: BaseException) -> MailRefusal | None:
    """Return the mail server's refusal that an error reports; None if the connection broke."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        code, said = next(iter(error.recipients.values()))
        return MailRefusal(_said(code, said), for_good=code >= 500)
    if isinstance(error, smtplib.SMTPDataError):
        return MailRefusal(_said(error.smtp_code, error.smtp_error), for_good=error.smtp_code >= 500)
    if isinstance(error, smtplib.SMTPResponseException):
        # It refuses all mails of this sender: a setting that somebody will fix.
        return MailRefusal(_said(error.smtp_code, error.smtp_error), for_good=False)
    if isinstance(error, smtplib.SMTPNotSupportedError):
        return MailRefusal(str(error), for_good=True)
    return None


def _said(code: int, said: bytes | str) -> str:
    return f"{code} {said.decode(errors='replace') if isinstance(said, bytes) else said}"
