"""Addresses of every page: logging in, accounts, and those of assessors, organizers and coordinators."""

from django.contrib.auth.views import LogoutView
from django.urls import include, path

from web.accounts.login import Login

urlpatterns = [
    # First, since they are asked for most.
    path("", include("web.assessor.urls")),
    path("login/", Login.as_view(redirect_authenticated_user=False), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("", include("web.accounts.urls")),
    path("", include("web.api.urls")),
    path("", include("web.organizer.urls")),
    path("", include("web.coordinator.urls")),
]
