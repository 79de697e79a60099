"""Measures that a study has chosen: stored as the library computes them by docno, shown, and on record."""

import re

import pytest
from django.urls import reverse

from collection.models import Action, Grade, Item, Placement, Study
from judging import ledger
from prefir.measures import MEASURES, PreferenceGraph
from scoring import jobs
from scoring.analysis import head_to_head
from scoring.board import leaderboard, standings
from scoring.scores.stored_measures import BY_PERSISTENCE, CUTS, MEASURED
from tests.judging.organizing import staff_of
from tests.judging.test_studies_pages import settings_of
from tests.makers import add_run, finish, make_study, open_study
from tests.plots.reading import words
from tests.scoring import stored
from web.shared.measure_names import TITLES

pytestmark = pytest.mark.django_db
ALL = " ".join(MEASURED)


def judged(**settings) -> Study:
    """Two topics judged to the end, the items of several grades, and two runs; one leaves items out."""
    study = staff_of(make_study(topics=2, batch_challenges=0, **settings))
    rankings = {}
    for topic in study.topics.all():
        items = list(topic.items.order_by("docno"))
        for grade, item in enumerate(items):
            Grade.objects.filter(item=item).update(value=float(grade % 4))
        rankings[topic.name] = [item.docno for item in items]
    add_run(study, "all", rankings)
    add_run(study, "some", {topic: docnos[4:1:-1] for topic, docnos in rankings.items()})
    open_study(study)
    finish(study)
    jobs.sweep()
    return study


def plainly(measure: str, topic, run: str, p: float) -> float:
    """A value from the rows of the database by the library's form for one run."""
    docnos = dict(Item.objects.filter(topic=topic).values_list("pk", "docno"))
    found = ledger.given(topic.pk).scored(kept_only=False)
    edges = [
        (docnos[one.first], docnos[one.second]) if one.lean > 0 else (docnos[one.second], docnos[one.first])
        for one in found
        if one.lean
    ]
    ties = [(docnos[one.first], docnos[one.second]) for one in found if not one.lean]
    grades = dict(Grade.objects.filter(item__topic=topic).values_list("item__docno", "value"))
    graph = {
        "pgc_derived": PreferenceGraph.derived(grades),
        "pgc_combined": PreferenceGraph.combined(edges, grades),
    }.get(measure, PreferenceGraph(edges, ties=ties))
    tops = dict(Item.objects.filter(topic=topic, top_rank__isnull=False).values_list("docno", "top_rank"))
    levels = {
        docno: 100.0 - (rank or 0) for docno, rank in tops.items() if measure.endswith("top") or rank == 1
    }
    placed = Placement.objects.filter(topic=topic, run__name=run).order_by("rank")
    ranking = list(placed.values_list("item__docno", flat=True))
    option = {"p": p} if measure in BY_PERSISTENCE else {"k": CUTS[p]}
    name = measure.partition("_")[0] if measure.startswith(("pgc", "compatibility")) else measure
    judged = {"ndcg": grades, "rbp": grades, "compatibility": levels}.get(name, graph)
    return MEASURES[name].of(ranking, judged, **option)


@pytest.mark.parametrize("measure", [name for name in MEASURED if name != "compatibility"])
def test_stored_values_are_the_librarys(measure):
    """The library's measures are held against the papers by tests of their own."""
    study = judged(measures=ALL)
    for topic in study.topics.all():
        for run in ("all", "some"):
            for p in Study.PERSISTENCES:
                expected = plainly(measure, topic, run, p)
                found = stored.value(run, measure, p, topic.name)
                assert (float("nan") if found is None else found) == pytest.approx(expected, nan_ok=True)
    assert stored.value("some", measure, 0.8) is not None


