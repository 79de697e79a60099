"""Studies of models: from New study to the first judgment and the board, with the files that people have."""

import io
import json
import random
import re
import zipfile
from hashlib import sha256

import pytest
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse
from pyarrow.parquet import read_table as read_parquet

from collection import jobs
from collection.models import Import, Item, Placement, Run, Study, Topic
from collection.study import lifecycle
from collection.upload import dry_run, loading, pending_uploads
from judging.audit import hash_chain
from judging.models import Judgment
from judging.questions import grading
from judging.transfer.preference_pairs import preference_pairs
from prefir.formats import join_turns, split_turns
from scoring import jobs as scoring_jobs
from tests.formats.layouts import chat
from tests.judging.organizing import logged_in, staff_of, text
from tests.judging.visiting import Visitor, begin
from tests.makers import finish, invite, make_study
from tests.web.test_release import released, written
from tournament import services
from web.release.release_loader import load

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]
MODELS = ("ape", "bat", "cat")
PROMPTS = [f"Why {n}?" for n in range(6)]
# Which is better: the first of these letters.
ANSWERS = [{"prompt": p, "model": m, "answer": f"{m} says {p}", "category": "even" if n % 2 else "odd"}
           for n, p in enumerate(PROMPTS) for m in MODELS]  # fmt: skip


def lines(*rows: object) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


@pytest.fixture
def alice():
    return logged_in("alice", is_staff=True)


def drop(client, study, **files: bytes) -> str:
    sent = [SimpleUploadedFile(f"{name}.jsonl", content) for name, content in files.items()]
    return text(client.post(reverse("files", args=[study.slug]), {"files": sent}, follow=True))


def load_all(client, study) -> None:
    client.post(reverse("files", args=[study.slug]), {"what": "load"})
    while loading.run_next():
        pass


def new_study(client, name="Models", **more) -> Study:
    """Make a study of answers by the page, with the values that its form shows."""
    page = client.get(reverse("study-new") + "?preset=answers")
    form = page.context["form"]
    sent = {
        field.html_name: value
        for field in form
        if (value := field.value()) is not None and value is not False
    }
    made = client.post(reverse("study-new"), sent | {"name": name, "preset": "answers"} | more)
    assert made.status_code == 302, made.context["form"].errors
    return Study.objects.get(name=name)


def loaded(client) -> Study:
    study = new_study(client)
    drop(client, study, answers=lines(*ANSWERS))
    load_all(client, study)
    return study


def judging_page(study) -> str:
    """What the first page says to somebody who judges."""
    services.start(study.pk)
    services.catch_up()
    visitor, address = Visitor(), f"/i/{invite(study).reference}/"
    begin(visitor, address)
    return text(visitor.get(address))


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


def test_files_offer_what_answers_need_and_fold_the_rest(alice):
    new_study(alice)
    page = alice.get(reverse("files", args=["models"]))
    offered = {group.rest: [] for group in page.context["groups"]}
    for group in page.context["groups"]:
        offered[group.rest] += [offer.key for offer in group.offers]
    assert offered[False] == ["answers", "sources", "groups", "challenges", "judgments"]
    assert {"topics", "items", "qrels", "run", "pages"} <= {*offered[True]}
    assert [group.title for group in page.context["groups"]][:3] == ["Models", "Prompts", "Judging"]
    assert "Groups of prompts" in text(page)
    folded = re.compile(r'<details class="fold">\s*<summary><h3>Other kinds')
    whole = re.compile(r'<details class="fold wide after">\s*<summary><h2>One kind at a time')
    assert folded.search(page.content.decode())
    assert whole.search(page.content.decode())
    for kind, opened in (("run", (whole, folded)), ("answers", (whole,))):
        chosen = alice.get(reverse("files", args=["models"]), {"kind": kind}).content.decode()
        assert not any(one.search(chosen) for one in opened)


def test_a_file_for_each_model_meets_on_the_same_prompts(alice):
    study = new_study(alice)
    by_model = {m: [{"instruction": p, "output": f"{m}: {p}"} for p in PROMPTS] for m in MODELS}
    drop(alice, study, **{m: lines(*rows) for m, rows in by_model.items()})
    load_all(alice, study)
    assert Topic.objects.count() == 6
    assert Item.objects.count() == 18


