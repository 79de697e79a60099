"""Addresses of the assessor's pages. Personal ones are long and random; tokens are signed."""

from django.urls import path

from web.assessor import views as assessor

urlpatterns = [
    path("join/<slug:join_token>/", assessor.join, name="join"),
    path("i/<slug:reference>/", assessor.invitation, name="invitation"),
    path("answer/", assessor.answer, name="answer"),
    path("submit/", assessor.submit, name="submit"),
    path("image/<str:token>/", assessor.image, name="image"),
]
