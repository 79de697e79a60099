"""Accounts of the people who run studies: who may make and change them, and how a password is chosen.

The right to make accounts is Django's two permissions `auth.add_user` and `auth.change_user` together;
superusers have it too. It is not `is_staff`: that says who makes studies, and anyone who may start a study
need not get a hold on other people's logins. `manage.py account` gives the right and knows no limits of
its own, since anyone who can run it can read the database as well.

By page the right reaches only as far as its holder does: to no superuser, to no account that may do more
than they may, to none that takes part in a study which they do not organize (a new password would open
that study to them), and not to their own. Other accounts do not exist for them.

Nobody sets or sees another person's password by page: a new account and a reset one get a link with which
a password is chosen, once.
"""

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import reduce
from operator import and_, or_
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, Permission, User
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from collection.credentials import api_tokens, sessions
from collection.models import Membership

RIGHT = ("auth.add_user", "auth.change_user")
# The permissions behind each right, besides that of making studies, which is `is_staff`.
PERMISSIONS = {
    "make_accounts": RIGHT,
    "see_panel_ids": ("panels.view_raw_ids",),
    "publish_for_real": ("panels.publish_for_real",),
}


class CannotChange(Exception):
    """An account was not made or changed; the message is for the caller."""


class BadName(CannotChange):
    """The account name is not allowed; the message says why."""


@dataclass(frozen=True)
class Rights:
    """What an account may do beside its part in studies.

    see_panel_ids: of people in studies that it organizes, with a reason that is stored. publish_for_real: for
    real people on Mechanical Turk, in such studies.
    """

    make_studies: bool = False
    make_accounts: bool = False
    see_panel_ids: bool = False
    publish_for_real: bool = False

    @property
    def said(self) -> str:
        """The rights in words, after "may"; "" for none."""
        makes = {"studies": self.make_studies, "accounts": self.make_accounts}
        made = [word for word, held in makes.items() if held]
        things = [f"make {' and '.join(made)}"] if made else []
        things += ["see panels' ids of people"] if self.see_panel_ids else []
        things += ["publish for real people on Mechanical Turk"] if self.publish_for_real else []
        return " and ".join([", ".join(things[:-1]), things[-1]]) if len(things) > 1 else "".join(things)


NONE = Rights()


class PasswordLink(NamedTuple):
    """A link with which an account's owner chooses a password: parts of its address, and when it expires."""

    account: User
    uid: str
    token: str
    until: datetime


class _Tokens(PasswordResetTokenGenerator):
    """Django's tokens, which end with the password they replace; also dead for disabled accounts."""

    key_salt = "collection.credentials.accounts"

    def check_token(self, user: User | None, token: str | None) -> bool:
        return user is not None and user.is_active and super().check_token(user, token)


tokens = _Tokens()


def may_make_accounts(user: User | AnonymousUser) -> bool:
    """Tell whether a person may make accounts."""
    return isinstance(user, User) and user.has_perms(RIGHT)


def described(accounts: QuerySet[User]) -> QuerySet[Any]:
    """Accounts by name, each with whether it has the rights of PERMISSIONS (`may_make_accounts` and so on),
    and the number of its `studies`.
    """
    held = {f"may_{right}": Q(is_superuser=True) | _has(right) for right in PERMISSIONS}
    return accounts.annotate(**held, studies=Count("memberships")).order_by("username")


def rights_in(account: Any) -> Rights:
    """Rights of an account from `described`."""
    found = {right: getattr(account, f"may_{right}") for right in PERMISSIONS}
    return Rights(make_studies=account.is_staff or account.is_superuser, **found)


def rights_of(account: User) -> Rights:
    """Rights of an account, whether or not it is disabled."""
    return rights_in(described(User.objects.filter(pk=account.pk)).get())


def within_reach(by: User) -> QuerySet[User]:
    """Accounts that a person may see and change by page; none without the right."""
    if not may_make_accounts(by):
        return User.objects.none()
    accounts = User.objects.filter(is_superuser=False).exclude(pk=by.pk)
    if by.is_superuser:
        return accounts
    if not by.is_staff:
        accounts = accounts.filter(is_staff=False)
    organized = Membership.objects.filter(user=by, role=Membership.Role.ORGANIZER)
    elsewhere = Membership.objects.exclude(study__in=organized.values("study"))
    held = Permission.objects.filter(Q(user=by) | Q(group__user=by))
    more = _permissions().exclude(pk__in=held.values("pk"))
    return accounts.exclude(pk__in=elsewhere.values("user")).exclude(Exists(more))


@transaction.atomic
def make_account(name: str, rights: Rights = NONE, *, by: User | None = None) -> PasswordLink:
    """Make an account without a password, and the link with which its owner chooses one.

    `by` None: the operator. Raises BadName, and CannotChange for rights that `by` does not have.
    """
    if by is not None and not may_make_accounts(by):
        raise CannotChange("You may not make accounts.")
    account = User(username=_checked(name))
    account.set_unusable_password()
    _save_name(account, force_insert=True)
    _give(account, rights, by)
    return _link(account)


@transaction.atomic
def rename(account_id: int, name: str, *, by: User | None = None) -> User:
    """Rename an account; its password and its roles in studies stay. Raises BadName."""
    account = _held(account_id, by)
    account.username = _checked(name, account)
    _save_name(account, update_fields=["username"])
    return account


