"""Files of models' answers and votes: what is recognized, asked about, said before loading, and loaded."""

import io
import random
import re

import pytest
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from collection import jobs
from collection.models import Import, Item, Run, Topic
from collection.upload import pending_uploads
from judging.models import Judgment
from prefir.formats import split_turns
from tests.judging.model_answers import (
    ANSWERS,
    MODELS,
    PROMPTS,
    alice,
    drop,
    files_page,
    findings,
    lines,
    load_all,
    loaded,
    new_study,
)
from tests.judging.organizing import text

__all__ = ["alice"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]


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
