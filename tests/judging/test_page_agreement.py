"""Measures beside run preferences: the papers' tables from the public data set as it is loaded, on the page
and in its file; and what the page says where there is nothing yet.
"""

import csv
import io
import re

import pytest
from django.urls import reverse

from collection.models import Study
from collection.upload import loading
from judging.questions import result_pages
from prefir.measures import PageOptions
from scoring import jobs
from scoring.analysis import serp_agreement
from tests.judging.organizing import logged_in, queries, staff_of
from tests.judging.paged import prefer
from tests.makers import add_run, finish, make_study, open_study
from tests.plots.reading import words
from tests.public_data import DATA, needs_data

FOLDER = DATA / "image-preferences"
KINDS = {
    "xie-positions": "Image_position.json",
    "xie-judgments": "image_pairs_annotation",
    "xie-pages": "SERP_level_preference",
}
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]


@pytest.fixture
def alice():
    return logged_in("alice")


def show(client, study, query="") -> str:
    response = client.get(reverse("page-agreement", args=[study.slug]) + query)
    assert response.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def lines(client, study, query="") -> list[dict[str, str]]:
    response = client.get(reverse("page-agreement-csv", args=[study.slug]) + query)
    return list(csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode())))


def latex(client, study, query="") -> str:
    return client.get(reverse("page-agreement-tex", args=[study.slug]) + query).content.decode()


@pytest.fixture
def images():
    study = staff_of(make_study(topics=0, kind=Study.Kind.IMAGE))
    for kind, file in KINDS.items():
        loading.load(study, kind, FOLDER / file)
    return study


@pytest.mark.slow
@pytest.mark.data
@needs_data[1]
def test_the_papers_tables_come_out_of_the_imported_data_set(alice, images):
    """Xie et al. (SIGIR 2020), table 7, and their λ and γ; Luo's thesis (2021), figures 5.6, 5.7 and 5.8."""
    waiting = show(alice, images)
    assert "The tables are being made." in waiting
    serp_agreement.AGREEMENT.job(images.pk)
    page = show(alice, images)
    assert "People preferred sogou and baidu on 28 of 102 topics each; 46 were ties." in page
    assert (
        "PWP agrees most clearly: on 42 of the 56 topics that both decide, more than chance would "
        "(p = 0.003 with Holm’s correction for 11 measures)" in page
    )
    found = {line["measure"]: line for line in lines(alice, images)}
    tables = {}
    for line in lines(alice, images, "?table=topics"):
        counts = tuple(int(line[f"page_{side}"]) for side in ("first", "second", "tie"))
        tables[line["measure"]] = (*tables.get(line["measure"], ()), counts)
    # Luo, figure 5.6.
    assert tables["wr"] == ((9, 3, 3), (19, 25, 42), (0, 0, 1))
    assert tables["pwp"] == ((17, 3, 10), (11, 25, 36), (0, 0, 0))
    assert [round(float(found[name]["chi2"]), 4) for name in ("wr", "pwp")] == [3.8182, 15.2444]
    # Luo, figure 5.8, default order.
    assert tables["pgc_default"] == ((6, 3, 4), (22, 25, 42), (0, 0, 0))
    # Luo, figure 5.7.
    assert [round(float(found[name]["tau"]), 4) for name in ("wr", "pwp")] == [-0.4052, -0.2293]
    # Xie et al., table 7.
    pearson = [round(float(found[f"pmr_{form}"]["pearson"]), 3) for form in "dwmn"]
    spearman = [round(float(found[f"pmr_{form}"]["spearman"]), 3) for form in "dwmn"]
    assert (pearson, spearman) == ([0.255, 0.250, 0.244, 0.260], [0.226, 0.225, 0.210, 0.243])
    assert round(float(found["pwp"]["pearson"]), 4) == 0.4763
    # Xie et al., the choice of λ and γ: .354 at λ = .7 with N, .4763 at γ = .1.
    assert "PMR N is highest: 0.354 at λ = 0.7." in page
    drawn = alice.get(reverse("figure-svg", args=[images.slug, "mixing"])).content
    assert {"PMR D", "PMR W", "PMR M", "PMR N", "0", "0.2", "1", "λ"} <= set(words(drawn))
    mixing = {
        (line["parameter"], line["form"], float(line["value"])): float(line["pearson"])
        for line in lines(alice, images, "?table=mixing")
    }
    of_lambda = {key: value for key, value in mixing.items() if key[0] == "lambda"}
    assert max(of_lambda, key=of_lambda.__getitem__) == ("lambda", "N", 0.7)
    assert round(of_lambda["lambda", "N", 0.7], 3) == 0.354
    assert round(mixing["gamma", "", 0.1], 4) == 0.4763
    assert "PWP & 42 & 14 & $0.7500$ & $15.2444$ & " in latex(alice, images)
    assert r"PWP & sogou & 17 & 3 & 10 \\" in latex(alice, images, "?table=topics")
    for said in ("17 3 10", "11 25 36", "15.2444", "0.4763", "0.2602 0.2429", "-0.2293", " 0.354 "):
        assert said in page
    values = lines(alice, images, "?table=values")
    assert len(values) == 102 * 12
    assert queries(alice, reverse("page-agreement", args=[images.slug])) <= 13