def test_further_prompts_of_a_model_leave_its_others_as_they_are(alice):
    study = loaded(alice)
    drop(alice, study, more=lines({"prompt": "New?", "model": "ape", "answer": "New."}))
    load_all(alice, study)
    ape = Run.objects.get(study=study, name="ape")
    assert ape.topics == 7
    assert sorted(ape.placements.values_list("topic__name", flat=True)) == [f"p{n}" for n in range(1, 8)]


def test_votes_are_a_file_of_their_own_that_can_be_left_out(alice):
    study = new_study(alice)
    row = {
        "prompt": "Why?",
        "model_a": "a",
        "model_b": "b",
        "response_a": "x",
        "response_b": "y",
        "winner": "b",
    }
    said = drop(alice, study, arena=lines(row))
    assert "arena.jsonl (votes)" in said
    assert "1 judgment" in said
    load_all(alice, study)
    assert Judgment.objects.count() == 1
    said = drop(alice, study, arena=lines(row))
    assert "the same judgments were loaded as arena.jsonl (votes)" in said
    other = new_study(alice, "Anew")
    drop(alice, other, arena=lines(row))
    votes = next(one for one in pending_uploads.of(other) if one.kind == "judgments")
    alice.post(reverse("files", args=[other.slug]), {"what": "drop", "file": votes.pk}, follow=True)
    load_all(alice, other)
    assert Judgment.objects.filter(topic__study=other).count() == 0
    assert Item.objects.filter(topic__study=other).count() == 2


VOTES = [
    {"prompt": p, "model_a": "ape", "model_b": "bat", "winner": "model_b", "judge": "j1"} for p in PROMPTS
]


def test_votes_that_name_the_prompt_by_its_text_find_it_among_loaded_and_waiting_ones(alice):
    study, address = new_study(alice), reverse("files", args=["models"])
    said = drop(alice, study, answers=lines(*ANSWERS[:9]), votes=lines(*VOTES))
    assert "line 4: unknown topic &quot;Why 3?&quot;: no prompt or topic has this text; load it first" in said
    drop(alice, study, answers=lines(*ANSWERS))
    load_all(alice, study)
    found = Judgment.objects.values_list("topic__text", flat=True).order_by("topic")
    assert [*found] == PROMPTS
    # Under other names, by columns that are said.
    other = new_study(alice, "Other")
    drop(alice, other, answers=lines(*ANSWERS))
    load_all(alice, other)
    rows = [dict(zip(("Frage", "l", "r", "sieg"), (p, "ape", "bat", "bat"), strict=True)) for p in PROMPTS]
    address = reverse("files", args=[other.slug])
    page = alice.post(address, {"files": [SimpleUploadedFile("t.jsonl", lines(*rows))]}, follow=True)
    asked = {"what": "columns", "file": page.context["drafts"][0].row.pk}
    roles = ("prompt", "model_a", "", "winner")
    said = text(alice.post(address, asked | {f"column-{n}": role for n, role in enumerate(roles)}))
    assert "Votes need a second model." in said
    roles = ("prompt", "model_a", "model_b", "winner")
    said = text(
        alice.post(address, asked | {f"column-{n}": role for n, role in enumerate(roles)}, follow=True)
    )
    assert "6 judgments" in said


def test_files_say_how_votes_for_neither_and_second_answers_are_counted(alice):
    study = new_study(alice)
    pairs = [
        {"prompt": p, "model_a": "a", "model_b": "b", "response_a": "x", "response_b": "y", "winner": w}
        for p, w in (("Why?", "tie (bothbad)"), ("Who?", "both_bad"), ("How?", "tie"), ("When?", "model_a"))
    ]
    said = drop(alice, study, arena=lines(*pairs, pairs[3] | {"response_b": "z"}))
    assert "2 votes “both bad” are counted as ties" in said
    assert "1 answer is a second or later answer of a model to the same prompt" in said
    assert "and counts for the model too: b~2" in said
    load_all(alice, study)
    # Under the ties: two that say that both are bad, and one that says tie.
    assert sorted(Judgment.objects.values_list("value", flat=True)).count(0) == 3
    plain = new_study(alice, "Plain")
    said = drop(alice, plain, arena=lines(*pairs[2:]))
    assert "both bad" not in said
    assert "second or later" not in said


def test_files_of_which_one_is_not_recognized_are_looked_over_together(alice):
    study = new_study(alice)
    said = drop(alice, study, answers=lines(*ANSWERS), odd=b"Frage;Art\nWarum?;x\n")
    assert "6 prompts, 18 answers of 3 models" in said
    assert "Say what 1 file is." in said


