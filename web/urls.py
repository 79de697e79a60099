"""Addresses of every page: logging in, accounts, and those of assessors, organizers and coordinators."""

import re

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import LogoutView
from django.urls import include, path
from django.views.generic import TemplateView

from web import guides
from web.accounts.login import Login
from web.shared.measure_names import SAYS

TOKENS = (settings.BASE_DIR / "static" / "css" / "tokens.css").read_text()
COLOURS = re.findall(r"^  (--[\w-]+): light-dark", TOKENS, re.MULTILINE)
HELP = TemplateView.as_view(
    template_name="help.html", extra_context={"says": SAYS, "further": guides.FURTHER}
)
STYLES = TemplateView.as_view(template_name="styles.html", extra_context={"colours": COLOURS})

urlpatterns = [
    # First, since they are asked for most.
    path("", include("web.assessor.urls")),
    path("login/", Login.as_view(redirect_authenticated_user=False), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("", include("web.accounts.urls")),
    path("help/", login_required(HELP), name="help"),
    path("help/pictures/<str:name>", guides.picture, name="guide-picture"),
    path("help/<path:name>/", guides.guide, name="guide"),
    # What pages are made of, for those who build them. It shows nothing of any study.
    path("styles/", login_required(STYLES), name="styles"),
    path("", include("web.api.urls")),
    path("", include("web.organizer.urls")),
    path("", include("web.coordinator.urls")),
]