@transaction.atomic
def set_rights(account_id: int, rights: Rights, *, by: User | None = None) -> User:
    """Set an account's rights. Raises CannotChange for rights that `by` does not have."""
    account = _held(account_id, by)
    if account.is_superuser:
        raise CannotChange(f"{account} is a superuser, who may do everything.")
    _give(account, rights, by)
    return account


@transaction.atomic
def disable(account_id: int, *, by: User | None = None) -> User:
    """Disable an account's login, and end its sessions, links and tokens for good."""
    account = _held(account_id, by)
    account.is_active = False
    if not account.has_usable_password():
        # Another unusable one: a link that waits hangs on it.
        account.set_unusable_password()
    account.save(update_fields=["is_active", "password"])
    api_tokens.revoke_all(account)
    # They are refused from now on; kept, they would be alive again once the account is enabled.
    sessions.end(account)
    return account


@transaction.atomic
def enable(account_id: int, *, by: User | None = None) -> User:
    """Enable a disabled account's login, with its old password."""
    account = _held(account_id, by)
    account.is_active = True
    account.save(update_fields=["is_active"])
    return account


@transaction.atomic
def reset(account_id: int, *, by: User | None = None) -> PasswordLink:
    """Remove an account's password, and make the link with which its owner chooses a new one.

    Password, sessions, tokens and earlier links end at once. Raises CannotChange for a disabled account.
    """
    account = _held(account_id, by)
    if not account.is_active:
        raise CannotChange("This account is disabled. Enable it first.")
    account.set_unusable_password()
    account.save(update_fields=["password"])
    api_tokens.revoke_all(account)
    return _link(account)


@transaction.atomic
def choose_password(account_id: int, token: str, password: str) -> bool:
    """Store the password chosen through a link; return False if the link was used meanwhile."""
    account = User.objects.select_for_update().get(pk=account_id)
    if not tokens.check_token(account, token):
        return False
    _set_password(account, password)
    return True


@transaction.atomic
def set_password(account_id: int, password: str) -> User:
    """Set an account's password, for its owner or the operator, and end its sessions.

    Raises ValidationError with Django's sentences on weak passwords.
    """
    account = User.objects.select_for_update().get(pk=account_id)
    _set_password(account, password)
    return account


def _set_password(account: User, password: str) -> None:
    validate_password(password, account)
    account.set_password(password)
    # This field alone: the account may have been disabled since the request began.
    account.save(update_fields=["password"])


def _held(account_id: int, by: User | None) -> User:
    """Lock the account. Raises User.DoesNotExist if it is out of reach."""
    accounts = User.objects.all() if by is None else within_reach(by)
    return accounts.select_for_update().get(pk=account_id)


def _link(account: User) -> PasswordLink:
    until = timezone.now() + timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT)
    return PasswordLink(
        account, urlsafe_base64_encode(force_bytes(account.pk)), tokens.make_token(account), until
    )


def _checked(name: str, account: User | None = None) -> str:
    """Validate a name. Raises BadName if it is malformed, or too similar to another."""
    name = User.normalize_username(name)
    field = User._meta.get_field("username")
    try:
        field.clean(name, account)
    except ValidationError as error:
        raise BadName(
            f"A username has 1 to {field.max_length} letters, digits and @ . + - _, and no spaces."
        ) from error
    # Names that differ in capitals alone are taken for one another, and studies go to the wrong person.
    other = User.objects.filter(username__iexact=name).exclude(pk=account.pk if account else 0).first()
    if other:
        raise BadName(f"An account is called {other} already.")
    return name


def _save_name(account: User, **how: object) -> None:
    try:
        with transaction.atomic():
            account.save(**how)  # type: ignore[arg-type]
    except IntegrityError as error:
        # Taken since it was checked.
        raise BadName(f"An account is called {account} already.") from error


def _give(account: User, rights: Rights, by: User | None) -> None:
    if by is not None and not by.is_superuser:
        own = asdict(rights_of(by))
        if any(given and not own[right] for right, given in asdict(rights).items()):
            raise CannotChange("You cannot give a right that you do not have.")
    account.is_staff = rights.make_studies
    account.save(update_fields=["is_staff"])
    for right, given in asdict(rights).items():
        if right not in PERMISSIONS:
            continue
        names = [name.split(".") for name in PERMISSIONS[right]]
        either = [Q(content_type__app_label=room, codename=codename) for room, codename in names]
        permissions = Permission.objects.filter(reduce(or_, either))
        if given:
            account.user_permissions.add(*permissions)
        else:
            account.user_permissions.remove(*permissions)


def _has(right: str) -> Q:
    """Condition: the account of an outer query has a right of PERMISSIONS."""
    return reduce(and_, (Q(_holds(name)) for name in PERMISSIONS[right]))


def _holds(name: str) -> Exists:
    room, _, codename = name.partition(".")
    return Exists(_permissions().filter(content_type__app_label=room, codename=codename))


def _permissions() -> QuerySet[Permission]:
    """Permissions of the account of an outer query."""
    return Permission.objects.filter(Q(user=OuterRef("pk")) | Q(group__user=OuterRef("pk")))
