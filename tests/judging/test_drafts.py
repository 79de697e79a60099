"""Files that are dropped all at once: what each is taken for, what is found, and what is loaded then."""

import gzip
import json
from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from collection import jobs
from collection.models import Grade, Import, Item, Run, Topic
from collection.upload import loading, pending_uploads, record_store
from collection.upload.kinds import CannotLoad
from config.task_queue import SweepFailed
from tests.formats.pictures import picture, zipped
from tests.formats.workbooks import workbook
from tests.judging.files import stored_files
from tests.judging.organizing import logged_in, queries, staff_of, text
from tests.makers import make_study, open_study
from tournament import services

pytestmark = pytest.mark.django_db

# The list of steps before opening, in the navigation.
STEPS = '<ol class="tabs way"'
TOPICS = b"\xef\xbb\xbfqid,query\r\nq1,Which one?\r\nq2,What next?\r\n"
ITEMS = json.dumps(
    [{"docno": f"d{n}", "topic": f"q{1 + n % 2}", "text": f"Text {n}"} for n in range(6)]
).encode()
QRELS = b"".join(b"q%d 0 d%d %d\r\n" % (1 + n % 2, n, n % 3) for n in range(6))
VOTES = b"topic,docno_a,docno_b,winner,assessor\nq1,d0,d2,d0,ann\n"
GRADED = b"".join(b"q1 0 d%d 1\n" % n for n in range(20))
RUN = b"".join(b"q%d Q0 d%d %d %d bm25\n" % (1 + n % 2, n, 1 + n // 2, 9 - n) for n in range(6))


@pytest.fixture
def study():
    return staff_of(make_study(topics=0, name="Mine", slug="mine"))


@pytest.fixture
def alice():
    return logged_in("alice")


def address(study) -> str:
    return reverse("files", args=[study.slug])


def drop(study, alice, **files) -> str:
    sent = [SimpleUploadedFile(name.replace("_", "."), content) for name, content in files.items()]
    return text(alice.post(address(study), {"files": sent}, follow=True))


def draft(study, name: str) -> Import:
    return next(row for row in pending_uploads.of(study) if row.name == name)


def test_all_files_at_once_in_any_order_are_recognized_shown_and_loaded_together(study, alice):
    said = drop(study, alice, bm25_run=gzip.compress(RUN), labels_txt=QRELS, p_json=ITEMS, t_csv=TOPICS)
    assert [row.kind for row in pending_uploads.of(study)] == ["topics", "items", "qrels", "run"]
    for told in (
        "2 topics",
        "6 items for 2 topics",
        "6 grades",
        "run bm25: 2 topics",
        "All files fit together",
    ):
        assert told in said
    assert "q1: Which one?" in said
    assert not Topic.objects.exists()
    alice.post(address(study), {"what": "load"})
    again = alice.post(address(study), {"what": "load"}, follow=True)
    assert STEPS in again.content.decode()
    while loading.run_next():
        pass
    assert {row.state for row in Import.objects.all()} == {"done"}
    assert list(Topic.objects.values_list("name", "text")) == [("q1", "Which one?"), ("q2", "What next?")]
    assert (Item.objects.count(), Grade.objects.count(), Run.objects.get().name) == (6, 6, "bm25")
    assert not pending_uploads.of(study)
    services.start(study.pk)


def test_what_a_file_tells_of_topics_besides_their_texts_is_said(study, alice):
    head = "id,text,description,category,weight\n"
    said = drop(study, alice, t_csv=f"{head}q1,Which?,Says more.,code,2\nq2,What?,,home,1\n".encode())
    assert "2 topics; 2 groups: code, home; descriptions; weights" in said
    assert "the columns id, text, description, category, weight" in said
    said = drop(study, alice, t_csv=b"qid,text,category,language\nq1,Which?,code,en\nq2,What?,home,en\n")
    assert "2 topics; 2 kinds of group: category, language" in said


def test_second_answers_of_a_judge_to_a_pair_are_said(study, alice):
    votes = b"topic,docno_a,docno_b,winner,judge\nq1,d0,d2,d0,ann\nq1,d2,d0,d0,ann\nq1,d0,d2,d2,ben\n"
    said = drop(study, alice, t_csv=TOPICS, p_json=ITEMS, votes_csv=votes)
    assert "1 second or later answer of a judge to a pair is counted too" in said


def test_one_bad_file_keeps_all_from_being_loaded_and_its_mistakes_are_gathered(study, alice):
    bad = RUN + b"".join(b"q9 Q0 d%d %d 1 bm25\n" % (n, 50 + n) for n in range(40))
    said = drop(study, alice, t_csv=TOPICS, p_json=ITEMS, bm25_run=bad)
    said = said.replace("&quot;", '"')
    assert '40 times, first: unknown topic "q9"; load it with the topics first (lines 7, 8, 9, ...)' in said
    assert "Fix 1 file" in said
    assert "Load all" not in said
    assert "fix or remove" in text(alice.post(address(study), {"what": "load"}, follow=True))
    assert not Topic.objects.exists()
    row = draft(study, "bm25.run")
    said = text(alice.post(address(study), {"what": "drop", "file": row.pk}, follow=True))
    assert "Load all 2" in said
    assert row.file not in stored_files()


def test_votes_that_are_kept_for_later_say_what_to_fix_and_stay_kept_when_they_are_mended(study, alice):
    drop(study, alice, t_csv=TOPICS, p_json=ITEMS, v_csv=VOTES + b"q1,d0,d2,d9,ann\n")
    row = draft(study, "v.csv")
    said = text(alice.post(address(study), {"what": "later", "file": row.pk}, follow=True))
    assert "The other files fit together" in said
    assert "1 that is kept for later has something to fix." in said
    drop(study, alice, v_csv=VOTES)
    assert pending_uploads.is_kept(draft(study, "v.csv"))
    assert "All files fit together" in text(alice.get(address(study)))


def test_what_does_not_fit_the_other_files_is_told_and_keeps_nothing_from_being_loaded(study, alice):
    run = RUN + b"q1 Q0 unknown 9 0.5 bm25\n"
    items = b'[{"docno": "d0", "topic": "q1", "text": "x"}]'
    said = drop(
        study, alice, t_csv=TOPICS, p_json=items, bm25_run=run.replace(b"q2 ", b"q1 "), l_txt=b"q1 0 d7 1\n"
    )
    assert "1 topic has no item: q2" in said
    assert "1 graded docno has no item, so nobody can be shown it: d7 of q1" in said
    assert "1 topic is not ranked, and scores 0: q2" in said
    assert "ranked docnos have no item" in said
    assert "Load all 4" in said


def test_what_is_ambiguous_or_unknown_is_asked_and_never_guessed(study, alice):
    pairs = b"q1 d0 d2 d0\n"
    said = drop(
        study, alice, t_csv=TOPICS, p_json=ITEMS, pairs_txt=pairs, odd_txt=b"just words\n", none_txt=b""
    )
    assert "Say what 3 files are." in said
    assert "answers that people gave, or pairs with a known answer" in said
    assert "the file is empty" in said
    row = draft(study, "pairs.txt")
    said = text(
        alice.post(address(study), {"what": "kind", "file": row.pk, "kind": "challenges"}, follow=True)
    )
    assert "Say what 2 files are." in said
    assert "1 challenge" in said


def test_a_wrong_kind_shows_what_is_wrong_and_can_be_changed_back(study, alice):
    drop(study, alice, t_csv=TOPICS)
    row = draft(study, "t.csv")
    said = text(alice.post(address(study), {"what": "kind", "file": row.pk, "kind": "qrels"}, follow=True))
    assert "to fix" in said
    for kind in ("images", "no", ""):
        alice.post(address(study), {"what": "kind", "file": row.pk, "kind": kind})
        assert draft(study, "t.csv").kind == "qrels"
    assert "2 topics" in text(
        alice.post(address(study), {"what": "kind", "file": row.pk, "kind": "topics"}, follow=True)
    )


def test_a_sheet_of_notes_is_left_out_and_holds_nothing_up(study, alice):
    sheets = {"Topics": [["topic", "text"], ["q1", "Rain"]], "Notes": [["About"], ["by hand"]]}
    said = drop(study, alice, t_xlsx=workbook(**sheets))
    assert "All files fit together" in said
    assert "1 file can be loaded." in said
    assert "It is left out when the others are loaded, unless you say what it is" in said
    alice.post(address(study), {"what": "load"})
    assert pending_uploads.of(study) == []
    assert [row.kind for row in Import.objects.filter(study=study)] == ["topics"]
    # Where no sheet is recognized, it is asked what each is.
    unknown = workbook(A=[["About"], ["x"]], B=[["Of"], ["y"]])
    assert "Say what 2 files are." in drop(study, alice, n_xlsx=unknown)


def test_the_same_file_twice_is_named(study, alice):
    assert "the same file is here twice. Remove one of them." in drop(
        study, alice, a_csv=TOPICS, b_csv=TOPICS
    )


def test_topics_that_are_not_loaded_can_be_left_out(study, alice):
    """Runs and grades of a whole track, for a study that has some of its topics."""
    track = RUN + b"".join(b"q%d Q0 x 1 1 bm25\n" % n for n in range(9, 15))
    said = drop(study, alice, t_csv=TOPICS, p_json=ITEMS, bm25_run=track, l_txt=QRELS + b"q9 0 x 1\n")
    assert said.count("Leave out topics that are not loaded of ") == 2
    assert "Leave out topics that are not loaded, of 2 files" in said
    said = text(alice.post(address(study), {"what": "leave-out-all"}, follow=True))
    assert "6 topics that are not loaded left out: q9, q10, q11, ..." in said
    assert "1 topic that is not loaded left out: q9" in said
    assert "Load all 4" in said
    alice.post(address(study), {"what": "load"})
    while loading.run_next():
        pass
    assert not Import.objects.exclude(state="done").exists()
    assert Import.objects.get(kind="run").summary.endswith("left out: q9, q10, q11, ...")
    assert (Run.objects.get().topics, Grade.objects.count(), Topic.objects.count()) == (2, 6, 2)
    assert not Item.objects.filter(docno="x").exists()


def test_what_is_left_out_is_taken_in_again_and_nothing_but_others_is_told(study, alice):
    drop(study, alice, t_csv=TOPICS, p_json=ITEMS, bm25_run=b"q9 Q0 x 1 1 bm25\n")
    key = draft(study, "bm25.run").pk
    said = text(alice.post(address(study), {"what": "leave-out", "file": key}, follow=True))
    assert "None of the topics in this file is loaded." in said
    assert not pending_uploads.ready(pending_uploads.of(study))
    said = text(alice.post(address(study), {"what": "take-all", "file": key}, follow=True))
    assert "unknown topic &quot;q9&quot;" in said
    other = make_study(topics=0, name="Other", slug="other")
    assert not pending_uploads.leave_out(other, key, wanted=True)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("q1\tWhich?\n".encode("utf-16"), "1 topic"),
        (b"q1 0 d0 1\nq1 0 d1 2\nq1 0 d2 high\nq1 0 d3 0\n", "Grades (qrels)"),
        (b"q1\tWh\xffch?\n", "not UTF-8"),
        (b"q1\tWhich?\n\nq2\tWhat?\n", "the line is empty"),
        (b'topic,text\nq1,"Which?\n', "Topics"),
    ],
)
def test_hard_files_are_told_about_in_words(study, alice, content, said):
    assert said in drop(study, alice, t_txt=content)


