"""Loading files into a study: the right rows of every kind, all or nothing, and what stands still."""

import io
import re

import pytest
from PIL import Image

from collection.models import Grade, Import, Item, Placement, Run, Study
from collection.upload import loading
from collection.upload.loading import CannotLoad
from judging.models import Assignment, Judgment, Question
from prefir.formats import BadFile
from tests.formats.pictures import picture, zipped
from tests.judging.files import IMAGE_KINDS, everything, stored_files, with_runs
from tests.makers import Choice, docnos, make_study, open_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]


# Each kind: the rows it makes


def test_topics_are_added_and_known_ones_get_the_new_text(load, passages):
    assert load(passages, "topics", "t1\tNew text?\nt3\tThree?\n") == "2 topics"
    texts = dict(passages.topics.values_list("name", "text"))
    assert texts == {"t1": "New text?", "t2": "Which one for 2?", "t3": "Three?"}


def test_passages_are_added_and_known_ones_get_the_new_text(load, passages):
    load(
        passages,
        "items",
        '{"docno":"d1","topic":"t1","text":"New."}\n{"docno":"d1","topic":"t2","text":"Own."}\n',
    )
    items = {(i.topic.name, i.docno): i.text for i in Item.objects.select_related("topic")}
    assert items[("t1", "d1")] == "New."
    assert items[("t2", "d1")] == "Own."
    assert len(items) == 4


def test_grades_are_added_replaced_and_bring_in_items_of_which_only_the_docno_is_known(load, passages):
    load(passages, "qrels", "t1 0 d1 3\nt2 0 new 0\n")
    load(passages, "qrels", "t1 0 d1 2\n")
    graded = {(g.item.topic.name, g.item.docno, g.item.text): g.value for g in Grade.objects.all()}
    assert graded == {("t1", "d1", "Text of d1"): 2, ("t2", "new", ""): 0}


def test_a_run_is_ordered_by_score_and_one_of_the_same_name_is_replaced(load, passages):
    load(passages, "run", "t1 Q0 d1 1 0.5 bm25\nt1 Q0 d2 2 0.7 bm25\nt2 Q0 new 1 1 bm25\n")
    ranks = Placement.objects.order_by("topic__name", "rank")
    assert list(ranks.values_list("item__docno", "rank")) == [("d2", 1), ("d1", 2), ("new", 1)]
    load(passages, "run", "t1 Q0 d3 1 0.5 bm25\n")
    assert list(ranks.values_list("run__name", "item__docno")) == [("bm25", "d3")]
    assert Run.objects.count() == 1


@pytest.mark.parametrize(("ties", "first"), [("descending", "d2"), ("ascending", "d1"), ("rank", "d1")])
def test_equal_scores_of_a_run_are_ordered_as_the_options_say(load, passages, ties, first):
    load(passages, "run", "t1 Q0 d1 1 1.0 r\nt1 Q0 d2 2 1.0 r\n", options={"ties": ties})
    assert Placement.objects.get(rank=1).item.docno == first


def test_a_grid_is_a_run_named_by_its_file_whose_items_stand_in_cells(load, pictures):
    load(
        pictures,
        "grid",
        "topic\tdocno\trow\tcolumn\nt1\td2\t0\t0\nt1\td1\t0\t1\nt1\td3\t1\t0\n",
        file="s.grid",
    )
    cells = Placement.objects.order_by("rank").values_list("item__docno", "row", "column", "row_length")
    assert list(cells) == [("d2", 0, 0, 2), ("d1", 0, 1, 2), ("d3", 1, 0, 1)]
    assert Run.objects.get().name == "s"


def test_a_grid_takes_the_name_that_was_given(load, pictures):
    load(pictures, "grid", "topic\tdocno\trow\tcolumn\nt1\td2\t0\t0\n", options={"name": "mine"})
    assert Run.objects.get().name == "mine"


def test_challenges_give_pairs_a_known_answer(load, passages):
    load(passages, "challenges", "t1 d2 d1 d2\nt1 d1 d3 d1\n")
    found = [(*docnos(q), q.expected, q.wanted) for q in Question.objects.all()]
    assert set(found) == {("d1", "d2", Choice.B, 0), ("d1", "d3", Choice.A, 0)}


def test_recorded_judgments_are_rows_of_the_ledger_under_their_label_and_source(load, passages):
    said = load(passages, "judgments", "t1 d2 d1 d2 ann\nt1 d1 d3 tie bob\n", file="old.txt")
    assert said == "2 judgments of 2 pairs for 1 topic"
    rows = [
        (*docnos(j.question), j.value, j.assignment.assessor.label, j.assignment.source, j.shown)
        for j in Judgment.objects.order_by("pk")
    ]
    assert rows == [
        ("d1", "d2", Choice.B, "ann", "old.txt", ""),
        ("d1", "d3", Choice.TIE, "bob", "old.txt", ""),
    ]
    assert {a.state for a in Assignment.objects.all()} == {Assignment.State.KEPT}


