"""The page of notices: members choose what they are notified of and how, test it, and see what was sent."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache

from collection import notices, webhooks
from collection.models import Delivery, Study, Watch
from config.task_queue import run_in_background
from panels.local import mails
from web import jobs
from web.alerts import notifications
from web.shared import throttles
from web.shared.access import for_members
from web.shared.form_words import Worded
from web.shared.phrases import listed
from web.shared.throttles import Limit

SHOWN = 30
# Tests per person, since a test can be sent to any address.
TESTS = Limit("notice-test", 5, 600)
KINDS = ("finished", "topics", "stalls", "money", "challenges")


class WatchForm(Worded, forms.Form):
    """Events that a member is notified of, and the channels: e-mail and webhook."""

    finished = forms.BooleanField(required=False, label="All tops are known")
    topics = forms.BooleanField(required=False, label="A topic ends")
    stalls = forms.BooleanField(required=False, label="Judging stalls")
    money = forms.BooleanField(required=False, label="Money or places run out")
    challenges = forms.BooleanField(required=False, label="A challenge fails often")
    mail = forms.BooleanField(required=False, label="By e-mail")
    email = forms.EmailField(
        required=False,
        label="E-mail address of your account",
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    webhook = forms.CharField(
        required=False,
        label="By a webhook, to this address",
        max_length=500,
        help_text="It is sent a POST request with JSON. Empty: no webhook.",
        widget=forms.URLInput(
            attrs={"autocomplete": "off", "spellcheck": "false", "placeholder": "https://"}
        ),
    )

    def __init__(self, *args: Any, **more: Any) -> None:
        """Leave e-mail as it is stored where the server sends none."""
        super().__init__(*args, **more)
        for name in ("mail", "email"):
            self.fields[name].disabled = not mails.by_smtp()

    # True if everything except the invalid webhook address was stored.
    stored = False

    def clean_webhook(self) -> str:
        """Refuse a URL that is invalid or leads into the server's own network."""
        url = str(self.cleaned_data["webhook"])
        if url and (why := webhooks.problem(url)):
            raise ValidationError(why)
        return url

    def clean(self) -> dict[str, Any]:
        """Refuse events without a channel, and e-mail without an address."""
        values = super().clean() or self.cleaned_data
        if values.get("mail") and not values.get("email") and "email" not in self.errors:
            self.add_error("email", "Give an address, or untick e-mail.")
        ways = values.get("mail") or values.get("webhook")
        if any(values.get(kind) for kind in KINDS) and not ways and not self.errors:
            raise ValidationError("Say how you want to be told: by e-mail, by a webhook, or by both.")
        return values


@never_cache
@for_members
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show what the user is notified of in this study, and what was sent.

    On POST, `do` stores the form, tests a channel, or renews the webhook's secret. Eight queries at most with
    those of the login.
    """
    user: Any = request.user
    watch = Watch.objects.filter(study=study, user=user.pk).first()
    do = request.POST.get("do", "")
    form = WatchForm(request.POST if do == "save" else None, initial=_initial(watch, user.email))
    secret = ""
    if do == "save" and not form.is_valid() and set(form.errors) == {"webhook"} and form["mail"].data:
        # Only the webhook is invalid: store the rest, and keep the previous webhook.
        kept = form.cleaned_data | {"webhook": watch.webhook if watch else ""}
        watch, _ = _store(study, user, watch, kept)
        form.stored = True
    elif do == "save" and form.is_valid():
        stored, fresh = _store(study, user, watch, form.cleaned_data)
        if not fresh:
            messages.success(request, said(stored))
            return redirect("notices", study.slug)
        watch, secret = stored, notices.secret_of(stored)
    elif do == "secret" and watch is not None and watch.webhook:
        secret = notices.secret_of(notices.renew_secret(watch))
    elif do.startswith("test-"):
        _try(request, watch, do.removeprefix("test-"))
        return redirect("notices", study.slug)
    sent = Delivery.objects.filter(watch=watch).order_by("-pk")[:SHOWN] if watch else []
    context = {
        "study": study,
        "watch": watch,
        "said": said(watch) if watch else "",
        "form": form,
        "secret": secret,
        "sent": list(sent),
        "by_smtp": mails.by_smtp(),
        "hours": notifications.stall_hours(),
        "apart": int(notices.APART.total_seconds() // 60),
    }
    return render(request, "coordinator/notices.html", context)


def said(watch: Watch) -> str:
    """Return in a sentence what a member is notified of, and how."""
    what = {
        "topic": "topics end",
        "stall": "judging stalls",
        "challenge": "challenges fail often",
        "finished": "all tops are known",
        "money": "money or places run out",
    }
    ways = {"mail": "by e-mail", "webhook": "by a webhook"}
    if not watch.kinds:
        return "You get no notifications of this study."
    kinds = listed([what[kind] for kind in watch.kinds])
    return f"You are told {listed([ways[way] for way in watch.ways])} when {kinds}."


def _initial(watch: Watch | None, email: str) -> dict[str, Any]:
    told = {name: getattr(watch, name) for name in (*KINDS, "mail", "webhook")} if watch else {}
    return {"email": email, **told}


@transaction.atomic
def _store(study: Study, user: Any, watch: Watch | None, values: dict[str, Any]) -> tuple[Watch, bool]:
    """Store the choice and the account's e-mail address; return it and whether the webhook's URL is new."""
    email = values.pop("email")
    if email and email != user.email:
        get_user_model().objects.filter(pk=user.pk).update(email=email)
    fresh = bool(values["webhook"]) and values["webhook"] != (watch.webhook if watch else "")
    return notifications.watch(study, user.pk, **values), fresh


def _try(request: HttpRequest, watch: Watch | None, way: str) -> None:
    if watch is None or way not in watch.ways:
        messages.error(request, "Nothing was sent: save that way first.")
    elif not throttles.count(TESTS, str(watch.user_id)):
        messages.error(request, "Nothing was sent: five tests in ten minutes are the most.")
    else:
        notices.try_out(watch, way)
        run_in_background(jobs.send_notices)
        messages.success(request, "A test is on its way. Look below for its outcome.")