def test_pictures_come_in_a_zip(alice):
    study = staff_of(make_study(topics=0, kind="image", name="Pictures", slug="pictures"))
    said = drop(
        study, alice, t_csv=TOPICS, p_zip=zipped({"q1/a.png": picture(), "q1/b.png": picture(size=(9, 9))})
    )
    assert "2 items for 1 topic" in said
    assert "1 topic has no item: q2" in said
    assert "Passages do not fit" in drop(study, alice, p_json=ITEMS)


def test_folders_of_pictures_are_the_topics_of_a_study_without_any(alice):
    study = staff_of(make_study(topics=0, kind="image", name="Pictures", slug="pictures"))
    other = picture(size=(9, 9))
    files = {"red bicycle/a.png": picture(), "red bicycle/b.png": other, "sea/a.png": picture()}
    said = drop(study, alice, p_zip=zipped(files))
    assert "The study has no topics: each folder becomes one, 2 in all: red bicycle, sea" in said
    assert "3 items for 2 topics" in said
    assert not study.topics.exists()
    alice.post(address(study), {"what": "load"})
    while loading.run_next():
        pass
    assert dict(study.topics.values_list("name", "text")) == {"red_bicycle": "red bicycle", "sea": "sea"}
    assert Item.objects.filter(topic__study=study).count() == 3
    drop(study, alice, more_zip=zipped({"sky/a.png": picture(size=(5, 5))}))
    assert 'unknown topic "sky"' in draft(study, "more.zip").problems[0]


