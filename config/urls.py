"""Addresses of the product: the health check, and those of the pages."""

from django.urls import include, path

from config.health import health

urlpatterns = [
    path("", include("web.urls")),
    path("health", health, name="health"),
]

handler403 = "web.shared.refusals.forbidden"
handler404 = "web.shared.refusals.not_found"
handler500 = "web.shared.refusals.broken"
