"""Addresses of the coordinator's pages."""

from django.urls import path

from web.coordinator import (
    baseline,
    comparing,
    exports,
    figures,
    history,
    leaderboard,
    leaving,
    mapping,
    pages,
    topics,
    trusting,
    watching,
)

urlpatterns = [
    path("studies/<slug:slug>/topics/", topics.topics, name="topics"),
    path("live/topics/<str:token>/", topics.topics_live, name="topics-live"),
    path("studies/<slug:slug>/topics/renew/", topics.renew, name="topics-renew"),
    path("studies/<slug:slug>/topics/<int:pk>/", topics.topic, name="topic"),
    path("studies/<slug:slug>/leaderboard/", leaderboard.board, name="leaderboard"),
    path("studies/<slug:slug>/leaderboard/renew/", leaderboard.renew, name="leaderboard-renew"),
    path("live/<str:token>/", watching.poll, name="leaderboard-live"),
    path("studies/<slug:slug>/leaderboard/topics/", leaderboard.topics, name="leaderboard-topics"),
    path("studies/<slug:slug>/leaderboard/compare/", comparing.two, name="compare"),
    path("studies/<slug:slug>/leaderboard/baseline/", baseline.against, name="baseline"),
    path("studies/<slug:slug>/leaderboard/measures/", comparing.measures, name="measures"),
    path("studies/<slug:slug>/leaderboard/pairs/", comparing.pairs, name="pairs"),
    path("studies/<slug:slug>/leaderboard/history/", history.page, name="history"),
    path("studies/<slug:slug>/leaderboard/map/", mapping.system_map, name="map"),
    path("studies/<slug:slug>/leaderboard/trust/", trusting.page, name="trust"),
    path("studies/<slug:slug>/leaderboard/trust/without/", leaving.page, name="without"),
    path("studies/<slug:slug>/figures/<str:name>.svg", figures.svg, name="figure-svg"),
    path("studies/<slug:slug>/figures/<str:name>.pdf", figures.pdf, name="figure-pdf"),
    path("studies/<slug:slug>/leaderboard/result-pages/", pages.agreement, name="page-agreement"),
    path("studies/<slug:slug>/result-pages.csv", pages.table, name="page-agreement-csv"),
    path("studies/<slug:slug>/scores.csv", leaderboard.scores, name="scores-export"),
    path("studies/<slug:slug>/judgments.txt", exports.judgments, name="judgments-export"),
    path("studies/<slug:slug>/texts.jsonl", exports.texts, name="texts-export"),
    path("studies/<slug:slug>/cannot-judge.tsv", exports.declined, name="declined-export"),
    path("studies/<slug:slug>/ledger.jsonl", exports.ledger, name="ledger-export"),
    path("studies/<slug:slug>/collected.qrels", exports.grades, name="grades-export"),
    path("studies/<slug:slug>/pages.txt", exports.pages, name="pages-export"),
    path("studies/<slug:slug>/merged.qrels", exports.qrels, name="qrels-export"),
]