def test_questions_of_turns_are_read_before_their_answers(alice):
    study = new_study(alice)
    asked = {"question_id": 81, "category": "writing", "turns": ["Why?", "Sure?"]}
    given = {"question_id": 81, "model_id": "ape", "choices": [{"index": 0, "turns": ["So.", "Yes."]}]}
    said = drop(alice, study, answers=lines(given), question=lines(asked))
    assert "All files fit together" in said
    assert "Prompts : 1 prompt; 1 group" in said
    load_all(alice, study)
    topic = Topic.objects.get()
    assert (topic.name, topic.groups) == ("81", {"category": "writing"})
    assert [turn.text for turn in split_turns(Item.objects.get().text)] == ["So.", "Yes."]


def test_a_column_that_is_no_model_is_asked_about_by_its_name_and_said_to_be_one_group(alice):
    study, address = new_study(alice), reverse("files", args=["models"])
    rows = [
        {"q_body": p, "sut": m, "zz_text": f"{m} says this of {p}", "skill": ("law", "tea", "code")[n % 3]}
        for n, p in enumerate(PROMPTS)
        for m in ("ape", "bat", "cat", "dog")
    ]
    page = alice.post(address, {"files": [SimpleUploadedFile("t.jsonl", lines(*rows))]}, follow=True)
    assert page.redirect_chain[-1][0].endswith("#found")
    (draft,) = page.context["drafts"]
    assert [one.role for one in draft.columns] == ["prompt", "model", "text", "group"]
    assert draft.kinds[:2] == [("answers", "Answers of models"), ("topics", "Prompts")]
    assert list(draft.usual) == ["topic", "prompt", "text", "model", "named", "group"]
    assert "winner" in draft.others
    key = draft.row.pk
    wrong = {f"column-{n}": role for n, role in enumerate(("prompt", "", "text", "model"))}
    page = alice.post(address, {"what": "columns", "file": key} | wrong, follow=True)
    assert page.redirect_chain[-1][0].endswith(f"#file-{key}")
    assert "18 of 24 answers are further answers of the same model to the same prompt" in text(page)
    assert "Is “skill” the model?" in text(page)
    assert "Read first what is marked" in text(page)
    right = {f"column-{n}": one.role for n, one in enumerate(draft.columns)}
    said = text(alice.post(address, {"what": "columns", "file": key} | right, follow=True))
    assert "6 prompts, 24 answers of 4 models: ape, bat, cat, dog; 3 groups: law, tea, code" in said
    assert "further answers" not in said
    # What it is can be changed again, and then asks for its columns.
    page = alice.post(address, {"what": "kind", "file": key, "kind": "answers"}, follow=True)
    assert [one.role for one in page.context["drafts"][0].columns] == ["prompt", "model", "text", "group"]
    assert "to fix" not in text(page)
    refused = alice.post(address, {"what": "columns", "file": key})
    assert refused.status_code == 409
    # The form's address leads to what is said.
    assert '<form method="post" action="#said" class="mapping">' in refused.content.decode()
    load_all(alice, study)
    assert Topic.objects.first().groups == {"skill": "law"}


def test_a_table_that_is_not_recognized_is_asked_about_column_by_column(alice):
    study = new_study(alice)
    table = "Frage;System A;System B;Art\n" + "".join(
        f"{p};A sagt zu {p} ja.;B sagt zu {p} nein.;x\n" for p in PROMPTS
    )
    address = reverse("files", args=[study.slug])
    sent = SimpleUploadedFile("t.csv", table.encode())
    page = alice.post(address, {"files": [sent]}, follow=True)
    assert "What is each column?" in text(page)
    # All that it needs was guessed: nothing is wrong with it.
    assert "These look like answers of 2 models. Check the columns" in text(page)
    assert "Look at the columns of 1 file, and press “Use these columns”." in text(page)
    assert not re.search('Not yet|Not recognized|class="wrong"', page.content.decode())
    (draft,) = page.context["drafts"]
    assert [(one.name, one.role) for one in draft.columns] == [
        ("Frage", "prompt"),
        ("System A", "named"),
        ("System B", "named"),
        ("Art", ""),
    ]
    key = draft.row.pk
    html = alice.get(address).content.decode()
    assert "What is each column? What is chosen here was guessed." in text(alice.get(address))
    assert re.findall(r'<th role="rowheader" scope="row"><label[^>]*>([^<]+)', html) == [
        one.name for one in draft.columns
    ]
    roles = {"column-0": "prompt", "column-1": "text", "column-2": "text"}
    refused = alice.post(address, {"what": "columns", "file": key} | roles)
    assert refused.status_code == 409
    assert "Two columns are said to be: answer. Choose" in text(refused)
    # What was chosen is kept, so that one select is changed and not all.
    assert [one.role for one in refused.context["drafts"][0].columns] == ["prompt", "text", "text", ""]
    said = text(alice.post(address, {"what": "columns", "file": key, "column-3": "group"}))
    assert "These columns make no file that is known. Answers need a prompt or its id." in said
    said = text(
        alice.post(address, {"what": "columns", "file": key, "column-0": "prompt", "column-2": "model"})
    )
    assert "Answers need a column of answers." in said
    roles = {"column-0": "prompt", "column-1": "named", "column-2": "named", "column-3": "group"}
    said = text(alice.post(address, {"what": "columns", "file": key} | roles, follow=True))
    assert "6 prompts, 12 answers of 2 models: System-A, System-B" in said
    # What is being chosen is not loaded by the way.
    assert "Load it" in said
    choosing = text(alice.get(f"{address}?columns={key}"))
    assert "Load it" not in choosing
    assert "leave them as they are" in choosing
    load_all(alice, study)
    assert Topic.objects.first().groups == {"Art": "x"}


