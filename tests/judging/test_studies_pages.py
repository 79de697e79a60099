"""The studies list, the checklist and the settings, through Django's test client."""

import json
import re
from pathlib import Path

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from collection.models import Study
from collection.study import lifecycle
from collection.upload.loading import load
from judging.batches import answering, sittings
from judging.models import Question
from judging.questions import asking
from judging.verdicts import decisions
from panels import local
from prefir import rules
from tests.judging.organizing import account, judge_batch, queries, staff_of, text
from tests.judging.studies import invite, make_study
from tests.makers import study_with
from tournament import services
from tournament.models import Tournament
from tournament.plans import Pool, pool_of
from web.alerts import health
from web.alerts.health import Trouble
from web.forecast import overview
from web.organizer.setup.study_form import StudyForm

pytestmark = pytest.mark.django_db
CAST = Path(__file__).parents[2] / "../shared/data/cast2019"


@pytest.fixture
def study():
    """Alice's and Bob's, with nothing in it yet."""
    return staff_of(study_with(name="Pilot", slug="pilot"))


@pytest.fixture
def put(study, tmp_path):
    """A function that loads lines of a kind into the study."""

    def put(kind: str, *lines: str, name: str = "file") -> None:
        path = tmp_path / name
        path.write_text("\n".join(lines) + "\n")
        load(study, kind, path)

    return put


def settings_of(study: Study, **changes) -> dict:
    """The settings form as the page sends it, with changes."""
    names = (
        *(
            "name",
            "kind",
            "markup",
            "ground",
            "question",
            "instructions",
            "consent",
            "asked_by",
            "contact",
            "mode",
            "k",
            "final_size",
            "pairings",
        ),
        *("judgments_per_pair", "seed", "batch_pairs", "batch_challenges", "wrong_allowed", "minutes"),
        "idle_minutes",
        "persistence",
        "scale",
    )
    form = StudyForm(instance=study)
    return {name: form.get_initial_for_field(form.fields[name], name) for name in names} | changes


def items(*topics: str, each: int = 6) -> list[str]:
    """Lines of passages, d1 ... of each topic."""
    return [
        json.dumps({"docno": f"{topic}-d{n}", "topic": topic, "text": f"Passage {n}."})
        for topic in topics
        for n in range(1, each + 1)
    ]


def test_a_new_study_belongs_to_somebody_who_made_it(alice):
    response = alice.post("/studies/new/", settings_of(Study(name="Café pilot, 2nd")))
    made = Study.objects.get()
    assert response["Location"] == "/studies/cafe-pilot-2nd/files/"
    assert (made.members.get().user, made.members.get().role) == (account("alice"), "organizer")
    assert made.opened_at is None


