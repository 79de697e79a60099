"""The trail: whatever steers a study is noted, by whom and when, whichever door it went through."""

import csv
import io
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from collection.models import Action, Import, Study
from collection.study import lifecycle
from collection.upload import loading
from judging.batches import answering
from judging.models import QuestionRole
from judging.verdicts import decisions, question_set_aside
from panels import local
from tests.judging.organizing import account, queries, staff_of, text
from tests.judging.test_studies_pages import settings_of
from tests.makers import invite, make_study, open_study, sit

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]
What = Action.What
PILOT = "/studies/pilot"


@pytest.fixture
def study() -> Study:
    return staff_of(make_study(topics=2, slug="pilot"))


def noted(study: Study) -> list[tuple[str, str]]:
    """Who did what, in order; links that a page showed are left out."""
    rows = study.actions.exclude(what=What.SAW_LINKS).order_by("pk")
    return list(rows.values_list("actor", "what"))


def test_what_an_organizer_does_by_pages_is_noted_with_their_name(alice, study):
    somebody = invite(study)
    account("dora")
    alice.post(f"{PILOT}/people/invite/", {"number": 2})
    alice.post(f"{PILOT}/people/open-link/", {"on": "1"})
    alice.post(f"{PILOT}/people/open-link/", {"on": "0"})
    alice.post(f"{PILOT}/members/", {"username": "dora", "role": "coordinator"})
    alice.post(f"{PILOT}/members/", {"username": "dora", "role": "organizer"})
    alice.post(f"{PILOT}/members/{study.members.get(user__username='dora').pk}/remove/")
    alice.post(f"{PILOT}/start/")
    alice.post(f"{PILOT}/close/", {"how": "end"})
    alice.post(f"{PILOT}/reopen/")
    alice.post(f"{PILOT}/people/{somebody.pk}/exclude/", {"why": "slept"})
    b"".join(alice.get(f"{PILOT}/people/invitations.csv").streaming_content)
    # Scores of a study with an open link count kept batches only.
    did = [What.INVITED, What.LINK_ON, What.SETTINGS, What.LINK_OFF]
    did += [What.MEMBER, What.MEMBER, What.MEMBER_OUT]
    did += [What.OPENED, What.CLOSED, What.REOPENED, What.EXCLUDED, What.TOOK_LINKS]
    assert noted(study) == [("alice", what) for what in did]
    assert set(study.actions.values_list("by__username", flat=True)) == {"alice"}
    parts = study.actions.filter(what__in=[What.MEMBER, What.MEMBER_OUT]).order_by("pk")
    assert list(parts.values_list("about", "before", "after")) == [
        ("dora", None, {"part": "coordinator"}),
        ("dora", {"part": "coordinator"}, {"part": "organizer"}),
        ("dora", {"part": "organizer"}, None),
    ]
    excluded = study.actions.get(what=What.EXCLUDED)
    assert (excluded.about, excluded.after) == (f"assessor {somebody.pk}", {"why": "slept"})


def test_an_exclusion_by_the_rule_is_noted_as_nobodys(alice, study):
    study = open_study(study)
    failing = invite(study)
    sit(failing, wrong=99)
    failing.refresh_from_db()
    assert failing.excluded_at is not None
    assert noted(study)[-1] == ("rule of the study", What.EXCLUDED)
    excluded = study.actions.get(what=What.EXCLUDED)
    assert (excluded.by, excluded.about) == (None, f"assessor {failing.pk}")
    assert "challenges wrong" in excluded.after["why"]
    page = alice.get(f"{PILOT}/trail/?who=rule+of+the+study")
    assert f'href="{PILOT}/people/{failing.pk}/"' in page.content.decode()
    assert "excluded an assessor: " in text(page)


def test_a_repeat_that_changes_nothing_is_not_noted(alice, study):
    lifecycle.set_member(study.pk, account("bob").pk, "coordinator")
    alice.post(f"{PILOT}/close/", {"how": "end"})
    alice.post(f"{PILOT}/reopen/")
    alice.post(f"{PILOT}/people/open-link/", {"on": "0"})
    assert noted(study) == []


def test_settings_are_noted_with_what_they_were_and_are(alice, study):
    data = settings_of(study)
    alice.post(f"{PILOT}/settings/", data)
    assert noted(study) == []
    alice.post(f"{PILOT}/settings/", data | {"wrong_allowed": 2, "name": "Another"})
    action = study.actions.get(what=What.SETTINGS)
    assert action.actor == "alice"
    assert action.before == {"Name": study.name, "Challenges that may be wrong": 0}
    assert action.after == {"Name": "Another", "Challenges that may be wrong": 2}
    told = text(alice.get(f"{PILOT}/trail/"))
    assert "alice changed settings" in told
    assert "Challenges that may be wrong: 0 became 2" in told


