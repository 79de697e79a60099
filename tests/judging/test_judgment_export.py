"""Judgments and merged grades out again: from pages and from the command line, and loaded once more."""

import pytest
from django.core.management import CommandError, call_command

from collection.material import grade_export as collection_exporting
from collection.material import levels
from collection.models import Item, Study, Topic
from collection.upload.loading import load
from judging.batches import answering
from judging.models import Assessor, Judgment, QuestionRole
from judging.transfer import judgment_export
from judging.verdicts import decisions
from tests.judging.organizing import judge_batch, queries, staff_of
from tests.judging.released import name_of, names_of
from tests.judging.studies import invite, make_study
from tests.makers import Choice, record, study_with

pytestmark = pytest.mark.django_db
TOPICS = "t1\tOne?\nt2\tTwo?\n"
RECORDED = "t2 d1 d2 d2 w1\nt1 a b tie w1\nt1 b a a w2\nt1 a b a w2\n"


@pytest.fixture
def files(tmp_path):
    """A function that loads a text into a study as a file of a kind."""

    def put(study: Study, kind: str, content: str) -> None:
        path = tmp_path / f"{study.slug}-{kind}"
        path.write_text(content)
        load(study, kind, path)

    return put


@pytest.fixture
def study(files):
    """Judgments as if from a file: a pair judged twice by one label, a tie, sides given both ways."""
    study = staff_of(study_with(name="Pilot", slug="pilot"))
    files(study, "topics", TOPICS)
    files(study, "judgments", RECORDED)
    return study


def download(client, address: str) -> str:
    """A file's content, as it is streamed."""
    return b"".join(client.get(address).streaming_content).decode()


def test_judgments_come_out_in_the_order_of_the_ledger_with_ties(alice, study):
    """Against the lines that went in: which item stood first may change, who won may not."""
    lines = download(alice, "/studies/pilot/judgments.txt").splitlines()

    def meaning(line):
        topic, a, b, winner = line.split()[:4]
        return topic, frozenset((a, b)), winner

    assert [meaning(line) for line in lines] == [meaning(line) for line in RECORDED.splitlines()]
    assert {len(line.split()) for line in lines} == {4}


def test_the_fifth_column_names_assessors_without_spaces(alice, study):
    """The last judgment is of a pair that the same label judged before."""
    lines = download(alice, "/studies/pilot/judgments.txt?assessors=1").splitlines()
    labels = ["import-w1", "import-w1", "import-w2", "import-w2"]
    assert [line.split()[4:] for line in lines] == [[label] for label in labels]


def test_a_label_cannot_pass_for_a_person(alice, files):
    """A file that names the real assessor of this very study."""
    study = staff_of(make_study(batch_pairs=5))
    somebody = invite(study)
    judge_batch(somebody)
    line = "shade DOCNO-shade-oak DOCNO-shade-fern DOCNO-shade-oak"
    files(study, "judgments", f"{line} local-{somebody.pk}\n")
    labels = [row.split()[4] for row in judgment_export.judgments(study, names=names_of(study))]
    assert sorted(labels) == sorted([f"import-local-{somebody.pk}", *[name_of(somebody)] * 5])


def test_people_who_are_loaded_elsewhere_are_labels_there_and_stay_the_same_from_then_on(files):
    """Out, in, out, in, out: `local-25` becomes `import-local-25` once; labels of files stay."""
    files(made := study_with(name="A", slug="a"), "topics", TOPICS)
    files(made, "judgments", "t1 a b a local-25\nt1 a c a import-w1\nt2 d1 d2 tie\n")
    outs = []
    for slug in ("b", "c"):
        outs.append("".join(judgment_export.judgments(made, names=names_of(made))))
        made = study_with(name=slug, slug=slug)
        files(made, "topics", TOPICS)
        files(made, "judgments", outs[-1])
    assert [line.split()[4] for line in outs[0].splitlines()] == [
        "import-local-25",
        "import-w1",
        "import-recorded",
    ]
    assert outs[0] == outs[1] == "".join(judgment_export.judgments(made, names=names_of(made)))


def test_no_secret_of_a_link_comes_out(alice):
    study = staff_of(make_study(batch_pairs=5))
    somebody = invite(study)
    judge_batch(somebody)
    content = download(alice, "/studies/garden/judgments.txt?assessors=1")
    assert content.count(f" {name_of(somebody)}\n") == 5
    assert f"local-{somebody.pk}\n" not in content  # a pseudonym may begin with the same digits
    assert somebody.reference not in content


