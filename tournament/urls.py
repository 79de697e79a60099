"""Addresses of the tournament room."""

from django.urls import path

from tournament import views

urlpatterns = [
    path("studies/<slug:slug>/topics/", views.topics, name="topics"),
    path("studies/<slug:slug>/topics/live/", views.topics_live, name="topics-live"),
    path("studies/<slug:slug>/topics/<int:pk>/", views.topic, name="topic"),
    path("studies/<slug:slug>/start/", views.start, name="tournament-start"),
]