def test_a_value_that_reads_as_before_is_left_out(alice, study):
    was = {"baseline": "", "least difference": 0.02}
    now = {"baseline": "dense", "least difference": "0.02"}
    Action.objects.create(study=study, what=What.SETTINGS, actor="alice", before=was, after=now)
    told = text(alice.get(f"{PILOT}/trail/"))
    assert "baseline: nothing became dense" in told
    assert "least difference" not in told


def test_values_of_every_kind_are_said_in_words(alice, study):
    after = {"open": True, "paid": "False", "codes": [], "filters": ["age", {"least_age": 18}], "cap": 1200}
    Action.objects.create(study=study, what=What.CAMPAIGN, actor="alice", before={}, after=after)
    told = text(alice.get(f"{PILOT}/trail/"))
    for words in ("open: nothing became yes", "paid: nothing became no", "nothing became age, least age 18"):
        assert words in told
    assert "cap: nothing became 1,200" in told
    assert "codes" not in told


def test_a_study_begins_with_who_made_it(alice):
    alice.post("/studies/new/", settings_of(Study(name="Fresh")))
    assert noted(Study.objects.get(slug="fresh")) == [("alice", What.MADE)]


def test_a_file_is_noted_by_somebody_who_chose_it_when_it_is_loaded(alice, study):
    """The job that loads it runs by itself: its row knows whose it is."""
    file = SimpleUploadedFile("more.tsv", b"t9\tNine?\n")
    response = alice.post(f"{PILOT}/files/", {"kind": "topics", "files": file})
    row = Import.objects.get()
    assert response["Location"].endswith(f"/load/{row.pk}/")
    assert row.by == account("alice")
    loading.run(row.pk)
    action = study.actions.get(what=What.LOADED)
    assert (action.actor, action.about) == ("alice", "more.tsv")
    row.refresh_from_db()
    page = alice.get(f"{PILOT}/trail/")
    assert f"loaded a file: more.tsv {row.summary}" in text(page)
    assert f"SHA-256: {row.digest}" in page.content.decode()
    assert action.after == {"kind": "topics", "what": row.summary, "sha256": row.digest}


def test_a_refused_file_is_not_noted(study, load):
    with pytest.raises(Exception, match="line 1"):
        load(study, "topics", "no tab here\n")
    assert noted(study) == []


def test_commands_are_noted_with_the_name_that_the_system_knows(study, tmp_path, monkeypatch):
    monkeypatch.setattr("getpass.getuser", lambda: "root")
    (tmp_path / "topics.tsv").write_text("t9\tNine?\n")
    call_command("load", "pilot", "topics", str(tmp_path / "topics.tsv"))
    call_command("start", "pilot")
    call_command("replay", "pilot", batches=1)
    call_command("rebuild", "pilot")
    call_command("study", "typed")
    line = "command line (root)"
    did = [What.LOADED, What.OPENED, What.REPLAYED, What.REBUILT]
    assert noted(study) == [(line, what) for what in did]
    assert noted(Study.objects.get(slug="typed")) == [(line, What.MADE)]


def test_letting_back_in_and_setting_aside_are_noted(study):
    open_study(study)
    failed = sit(invite(study), wrong=99)
    decisions.readmit(failed.assessor_id, "a mistake")
    place = failed.batch.filter(role=QuestionRole.CHALLENGE)[0]
    question_set_aside.set_aside(place.question_id, "nobody could know")
    actions = [(a.what, a.about, a.after) for a in study.actions.order_by("pk")]
    assert actions[2:] == [
        ("readmitted", f"assessor {failed.assessor_id}", {"why": "a mistake"}),
        (
            "set aside",
            f"question {place.question_id}",
            {"topic": place.question.topic.name, "why": "nobody could know"},
        ),
    ]


def test_personal_links_that_a_page_showed_are_noted_once_an_hour_and_person(alice, study):
    for _ in range(2):
        alice.get(f"{PILOT}/people/")
    assert not study.actions.exists()  # there were none to see
    invite(study)
    for _ in range(3):
        alice.get(f"{PILOT}/people/")
    assert [(a.actor, a.what) for a in study.actions.all()] == [("alice", What.SAW_LINKS)]


def test_a_renamed_account_is_known_by_both_names(alice, study):
    alice.post(f"{PILOT}/start/")
    me = account("alice")
    me.username = "alicia"
    me.save()
    assert "alice (now alicia) opened judging" in text(alice.get(f"{PILOT}/trail/"))