def test_topics_of_an_import_that_fails_go_with_it(monkeypatch):
    """Its pictures are hidden until the end; its topics are seen at once."""
    study = staff_of(make_study(topics=0, kind="image", name="Pictures", slug="pictures"))

    def fails(*_, **__):
        raise CannotLoad("the disk is full")

    monkeypatch.setattr(record_store, "stage_images", fails)
    row = loading.begin(study, "images", "p.zip", ContentFile(zipped({"sea/a.png": picture()}), "p.zip"), {})
    while loading.run_next():
        pass
    row.refresh_from_db()
    assert row.state == Import.State.REFUSED
    assert not study.topics.exists()


@pytest.mark.parametrize(
    "content", [zipped({"in/p.zip": zipped({"sea/a.png": picture()})}), bytes(range(256)) * 9]
)
def test_what_is_no_text_has_no_columns_to_name(study, alice, content):
    said = drop(study, alice, odd_zip=content)
    assert "Not recognized" in said
    assert "What is each column?" not in said


def test_columns_that_cannot_be_guessed_are_named_on_the_page(study, alice):
    said = drop(study, alice, odd_csv=b"identifier,body,thing\n1,hello,x\n2,bye,y\n")
    assert "the columns identifier, body, thing. Say below what each column is, and press" in said
    assert "What is each column?" in said
    assert "rename them" not in said


