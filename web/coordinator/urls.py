"""URLs of the coordinator's pages."""

from django.urls import path

from web.coordinator.answers import (
    doubtful_judgments,
    judgment_list,
    leave_one_out,
    notices,
    progress_page,
    pulse,
    trust_line,
    trust_page,
)
from web.coordinator.board import (
    badge,
    chances,
    decision,
    group_board,
    history,
    leaderboard,
    participant,
    share_page,
)
from web.coordinator.compare import (
    aspects_page,
    baseline,
    comparison_pages,
    groups_page,
    head_to_head_page,
    measures_page,
    pairs_page,
    serp_files,
    serp_page,
    style_page,
    system_map_page,
    votes_page,
)
from web.coordinator.files import exports, records_page, table_files
from web.coordinator.material import data, data_item, duplicates_section
from web.coordinator.report import pages
from web.coordinator.run import run_page
from web.coordinator.topic import scores_page, topics
from web.live import live_board
from web.shared import plots
from web.shared.access import for_members
from web.shared.old_addresses import leads_to

urlpatterns = [
    path("studies/<slug:slug>/topics/", topics.topics, name="topics"),
    path("live/topics/<str:token>/", topics.topics_live, name="topics-live"),
    path("studies/<slug:slug>/topics/renew/", topics.renew, name="topics-renew"),
    path("studies/<slug:slug>/topics/<int:pk>/", topics.topic, name="topic"),
    path("studies/<slug:slug>/progress/", progress_page.page, name="progress"),
    path("studies/<slug:slug>/needed.csv", progress_page.needed_csv, name="needed-csv"),
    path("studies/<slug:slug>/data/", data.topics, name="data"),
    path("studies/<slug:slug>/data/topics.csv", data.topics_csv, name="data-csv"),
    path("studies/<slug:slug>/data/topics/<int:pk>/", data.items, name="data-topic"),
    path("studies/<slug:slug>/data/topics/<int:pk>/items.csv", data.items_csv, name="data-topic-csv"),
    path("studies/<slug:slug>/data/items/<int:pk>/", data_item.page, name="data-item"),
    path("studies/<slug:slug>/data/items/<int:pk>/ranks.csv", data_item.ranks_csv, name="data-item-ranks"),
    path(
        "studies/<slug:slug>/data/items/<int:pk>/judgments.csv",
        data_item.judgments_csv,
        name="data-item-judgments",
    ),
    path(
        "studies/<slug:slug>/data/duplicates/",
        leads_to("data", "duplicates", for_members, "duplicates"),
        name="duplicates",
    ),
    path("studies/<slug:slug>/data/duplicates.csv", duplicates_section.as_csv, name="duplicates-csv"),
    path("studies/<slug:slug>/notices/", notices.page, name="notices"),
    path("studies/<slug:slug>/topics/<int:pk>/judgments/", judgment_list.judgments, name="topic-judgments"),
    path("studies/<slug:slug>/pulse/", pulse.pulse, name="pulse"),
    path("studies/<slug:slug>/leaderboard/", leaderboard.board, name="leaderboard"),
    path("studies/<slug:slug>/leaderboard/renew/", leaderboard.renew, name="leaderboard-renew"),
    path("live/<str:token>/", live_board.poll, name="leaderboard-live"),
    path("studies/<slug:slug>/leaderboard/decision/", decision.decision, name="leaderboard-decision"),
    path(
        "studies/<slug:slug>/leaderboard/baseline/set/", leaderboard.set_baseline, name="leaderboard-baseline"
    ),
    path("studies/<slug:slug>/leaderboard/group/", group_board.group_part, name="leaderboard-group"),
    path("studies/<slug:slug>/leaderboard/trust-line/", trust_line.trust_line, name="leaderboard-trust"),
    path("studies/<slug:slug>/leaderboard/chances/", chances.chances, name="leaderboard-chances"),
    path("studies/<slug:slug>/leaderboard/topics/", scores_page.scores, name="leaderboard-topics"),
    path("studies/<slug:slug>/leaderboard/compare/", comparison_pages.two, name="compare"),
    path("studies/<slug:slug>/leaderboard/baseline/", baseline.compare_with_baseline, name="baseline"),
    path("studies/<slug:slug>/leaderboard/groups/", groups_page.groups, name="groups"),
    path("studies/<slug:slug>/leaderboard/aspects/", aspects_page.aspects, name="aspects"),
    path("studies/<slug:slug>/leaderboard/style/", style_page.style, name="style"),
    path("studies/<slug:slug>/leaderboard/votes/", votes_page.votes, name="votes"),
    path("studies/<slug:slug>/leaderboard/duels/", head_to_head_page.strengths, name="duels"),
    path("studies/<slug:slug>/leaderboard/measures/", measures_page.measures, name="measures"),
    path("studies/<slug:slug>/leaderboard/pairs/", pairs_page.pairs, name="pairs"),
    path("studies/<slug:slug>/leaderboard/history/", history.page, name="history"),
    path("studies/<slug:slug>/leaderboard/map/", system_map_page.system_map, name="map"),
    path("studies/<slug:slug>/leaderboard/trust/", trust_page.page, name="trust"),
    path(
        "studies/<slug:slug>/leaderboard/trust/doubtful.csv", doubtful_judgments.as_csv, name="doubtful-csv"
    ),
    path("studies/<slug:slug>/leaderboard/trust/without/", leave_one_out.moved, name="without"),
    path("studies/<slug:slug>/quality/", trust_page.moved, name="quality"),
    path("studies/<slug:slug>/leaderboard/links/", share_page.links, name="share-links"),
    path("studies/<slug:slug>/leaderboard/links/<int:pk>/revoke/", share_page.revoke, name="share-revoke"),
    path("shared/<str:token>/", share_page.shared, name="shared"),
    path("shared/<str:token>/badge.svg", badge.badge, name="badge"),
    path("studies/<slug:slug>/runs/<int:pk>/", run_page.page, name="run-page"),
    path("studies/<slug:slug>/runs/<int:pk>/report.pdf", run_page.report, name="run-report"),
    path("studies/<slug:slug>/report/", pages.page, name="report"),
    path("studies/<slug:slug>/report.pdf", pages.as_pdf, name="report-pdf"),
    path("studies/<slug:slug>/report.md", pages.as_markdown, name="report-md"),
    path("studies/<slug:slug>/own/", participant.page, name="own-runs"),
    path("studies/<slug:slug>/own.csv", participant.report, name="own-runs-csv"),
    path("studies/<slug:slug>/tables/<str:name>.csv", table_files.as_csv, name="table-csv"),
    path("studies/<slug:slug>/tables/<str:name>.tex", table_files.as_latex, name="table-tex"),
    path("studies/<slug:slug>/figures/<str:name>.svg", plots.svg, name="figure-svg"),
    path("studies/<slug:slug>/figures/<str:name>.pdf", plots.pdf, name="figure-pdf"),
    path("studies/<slug:slug>/leaderboard/result-pages/", serp_page.agreement, name="page-agreement"),
    path("studies/<slug:slug>/result-pages.csv", serp_files.as_csv, name="page-agreement-csv"),
    path("studies/<slug:slug>/result-pages.tex", serp_files.as_latex, name="page-agreement-tex"),
    path("studies/<slug:slug>/scores.csv", leaderboard.scores, name="scores-export"),
    path("studies/<slug:slug>/records/", records_page.page, name="records"),
    path("studies/<slug:slug>/release.zip", exports.release, name="release"),
    path("studies/<slug:slug>/judgments.txt", exports.judgments, name="judgments-export"),
    path("studies/<slug:slug>/preference-pairs.zip", exports.pairs, name="pairs-export"),
    path("studies/<slug:slug>/texts.jsonl", exports.texts, name="texts-export"),
    path("studies/<slug:slug>/aspects.jsonl", exports.aspects, name="aspects-export"),
    path("studies/<slug:slug>/cannot-judge.tsv", exports.declined, name="declined-export"),
    path("studies/<slug:slug>/ledger.jsonl", exports.ledger, name="ledger-export"),
    path("studies/<slug:slug>/collected.qrels", exports.grades, name="grades-export"),
    path("studies/<slug:slug>/pages.txt", exports.pages, name="pages-export"),
    path("studies/<slug:slug>/merged.qrels", exports.qrels, name="qrels-export"),
]
