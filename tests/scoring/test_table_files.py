"""Tables of the comparing pages as CSV and LaTeX: what the pages show, in full."""

import csv
from itertools import permutations

import pytest
from django.urls import reverse

from collection.models import Run, Study
from scoring import jobs
from scoring.analysis import head_to_head, measure_comparison, run_comparison
from scoring.board import leaderboard
from tests.makers import finish
from tests.scoring.test_comparison_pages import scores_of
from tests.scoring.test_leaderboard_pages import with_runs
from web.coordinator.files.table_files import FILES, TABLES
from web.coordinator.tabular import csv_line, latex

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def judged(module_data):
    """Six topics, judged to their end; three runs, of which the last ranks backwards."""
    study = with_runs(topics=6, runs=3)
    study.topics.filter(name__in=["t1", "t2"]).update(groups={"category": "math"})
    finish(study)
    jobs.sweep()
    return study.pk


@pytest.fixture
def study(db, judged):
    return Study.objects.get(pk=judged)


def key(name: str) -> int:
    return Run.objects.get(name=name).pk


def asked(name: str) -> str:
    """What an address of a table asks for that needs it."""
    two = f"?a={key('run-0')}&b={key('run-2')}"
    return {"baseline": f"?base={key('run-0')}", "topics": two, "tests": two}.get(name, "")


def table(client, study, name: str) -> list[dict[str, str]]:
    response = client.get(reverse("table-csv", args=[study.slug, name]) + asked(name))
    assert response.status_code == 200, name
    return list(csv.DictReader(response.content.decode().splitlines()))


def test_means_are_those_of_the_leaderboard_in_full_precision(study, alice):
    rows = {row["run"]: row for row in table(alice, study, "means")}
    board = leaderboard.board(study, 0.95)
    assert rows.keys() == {row.name for row in board.rows}
    for row in board.rows:
        mean = row.means["pgc"]
        assert rows[row.name]["PGC mean"] == repr(mean.value)
        assert rows[row.name]["PGC low"] == repr(mean.low)
        assert rows[row.name]["PGC topics"] == str(mean.topics) == "6"


def test_differences_are_those_of_the_stored_scores(study, alice):
    first, second = scores_of("run-0"), scores_of("run-2")
    rows = table(alice, study, "topics")
    assert sorted(float(row["difference"]) for row in rows) == pytest.approx(
        sorted(a - b for a, b in zip(first, second, strict=True))
    )
    base = {row["run"]: row for row in table(alice, study, "baseline")}
    assert float(base["run-2"]["difference"]) == pytest.approx((sum(second) - sum(first)) / 6)
    pairs = {(row["run"], row["other"]): float(row["difference"]) for row in table(alice, study, "pairs")}
    assert len(pairs) == 6
    assert pairs["run-0", "run-2"] == pytest.approx((sum(first) - sum(second)) / 6)


def test_sensitivity_and_consistency_are_those_of_the_page(study, alice):
    found = measure_comparison.MEASURES.now(study, None)
    rows = table(alice, study, "sensitivity")
    assert [float(row["told apart"]) for row in rows] == [one.share for one in found.figures]
    taus = table(alice, study, "consistency")
    assert [row["measure"] for row in taus] == [row["measure"] for row in rows]
    assert float(taus[0][rows[1]["measure"]]) == found.taus[0][1]


def test_scores_by_topic_are_those_that_are_stored(study, alice):
    rows = table(alice, study, "topic-scores")
    assert [row["topic"] for row in rows] == [f"t{n}" for n in range(1, 7)]
    for run in ("run-0", "run-1", "run-2"):
        assert [float(row[run]) for row in rows] == pytest.approx(scores_of(run))


def test_tests_are_those_of_the_page(study, alice):
    found = run_comparison.compare(study, key("run-0"), key("run-2"), "pgc", study.persistence, None)
    rows = {row["figure"]: row["value"] for row in table(alice, study, "tests")}
    assert float(rows["p of the paired t-test"]) == found.shown.t_p
    assert float(rows["p of the t-test after Holm"]) == found.holm_p
    assert float(rows["difference"]) == found.shown.difference


