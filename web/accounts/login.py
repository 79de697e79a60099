"""Logging in, with a limit to guesses: by name and address, and by address, never by name alone.

A limit by name alone would let anybody lock a named person out. django-axes, the known library, has one limit
for all it counts, and brings tables and a backend of its own; counting takes a few lines, and joining by an
open link needs them too.
"""

import threading
import unicodedata
from http import HTTPStatus
from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse

from collection.credentials import sessions
from web.shared import throttles
from web.shared.throttles import Limit

QUARTER = 15 * 60
BY_NAME = Limit("login-name", 10, QUARTER)
BY_ADDRESS = Limit("login-address", 50, QUARTER)
# Passwords are hashed slowly on purpose: no more than so many at once in a process, or guessing would take
# every core from those who judge.
_hashing = threading.BoundedSemaphore(2)


class Login(LoginView):
    """The login page. Beyond a limit it returns 429 before it checks the password."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        name = unicodedata.normalize("NFKC", request.POST.get("username", "")).casefold()[:150]
        address = throttles.address_of(request)
        if throttles.used_up(BY_ADDRESS, address) or not throttles.count(BY_NAME, name, address):
            return self._later("guesses", QUARTER)
        if not _hashing.acquire(blocking=False):
            return self._later("busy", 2)
        try:
            response = super().post(request, *args, **kwargs)
        finally:
            _hashing.release()
        if request.user.is_authenticated and response.status_code == HTTPStatus.FOUND:
            throttles.forget(BY_NAME, name, address)
            sessions.remember(request.session, request.headers.get("User-Agent", ""))
        else:
            throttles.count(BY_ADDRESS, address)
        return response

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        """Begin again at the password, where a name was given."""
        if form.cleaned_data.get("username"):
            form.fields["username"].widget.attrs.pop("autofocus", None)
            form.fields["password"].widget.attrs["autofocus"] = True
        return super().form_invalid(form)

    def _later(self, why: str, seconds: int) -> HttpResponse:
        form = AuthenticationForm(self.request)
        context = self.get_context_data(form=form, later=why)
        response = self.render_to_response(context, status=HTTPStatus.TOO_MANY_REQUESTS)
        response["Retry-After"] = str(seconds)
        return response