def judged_pages(topics: int = 3, *, preferred: str = "good") -> Study:
    """A study whose two runs were judged item by item and page by page."""
    study = staff_of(make_study(topics=topics, batch_challenges=0))
    order = {t.name: sorted(t.items.values_list("docno", flat=True)) for t in study.topics.all()}
    add_run(study, "good", order)
    add_run(study, "bad", {topic: docnos[::-1][:4] for topic, docnos in order.items()})
    task = result_pages.usual(study)
    task.batch_challenges = 0
    task.save()
    open_study(study)
    finish(study)
    choice = result_pages.choose(task, result_pages.every_pair(study), [t.pk for t in study.topics.all()])
    result_pages.ask(task, choice)
    while any(q.taken < q.wanted for q in task.questions.all()):
        prefer(study, dict.fromkeys(order, preferred))
    jobs.sweep()
    return study


def test_any_two_runs_of_text_are_compared_and_a_small_study_at_once(alice):
    study = judged_pages()
    page = show(alice, study)
    assert "People preferred good on 3 of 3 topics, bad on 0; 0 were ties." in page
    [pair] = serp_agreement.pairs(study)
    topics, judgments = serp_agreement.evidence(study, pair)
    assert judgments > 0
    assert {topic.page for topic in topics.values()} == {-1.0}
    first = next(iter(topics.values()))
    assert [cell[1:] for cell in first.first[:2]] == [(0, 0, 1), (1, 0, 1)]


def test_parameters_are_chosen_in_the_address_and_odd_ones_are_the_usual(alice):
    study = judged_pages()
    page = show(alice, study, "?lam=0.3&gamma=1.0&form=W&split=tie")
    assert "PWP with λ = 0.3, γ = 1.0, PMR W" in page
    page = show(alice, study, "?lam=7&gamma=x&form=Q&runs=1-99999")
    assert "PWP with λ = 0.7, γ = 0.1, PMR N" in page


def test_tables_are_made_anew_once_somebody_judges(alice):
    study = judged_pages()
    show(alice, study)
    [pair] = serp_agreement.pairs(study)
    assert serp_agreement.AGREEMENT.cached(study, pair, PageOptions(p=0.95)) is not None
    topic = study.topics.first()
    topic.revision += 1
    topic.save()
    assert serp_agreement.AGREEMENT.cached(study, pair, PageOptions(p=0.95)) is None


def test_queries_are_as_many_for_many_topics_as_for_few(alice):
    counts = []
    for topics in (1, 5):
        study = judged_pages(topics)
        address = reverse("page-agreement", args=[study.slug])
        alice.get(address)
        counts.append(queries(alice, address))
    assert counts[0] == counts[1]


def test_without_page_preferences_the_page_says_what_it_needs(alice):
    study = staff_of(make_study())
    page = show(alice, study)
    assert "No result pages were compared yet." in page
    assert lines(alice, study) == []


def test_latex_says_names_as_they_are(alice):
    """Rows that LaTeX itself would read: no sign of a name begins a command, a comment or a column."""
    study = judged_pages()
    study.runs.filter(name="good").update(name="a_b&c%d")
    made = latex(alice, study, "?table=topics")
    assert r"WR, share of duels won & a\_b\&c\%d & 3 & 0 & 0 \\" in made
    assert made.count("\n") == 12 * 3 + 7
    assert made.startswith("% first: ")


def test_what_measures_say_against_people_counts_as_disagreement(alice):
    """People prefer the page whose items all lose: every measure that decides is against them."""
    study = judged_pages(preferred="bad", topics=5)
    page = show(alice, study)
    assert "People preferred bad on 5 of 5 topics, good on 0; 0 were ties." in page
    found = {line["measure"]: line for line in lines(alice, study)}
    assert (found["wr"]["agree"], found["wr"]["disagree"], found["wr"]["share"]) == ("0", "5", "0.0")


def test_each_two_of_three_runs_are_compared_by_their_own_answers(alice, tmp_path):
    """Pages from a file: of each two runs another number of topics, for the first or for the second."""
    study = staff_of(make_study(topics=3, batch_challenges=0))
    order = {t.name: sorted(t.items.values_list("docno", flat=True)) for t in study.topics.all()}
    for name, some in (("good", slice(None)), ("middle", slice(1, None)), ("bad", slice(-4, None))):
        add_run(study, name, {topic: docnos[some] for topic, docnos in order.items()})
    open_study(study)
    finish(study)
    one, two, three = order
    told = [
        *((topic, "good", "middle", "good") for topic in order),
        *((topic, "bad", "good", "good") for topic in (one, two)),
        (three, "middle", "bad", "bad"),
    ]
    file = tmp_path / "pages.txt"
    file.write_text("".join(f"{' '.join(line)}\n" for line in told))
    loading.load(study, "pages", file)
    jobs.sweep()
    named = dict(study.runs.values_list("pk", "name"))
    counted = {}
    for pair in serp_agreement.pairs(study):
        query = f"?runs={pair.key}"
        rows = [line for line in lines(alice, study, f"{query}&table=topics") if line["measure"] == "wr"]
        sides = [sum(int(row[f"page_{side}"]) for row in rows) for side in ("first", "second", "tie")]
        counted[named[pair.first], named[pair.second]] = sides
        assert [row["says"] for row in rows] == [named[pair.first], named[pair.second], "tie"]
        assert len(lines(alice, study, f"{query}&table=values")) == 12 * sum(sides)
    assert counted == {
        ("good", "middle"): [3, 0, 0],
        ("good", "bad"): [2, 0, 0],
        ("middle", "bad"): [0, 1, 0],
    }
    # The pair of most topics stands first; the others are a choice away.
    assert "People preferred good on 3 of 3 topics, middle on 0; 0 were ties." in show(alice, study)