@pytest.mark.parametrize("name", ["Pilot", "new", "日本語"])
def test_a_new_study_finds_an_address_of_its_own(alice, study, name):
    """One that is taken, one that a page has, and one that no address can spell."""
    assert alice.post("/studies/new/", settings_of(Study(name=name))).status_code == 302
    made = Study.objects.latest("pk")
    assert made.slug not in ("pilot", "new", "")
    assert alice.get(f"/studies/{made.slug}/").status_code == 200


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"name": ""}, "Give the study a name."),
        ({"question": ""}, "Write the question that stands above every pair."),
        ({"k": 10}, "The final has to hold at least the 10 items"),
        ({"wrong_allowed": 3}, "If 3 of 3 challenges may be wrong, every batch passes."),
        ({"minutes": 4}, "Enter a whole number, 5 or more."),
        ({"persistence": 1}, "is not offered. Choose from the list"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_beside_its_field(alice, wrong, sentence):
    page = text(alice.post("/studies/new/", settings_of(Study(name="X")) | wrong))
    assert page.count(sentence) == 2  # at the top, and at the field
    assert not Study.objects.exists()


def test_settings_can_be_changed_until_the_study_opens(alice, study):
    alice.post("/studies/pilot/settings/", settings_of(study, k=3, question="Which is better?"))
    study.refresh_from_db()
    assert (study.plan.k, asking.task_of(study).wording) == (3, "Which is better?")


def test_how_sound_is_played_is_set_and_nine_recordings_at_once_are_not_offered(alice, study):
    sound = {"kind": "sound", "play_first": 8, "levelled": "False"}
    alice.post("/studies/pilot/settings/", settings_of(study, **sound))
    study.refresh_from_db()
    assert (study.kind, study.play_first, study.levelled) == ("sound", 8, False)
    assert asking.task_of(study).wording == "Which recording answers the question better?"
    alice.post("/studies/pilot/settings/", settings_of(study, k=3))
    study.refresh_from_db()
    assert (study.plan.k, study.play_first, study.levelled) == (3, 8, False)
    page = alice.post("/studies/pilot/settings/", settings_of(study, mode="picks", **sound))
    assert "Sound and film are compared in pairs." in text(page)
    assert asking.task_of(study).kind == "pair"


def test_after_opening_what_was_asked_stands_still_whatever_is_sent(alice, study):
    """A page that was loaded before, or a forged form: the server decides, not the page."""
    lifecycle.open_judging(study)
    before = settings_of(Study.objects.get())
    changes = {
        "kind": "image",
        "scale": "5",
        "mode": "dedicated",
        "k": 3,
        "final_size": 20,
        "pairings": 2,
        "seed": "other",
        "name": "New name",
        "batch_pairs": 4,
        "persistence": 0.8,
    }
    form = settings_of(study, **changes)
    assert alice.post("/studies/pilot/settings/", form).status_code == 302
    after = settings_of(Study.objects.get())
    assert after.keys() == before.keys()
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"name", "batch_pairs", "persistence"}


def test_a_section_is_folded_says_what_is_set_and_opens_where_something_is_wrong(alice, study, put):
    page = alice.get("/studies/pilot/settings/").content.decode()
    assert page.count('<details class="fold">') == 11
    assert "10 pairs, no challenges, since no right answers are known" in page
    put("topics", "t1\tTopic")
    put("qrels", "t1 0 good 1", "t1 0 bad 0")
    page = alice.get("/studies/pilot/settings/").content.decode()
    assert "10 pairs, 3 challenges, at most 0 wrong" in page
    refused = alice.post("/studies/pilot/settings/", settings_of(study, minutes=4)).content.decode()
    opened = re.findall(r'<details class="fold" open>\s*<summary><h2>([^<]*)', refused)
    assert opened == ["Batches"]


def test_what_cannot_be_copied_is_said_in_its_own_section(alice, study):
    refused = alice.post("/studies/pilot/keep/copy/", {"name": "", "what": "runs"})
    assert refused.status_code == 400
    assert text(refused).count("Give the copy a name.") == 2
    assert re.findall(r'<details class="fold" open>\s*<summary><h2>([^<]*)', refused.content.decode()) == [
        "Copy, archive, delete"
    ]


def test_after_opening_the_page_says_why_and_shows_fixed_settings_as_text(alice, study):
    lifecycle.open_judging(study)
    response = alice.get("/studies/pilot/settings/")
    assert "all judgments must answer the same question" in text(response)
    assert 'name="seed"' not in response.content.decode()
    assert study.seed in text(response)
    # What has no meaning for passages in pairs is left out.
    labels = ("Ground of pictures", "Seconds of sound and film", "Items in a grid", "Ask for the worst")
    assert [one for one in labels if one in text(response)] == []
    Study.objects.update(kind="image")
    assert [one for one in labels if one in text(alice.get("/studies/pilot/settings/"))] == [labels[0]]


def test_the_checklist_leads_from_step_to_step(alice, study, put):
    """At each state one main action, which takes the organizer on."""

    def main_action() -> str:
        page = alice.get("/studies/pilot/").content.decode()
        found = re.findall(r'href="([^"]+)" class="button main"', page)
        assert page.count("button main") == 1
        return found[0]

    assert main_action() == "/studies/pilot/files/"
    put("topics", "t1\tOne?", "t2\tTwo?")
    assert main_action() == "/studies/pilot/files/?kind=items#items"
    put("items", *items("t1", "t2"))
    assert main_action() == "/studies/pilot/files/?kind=run#run"
    put("run", *(f"{t} Q0 {t}-d1 1 1.0 bm25" for t in ("t1", "t2")))
    assert main_action() == "/studies/pilot/people/"
    local.invite(study, [""])
    assert main_action() == "/studies/pilot/start/"
    services.start(study.pk)
    assert main_action() == "/studies/pilot/leaderboard/"


