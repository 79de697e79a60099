"""Changes of one's own account besides its password: its e-mail address, and ending its other sessions."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from collection.credentials import sessions
from web.accounts.forms import EmailForm
from web.accounts.own_page import own_page, to_part
from web.shared.phrases import count


@login_required
@never_cache
@require_POST
def email(request: HttpRequest) -> HttpResponse:
    """Store the e-mail address to which notifications go; "" for none."""
    me = request.user
    assert isinstance(me, User)  # login_required
    form = EmailForm(request.POST)
    if not form.is_valid():
        return own_page(request, me, email=form)
    address = form.cleaned_data["email"]
    User.objects.filter(pk=me.pk).update(email=address)
    messages.success(request, f"Notifications go to {address}." if address else "The address is removed.")
    return to_part("email")


@login_required
@require_POST
def log_out_elsewhere(request: HttpRequest) -> HttpResponse:
    """End all sessions of the account but this one."""
    assert isinstance(request.user, User)  # login_required
    ended = sessions.end(request.user, but=request.session.session_key)
    messages.success(request, f"{count(ended, 'other session')} ended: you are logged in here alone.")
    return to_part("sessions")