def test_the_trail_is_for_organizers_and_shows_the_latest_first_in_pages(alice, bob, study):
    assert "Nothing is logged" in text(alice.get(f"{PILOT}/trail/"))
    for _ in range(110):
        lifecycle.open_link(study.pk, on=True)
        lifecycle.open_link(study.pk, on=False)
    html = alice.get(f"{PILOT}/trail/").content.decode()
    said = re.findall(r"turned the open link (on|off)", html.partition('<table class="stack trail')[2])
    assert said == ["off", "on"] * 100
    assert "201 to 221 of 221" in text(alice.get(f"{PILOT}/trail/?page=2"))
    assert bob.get(f"{PILOT}/trail/").status_code == 403
    assert queries(alice, f"{PILOT}/trail/") == queries(alice, f"{PILOT}/trail/?page=2") <= 6


def test_the_trail_of_one_person_or_one_kind_of_action(alice, study):
    for actor, what in (("alice", What.OPENED), ("bob", What.OPENED), ("alice", What.PAUSED)):
        Action.objects.create(study=study, what=what, actor=actor)

    def lines(query: str) -> list[str]:
        listed = text(alice.get(f"{PILOT}/trail/?{query}")).partition("Show ")[2]
        return re.findall(r"(?:alice|bob) (?:opened|paused) judging", listed)

    assert lines("") == ["alice paused judging", "bob opened judging", "alice opened judging"]
    assert lines("who=alice") == ["alice paused judging", "alice opened judging"]
    assert lines("what=opened") == ["bob opened judging", "alice opened judging"]
    assert lines("who=bob&what=opened") == ["bob opened judging"]
    assert "No action matches." in text(alice.get(f"{PILOT}/trail/?who=bob&what=paused"))
    assert "who = carol is not known" in text(alice.get(f"{PILOT}/trail/?who=carol"))


def test_the_trail_is_a_file_too_with_a_row_for_each_change_the_oldest_first(alice, bob, study):
    Action.objects.create(study=study, what=What.OPENED, actor="bob")
    was, now = {"p": 0.9, "name": "=1+1"}, {"p": 0.8, "name": "Pilot"}
    Action.objects.create(study=study, what=What.SETTINGS, actor="alice", about="all", before=was, after=now)

    def rows(query: str = "") -> list[tuple[str, ...]]:
        content = b"".join(alice.get(f"{PILOT}/trail.csv{query}").streaming_content).decode()
        return [tuple(row.values())[1:] for row in csv.DictReader(io.StringIO(content))]

    opened = ("bob", "", "opened judging", "", "", "", "", "")
    did = ("alice", "", "changed settings", "all")
    assert rows() == [opened, (*did, "p", "0.9", "0.8", ""), (*did, "name", "'=1+1", "Pilot", "")]
    assert rows("?who=bob") == rows("?what=opened") == [opened]
    assert "trail.csv?who=bob" in alice.get(f"{PILOT}/trail/?who=bob").content.decode()
    assert bob.get(f"{PILOT}/trail.csv").status_code == 403


def test_the_trail_names_assessors_as_the_other_pages_do(alice, study):
    anna = local.invite(study, ["anna"])[0]
    decisions.exclude(anna.pk, "slept")
    number = study.assessors.count()
    assert f"excluded an assessor: {number} · anna" in text(alice.get(f"{PILOT}/trail/"))
    content = b"".join(alice.get(f"{PILOT}/trail.csv").streaming_content).decode()
    *_, row = csv.DictReader(io.StringIO(content))
    assert (row["about"], row["about_person"]) == (f"assessor {anna.pk}", f"{number} · anna")


def test_actions_that_are_alike_and_follow_each_other_share_a_line(alice, study):
    for what in (What.SAW_LINKS, What.SAW_LINKS, What.SAW_LINKS, What.TOOK_LINKS, What.SAW_LINKS):
        Action.objects.create(study=study, what=what, actor="alice")
    page = text(alice.get(f"{PILOT}/trail/"))
    assert page.count("alice was shown personal links") == 2
    assert page.count("alice was shown personal links, 3 times") == 1


def test_runs_that_are_loaded_in_a_row_share_a_line_that_unfolds(alice, study):
    for n in range(3):
        found = {"kind": "run", "what": f"run r{n}: 9 placements for 2 topics", "sha256": str(n) * 64}
        Action.objects.create(study=study, what=What.LOADED, actor="alice", about=f"r{n}.run", after=found)
    page = alice.get(f"{PILOT}/trail/")
    assert "alice loaded 3 runs r2.run run r2: 9 placements for 2 topics r1.run" in text(page)
    assert page.content.decode().count("SHA-256: ") == 3


def test_open_batches_that_are_closed_are_noted_with_how_many(study):
    open_study(study)
    for _ in range(2):
        answering.arrive(invite(study).pk)
    assert decisions.close_open(study.pk) == 2
    assert decisions.close_open(study.pk) == 0
    (action,) = study.actions.filter(what=What.CUT_SHORT)
    assert action.after == {"batches": 2, "of the open link only": False}