def test_what_keeps_an_open_study_from_going_on_is_the_next_step(alice, study, put, monkeypatch):
    put("topics", "t1\tOne?")
    put("items", *items("t1"))
    services.start(study.pk)
    trouble = Trouble("Panel 1 has no free place.", "Publish more", "/panel/#publish")
    monkeypatch.setattr(health, "blocks", lambda study, last: [trouble])
    page = alice.get("/studies/pilot/").content.decode()
    assert re.findall(r'href="([^"]+)" class="button main"', page) == [trouble.address]
    assert re.findall(r'<li class="step next" id="step-(\w+)"', page) == ["open"]
    pulse = alice.get(reverse("pulse", args=["pilot"])).content.decode()
    for one in (page, pulse):
        assert trouble.said in one
        assert trouble.mend in one


def test_people_are_the_next_step_of_an_open_study_that_nobody_judges(alice, study, put):
    put("topics", "t1\tOne?")
    put("items", *items("t1"))
    services.start(study.pk)
    services.catch_up()
    for label in ("Invite people", "See people"):
        page = alice.get("/studies/pilot/")
        html = page.content.decode()
        states = dict(re.findall(r'<li class="step (\w+)" id="step-(people|open)"', html))
        assert states == {"next": "people", "done": "open"}
        assert re.findall(r'href="([^"]+)" class="button main">Invite people', html) == [
            "/studies/pilot/people/"
        ]
        # Once in the step, and once in the bar.
        assert "nobody has judged yet" in html.split('id="step-people"')[1].split("</li>")[0]
        assert "for an assessor" not in text(page)
        local.invite(study, [label])


def test_a_study_whose_judgments_were_loaded_leads_to_its_leaderboard(alice, study, put):
    put("topics", "t1\tOne?")
    put("items", *items("t1"))
    put("run", "t1 Q0 t1-d1 1 1.0 bm25")
    assert "Next: invite people" in text(alice.get("/studies/pilot/"))
    put("judgments", "t1 t1-d1 t1-d2 t1-d1 anna")
    page = alice.get("/studies/pilot/").content.decode()
    assert "<h1>Next: see the leaderboard</h1>" in page
    assert re.findall(r'href="([^"]+)" class="button main"', page) == ["/studies/pilot/leaderboard/"]
    states = re.findall(r'<li class="step (\w+)" id="step-(people|open|results)"', page)
    # What is next stands first, with its number.
    assert states == [("next", "results"), ("optional", "people"), ("optional", "open")]
    assert "<h2>Results</h2>" in page


def test_a_coordinator_reads_the_same_checklist_without_steering_it(bob, study, put):
    put("topics", "t1\tOne?")
    page = bob.get("/studies/pilot/").content.decode()
    assert "1 topic loaded." in page
    main = page.partition("<main")[2]
    assert "<form" not in main
    assert "/files/" not in page
    assert "/settings/" not in page


def test_a_study_without_a_name_is_not_made_and_nothing_was_saved(alice):
    said = text(alice.post("/studies/new/", {"title": ""}))
    assert "Nothing was saved." in said
    assert not Study.objects.exists()


def test_items_that_nobody_could_read_are_named_before_opening(alice, study, put):
    put("topics", "t1\tOne?", "t2\tTwo?", "t3\tThree?")
    put("items", *items("t1"))
    put("qrels", "t1 0 t1-d1 2", "t1 0 elsewhere 3", "t2 0 unknown 0")
    page = text(alice.get("/studies/pilot/"))
    assert "1 candidate of 2 has no text: an assessor would see a docno." in page
    assert "1 topic without items, about which nothing can be asked: t3." in page
    assert "2 topics with fewer than two candidates, where nothing is asked: t2 and t3." in page


def test_a_study_of_docnos_only_is_fit_for_recorded_judgments_alone(alice, study, put):
    put("topics", "t1\tOne?")
    put("qrels", "t1 0 a 2", "t1 0 b 1")
    assert "No item has its text, so a person would have nothing to compare." in text(
        alice.get("/studies/pilot/")
    )