def test_models_of_a_guessed_column_are_counted_and_a_table_without_a_prompt_is_wrong(alice):
    study = new_study(alice)
    rows = "".join(f"{p};{m};{m} sagt zu {p} ja.\n" for p in PROMPTS for m in MODELS)
    said = files_page(alice, study, long=f"Frage;Wer;Text dazu\n{rows}".encode())
    assert "These look like answers of 3 models. Check the columns" in said
    said = files_page(alice, study, bad=b"alpha;beta\n1;2\n")
    assert "Not yet" in said
    assert "Look at the columns of 1 file, and press “Use these columns”. Say what 1 file is." in said
    assert "Not recognized" in said


def test_lines_of_a_guessed_table_are_mended_before_its_columns_are_asked_about(alice):
    study = new_study(alice)
    rows = "".join(f"{p};A sagt zu {p} ja.;B sagt zu {p} nein.\n" for p in PROMPTS)
    table = f"Frage;System A;System B\nWarum?\nWie?;So geht es.\nWas?;a b;c d;e f\n{rows}"
    said = files_page(alice, study, t=table.encode())
    assert "These look like answers of 2 models" in said
    assert "3 things to fix:" in said
    for line, has in ((2, "1 cell"), (3, "2 cells"), (4, "4 cells")):
        assert f"t.csv, line {line}: it has {has}; the header has 3" in said
    assert "Fix 1 file and drop it again, or remove it. Nothing" in said
    assert "What is each column?" not in said
    said = files_page(alice, study, t=f"Frage;System A;System B\n{rows}".encode())
    assert "What is each column?" in said
    assert "to fix" not in said


def test_an_import_that_fails_leaves_no_prompt_behind(alice, monkeypatch):
    study = new_study(alice)
    drop(alice, study, first=lines({"prompt": "Kept?", "model": "ape", "answer": "Yes."}))
    load_all(alice, study)

    def fails(*args):
        raise RuntimeError

    drop(alice, study, answers=lines(*ANSWERS))
    monkeypatch.setattr("collection.upload.record_store._stage_ranking", fails)
    with pytest.raises(RuntimeError):
        load_all(alice, study)
    assert Import.objects.latest("pk").state == Import.State.REFUSED
    assert list(Topic.objects.values_list("text", flat=True)) == ["Kept?"]
    assert Item.every.count() == 1


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


def test_the_command_that_loads_answers_says_that_their_votes_are_not_loaded(alice, tmp_path):
    study = loaded(alice)
    path = tmp_path / "votes.csv"
    path.write_text("prompt,model_a,model_b,response_a,response_b,winner\nWhy?,ape,bat,Yes.,No.,model_a\n")
    said = io.StringIO()
    call_command("load", study.slug, "answers", str(path), stdout=said)
    assert "its votes are not loaded. To load them too: manage.py load" in said.getvalue()
    assert f"{study.slug} judgments votes.csv" in said.getvalue()
    said = io.StringIO()
    call_command("load", study.slug, "judgments", str(path), stdout=said)
    assert "1 judgment" in said.getvalue()
    assert "votes are not loaded" not in said.getvalue()


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


def files_page(client, study, **sent: bytes) -> str:
    """Drop CSV files, and return the page that follows."""
    given = [SimpleUploadedFile(f"{name}.csv", content) for name, content in sent.items()]
    return text(client.post(reverse("files", args=[study.slug]), {"files": given}, follow=True))


