"""Addresses of the scoring room."""

from django.urls import path

from scoring import views

urlpatterns = [
    path("studies/<slug:slug>/leaderboard/", views.board, name="leaderboard"),
    path("studies/<slug:slug>/leaderboard/live/", views.board_live, name="leaderboard-live"),
    path("studies/<slug:slug>/leaderboard/topics/", views.topics, name="leaderboard-topics"),
    path("studies/<slug:slug>/scores.csv", views.scores, name="scores-export"),
]