def test_what_no_challenges_means_is_said(alice, study, put):
    put("topics", "t1\tOne?")
    put("items", *items("t1"))
    for page in ("", "start/"):
        said = text(alice.get(f"/studies/pilot/{page}"))
        assert (
            "Nobody's attention is checked: there are no challenges. Somebody who chooses at random" in said
        )
        assert "Load challenges" in said
    put("qrels", "t1 0 t1-d1 2", "t1 0 t1-d2 1", "t1 0 t1-d3 0")
    page = text(alice.get("/studies/pilot/"))
    assert "opening the study makes 1 of them from its grades" in page
    assert "A batch needs 3 challenges, there is only 1: nobody would get one." in page
    put("challenges", *(f"t1 t1-d{n} t1-d6 t1-d{n}" for n in range(1, 6)), name="more")
    assert "one assessor can judge up to 1 batch." in text(alice.get("/studies/pilot/"))


def test_runs_that_leave_topics_out_are_named(alice, study, put):
    put("topics", "t1\tOne?", "t2\tTwo?")
    put("run", "t1 Q0 a 1 1.0 short")
    page = text(alice.get("/studies/pilot/"))
    assert "a topic that a run leaves out scores 0. Ranked by short (1)." in page


@given(st.lists(st.sampled_from([None, -1.0, 0.0, 1.0, 2.0, 3.0]), max_size=25), st.integers(1, 8))
def test_the_checklist_counts_the_candidates_that_the_tournament_takes(grades, k):
    """Against the tournament's own rule, for a topic with any mixture of grades, all items with a text."""
    counts: dict[tuple[float | None, bool], int] = {}
    for grade in grades:
        counts[grade, False] = counts.get((grade, False), 0) + 1
    graded = {n: grade for n, grade in enumerate(grades) if grade is not None}
    expected = len(rules.initial_pool(graded, k)) if graded else len(grades)
    assert pool_of(counts, k) == Pool(expected, 0)


def test_what_the_checklist_promises_is_what_opening_makes(study, put):
    """Against the rows that the tournament makes: pools and challenges, of topics of every sort."""
    put("topics", *(f"t{n}\tTopic {n}?" for n in range(1, 6)))
    put("items", *items("t1", "t2", "t3", each=30))
    put("qrels", *(f"t1 0 t1-d{n} {n % 4}" for n in range(1, 31)), "t2 0 t2-d1 1", "t2 0 t2-d2 0", name="q1")
    put("qrels", "t4 0 bare1 2", "t4 0 bare2 2", "t4 0 bare3 0", name="q2")
    promised = overview.stock(study)
    services.start(study.pk)
    pools = [len(t.pool) for t in Tournament.objects.order_by("topic_id")]
    assert promised.pools == pools == [7, 1, 30, 2, 0]
    made = Question.objects.filter(expected__isnull=False).count()
    assert promised.challenges_possible == made == 11


@pytest.mark.data
def test_the_candidates_of_cast_2019_are_those_of_the_paper(study, put):
    """Clarke, Vtyurina and Smucker's pools, by the numbers of the issue: 2,673 in all, the largest 112."""
    if not CAST.is_dir():
        pytest.skip(f"the public data is not in {CAST}")
    lines = (CAST / "evaluation_topics_annotated_resolved_v1.0.tsv").read_text().splitlines()
    judged = {line.split()[0] for line in (CAST / "2019qrels.txt").read_text().splitlines()}
    put("topics", *(line for line in lines if line.split("\t")[0] in judged))
    load(study, "qrels", CAST / "2019qrels.txt")
    stock = overview.stock(study)
    assert (stock.topics, stock.grades) == (173, 29_350)
    assert (sum(stock.pools), max(stock.pools)) == (2673, 112)
    assert sum(size <= 9 for size in stock.pools) == 80