@pytest.mark.parametrize(("content", "loses"), [(TOPICS, False), (b"q1\tWhich one?\nq2\tWhat next?\n", True)])
def test_who_names_columns_of_a_file_without_a_head_is_told_that_its_first_line_is_lost(
    study, alice, content, loses
):
    drop(study, alice, t_tsv=content)
    page = text(alice.get(address(study), {"columns": draft(study, "t.tsv").pk}))
    assert "What is each column?" in page
    assert ("The first line is taken as their names" in page) == loses


def test_large_files_are_looked_over_by_a_job(study, alice, monkeypatch):
    monkeypatch.setattr(pending_uploads, "AT_ONCE", 1)
    said = drop(study, alice, t_csv=TOPICS)
    assert "This page updates by itself" in said
    assert alice.get(address(study))["Retry-After"]
    jobs.look_over()
    assert "All files fit together" in text(alice.get(address(study)))


def test_while_judging_is_open_only_further_topics_fit(alice):
    study = staff_of(open_study(make_study(topics=1)))
    said = drop(study, alice, t_txt=b"t1\tAnother text\nnew\tA new one?\n")
    assert "is open for judging, so its text stands still" in said
    pending_uploads.remove(study, draft(study, "t.txt").pk)
    said = drop(
        study, alice, t_txt=b"new\tA new one?\n", i_json=b'[{"docno": "x", "topic": "new", "text": "T"}]'
    )
    assert "Load all 2" in said