def test_the_image_data_set_brings_topics_grids_judgments_and_grades(load):
    """Two queries; Sogou's engine number is 0; the left image was a's; -2 is a definite left."""
    study = make_study(topics=0, kind=Study.Kind.IMAGE)
    load(study, "xie-positions", '{"q1": {"0": {"0": [0, 0, 1]}, "1": {"0": [0, 0, 1]}}}')
    assert dict(Placement.objects.values_list("run__name", "item__docno")) == {
        "sogou": "sogou/q1_0.jpg",
        "baidu": "baidu/q1_0.jpg",
    }
    load(study, "xie-judgments", "Query\tPair\ta\tb\tc\nq1\tbaidu/q1_0.jpg,sogou/q1_0.jpg\t-2\t0\t1\n")
    order = "01" if docnos(Question.objects.get())[0].startswith("baidu") else "10"
    rows = Judgment.objects.order_by("pk").values_list("value", "shown")
    # Towards the left image, definitely; neither; towards the right one.
    assert list(rows) == [(2, order), (0, order), (-1, order)]
    load(study, "xie-relevance", "Query\tImage\tScore\nq1\tbaidu/q1_0.jpg\t59.0\n")
    assert Grade.objects.get().value == 59


def test_pictures_from_a_zip_are_kept_under_names_of_our_own(load, pictures):
    content = zipped(
        {"t1/d1.png": picture(size=(4, 3)), "t2/../t2/x.jpg": b""} | {"t2/new.jpg": picture("JPEG")}
    )
    with pytest.raises(BadFile):
        load(pictures, "images", content)
    load(pictures, "images", zipped({"t1/d1.png": picture(size=(4, 3)), "t2/new.jpg": picture("JPEG")}))
    item = Item.objects.get(docno="d1")
    assert (item.width, item.height) == (4, 3)
    assert item.image.read() == picture(size=(4, 3))
    assert stored_files() == sorted(Item.objects.exclude(image="").values_list("image", flat=True))
    assert all(re.fullmatch(r"studies/\d+/[0-9a-f]{32}\.(png|jpe?g)", name) for name in stored_files())


def test_pictures_from_a_folder_are_the_same(pictures, tmp_path):
    files = {"d1.png": picture(size=(4, 3)), "d2.jpg": picture("JPEG", size=(2, 5))}
    (tmp_path / "shots" / "t1").mkdir(parents=True)
    for name, content in files.items():
        (tmp_path / "shots" / "t1" / name).write_bytes(content)
    assert loading.load(pictures, "images", tmp_path / "shots").summary == "2 images for 1 topic"
    items = Item.objects.exclude(image="").order_by("docno")
    assert [(item.docno, item.width, item.height, item.image.read()) for item in items] == [
        ("d1", 4, 3, files["d1.png"]),
        ("d2", 2, 5, files["d2.jpg"]),
    ]
    assert stored_files() == sorted(item.image.name for item in items)


def test_pictures_are_stored_without_what_their_files_say_besides(load, pictures):
    """Cameras write places into them, and collections the name of the run that a picture came from."""
    exif = Image.Exif()
    exif[0x010E], exif[0x0112] = "run=bm25 grade=3", 6
    load(pictures, "images", zipped({"t1/d1.jpg": picture("JPEG", size=(40, 30), exif=exif)}))
    item = Item.objects.get(docno="d1")
    assert (item.width, item.height) == (30, 40)
    stored = item.image.read()
    assert b"bm25" not in stored
    assert dict(Image.open(io.BytesIO(stored)).getexif()) == {0x0112: 6}


# All or nothing


