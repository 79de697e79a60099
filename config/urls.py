"""Every address of the product: each room brings its own."""

from django.urls import include, path

urlpatterns = [
    path("", include("judging.urls")),
    path("", include("tournament.urls")),
    path("", include("scoring.urls")),
]
