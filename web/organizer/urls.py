"""Addresses of the organizer's pages."""

from django.urls import path

from web.organizer import challenged, grading, loading, opening, people, person, preview, studies, trail

urlpatterns = [
    path("", studies.studies, name="studies"),
    path("studies/new/", studies.new, name="study-new"),
    path("load-examples/<slug:kind>", loading.example, name="load-example"),
    path("studies/<slug:slug>/", studies.study, name="study"),
    path("studies/<slug:slug>/settings/", studies.settings, name="study-settings"),
    path("studies/<slug:slug>/preview/", preview.preview, name="study-preview"),
    path("studies/<slug:slug>/close/", studies.close, name="study-close"),
    path("studies/<slug:slug>/reopen/", studies.reopen, name="study-reopen"),
    path("studies/<slug:slug>/load/", loading.load, name="load"),
    path("studies/<slug:slug>/load/files/", loading.imports, name="imports"),
    path("studies/<slug:slug>/load/<int:pk>/", loading.import_page, name="import"),
    path("studies/<slug:slug>/load/<int:pk>/progress/", loading.progress, name="import-progress"),
    path("studies/<slug:slug>/load/<int:pk>/problems.txt", loading.problems, name="import-problems"),
    path("studies/<slug:slug>/trail/", trail.trail, name="trail"),
    path("studies/<slug:slug>/challenges/", challenged.challenges, name="challenges"),
    path("studies/<slug:slug>/challenges/<int:pk>/", challenged.set_aside, name="set-aside"),
    path("studies/<slug:slug>/people/", people.people, name="people"),
    path("studies/<slug:slug>/people/invite/", people.invite, name="invite"),
    path("studies/<slug:slug>/people/open-link/", people.open_link, name="open-link"),
    path("studies/<slug:slug>/people/exclude-joined/", people.exclude_joined, name="exclude-joined"),
    path("studies/<slug:slug>/people/<int:pk>/exclude/", people.exclude, name="exclude"),
    path("studies/<slug:slug>/people/release-away/", people.release_away, name="release-away"),
    path("studies/<slug:slug>/people/<int:pk>/release/", people.release, name="release"),
    path("studies/<slug:slug>/people/<int:pk>/", person.person, name="person"),
    path("studies/<slug:slug>/people/<int:pk>/readmit/", person.readmit, name="readmit"),
    path("studies/<slug:slug>/people/invitations.csv", people.invitations_csv, name="invitations-export"),
    path("studies/<slug:slug>/members/", people.add_member, name="member-add"),
    path("studies/<slug:slug>/members/<int:pk>/remove/", people.remove_member, name="member-remove"),
    path("studies/<slug:slug>/grading/", grading.page, name="grading"),
    path("studies/<slug:slug>/grading/remove/", grading.remove, name="grading-remove"),
    path("studies/<slug:slug>/grading/take/", grading.take, name="grading-take"),
    path("studies/<slug:slug>/start/", opening.start, name="tournament-start"),
]
