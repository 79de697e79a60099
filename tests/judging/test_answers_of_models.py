"""Studies of models: from New study to the first judgment, the board, and out again."""

import io
import json
import re
import zipfile
from hashlib import sha256

import pytest
from django.urls import reverse
from pyarrow.parquet import read_table as read_parquet

from collection.models import Import, Placement, Run, Study, Topic
from collection.study import lifecycle
from judging.audit import hash_chain
from judging.questions import grading
from judging.transfer.preference_pairs import preference_pairs
from prefir.formats import join_turns
from scoring import jobs as scoring_jobs
from tests.formats.layouts import chat
from tests.judging.model_answers import (
    ANSWERS,
    MODELS,
    PROMPTS,
    alice,
    drop,
    judging_page,
    lines,
    load_all,
    loaded,
    new_study,
)
from tests.judging.organizing import staff_of, text
from tests.judging.visiting import Visitor, begin
from tests.makers import finish, invite, make_study
from tests.web.test_release import released, written
from tournament import services
from web.release.release_loader import load

__all__ = ["alice"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]


def test_the_cards_set_measures_markup_and_words(alice):
    study = new_study(alice)
    assert (study.case, study.measures, study.markup) == ("answers", "win_rate", "markdown")
    said = alice.get(reverse("study-new")).content.decode()
    cards = re.findall(r'<button class="card" form="settings" name="choose" value="(\w+)"', said)
    assert cards == ["rankings", "answers", "pictures", "recordings"]
    pictured = alice.get(reverse("study-new") + "?preset=pictures").context["form"]
    assert pictured["kind"].value() == "image"
    assert pictured["question"].value() == "Which picture answers the question better?"
    settings = text(alice.get(reverse("study-settings", args=[study.slug])))
    assert "Models, answers of models" in settings
    # Of one answer each, no rank could weigh more than another.
    for page, ranked in (
        (alice.get(reverse("study-settings", args=[study.slug])), False),
        (alice.get(reverse("study-new") + "?preset=answers"), False),
        (alice.get(reverse("study-new") + "?preset=rankings"), True),
    ):
        (scores,) = [one for one in page.context["sections"] if one["key"] == "scores"]
        assert ("p = 0.95" in scores["said"]) == ranked
        assert ("persistence" in [field.name for field, _ in scores["fields"]]) == ranked


def test_what_was_typed_before_a_card_was_chosen_is_kept(alice):
    asked = {"name": "Typed first", "question": "Which one is shorter?", "kind": "text", "markup": "plain"}
    page = alice.post(reverse("study-new"), asked | {"preset": "rankings", "choose": "answers"})
    form = page.context["form"]
    assert not Study.objects.exists()
    assert (form["name"].value(), form["question"].value()) == ("Typed first", "Which one is shorter?")
    assert (form["case"].value(), form["markup"].value()) == ("answers", "markdown")
    html = page.content.decode()
    assert re.findall(r'value="(\w+)" aria-current="true"', html) == ["answers"]
    assert "Correct this" not in html
    # Enter in a field presses the first button of the form, which makes the study.
    first = re.findall(r'<button[^>]*form="settings"[^>]*>', html)[0]
    assert "choose" not in first


@pytest.mark.parametrize(
    ("asks", "invited", "told"),
    [
        ("pair", "You see two answers at a time and say:", "and answers below it."),
        ("pick", "You see several answers at once and say:", "and several answers with it"),
        (
            "grade",
            "You see answers one by one and say: “ How good is this answer? ”",
            "and one answer with it.",
        ),
    ],
)
def test_invitation_and_instructions_speak_of_answers(alice, asks, invited, told):
    study = new_study(alice, **({"mode": "picks"} if asks == "pick" else {}))
    drop(alice, study, answers=lines(*ANSWERS))
    load_all(alice, study)
    if asks == "grade":
        task = grading.usual(study)
        grading.put_first(task)
        task.save()
    services.start(study.pk)
    services.catch_up()
    Study.objects.filter(pk=study.pk).update(join_token="open-to-all")
    page = text(Visitor().get("/join/open-to-all/"))
    instructions = text(Visitor().get(f"/i/{invite(study).reference}/"))
    assert invited in page
    assert told in instructions
    visitor, link = Visitor(), f"/i/{invite(study).reference}/"
    begin(visitor, link)
    judging = re.sub(r'(class|data-\w+)="[^"]*"', "", visitor.get(link).content.decode())
    assert not re.search("passage", page + instructions + judging, re.I)


