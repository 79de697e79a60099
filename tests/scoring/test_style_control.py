"""Control for style on the page: strengths held against the library by hand, and what is said of them."""

import csv
import io

import numpy as np
import pytest
from django.core.cache import cache
from django.urls import reverse

from collection.models import Import, Item, Study, Topic
from judging import ledger
from prefir.measures import control_style
from scoring import jobs
from scoring.analysis import style_control
from scoring.analysis.style_control import ANSWER_STYLES, STYLE
from tests.judging.organizing import queries, text
from tests.makers import Choice, add_run, finish
from tests.scoring.test_head_to_head import matched

pytestmark = pytest.mark.django_db
MODELS = {"alpha": "a", "beta": "b", "gamma": "c"}
# Beta writes long answers with headings, gamma short ones; how long they are differs by prompt.
WORDS = {"a": 30, "b": 90, "c": 10}


def styled(tmp_path, topics: int = 12) -> Study:
    """Answers of three models: the longer one wins, but on every third prompt."""
    results = []
    for topic in range(topics):
        pairs = [("beta", "alpha"), ("beta", "gamma"), ("alpha", "gamma")]
        results.append([pair[::-1] for pair in pairs] if topic % 3 == 2 else pairs)
    study = matched(tmp_path, results)
    Study.objects.filter(pk=study.pk).update(case="answers", markup="markdown")
    for item in Item.objects.filter(topic__study=study).select_related("topic"):
        place = int(item.topic.name.strip("t"))
        words = WORDS[item.docno[-1]] + 7 * (place % 5)
        head = "## Head\n\n" if item.docno.endswith("b") and place % 2 else ""
        item.text = head + "word " * words
        item.save()
    study.refresh_from_db()
    return study


def test_strengths_are_those_of_the_judgments_and_texts(tmp_path):
    """Each judgment is a duel of the two models that gave the answers: counted one by one."""
    study = styled(tmp_path)
    found = STYLE.compute(study)
    names = dict(study.runs.values_list("pk", "name"))
    place = {MODELS[names[run]]: i for i, run in enumerate(found.runs)}
    items = {pk: (docno[-1], body) for pk, docno, body in Item.objects.values_list("pk", "docno", "text")}
    rows, differences = [], []
    for topic in Topic.objects.values_list("pk", flat=True):
        for one in ledger.given(topic).counting:
            (first, a), (second, b) = items[one.first], items[one.second]
            rows.append((topic, place[first], place[second], one.lean > 0, one.lean < 0, one.lean == 0))
            heads = a.count("## "), b.count("## ")
            share = (heads[0] - heads[1]) / sum(heads) if sum(heads) else 0.0
            differences.append(((len(a) - len(b)) / (len(a) + len(b)), share, 0.0, 0.0))
    expected = control_style(np.array(rows, float), differences, 3)
    assert len(rows) == 36
    assert found.control.strengths.strengths == pytest.approx(expected.strengths.strengths)
    assert found.control.strengths.highs == pytest.approx(expected.strengths.highs)
    assert found.control.coefficients == pytest.approx(expected.coefficients, nan_ok=True)
    alpha = [len(body) for letter, body in items.values() if letter == "a"]
    assert found.medians[place["a"]].tolist() == [np.median(alpha), 0, 0, 0]


def test_the_page_says_what_style_does_and_shows_both_boards(alice, tmp_path):
    study = styled(tmp_path)
    said = text(alice.get(reverse("style", args=[study.slug])))
    assert "With control for style gamma leads, without it beta. 2 of 3 models change their place" in said
    # Each two met.
    assert "no judgment is between the two" not in said
    assert "Of two otherwise equal answers the one twice as long wins" in said
    assert "the one with headings alone wins" in said
    same = "no two answers that were judged against each other differ in them"
    assert f"Bold words and lists are not controlled for: {same}." in said
    # Nor have they a column.
    assert "Strength, 95 % interval Characters, median Headings Without control With control" in said
    assert (
        reverse("style", args=[study.slug])
        in alice.get(reverse("leaderboard-chances", args=[study.slug])).content.decode()
    )


def test_texts_are_read_again_only_where_a_file_was_loaded(alice, tmp_path):
    study = styled(tmp_path)
    STYLE.compute(study)
    kept = ANSWER_STYLES.latest(study)
    finish(study, choose=lambda question: Choice.A)
    jobs.sweep()
    assert ANSWER_STYLES.cached(study) is not None
    assert ANSWER_STYLES.latest(study).at == kept.at
    Import.objects.create(study=study, kind="topics", name="t.tsv", state=Import.State.DONE)
    assert ANSWER_STYLES.cached(study) is None
    assert STYLE.cached(study) is None


def test_a_large_study_is_computed_by_a_job_and_kept(alice, tmp_path, monkeypatch):
    study = styled(tmp_path)
    monkeypatch.setattr(style_control.head_to_head, "AT_ONCE", 0)
    cache.clear()
    address = reverse("style", args=[study.slug])
    assert "The strengths are being computed." in text(alice.get(address))
    STYLE.job(study.pk)
    assert "The board before and after" in text(alice.get(address))
    assert queries(alice, address) <= 11


def test_the_table_comes_as_a_file(alice, tmp_path):
    study = styled(tmp_path)
    address = reverse("table-csv", args=[study.slug, "style"])
    assert alice.get(address).status_code == 404
    alice.get(reverse("style", args=[study.slug]))
    rows = list(csv.DictReader(io.StringIO(alice.get(address).content.decode())))
    own = STYLE.cached(study).control
    assert [float(row["controlled strength"]) for row in rows] == pytest.approx(
        sorted(own.strengths.strengths, reverse=True)
    )
    lines = alice.get(reverse("table-tex", args=[study.slug, "style"])).content.decode().splitlines()
    assert lines[0].startswith("% Bradley-Terry strengths without and with control for style")
    assert len({line.count(" & ") for line in lines if line.endswith(r"\\")}) == 1
    assert [(row["model"], float(row["median headings"])) for row in rows][-1] == ("beta", 0.5)


def test_rankings_have_no_style(alice, tmp_path):
    study = styled(tmp_path)
    Study.objects.filter(pk=study.pk).update(case="rankings")
    said = text(alice.get(reverse("style", args=[study.slug])))
    assert "Style is controlled for in studies of answers." in said


def test_models_that_all_won_or_lost_cannot_be_controlled(alice, tmp_path):
    study = matched(tmp_path, [[("alpha", "beta")]] * 3, runs=("alpha", "beta"))
    Study.objects.filter(pk=study.pk).update(case="answers")
    said = text(alice.get(reverse("style", args=[study.slug])))
    assert "Style cannot be controlled for yet." in said


def test_one_model_alone_has_no_board(alice, tmp_path):
    study = styled(tmp_path)
    study.runs.exclude(name="alpha").update(shown=False)
    assert "at least two models" in text(alice.get(reverse("style", args=[study.slug])))
    add_run(study, "delta", {})
    assert alice.get(reverse("style", args=[study.slug])).status_code == 200
