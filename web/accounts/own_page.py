"""The page of one's own account: password, address, sessions, tokens for programs, the HTTP API."""

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from collection.credentials import accounts, api_tokens, sessions
from web.accounts.api_reference import reference
from web.accounts.forms import ChangeForm, EmailForm, TokenForm


def own_page(
    request: HttpRequest,
    me: User,
    *,
    password: ChangeForm | None = None,
    token: TokenForm | None = None,
    email: EmailForm | None = None,
) -> HttpResponse:
    """Show the page, with a form that was refused, whose section is open."""
    told = {
        "rights": accounts.rights_of(me),
        "password": password or ChangeForm(me),
        "token": token or TokenForm(),
        "email": email or EmailForm(initial={"email": me.email}),
        "refused": password or token or email,
        "sessions": sessions.sessions_of(me, request.session.session_key),
        "tokens": list(api_tokens.own(me)),
        "api": reference(),
    }
    return render(request, "accounts/own.html", told)


def to_part(part: str) -> HttpResponse:
    """Redirect to a part of the page."""
    return redirect(f"{reverse('account')}#{part}")