def test_one_file_becomes_topics_items_and_a_run_of_each_model(alice):
    study = new_study(alice)
    said = drop(alice, study, answers=lines(*ANSWERS))
    assert "6 prompts, 18 answers of 3 models: ape, bat, cat" in said
    assert not Topic.objects.exists()
    load_all(alice, study)
    assert list(Topic.objects.values_list("name", "text").order_by("pk")) == [
        (f"p{n + 1}", prompt) for n, prompt in enumerate(PROMPTS)
    ]
    assert sorted(Run.objects.values_list("name", "topics")) == [(m, 6) for m in MODELS]
    placed = Placement.objects.values_list("run__name", "item__docno", "rank")
    assert {(run, docno, rank) for run, docno, rank in placed} == {(m, m, 1) for m in MODELS}


def test_the_checklist_speaks_of_prompts_answers_and_models(alice):
    study = new_study(alice)
    address = reverse("study", args=[study.slug])
    assert "Next: load your files" in text(alice.get(address))
    rows = [row for row in ANSWERS if (row["prompt"], row["model"]) != (PROMPTS[0], "cat")]
    drop(alice, study, answers=lines(*rows))
    load_all(alice, study)
    said = text(alice.get(address))
    assert "6 prompts, 17 answers." in said
    assert "3 models: " in said
    assert "one without an answer does not count for its model. Answered by cat (5)." in said
    assert "passages" not in said.lower()


def test_a_study_of_rankings_without_runs_becomes_one_of_answers(alice):
    study = staff_of(make_study(topics=0))
    drop(alice, study, answers=lines(*ANSWERS))
    load_all(alice, study)
    study.refresh_from_db()
    assert (study.case, study.measures, study.markup) == ("answers", "win_rate", "markdown")
    assert "by win rate, and shows them as Markdown" in Import.objects.get().summary


def test_texts_that_were_chosen_to_be_html_stay_so(alice):
    study = staff_of(make_study(topics=0, markup="html"))
    drop(alice, study, answers=lines(*ANSWERS))
    load_all(alice, study)
    study.refresh_from_db()
    assert (study.case, study.markup) == ("answers", "html")


def test_the_board_shows_win_rates_strengths_and_chances(alice):
    study = loaded(alice)
    services.start(study.pk)
    finish(study)
    scoring_jobs.sweep()
    page = alice.get(reverse("leaderboard", args=[study.slug]))
    said = text(page)
    assert "6 of 6 prompts judged" in said
    assert "Win rate 95 % interval" in said
    assert "ape won all of its 12 duels" in said
    assert "How deep a reader looks" not in said
    assert page.context["columns"][0] == "ape"
    assert "Judgments won : lost" in said
    assert "12 12 : 0" in said
    ape, other = (line.run for line in page.context["lines"][:2])
    two = f'<a href="{reverse("compare", args=[study.slug])}?a={ape}&amp;b={other}">all<small>'
    for name in ("leaderboard", "map"):
        assert two in alice.get(reverse(name, args=[study.slug])).content.decode(), name
    part = alice.get(reverse("leaderboard-chances", args=[study.slug]))
    assert b"c10" in part.content
    again = alice.get(
        reverse("leaderboard-chances", args=[study.slug]), headers={"If-None-Match": part["ETag"]}
    )
    assert again.status_code == 304


def test_lists_of_the_data_are_narrowed_in_words_of_answers(alice):
    study = loaded(alice)
    page = alice.get(reverse("data", args=[study.slug]))
    assert list(page.context["choices"].values()) == [
        "with answers that have nothing to show", "without any grade", "without any answer",
    ]  # fmt: skip
    topic = study.topics.earliest("pk")
    assert "unranked" not in alice.get(reverse("data-topic", args=[study.slug, topic.pk])).context["choices"]


def test_what_more_would_buy_is_said_of_loaded_votes_before_judging_is_open(alice):
    study = loaded(alice)
    address = reverse("progress", args=[study.slug])
    assert "What would more buy?" not in text(alice.get(address))
    drop(alice, study, votes=b"p1 ape bat ape a\np2 ape bat bat a\np3 ape bat ape a\n")
    load_all(alice, study)
    scoring_jobs.sweep()
    page = alice.get(address, {"more": "200", "price": "0.05"})
    said = text(page)
    assert "3 judgments were loaded, and nobody is asked." in said
    assert "6 prompts that have pairs left to ask" in said
    # The rest is opened for judging by the same steps.
    assert ">1. Name and question</a>" in page.content.decode()
    assert "Judging is not open yet." not in said
    assert "What would more buy?" in said
    assert "further prompts (p1, p2, p3 and 3 more)" in said
    assert "over 3 prompts: the interval is" in said
    assert "raises the chance to tell ape and bat apart, by a test of these two alone," in said
    assert "Ask for" not in said