def test_only_judgments_of_kept_batches_come_out(alice):
    """No challenge, no answer that was corrected, none of a batch that is open, discarded or excluded."""
    study = staff_of(make_study(batch_pairs=4))
    kept, failed, working, excluded = (invite(study) for _ in range(4))
    judge_batch(kept)
    judge_batch(failed, fail=True)
    judge_batch(excluded)
    decisions.exclude(excluded.pk, "why not")
    open_batch = answering.arrive(working.pk)
    place = open_batch.batch.filter(role=QuestionRole.COUNTS)[0]
    record(open_batch.pk, place.question_id, Choice.B)
    record(open_batch.pk, place.question_id, Choice.A)
    assert Judgment.objects.count() == 3 * 7 + 2
    lines = download(alice, "/studies/garden/judgments.txt").splitlines()
    assert len(lines) == 4
    for place in open_batch.batch.all():
        record(open_batch.pk, place.question_id, Choice.A)
    answering.submit(open_batch.pk)
    assert len(download(alice, "/studies/garden/judgments.txt").splitlines()) == 8


def test_what_comes_out_goes_in_again_and_comes_out_the_same(study, files):
    for assessors in (False, True):
        out = "".join(judgment_export.judgments(study, names=names_of(study) if assessors else None))
        copy = study_with(name="Copy", slug=f"copy-{assessors}".lower())
        files(copy, "topics", TOPICS)
        files(copy, "judgments", out)
        assert "".join(judgment_export.judgments(copy, names=names_of(copy) if assessors else None)) == out


def test_merged_grades_put_the_top_in_order_above_all_grades(alice, study, files):
    """By hand: t1's top is b, then a and c tied, above the study's highest grade, which is t2's 2.5."""
    files(study, "qrels", "t1 0 a 1\nt1 0 c 0\nt1 0 d 1\nt2 0 d1 2.5\nt2 0 d2 -1\n")
    topic = Topic.objects.get(name="t1")
    ids = {item.docno: item.pk for item in Item.objects.filter(topic=topic)}
    levels.set_top_ranks(topic.pk, {ids["b"]: 1, ids["a"]: 2, ids["c"]: 2})
    assert download(alice, "/studies/pilot/merged.qrels").splitlines() == [
        "t1 0 b 4",
        "t1 0 a 3",
        "t1 0 c 3",
        "t1 0 d 1",
        "t2 0 d1 2.5",
        "t2 0 d2 -1",
    ]


def test_merged_grades_go_in_again_and_come_out_the_same(study, files):
    files(study, "qrels", "t1 0 a 1\nt1 0 d 1\nt2 0 d1 2.5\n")
    topic = Topic.objects.get(name="t1")
    levels.set_top_ranks(topic.pk, {topic.items.get(docno="b").pk: 1})
    out = "".join(collection_exporting.merged_qrels(study))
    copy = study_with(name="Copy", slug="copy")
    files(copy, "topics", TOPICS)
    files(copy, "qrels", out)
    assert "".join(collection_exporting.merged_qrels(copy)) == out


def test_a_study_without_judgments_gives_an_empty_file(alice):
    staff_of(study_with(name="Empty", slug="empty"))
    assert download(alice, "/studies/empty/judgments.txt") == ""
    assert download(alice, "/studies/empty/merged.qrels") == ""


def test_the_command_writes_what_the_page_does(alice, study, tmp_path, capsys):
    for what, address in (("judgments", "judgments.txt"), ("qrels", "merged.qrels")):
        expected = download(alice, f"/studies/pilot/{address}")
        path = tmp_path / "out"
        call_command("export", "pilot", what, "-o", str(path))
        assert path.read_text() == expected
        capsys.readouterr()
        call_command("export", "pilot", what)
        assert capsys.readouterr().out == expected


def test_a_file_that_cannot_be_written_whole_is_not_there(study, tmp_path):
    """An item that no file could name, in the middle of the ledger."""
    Item.objects.filter(docno="b").update(docno="b with a space")
    path = tmp_path / "out"
    path.write_text("yesterday's\n")
    with pytest.raises(CommandError, match="contains a space"):
        call_command("export", "pilot", "judgments", "-o", str(path))
    assert [(p.name, p.read_text()) for p in tmp_path.glob("out*")] == [("out", "yesterday's\n")]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere", "qrels"], "There is no study 'nowhere'"),
        (["pilot", "qrels", "--assessors"], "--assessors goes with judgments"),
        (["pilot", "qrels", "-o", "no-such-folder/out"], "cannot be written"),
    ],
)
def test_the_command_says_what_it_cannot_do(study, arguments, sentence):
    with pytest.raises(CommandError, match=sentence):
        call_command("export", *arguments)


@pytest.mark.slow
def test_files_take_as_many_queries_however_long_they_are(alice, study, files):
    addresses = ("/studies/pilot/judgments.txt?assessors=1", "/studies/pilot/merged.qrels")
    files(study, "qrels", "t1 0 a 1\n")
    names_of(study)  # the release is made once
    short = [queries(alice, address) for address in addresses]
    lines = [f"t{n % 2 + 1} x{n} y{n} x{n} w{n % 50}" for n in range(3000)]
    files(study, "judgments", "\n".join(lines) + "\n")
    files(study, "qrels", "".join(f"t1 0 z{n} {n % 3}\n" for n in range(2000)))
    assert Assessor.objects.count() > 50
    assert [queries(alice, address) for address in addresses] == short == [8, 6]