def test_without_grades_what_needs_them_is_absent():
    study = judged(measures="pgc ndcg pgc_derived")
    Grade.objects.all().update(value=0.0)
    for topic in study.topics.all():
        topic.revision += 1
        topic.save()
    jobs.sweep()
    assert stored.value("all", "ndcg", 0.8) is None
    assert stored.value("all", "pgc_derived", 0.8) is None
    assert stored.value("all", "pgc", 0.8) is not None


def test_the_first_measure_ranks_the_runs_and_every_page_has_them(alice):
    study = judged(measures="ndcg win_rate")
    found = leaderboard.board(study, 0.95)
    assert (found.measures, found.leading) == (("win_rate", "ndcg"), "win_rate")
    for p in Study.PERSISTENCES:
        values = [row.means["win_rate"].value for row in leaderboard.board(study, p).rows]
        assert [value for value in values if value is not None] == sorted(
            (value for value in values if value is not None), reverse=True
        )
    pages = {
        name: alice.get(reverse(name, args=[study.slug])).content.decode()
        for name in ("leaderboard", "leaderboard-topics", "compare", "pairs", "measures", "history")
    }
    for name, page in pages.items():
        # One standing makes no race, which would be chosen by p.
        assert ("nDCG" in page) == (name != "history")
        assert "Compatibility" not in page
    assert "mean win rate" in pages["leaderboard"]
    assert "at 20, 95 % interval" in pages["leaderboard"] or "at 20, 95 % interval" in pages["leaderboard"]
    for name, axes in (("means", ["win rate at 20", "ndcg at 20"]), ("race", ["win rate at 20"])):
        drawn = alice.get(reverse("figure-svg", args=[study.slug, name])).content
        assert {f"mean {axis}" for axis in axes} <= {said.lower() for said in words(drawn)}
    lines = b"".join(alice.get(reverse("scores-export", args=[study.slug])).streaming_content).decode()
    assert {line.split(",")[2] for line in lines.splitlines()[1:]} == {"ndcg", "win_rate"}


def test_where_one_measure_is_scored_the_page_for_a_paper_leads_to_its_files(alice):
    study = judged(measures="win_rate")

    def files() -> list[str]:
        page = alice.get(reverse("measures", args=[study.slug])).content.decode()
        return re.findall(r'<a(?: class="small")? href="([^"]+)" download', page)

    assert len(files()) == 6
    head_to_head.STRENGTHS.now(study, study.persistence)
    assert len(files()) == 10
    for file in files():
        assert alice.get(file).status_code == 200


def test_measures_are_chosen_on_the_settings_page_and_computed_anew(alice):
    study = judged()
    address = reverse("study-settings", args=[study.slug])
    sent = settings_of(study)
    form = alice.get(address).context["form"]
    assert form.initial["measures"] == ["pgc", "compatibility"]
    assert alice.post(address, sent | {"measures": ["ndcg", "pgc"], "change": "more"}).status_code == 302
    study.refresh_from_db()
    assert set(study.measures.split()) == {"pgc", "ndcg"}
    jobs.sweep()
    standing = standings.write(study)
    assert list(standing.board["measures"]) == ["pgc", "ndcg"]
    assert all(row.means["ndcg"].value is not None for row in leaderboard.board_of(standing, 0.95).rows)
    noted = Action.objects.filter(study=study, what="settings").latest("pk")
    label = "Measures on the leaderboard"
    assert (noted.before[label], noted.after[label]) == ("PGC, Compatibility", "PGC, nDCG")


def test_choosing_the_usual_ones_is_choosing_none(alice):
    study = judged()
    sent = settings_of(study) | {"measures": ["compatibility", "pgc"], "change": "none"}
    assert alice.post(reverse("study-settings", args=[study.slug]), sent).status_code == 302
    study.refresh_from_db()
    assert study.measures == ""
    assert not Action.objects.filter(study=study, after__has_key="Measures on the leaderboard").exists()


def test_every_measure_has_a_title_and_says_what_it_is():
    from web.shared.measure_names import SAYS

    assert set(TITLES) == set(SAYS) == set(MEASURED)
