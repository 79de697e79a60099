"""`manage.py account make|rename|rights|disable|enable|reset|list`: accounts of those who run studies."""

import sys
from argparse import ArgumentParser, BooleanOptionalAction
from dataclasses import asdict, replace
from getpass import getpass
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.urls import reverse

from collection.credentials import accounts

MAY = {
    "make-studies": "make studies",
    "make-accounts": "make accounts, by page",
    "see-panel-ids": "see panels' ids of people in studies that it organizes",
    "publish-for-real": "publish for real people on Mechanical Turk",
}


class Command(BaseCommand):
    help = (
        "Make, rename, disable, enable or reset an account of somebody who runs studies, or list them all. "
        "make and reset print a link with which its owner chooses a password."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        for action, does in (
            ("make", "make an account"),
            ("rename", "give it another name; its part in studies stays"),
            ("rights", "let it do more than its part in studies, or not any more"),
            ("disable", "let nobody log in with it, and log out anyone who is"),
            ("enable", "let it log in again, with the password it had"),
            ("reset", "take its password away and print a link for choosing another"),
        ):
            one = actions.add_parser(action, help=does, description=does)
            one.add_argument("name", help="the username")
            if action == "rename":
                one.add_argument("new_name", help="the username from now on")
            if action in ("make", "rights"):
                for right, may in MAY.items():
                    one.add_argument(f"--may-{right}", action=BooleanOptionalAction, help=f"it may {may}")
            if action in ("make", "reset"):
                one.add_argument(
                    "--password", action="store_true", help="read a password from standard input; no link"
                )
                one.add_argument(
                    "--address", default=settings.PUBLIC_URL, help="where the server is, for the link"
                )
        actions.add_parser("list", help="all accounts, and what they may do", description="all accounts")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            getattr(self, f"_{options['action']}")(options)
        except User.DoesNotExist as error:
            raise CommandError(f"No account is called {options['name']!r}.") from error
        except accounts.CannotChange as error:
            raise CommandError(str(error)) from error
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error

    @transaction.atomic
    def _make(self, options: dict[str, Any]) -> None:
        password = _password() if options["password"] else None
        link = accounts.make_account(options["name"], _rights(options, accounts.Rights()))
        self._hand_over(link, password, options, f"Made the account {link.account}.")

    @transaction.atomic
    def _reset(self, options: dict[str, Any]) -> None:
        password = _password() if options["password"] else None
        link = accounts.reset(_named(options).pk)
        self._hand_over(link, password, options, f"The password of {link.account} does not work any more.")

    def _hand_over(
        self, link: accounts.PasswordLink, password: str | None, options: dict[str, Any], done: str
    ) -> None:
        if password is not None:
            accounts.set_password(link.account.pk, password)
            self.stdout.write(f"{link.account} can log in with the password that you gave.")
            return
        path = reverse("choose-password", args=[link.uid, link.token])
        self.stdout.write(
            f"{done} Send its owner this link, with which they choose a password. It works once, "
            f"until {link.until:%d %b %Y, %H:%M} UTC:\n{options['address'].rstrip('/')}{path}"
        )

    def _rename(self, options: dict[str, Any]) -> None:
        account = accounts.rename(_named(options).pk, options["new_name"])
        self.stdout.write(f"{options['name']} is called {account} now.")

    def _rights(self, options: dict[str, Any]) -> None:
        account = _named(options)
        rights = _rights(options, accounts.rights_of(account))
        accounts.set_rights(account.pk, rights)
        self.stdout.write(f"{account} may {rights.said or 'make neither studies nor accounts'}.")

    def _disable(self, options: dict[str, Any]) -> None:
        account = accounts.disable(_named(options).pk)
        self.stdout.write(f"{account} is disabled, and logged out everywhere.")

    def _enable(self, options: dict[str, Any]) -> None:
        account = accounts.enable(_named(options).pk)
        self.stdout.write(f"{account} is enabled.")

    def _list(self, options: dict[str, Any]) -> None:
        for account in accounts.described(User.objects.all()):
            state = [] if account.is_active else ["disabled"]
            if account.is_superuser:
                state.append("superuser")
            elif said := accounts.rights_in(account).said:
                state.append(f"may {said}")
            if not account.has_usable_password():
                state.append("has yet to choose a password")
            state.append(f"in {account.studies} {'study' if account.studies == 1 else 'studies'}")
            self.stdout.write(f"{account.username}: {', '.join(state)}")


def _named(options: dict[str, Any]) -> User:
    return User.objects.get(username=options["name"])


def _rights(options: dict[str, Any], now: accounts.Rights) -> accounts.Rights:
    """The requested rights; rights that were not mentioned stay as they are."""
    asked = {name: options[f"may_{name}"] for name in asdict(now)}
    return replace(now, **{name: value for name, value in asked.items() if value is not None})


def _password() -> str:
    """Read a password from standard input; from a terminal without echo, and twice."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password = getpass("Password: ")
    if getpass("The same again: ") != password:
        raise CommandError("The two passwords are not the same.")
    return password