def test_rows_without_a_model_a_prompt_or_an_answer_are_named_before_anything_is_loaded(alice):
    study = new_study(alice)
    said = files_page(alice, study, bad=b"prompt,model,answer\nWhy?,a,x\nNew one,,z\n,b,y\nHow?,b,\n")
    assert "bad.csv, line 3: the model is empty" in said
    assert "bad.csv, line 4: there is neither a prompt nor its id" in said
    assert "Load it" not in said
    pending_uploads.remove(study, pending_uploads.of(study)[0].pk)
    said = files_page(alice, study, good=b"prompt,model,answer\nWhy?,a,x\nHow?,b,\n")
    assert "1 answer is empty, and is judged as such: b to p2 (line 3)" in said


def test_what_a_file_is_said_to_hold_does_not_depend_on_one_beside_it_that_cannot_be_read(alice):
    study = loaded(alice)
    content = f"prompt,model,answer\nNew one,ape,z\n{PROMPTS[0]},dog,\n".encode()
    [(_, alone)] = findings(alice, study, more=content)
    beside = dict(findings(alice, study, other=b"alpha;beta\n;\n"))
    assert beside["more.csv"].counts == alone.counts == "2 prompts, 2 answers of 2 models: ape, dog"
    assert beside["more.csv"].rows == alone.rows
    assert alone.rows[1].startswith(f"p1: {PROMPTS[0]} dog:")
    assert alone.doubts
    assert beside["more.csv"].doubts == [*alone.doubts, "Not yet held against other.csv"]


def findings(client, study, **sent: bytes):
    """Drop CSV files beside those that are there, and return what was found in each, by name."""
    files_page(client, study, **sent)
    return [(row.name, found) for row, found in dry_run.look_over(study, pending_uploads.of(study))]


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


def test_a_draft_is_looked_over_by_the_job_too(alice):
    """Large files are read aside: what somebody said of their columns goes with them."""
    study = new_study(alice)
    content = ContentFile(b"Frage;A 1\nWarum?;Darum, sage ich.\n", name="t.csv")
    pending_uploads.add(study, [content])
    (row,) = pending_uploads.of(study)
    assert pending_uploads.set_columns(study, row.pk, {"Frage": "prompt", "A 1": "named"})
    jobs.look_over()
    (row,) = pending_uploads.of(study)
    assert (row.kind, row.summary) == ("answers", "1 prompt, 1 answer of 1 model: A-1")


def test_before_loading_it_is_said_which_names_are_changed_or_taken(alice):
    study = new_study(alice)
    drop(alice, study, answers=lines(*ANSWERS))
    load_all(alice, study)
    names = ("ape", "GPT 4", "GPT-4", "Claude 3")
    page = drop(
        alice, study, more=lines(*({"prompt": "Why 1?", "model": m, "answer": f"{m}!"} for m in names))
    )
    assert "“GPT 4” and “GPT-4” are loaded as one model, GPT-4." in page
    assert "the model “Claude 3” is loaded as Claude-3" in page
    assert "already, which these take the place of: ape (1)." in page
    page = drop(alice, study, odd=random.Random(1).randbytes(500))
    assert "Not recognized the file is no text: its bytes are no letters." in page


def test_a_blank_that_a_name_loses_is_a_note_and_no_doubt(alice):
    study = new_study(alice)
    rows = "".join(f"{p},{m},{m} says\n" for p in PROMPTS for m in ("GPT 4", "ape"))
    said = files_page(alice, study, t=f"prompt,model,answer\n{rows}".encode())
    assert "Ready to load, with doubts" not in said
    assert "All files fit together" in said
    assert "Names have no blanks: the model “GPT 4” is loaded as GPT-4" in said
    (found,) = [found for _, found in findings(alice, study)]
    assert found.doubts == []
    load_all(alice, study)
    assert "Names have no blanks" in text(alice.get(reverse("files", args=[study.slug])))


def test_while_files_are_loaded_one_place_says_so_and_afterwards_none(alice):
    study = new_study(alice)
    drop(alice, study, answers=lines(*ANSWERS))
    address = reverse("files", args=[study.slug])
    said = text(alice.post(address, {"what": "load"}, follow=True))
    assert said.count("being loaded") == 1
    assert "1 file is being loaded." in said
    load_all(alice, study)
    assert "being loaded" not in text(alice.get(address))