BAD = {
    "topics": ("t3\tThree?\nno tab here\n", ["line 2"]),
    "items": ('{"docno":"d9","topic":"t1","text":"x"}\n{"docno":"d9"}\nnonsense\n', ["line 2", "line 3"]),
    "images": (zipped({"t1/d1.png": picture(), "t1/bad.png": b"no picture"}), ["bad.png"]),
    "descriptions": ('{"docno":"d9","topic":"t1","description":"x"}\nnonsense\n', ["line 1", "line 2"]),
    "sources": ('{"docno":"d9","topic":"t1","sources":["x"]}\nnonsense\n', ["line 1", "line 2"]),
    "answers": ("prompt,model,answer\nWhy?,m,Thus.\n,m,x\nWhy?,tie,x\n", ["line 3"]),
    "groups": ("topic,light\nt1,much\nt9,little\n", ["line 3"]),
    "qrels": ("t1 0 d1 1\nt1 0 d2 nan\nt9 0 d1 1\n", ["line 2", "line 3"]),
    "run": ("t1 Q0 d1 1 1.0 r\nt1 Q0 d1 2 0.5 r\n", ["line 2"]),
    "grid": ("topic\tdocno\trow\tcolumn\nt1\td1\t0\t0\nt1\td2\t0\tx\n", ["line 3"]),
    "judgments": ("t1 d1 d2 d1\nt1 d1 d2 d3\nt1 d1 ghost d1\n", ["line 2", "line 3"]),
    "challenges": ("t1 d1 d2 d1\nt1 d1 d3 tie\n", ["line 2"]),
    "xie-positions": (
        '{"q1": {"0": {"0": [0, 0, 1]}, "1": {"0": [0, 0, 7]}}, "": {}}',
        ["a row of 7", "query is empty"],
    ),
    "xie-judgments": ("Q\tP\ta\tb\tc\nt1\td1,d2\t1\t1\t3\n", ["line 1", "line 2"]),
    "xie-relevance": ("Query\tImage\tScore\nt1\td1\t59\nt1\td9\t5\n", ["line 3"]),
    "pages": ("t1 r s r\nt1 r s d1\nt9 r s tie\nt1 r ghost r\n", ["line 2", "line 3", "line 4"]),
    "xie-pages": ("Query\tWinner\nt1\t0\nt1\t3\nt9\t1\n", ["line 3", "line 4"]),
}


def test_every_kind_of_file_is_tried_with_a_bad_line():
    assert set(BAD) == set(loading.KINDS)


@pytest.mark.parametrize("kind", BAD)
def test_one_bad_line_and_nothing_is_loaded_and_every_bad_line_is_named(load, passages, pictures, kind):
    content, named = BAD[kind]
    study = with_runs(pictures if kind in IMAGE_KINDS else passages, kind)
    before = everything()
    with pytest.raises(BadFile) as caught:
        load(study, kind, content)
    assert everything() == before
    row = Import.objects.get()
    assert row.state == Import.State.REFUSED
    assert row.finished_at is not None
    assert row.problems == [str(problem) for problem in caught.value.problems]
    for words in named:
        assert any(words in problem for problem in row.problems), row.problems


def test_what_was_refused_can_be_loaded_once_it_is_mended(load, passages):
    with pytest.raises(BadFile):
        load(passages, "judgments", "t1 d1 d2 d1\nt1 d1 d2\n")
    load(passages, "judgments", "t1 d1 d2 d1\n")
    assert [row.state for row in Import.objects.order_by("pk")] == ["refused", "done"]


def test_the_same_judgments_are_not_loaded_twice(load, passages):
    load(passages, "judgments", "t1 d1 d2 d1\n", file="first.txt")
    before = everything()
    with pytest.raises(CannotLoad, match=r"already loaded as first.txt; .* count twice"):
        load(passages, "judgments", "t1 d1 d2 d1\n", file="second.txt")
    assert everything() == before
    assert Import.objects.latest("pk").problems == [
        "The same judgments were already loaded as first.txt; loaded again they would count twice."
    ]


def test_the_same_judgments_may_be_loaded_into_another_study(load, passages):
    load(passages, "judgments", "t1 d1 d2 d1\n")
    other = make_study(items=0, junk=0)
    load(other, "judgments", "t1 d1 d2 d1\n")
    assert Judgment.objects.count() == 2


@pytest.mark.parametrize("kind", [name for name, kind in loading.KINDS.items() if kind.locked_by_opening])
def test_what_the_pools_were_made_from_stands_still_once_judging_is_open(load, kind):
    """The study object is older than its opening, as another process may have opened it."""
    study = make_study(kind=Study.Kind.IMAGE if kind in IMAGE_KINDS else Study.Kind.TEXT)
    old = Study.objects.get(pk=study.pk)
    open_study(study)
    before = everything()
    with pytest.raises(CannotLoad, match="cannot be loaded any more: judging is open"):
        load(old, kind, loading.KINDS[kind].example())
    assert everything() == before
    assert "cannot be loaded any more" in Import.objects.get().problems[0]


def test_runs_judgments_and_challenges_may_be_loaded_while_judging_is_open(load):
    study = open_study(make_study())
    load(study, "run", "t1 Q0 t1-a 1 1.0 r\n")
    load(study, "judgments", "t1 t1-a t1-b tie\n")
    load(study, "challenges", "t1 t1-a t1-junk0 t1-a\n")


def test_pictures_are_refused_in_a_study_of_passages(load, passages):
    with pytest.raises(CannotLoad, match="compares passages of text"):
        load(passages, "images", zipped({"t1/d1.png": picture()}))
