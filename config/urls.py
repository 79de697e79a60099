"""Every address of the product; the pages bring their own."""

from django.urls import include, path

from config.health import health

urlpatterns = [
    path("health", health, name="health"),
    path("", include("web.urls")),
]
