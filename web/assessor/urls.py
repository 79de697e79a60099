"""URLs of the assessor's pages. Personal addresses are long and random; tokens are signed.

The captured parts of a panel's own address are passed to its `identify`.
"""

from django.urls import path

from panels import local
from web.assessor import answer_views, answers, desk, entries, panel_events
from web.assessor import views as assessor
from web.assessor.offline import offline_worker

urlpatterns = [
    path("answer/", answer_views.answer, name="answer"),
    path("cannot/", answer_views.cannot, name="cannot"),
    path("submit/", answer_views.submit, name="submit"),
    path("i/<slug:reference>/", assessor.own_page, {"panel": local.PANEL}, name="invitation"),
    path("join/<slug:join_token>/", assessor.join, name="join"),
    path("events/prolific/", panel_events.prolific, name="prolific-events"),
    path("p/<slug:token>/", entries.enter, name="enter"),
    path("e/<str:named>/", entries.entry_page, name="entry"),
    path("desk/", desk.desk, name="desk"),
    path("desk/<slug:slug>/", desk.queue, name="desk-queue"),
    path("desk/<slug:slug>/judge/", desk.judge, name="desk-judge"),
    path("desk/<slug:slug>/answers/", answers.answers, name="desk-answers"),
    path("desk/<slug:slug>/answers/<int:batch>/<int:position>/", answers.answer, name="desk-answer"),
    path("desk/<slug:slug>/note/", answers.note, name="desk-note"),
    path("offline.js", offline_worker, name="offline-worker"),
    path("image/<str:token>/", assessor.image, name="image"),
]
