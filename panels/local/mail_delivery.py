"""Mail delivery: one connection for several mails, and the server's answer to each."""

import smtplib
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any

from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.smtp import EmailBackend


class Unreached(Exception):
    """The mail server cannot be reached, or lets nobody in: no mail could be sent now."""


class MailRefusal(Exception):
    """The mail server answered that it does not take this mail: now, or for good."""

    def __init__(self, said: str, *, for_good: bool) -> None:
        super().__init__(said)
        self.for_good = for_good


class Post:
    """A connection to the mail server that is opened for the first mail and kept for the next ones."""

    def __init__(self) -> None:
        self._connection: Any = None
        self._going_out: Callable[[], None] = lambda: None

    def __enter__(self) -> "Post":
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._close()

    def send(self, message: EmailMessage, going_out: Callable[[], None]) -> None:
        """Send a mail; `going_out` is called when all is said but the mail itself.

        Raises Unreached or Refusal where it was surely not sent; any other error may
        have come after it was.
        """
        self._going_out = going_out
        try:
            if not self._reach():
                going_out()
            self._connection.send_messages([message])
        except BaseException as error:
            # Where the conversation stands nobody knows: the next mail begins another.
            self._close()
            if refusal := _refusal(error):
                raise refusal from error
            raise

    def _reach(self) -> bool:
        """Open the connection unless it is; whether it is one to a mail server, where mails go out late."""
        if self._connection is None:
            self._connection = get_connection()
        if not isinstance(self._connection, EmailBackend):
            # A file for each mail, in which anyone who looks finds it.
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
        """Let a conversation say when the mail itself goes out."""
        say = server.data

        def data(msg: Any) -> tuple[int, bytes]:
            self._going_out()
            return say(msg)

        server.data = data  # type: ignore[method-assign]

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):  # a server that has gone already
                connection.close()


def _refusal(error: BaseException) -> MailRefusal | None:
    """The mail server's refusal that an error reports; None if the connection broke off."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        code, said = next(iter(error.recipients.values()))
        return MailRefusal(_said(code, said), for_good=code >= 500)
    if isinstance(error, smtplib.SMTPDataError):
        return MailRefusal(_said(error.smtp_code, error.smtp_error), for_good=error.smtp_code >= 500)
    if isinstance(error, smtplib.SMTPResponseException):
        # It takes nothing from this sender, no matter who it is for: a setting that somebody will mend.
        return MailRefusal(_said(error.smtp_code, error.smtp_error), for_good=False)
    if isinstance(error, smtplib.SMTPNotSupportedError):
        return MailRefusal(str(error), for_good=True)
    return None


def _said(code: int, said: bytes | str) -> str:
    return f"{code} {said.decode(errors='replace') if isinstance(said, bytes) else said}"