@pytest.mark.parametrize(
    ("how", "said", "read"),
    [
        ("pause", "Judging is paused", "This study is paused Nobody is given questions at the moment"),
        ("end", "Judging is over", "This study is over Judging has ended and nothing more is needed."),
    ],
)
def test_stopping_hands_out_no_batch_and_can_be_taken_back(alice, client, how, said, read):
    study = staff_of(make_study())
    somebody = invite(study)
    assert alice.post("/studies/garden/close/", {"how": how}).status_code == 302
    with pytest.raises(answering.NothingLeft):
        answering.arrive(somebody.pk)
    assert said in text(alice.get("/studies/garden/"))
    assert read in text(client.get(f"/i/{somebody.reference}/"))
    alice.post("/studies/garden/reopen/")
    assert answering.arrive(somebody.pk)


def test_before_stopping_it_is_said_who_is_in_the_middle_of_a_batch(alice):
    study = staff_of(make_study())
    assert "Nobody is in the middle of a batch." in text(alice.get("/studies/garden/close/"))
    [ada] = local.invite(study, ["Ada"])
    batch = answering.arrive(ada.pk)
    answering.answer(batch.pk, 1, 1, kind="pair")
    page = text(alice.get("/studies/garden/close/"))
    assert "1 person is in the middle of a batch: 1 · Ada: 1 of 13 answered, last sign just now" in page
    assert page.index("Pause judging End judging Cancel") > page.index("Paused: people read")
    page = alice.get("/studies/garden/close/", {"how": "end"}).content.decode()
    assert '<button name="how" value="end" class="main">End judging</button>' in page
    assert '<a href="/studies/garden/progress/" aria-current="true">Progress' in page
    alice.post("/studies/garden/close/", {"how": "whatever"})
    assert Study.objects.get(slug="garden").judging_is_open
    assert "Close the batches that are open as well" in text(alice.get("/studies/garden/close/"))
    # Nothing is said of open batches where there are none.
    decisions.close_open(Study.objects.get().pk, by=None)
    assert "pen batches" not in text(alice.get("/studies/garden/close/"))


def test_a_pause_can_end_and_somebody_who_is_in_the_middle_goes_on(alice, client):
    study = staff_of(make_study())
    batch = answering.arrive(invite(study).pk)
    alice.post("/studies/garden/close/", {"how": "pause"})
    answering.answer(batch.pk, 1, 1, kind="pair")
    sittings.release(batch.pk)
    assert "2 of 13" in text(client.get(f"/i/{batch.assessor.reference}/"))
    alice.post("/studies/garden/close/", {"how": "end"})
    study.refresh_from_db()
    assert (study.judging_is_open, study.paused) == (False, False)
    answering.answer(batch.pk, 2, 1, kind="pair")
    alice.post("/studies/garden/reopen/")
    assert Study.objects.get().judging_is_open


def test_a_study_that_was_never_opened_cannot_be_stopped(alice, study):
    for how in ("pause", "end"):
        alice.post("/studies/pilot/close/", {"how": how})
    study.refresh_from_db()
    assert study.closed_at is None


def test_batches_are_counted_once_people_judge(alice):
    study = staff_of(make_study(batch_pairs=5))
    judge_batch(invite(study))
    judge_batch(invite(study), fail=True)
    answering.arrive(invite(study).pk)
    page = text(alice.get("/studies/garden/"))
    assert "1 batch kept, 1 discarded, 1 being judged now." in page
    assert "3 assessors with a personal link; 3 came so far." in page
    assert "1 excluded: their answers count nowhere." in page


def test_the_checklist_takes_as_many_queries_for_a_large_study(alice, study, put):
    put("topics", "t1\tOne?")
    small = queries(alice, "/studies/pilot/")
    put("topics", *(f"t{n}\tTopic?" for n in range(1, 40)), name="more")
    put("items", *items(*(f"t{n}" for n in range(1, 40))))
    put("qrels", *(f"t{n} 0 t{n}-d{m} {m % 3}" for n in range(1, 40) for m in range(1, 7)))
    for run in range(12):
        put("run", *(f"t{n} Q0 t{n}-d{m} 1 {m} r{run}" for n in range(1, 40) for m in range(1, 7)))
    local.invite(study, ["x"] * 60)
    assert queries(alice, "/studies/pilot/") == small == 24
    # What was loaded is counted once.
    assert queries(alice, "/studies/pilot/") == 19


def test_settings_take_23_queries(alice, study):
    assert queries(alice, "/studies/pilot/settings/") == 23