def test_further_runs_come_while_judging_is_open(alice):
    study = staff_of(open_study(make_study(topics=1)))
    [topic] = Topic.objects.filter(study=study)
    docno = topic.items.order_by("pk").first().docno
    said = drop(study, alice, r_run=f"{topic.name} Q0 {docno} 1 2.5 late\n".encode())
    assert "run late: 1 topic" in said
    assert "Load it" in said


def test_a_few_mistaken_lines_hide_neither_what_a_file_is_nor_where_they_are(study, alice):
    said = drop(study, alice, t_csv=TOPICS, p_json=ITEMS, qrels_txt=GRADED + b"q1 0 d20 high\n")
    assert "Grades (qrels)" in said
    assert "most lines: four fields, the last a number" in said
    assert "line 21: the grade &quot;high&quot; is not a finite number" in said


def test_other_separators_are_recognized_and_named(study, alice):
    said = drop(study, alice, t_csv=b"1;Which one?\n2;What next?\n", r_run=RUN.replace(b" ", b","))
    assert "an id, a tab and a text: topics, with semicolons where a tab is expected" in said
    assert "a TREC run, with commas where spaces or tabs are expected" in said


def test_while_the_topics_cannot_be_read_no_line_of_another_file_is_called_unknown(study, alice):
    said = drop(study, alice, t_csv=b"q1,no tab\nq2,none here\n", p_json=ITEMS, bm25_run=RUN, l_txt=QRELS)
    assert "unknown topic" not in said
    assert "6 items for 2 topics" in said
    assert said.count("Not yet held against t.csv") == 3
    assert not pending_uploads.ready(pending_uploads.of(study))
    said = drop(study, alice, t_csv=TOPICS)
    assert "replaces the file that had errors" in said
    assert "Load all 4" in said
    assert "Not yet held" not in said


def test_without_any_topics_one_sentence_says_so(study, alice):
    said = drop(study, alice, p_json=ITEMS, bm25_run=RUN)
    assert said.count("There are no topics yet. Drop the file of topics too") == 2
    assert "unknown topic" not in said


def test_a_file_that_fits_is_not_replaced_by_another_of_its_name(study, alice):
    drop(study, alice, t_csv=TOPICS, p_json=ITEMS, input_run=RUN)
    drop(study, alice, input_run=RUN.replace(b"bm25", b"dense"))
    assert [row.name for row in pending_uploads.of(study)].count("input.run") == 2
    assert pending_uploads.ready(pending_uploads.of(study))


def test_two_runs_of_one_name_are_told_since_one_would_replace_the_other(study, alice):
    other = RUN.replace(b" d0 ", b" d9 ")
    said = drop(study, alice, t_csv=TOPICS, p_json=ITEMS, a_run=RUN, b_run=other)
    assert "b.run: the run “bm25” is in a.run too, and one would replace the other" in said
    assert not pending_uploads.ready(pending_uploads.of(study))


def test_topics_that_two_files_hold_are_told(study, alice):
    said = drop(study, alice, a_txt=b"q1\tOne?\nq2\tTwo?\n", b_txt=b"q2\tAnother?\nq3\tThree?\n")
    assert "1 topic is in another of these files too, and takes the text of this one: q2" in said


HOSTILE = [
    pytest.param(b"[" * 100_000, id="deep"),
    pytest.param(b'[{"docno": "d", "topic": "q1", "x": ' + b"[" * 30_000, id="deep-in-an-object"),
    pytest.param(b'[{"docno": "d", "topic": "q1", "text": "t"}, {"x": ' + b"9" * 5000 + b"}]", id="digits"),
    pytest.param(
        b'{"docno": "d", "topic": "q1", "text": "t"}\n{"docno": ' + b"9" * 5000 + b"}\n",
        id="digits-in-a-line",
    ),
    pytest.param(
        b'{"docno": "d", "topic": "q1", "text": "t"}\n{"docno": ' + b"[" * 50_000 + b"\n", id="deep-line"
    ),
]


