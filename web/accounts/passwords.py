"""Choose a password: on the page of one's account, or through a link."""

from typing import Any

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.models import User
from django.contrib.auth.views import INTERNAL_RESET_SESSION_TOKEN, PasswordResetConfirmView
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from collection.credentials import accounts
from web.accounts.forms import ChangeForm, ChooseForm
from web.accounts.own_page import own_page


@sensitive_post_parameters()
@login_required
@never_cache
def own_account(request: HttpRequest) -> HttpResponse:
    """Show the page of the logged-in account; on POST change its password."""
    me = request.user
    assert isinstance(me, User)  # login_required
    form = ChangeForm(me, request.POST) if request.method == "POST" else None
    if form and form.is_valid():
        # Every session ends with the old password; this one is told the new one.
        update_session_auth_hash(request, accounts.set_password(me.pk, form.cleaned_data["new_password1"]))
        messages.success(request, "Your password is changed, and you are logged out everywhere else.")
        return redirect("account")
    return own_page(request, me, password=form)


class ChoosePassword(PasswordResetConfirmView):
    """The page behind a link. Used, expired and invalid links get the same response."""

    form_class = ChooseForm
    template_name = "accounts/choose.html"
    success_url = reverse_lazy("login")
    token_generator = accounts.tokens

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Keep the token out of logs and history: Django moves it into the session at once."""
        response = super().dispatch(request, *args, **kwargs)
        if self.validlink:
            # The form's address holds no token any more. From a page with "no-referrer" browsers send
            # forms with the origin "null", which the check against forgery refuses.
            response["Referrer-Policy"] = "same-origin"
        else:
            response["Referrer-Policy"] = "no-referrer"
            if response.status_code == 200:
                response.status_code = 404
        return response

    def form_valid(self, form: "SetPasswordForm[User]") -> HttpResponse:
        """Store the password, unless the link was used meanwhile."""
        token = self.request.session.pop(INTERNAL_RESET_SESSION_TOKEN)
        if not accounts.choose_password(form.user.pk, token, form.cleaned_data["new_password1"]):
            return redirect(self.request.path)  # where the link is found dead
        messages.success(self.request, f"The password is set. Log in as {form.user}.")
        return redirect(self.get_success_url())
