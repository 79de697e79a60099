"""Pages about other people's accounts; `collection.credentials.accounts` says who may change which."""

from collections.abc import Callable
from dataclasses import asdict
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.core.validators import slug_re
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from collection.credentials import accounts
from collection.models import Study
from collection.study import lifecycle
from web.accounts.forms import AccountForm, NameForm, RightsForm
from web.shared.access import study_for

A_PAGE = 50
NO_MAKER = (
    "Your account may not make other accounts. Those who may, and the server's administrator, give that "
    "right. A study does not need it: its organizers add people who have an account, and assessors need none."
)
Door = Callable[..., HttpResponseBase]


def for_account_makers(view: Door) -> Door:
    """Decorator: a page for people with the right to make accounts; accounts out of their reach give 404."""

    @login_required
    @never_cache
    @wraps(view)
    def door(request: HttpRequest, **rest: Any) -> HttpResponseBase:
        me = request.user
        if not accounts.may_make_accounts(me):
            raise PermissionDenied(NO_MAKER)
        try:
            response = view(request, me, **rest)
        except User.DoesNotExist as error:
            raise Http404("No such account.") from error
        return response

    return door


@for_account_makers
def accounts_page(request: HttpRequest, me: User) -> HttpResponse:
    """List the accounts within reach, by name, with the form that makes one."""
    return _list(request, me, AccountForm(study=None, own=accounts.rights_of(me)))


def _list(
    request: HttpRequest, me: User, form: AccountForm, study: Study | None = None, *, making: bool = False
) -> HttpResponse:
    pages = Paginator(accounts.described(accounts.within_reach(me)), A_PAGE)
    page = pages.get_page(request.GET.get("page"))
    listed = [(account, accounts.rights_in(account).said) for account in page]
    told = {"page": page, "listed": listed, "form": form, "study": study, "making": making}
    return render(request, "accounts/accounts.html", told)


@for_account_makers
def new(request: HttpRequest, me: User) -> HttpResponse:
    """Create an account, and its role in the study `?study=` from whose page one comes."""
    study = _study(request, me)
    form = AccountForm(request.POST or None, study=study, own=accounts.rights_of(me))
    if request.method == "POST" and form.is_valid():
        try:
            link = _make(form, study, me)
        except accounts.BadName as error:
            form.add_error("username", str(error))
        else:
            return _show(request, link, study, form.cleaned_data.get("part"), new=True)
    return _list(request, me, form, study, making=True)


def _study(request: HttpRequest, me: User) -> Study | None:
    slug = request.GET.get("study", "")
    if not slug:
        return None
    if not slug_re.match(slug):
        raise Http404("No such study.")
    return study_for(me, slug, organizer=True)


@transaction.atomic
def _make(form: AccountForm, study: Study | None, me: User) -> accounts.PasswordLink:
    link = accounts.make_account(form.cleaned_data["username"], form.rights(), by=me)
    if study and (part := form.cleaned_data["part"]):
        lifecycle.set_member(study.pk, link.account.pk, part)
    return link


def _show(
    request: HttpRequest,
    link: accounts.PasswordLink,
    study: Study | None = None,
    part: str | None = None,
    *,
    new: bool,
) -> HttpResponse:
    """Show a link once, in the response to the form itself, so that it is stored nowhere."""
    context = {
        "account": link.account,
        "address": request.build_absolute_uri(reverse("choose-password", args=[link.uid, link.token])),
        "until": link.until,
        "new": new,
        "study": study,
        "part": part,
    }
    return render(request, "accounts/shown_once.html", context)


@for_account_makers
def one(request: HttpRequest, me: User, pk: int) -> HttpResponse:
    """Show an account, and what can be changed."""
    return _page(request, me, pk)


def _page(request: HttpRequest, me: User, pk: int, name: NameForm | None = None) -> HttpResponse:
    account = get_object_or_404(accounts.described(accounts.within_reach(me)), pk=pk)
    context = {
        "account": account,
        "may": accounts.rights_in(account).said,
        "name": name or NameForm(initial={"username": account.username}),
        "rights": RightsForm(initial=asdict(accounts.rights_of(account)), own=accounts.rights_of(me)),
        "form": name,
    }
    return render(request, "accounts/one.html", context)


@for_account_makers
@require_POST
def rename(request: HttpRequest, me: User, pk: int) -> HttpResponse:
    """Rename an account."""
    form = NameForm(request.POST)
    if form.is_valid():
        try:
            account = accounts.rename(pk, form.cleaned_data["username"], by=me)
        except accounts.BadName as error:
            form.add_error("username", str(error))
        else:
            messages.success(request, f"The account is called {account} now.")
            return redirect("account-one", pk)
    return _page(request, me, pk, name=form)


@for_account_makers
@require_POST
def rights(request: HttpRequest, me: User, pk: int) -> HttpResponse:
    """Change an account's rights to create studies and accounts."""
    form = RightsForm(request.POST, own=accounts.rights_of(me))
    if form.is_valid():
        accounts.set_rights(pk, form.rights(), by=me)
        messages.success(request, "What the account may do is saved.")
    return redirect("account-one", pk)


@for_account_makers
@require_POST
def reset(request: HttpRequest, me: User, pk: int) -> HttpResponse:
    """Remove an account's password, and show the link with which its owner chooses a new one."""
    try:
        link = accounts.reset(pk, by=me)
    except accounts.CannotChange as error:
        messages.error(request, str(error))
        return redirect("account-one", pk)
    return _show(request, link, new=False)


@for_account_makers
@require_POST
def disable(request: HttpRequest, me: User, pk: int) -> HttpResponse:
    """Disable an account's login."""
    account = accounts.disable(pk, by=me)
    messages.success(request, f"{account} is disabled, and logged out everywhere.")
    return redirect("account-one", pk)


@for_account_makers
@require_POST
def enable(request: HttpRequest, me: User, pk: int) -> HttpResponse:
    """Enable a disabled account's login."""
    account = accounts.enable(pk, by=me)
    messages.success(request, f"{account} is enabled again.")
    return redirect("account-one", pk)