def test_models_that_are_equal_are_not_called_the_strongest(alice):
    study = loaded(alice)
    drop(alice, study, votes=b"p1 ape bat ape a\np2 ape bat bat a\n")
    load_all(alice, study)
    scoring_jobs.sweep()
    said = text(alice.get(reverse("leaderboard", args=[study.slug])))
    assert "ape and bat are equally strong so far." in said
    assert "is the strongest" not in said


def test_who_judges_sees_the_conversation_before_and_the_description(alice):
    study = new_study(alice)
    before = chat("Hi", "Hello, what is it?")
    rows = [
        {
            "id": "c1",
            "model": m,
            "narrative": "Short is better.",
            "messages": [*before, *chat("Why?", f"{m}.")],
        }
        for m in MODELS
    ]
    drop(alice, study, chats=lines(*rows))
    load_all(alice, study)
    said = judging_page(study)
    assert "The conversation before User Hi Assistant Hello, what is it?" in said
    assert "Why? Short is better." in said


def test_an_empty_answer_is_shown_as_empty(alice):
    study = new_study(alice)
    drop(alice, study, answers=lines(*({"prompt": "Why?", "model": m, "answer": ""} for m in MODELS)))
    load_all(alice, study)
    assert "(this answer is empty)" in judging_page(study)


def test_all_of_it_comes_back_from_a_release(alice, tmp_path):
    study = loaded(alice)
    first = study.topics.first()
    Topic.objects.filter(pk=first.pk).update(
        earlier=join_turns([]), description="Short is better.", weight=2.0
    )
    services.start(study.pk)
    finish(study)
    scoring_jobs.sweep()
    lifecycle.close(study.pk)
    hash_chain.seal()
    study.refresh_from_db()
    again = load(released(study, tmp_path), slug="again")
    assert written(again) == written(study)
    kept = ("name", "text", "earlier", "description", "groups", "weight")
    both = [list(one.topics.order_by("pk").values_list(*kept)) for one in (again, study)]
    assert both[0] == both[1]
    assert again.case == "answers"


def test_preference_pairs_come_out_as_lines_parquet_and_a_card(alice):
    study = loaded(alice)
    services.start(study.pk)
    finish(study)
    answer = alice.get(reverse("pairs-export", args=[study.slug]))
    archive = zipfile.ZipFile(io.BytesIO(b"".join(answer)))
    files = {name.rpartition("/")[2]: archive.read(name) for name in archive.namelist()}
    rows = [json.loads(line) for line in files["preference-pairs.jsonl"].splitlines()]
    assert len(rows) == 6 * 3
    assert {(row["chosen_model"], row["rejected_model"]) for row in rows} == {
        ("ape", "bat"),
        ("ape", "cat"),
        ("bat", "cat"),
    }
    assert rows[0]["chosen"] == f"ape says {PROMPTS[0]}"
    assert (rows[0]["prompt"], rows[0]["margin"], rows[0]["n"]) == (PROMPTS[0], 1.0, 1)
    assert read_parquet(io.BytesIO(files["preference-pairs.parquet"])).to_pylist() == rows
    card = json.loads(files["croissant.json"])
    for file in card["distribution"]:
        assert sha256(files[file["contentUrl"]]).hexdigest() == file["sha256"]
    assert [field["name"] for field in card["recordSet"][0]["field"]] == list(rows[0])
    # And in again.
    other = new_study(alice, "Again")
    said = drop(alice, other, pairs=files["preference-pairs.jsonl"])
    assert "6 prompts, 18 answers of 3 models" in said
    assert "18 judgments" in said


def test_pairs_without_a_majority_are_left_out(alice):
    study = loaded(alice)
    votes = b"p1 ape bat ape a\np1 ape bat bat b\np1 ape cat ape a\np1 ape cat tie b\np1 bat cat tie a\n"
    drop(alice, study, votes=votes)
    load_all(alice, study)
    (row,) = preference_pairs(study)
    assert (row["chosen_model"], row["rejected_model"], row["margin"], row["n"]) == ("ape", "cat", 0.5, 2)