def test_strengths_come_once_the_page_has_computed_them(study, alice):
    for name in ("strengths", "chances"):
        assert alice.get(reverse("table-csv", args=[study.slug, name])).status_code == 404
    found = head_to_head.STRENGTHS.compute(study, study.persistence)
    assert {row["run"] for row in table(alice, study, "strengths")} == {"run-0", "run-1", "run-2"}
    names = dict(Run.objects.values_list("pk", "name"))
    chances = {(row["run"], row["against"]): row for row in table(alice, study, "chances")}
    assert set(chances) == set(permutations(names.values(), 2))
    own = found.strengths
    for i, j in permutations(range(3), 2):
        row = chances[names[found.runs[i]], names[found.runs[j]]]
        sure = 1.0 if own.above[i, j] else 0.0 if own.above[j, i] else own.chance(i, j)
        told = [float(row[key] or "nan") for key in ("chance", "low", "high")]
        assert told == pytest.approx([sure, *own.chance_ends(i, j)], nan_ok=True)


COMPUTED = {"strengths", "chances", "style", "aspects", "supported"}


@pytest.mark.parametrize("name", sorted(set(TABLES) - COMPUTED))
def test_each_is_latex_too_with_as_many_cells_in_each_line(study, alice, name):
    response = alice.get(reverse("table-tex", args=[study.slug, name]) + asked(name))
    lines = response.content.decode().splitlines()
    assert lines[0].startswith("% ")
    assert lines[1].startswith(r"\begin{tabular}{")
    body = [line for line in lines if line.endswith(r"\\")]
    assert len(body) > 2
    assert len({line.count(" & ") for line in body}) == 1
    assert (
        response["Content-Disposition"] == f'attachment; filename="{study.slug}-{FILES.get(name, name)}.tex"'
    )


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("leaderboard", ["means"]),
        ("baseline", ["baseline"]),
        ("pairs", ["pairs"]),
        ("compare", ["tests", "topics"]),
        ("leaderboard-topics", ["topic-scores"]),
        ("measures", ["sensitivity", "consistency"]),
    ],
)
def test_each_page_leads_to_the_files_of_its_tables_as_it_shows_them(study, alice, page, names):
    shown = alice.get(reverse(page, args=[study.slug])).content.decode()
    for name in names:
        for kind in ("csv", "tex"):
            start = reverse(f"table-{kind}", args=[study.slug, name])
            found = shown.partition(f'href="{start}')[2].partition('"')[0]
            assert start in shown, name
            assert alice.get(start + found.replace("&amp;", "&")).status_code == 200, (name, found)


def test_what_is_not_there(study, alice):
    for name in ("none", "baseline", "topics"):
        assert alice.get(reverse("table-csv", args=[study.slug, name])).status_code == 404
    other = with_runs(topics=1, runs=1)
    foreign = Run.objects.exclude(study=study).first()
    assert foreign is not None
    address = reverse("table-csv", args=[study.slug, "baseline"])
    assert alice.get(f"{address}?base={foreign.pk}").status_code == 404
    assert alice.get(reverse("table-csv", args=[other.slug, "pairs"])).status_code == 404


def test_cells_are_safe_for_spreadsheets_and_latex():
    assert csv_line(("=1+1", 0.1 + 0.2, None, float("nan"), 3)) == "'=1+1,0.30000000000000004,,,3\n"
    made = latex(("a_b", "x"), [("50 % & more", 0.12345), ("{z}", None)], "two\nlines")
    assert made.splitlines() == [
        "% two lines",
        r"\begin{tabular}{lr}",
        r"\hline",
        r"a\_b & x \\",
        r"\hline",
        r"50 \% \& more & $0.1235$ \\",
        r"\{z\} & -- \\",
        r"\hline",
        r"\end{tabular}",
    ]
