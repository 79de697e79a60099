"""Every address of the product: each room brings its own."""

from django.urls import include, path

from config.health import health

urlpatterns = [
    path("health", health, name="health"),
    path("", include("judging.urls")),
    path("", include("tournament.urls")),
    path("", include("scoring.urls")),
]