@pytest.mark.parametrize("content", HOSTILE)
def test_hostile_json_is_named_and_can_be_removed(study, alice, content):
    said = drop(study, alice, t_csv=TOPICS, p_json=content)
    assert "p.json" in said
    assert not pending_uploads.ready(pending_uploads.of(study))
    alice.post(address(study), {"what": "drop", "file": draft(study, "p.json").pk})
    assert "All files fit together" in text(alice.get(address(study)))


def test_a_study_whose_files_cannot_be_looked_over_holds_up_no_other(study, alice, monkeypatch):
    monkeypatch.setattr(pending_uploads, "AT_ONCE", 1)
    drop(study, alice, t_csv=TOPICS)
    other = staff_of(make_study(topics=0, name="Other", slug="other"))
    drop(other, alice, t_csv=TOPICS)
    look = pending_uploads.look_over

    def fails_for_one(study_id: int) -> int:
        if study_id == study.pk:
            raise RuntimeError("this one cannot be read")
        return look(study_id)

    monkeypatch.setattr(pending_uploads, "look_over", fails_for_one)
    with pytest.raises(SweepFailed):
        jobs.look_over()
    assert "All files fit together" in text(alice.get(address(other)))


def test_leaving_and_coming_back_loses_nothing_and_old_drafts_are_dropped(study, alice):
    drop(study, alice, t_csv=TOPICS)
    assert "2 topics" in text(logged_in("alice").get(address(study)))
    assert not list(study.imports.exclude(state="draft"))
    assert pending_uploads.drop_old() == 0
    Import.objects.update(created_at=timezone.now() - timedelta(days=8))
    name = draft(study, "t.csv").file
    assert pending_uploads.drop_old() == 1
    assert not default_storage.exists(name)


def test_a_file_that_is_gone_is_told(study, alice):
    pending_uploads.add(study, [ContentFile(TOPICS, name="t.csv")])
    default_storage.delete(draft(study, "t.csv").file)
    assert "The file is gone. Choose it again." in text(alice.get(address(study)))


def test_nothing_chosen_and_too_many(study, alice, monkeypatch):
    from web.organizer.files import multi_upload

    assert "Choose at least one file first." in text(alice.post(address(study), {}, follow=True))
    monkeypatch.setattr(multi_upload, "MOST_FILES", 1)
    assert "At most 1 files" in drop(study, alice, a_csv=TOPICS, b_json=ITEMS)


def test_another_studys_drafts_are_not_touched(study, alice):
    other = make_study(topics=0, name="Other", slug="other")
    pending_uploads.add(other, [ContentFile(TOPICS, name="t.csv")])
    key = draft(other, "t.csv").pk
    alice.post(address(study), {"what": "drop", "file": key})
    alice.post(address(study), {"what": "kind", "file": key, "kind": "qrels"})
    assert draft(other, "t.csv").kind == "topics"


def test_the_page_takes_as_many_queries_for_many_files(study, alice):
    drop(study, alice, t_csv=TOPICS)
    few = queries(alice, address(study))
    drop(study, alice, p_json=ITEMS, **{f"r{n}_run": RUN.replace(b"bm25", b"r%d" % n) for n in range(9)})
    assert queries(alice, address(study)) == few


def test_the_way_from_files_to_judging_is_shown_until_it_is_open(study, alice):
    for name in ("files", "study-settings", "people", "study", "tournament-start"):
        page = alice.get(reverse(name, args=[study.slug]))
        assert STEPS in page.content.decode(), name
    assert STEPS in logged_in("anna", is_staff=True).get(reverse("study-new")).content.decode()
    open_study(make_study())
    study.opened_at = timezone.now()
    study.save()
    assert STEPS not in alice.get(address(study)).content.decode()
