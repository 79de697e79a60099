"""Pages that compare runs: held against sums by hand, scipy's own tests, and plain counting of topics."""

import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from django.core.cache import cache
from django.db.models import F
from django.urls import reverse
from scipy.stats import kendalltau, norm, ttest_rel

from collection.models import Run, Study, Topic
from judging.batches import answering
from prefir.measures import compare_runs, sensitivity
from scoring import jobs
from scoring.analysis import all_pairs, measure_comparison, run_comparison
from scoring.analysis.topic_stats import TopicStats
from scoring.board import leaderboard, standings
from scoring.models import StoredScores
from scoring.scores import score_rows
from scoring.scores.stored_measures import options
from tests.judging.organizing import queries, text
from tests.makers import add_run, answer, finish, invite
from tests.scoring import stored
from tests.scoring.test_leaderboard_pages import judge, show, with_runs
from web.coordinator.compare import baseline, comparison_pages
from web.coordinator.compare.measures_page import agreement
from web.coordinator.comparison_plots import named
from web.coordinator.topic import scores_page
from web.forecast.needed_topics import needed_rows, needed_sentence

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def judged(module_data):
    """Six topics, judged to their end; three runs, of which the last ranks backwards."""
    study = with_runs(topics=6, runs=3)
    finish(study)
    jobs.sweep()
    return study.pk


@pytest.fixture
def study(db, judged):
    return Study.objects.get(pk=judged)


def ids() -> dict[str, int]:
    return dict(Run.objects.values_list("name", "pk"))


def scores_of(run: str, measure="pgc", p=0.95) -> list[float]:
    """A run's scores by topic, as they are stored."""
    names = Topic.objects.order_by("name").values_list("name", flat=True)
    found = [stored.value(run, measure, p, name) for name in names]
    assert None not in found
    return [value for value in found if value is not None]


def compared(study, first="run-0", second="run-2", *, measure="pgc", whole=None):
    return run_comparison.compare(study, ids()[first], ids()[second], measure, 0.95, whole)


def plain_deciding(gaps: list[float]) -> int:
    """The fewest topics without which the sum turns, or is nothing: all choices, small ones first."""
    ahead = 1 if sum(gaps) > 0 else -1
    for size in range(len(gaps) + 1):
        for left_out in combinations(range(len(gaps)), size):
            if ahead * sum(gap for i, gap in enumerate(gaps) if i not in left_out) <= 1e-12:
                return size
    return 0


def test_two_runs_are_compared_over_the_stored_scores(study):
    for first, second, measure in (("run-0", "run-2", "pgc"), ("run-1", "run-0", "compatibility")):
        one, two = scores_of(first, measure), scores_of(second, measure)
        found = compared(study, first, second, measure=measure)
        gaps = [a - b for a, b in zip(one, two, strict=True)]
        assert found.shown.difference == pytest.approx(sum(gaps) / 6)
        if len(set(gaps)) > 1:
            assert found.shown.t_p == pytest.approx(ttest_rel(one, two).pvalue)
        assert (found.shown.wins, found.shown.losses) == (sum(g > 0 for g in gaps), sum(g < 0 for g in gaps))
        assert [line.gap for line in found.topics] == pytest.approx(sorted(gaps, reverse=True))
        assert len(found.deciding) == plain_deciding(gaps)
        assert found.whole
        assert found.tukey_topics == 6


def test_turning_them_round_turns_the_difference_and_nothing_else(study):
    there, back = compared(study), compared(study, "run-2", "run-0")
    assert back.shown.difference == -there.shown.difference
    assert back.shown.t_p == pytest.approx(there.shown.t_p)
    assert back.tukey_p == there.tukey_p
    assert {line.topic for line in back.deciding} == {line.topic for line in there.deciding}


def test_topics_judged_in_part_are_left_out_and_the_page_says_what_they_would_change(alice, study):
    before = compared(study)
    topic = Topic.objects.order_by("name").first()
    Topic.objects.filter(pk=topic.pk).update(asked=topic.asked + 10, full_rounds=0)
    cache.clear()
    found = compared(study)
    assert found.whole
    assert found.of_whole.topics == 5
    assert topic.pk not in {line.topic for line in found.topics}
    assert found.of_all.difference == pytest.approx(before.shown.difference)
    address = f"?a={ids()['run-0']}&b={ids()['run-2']}"
    assert "1 topic judged in part is left out" in show(alice, study, "compare", address)
    said = show(alice, study, "compare", f"{address}&topics=all")
    assert "1 topic of these is judged in part; without it the difference would be" in said
    assert compared(study, whole=False).shown.topics == 6


def test_the_page_says_who_is_better_how_surely_and_links_every_topic(alice, study):
    page = alice.get(reverse("compare", args=[study.slug]), {"a": ids()["run-0"], "b": ids()["run-2"]})
    said = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.content.decode()))
    assert "run-0 is better than run-2, by" in said
    assert "It is higher on 6 of 6 topics" in said
    assert "0.031" in said  # 2 of 64 signs
    assert "all pairs at once, over 6 topics" in said
    for topic in Topic.objects.all():
        assert reverse("topic", args=[study.slug, topic.pk]) in page.content.decode()
    assert page.content.decode().partition('class="gaps"')[2].count("<rect") == 6


def test_without_an_address_the_two_that_lead_are_compared(alice, study):
    assert re.search(r"run-[01] against run-[01]", show(alice, study, "compare"))
    for odd in ("?a=x&b=y", f"?a={ids()['run-2']}&b={ids()['run-2']}", "?measure=none&p=9&topics=z&page=99"):
        assert " against " in show(alice, study, "compare", odd)


def test_runs_that_are_equal_are_said_to_be_so(alice):
    study = with_runs(topics=3)
    rankings = {
        topic.name: list(topic.items.order_by("docno").values_list("docno", flat=True))
        for topic in study.topics.all()
    }
    add_run(study, "twin", rankings)
    finish(study)
    jobs.sweep()
    own = dict(study.runs.values_list("name", "pk"))
    said = show(alice, study, "compare", f"?a={own['run-0']}&b={own['twin']}")
    assert "run-0 and twin are equal on every topic." in said
    assert "There is no difference that more topics could find." in said


def test_what_is_hardly_judged_says_so_and_how_much_more_it_takes(alice):
    study = with_runs(topics=4)
    assert "They cannot be compared yet. No topic has a score of both." in show(alice, study, "compare")
    answer(answering.arrive(invite(study).pk), most=2)
    jobs.sweep()
    assert "No topic has a full round of answers yet" in show(alice, study, "compare")
    judge(study, batches=2)
    found = compared(study, "run-0", "run-1", whole=False)
    said = show(alice, study, "compare", "?topics=all")
    if 2 <= found.shown.topics < found.shown.needed < float("inf"):
        assert f"{int(found.shown.needed) - found.shown.topics:,} more topic" in said


@pytest.mark.parametrize(
    ("gaps", "said"),
    [
        (
            [0.10, 0.11, 0.12],
            "With fewer than six topics no difference is called significant, whatever the tests say.",
        ),
        ([0.10, 0.11, 0.12] * 3, "The t-test of these two alone finds it; corrected for all pairs of runs"),
        ([0.30, -0.10, 0.05] * 3, "would show a difference of this size four times in five, by the t-test"),
    ],
)
def test_what_is_not_sure_is_not_said_to_be_unfound_beside_a_small_p(study, gaps, said):
    """Here as if Holm's correction called nothing sure."""
    of_two = compare_runs(gaps, [0.0] * len(gaps))
    found = replace(compared(study), whole=True, of_whole=of_two, sure=False)
    assert said in needed_sentence(found, study.words, 30.0)
    assert (of_two.t_p < 0.05) == ("would show" not in said)


def test_topics_needed_are_said_for_all_pairs_of_the_board_too(study):
    """By the textbook's formula (Guenther 1981) from the gaps, the 5 % shared among the pairs of ten runs."""
    gaps = [0.30, -0.10, 0.05, 0.12, -0.02] * 3
    of_two = compare_runs(gaps, [0.0] * len(gaps))
    found = replace(compared(study), whole=True, of_whole=of_two, sure=False, runs=10)
    share = 0.05 / sum(1 for pair in combinations(range(10), 2))
    reach = norm.ppf(1 - share / 2) + norm.ppf(0.8)
    expected = reach**2 * np.var(gaps, ddof=1) / np.mean(gaps) ** 2 + norm.ppf(1 - share / 2) ** 2 / 2
    assert expected <= found.needed_of_all < expected + 1
    said = f"corrected for all pairs of 10 runs, {found.needed_of_all:,.0f} in all at most."
    assert said in needed_sentence(found, study.words, 30.0)


def test_what_no_study_could_have_is_out_of_reach_and_runs_without_a_gap_are_level(study):
    gaps = [0.3, -0.3] * 6 + [0.004]
    of_two = compare_runs(gaps, [0.0] * len(gaps))
    found = replace(compared(study), whole=True, of_whole=of_two, sure=False)
    said = needed_sentence(found, study.words, 30.0)
    assert said == "To show a difference of this size is out of reach: over 1,000 topics."
    assert needed_rows(found, study.words, 30.0) == []
    told = comparison_pages.answer(found, "A", "B", "PGC", study.words)
    assert told.answer == "A and B are level, 0.000 apart in mean PGC."
    assert told.but.startswith("A is higher on 7 of 13 topics, lower on 6.")


def test_measures_say_that_few_topics_make_nothing_sure(alice):
    for topics in (3, 6):
        study = with_runs(topics=topics, slug=f"s{topics}", name=f"S{topics}")
        finish(study)
        jobs.sweep()
        measures = measure_comparison.MEASURES.now(study, None)
        found = any(one.share for one in measures.figures)
        few = "Over fewer than six topics" in show(alice, study, "measures")
        assert few == (found and topics < 6)
        assert found


def test_fewer_than_two_runs_have_a_page_too(alice):
    study = with_runs(runs=1)
    for name in ("compare", "pairs"):
        assert "This page needs at least two runs." in show(alice, study, name)


def test_the_matrix_holds_every_difference_and_marks_what_holm_tells_apart(alice, study):
    said = show(alice, study, "pairs")
    gap = compared(study).shown.difference
    assert f"+{gap:.3f}" in said
    assert f"\u2212{gap:.3f}" in said
    found = all_pairs.compare(study, "pgc", 0.95, None)
    assert found.pairs == 3
    told = sum(compared(study, one, two).holm_p < 0.05 for one, two in combinations(ids(), 2))
    assert found.told == told
    assert f"{told} of 3 pairs of runs" in said
    assert said.count(", told apart") == 2 * told
    first = found.runs[0]
    others = sum(found.sure(first, other) for other in found.runs[1:])
    which = "no other run" if not others else "all 2" if others == 2 else f"{others} of the 2"
    assert re.search(rf"run-0 has the highest mean.* told apart from {which}", said)
    # The legend ends where the widest difference does.
    assert re.search(rf"\u2212{gap:.3f} \+{gap:.3f} hatched: not told apart", said)
    assert [round(found.means[run], 9) for run in found.runs] == sorted(
        (round(float(np.mean(scores_of(f"run-{n}"))), 9) for n in range(3)), reverse=True
    )


def test_pages_of_tests_say_what_they_are_corrected_for_and_lead_to_each_other(alice, study):
    """One run against the others, or all pairs: what one page calls significant the other may not."""
    said = show(alice, study, "baseline")
    assert "go by ranks, which hold for all 3 pairs at once" in said
    ranks = "Ranks rest on 3 tests, one for each pair of runs"
    assert ranks in show(alice, study, "pairs")
    standings.write(study)
    assert ranks in show(alice, study, "leaderboard")
    pages = {"baseline", "pairs", "leaderboard"}
    for name in pages:
        html = alice.get(reverse(name, args=[study.slug])).content.decode()
        main = html[html.index("<main") :]
        for other in pages - {name, "baseline"}:
            assert f'href="{reverse(other, args=[study.slug])}?' in main


@pytest.mark.parametrize(("runs", "few"), [(3, True), (13, False)])
@pytest.mark.parametrize("name", ["pairs", "leaderboard-topics"])
def test_few_columns_have_their_numbers_in_them(alice, runs, few, name):
    study = with_runs(runs=runs)
    html = alice.get(reverse(name, args=[study.slug])).content.decode()
    assert ('<table class="dense few">' in html) == few
    assert bool(re.search(r'id="numbers"[^>]* checked', html)) == few


def test_the_matrix_marks_the_baseline_and_the_pinned_runs(alice, study):
    Study.objects.filter(pk=study.pk).update(baseline="run-1")
    pins = f"?pin={ids()['run-2']},{ids()['run-1']}"
    html = alice.get(reverse("pairs", args=[study.slug]) + pins).content.decode()
    heads = re.findall(r'<th scope="(col|row)" class="([^"]+)"><a href="[^"]+" title="([^"]+)"', html)
    own = [("pin-2", "run-1, the baseline"), ("pin-1", "run-2")]
    assert html.count('<span class="said-run is-baseline" dir="auto">run-1</span>') == 2
    assert [(kind, title) for scope, kind, title in heads if scope == "col"] == own
    assert [(kind, title) for scope, kind, title in heads if scope == "row"] == own
    assert "the baseline</span>" in html
    Study.objects.filter(pk=study.pk).update(baseline="")
    assert "the baseline" not in show(alice, study, "pairs", pins)


def test_the_board_and_the_rail_mark_the_baseline_and_the_rail_both_runs_that_are_compared(alice, study):
    assert "baseline run-1" not in show(alice, study, "compare")  # the rail of before is kept
    Study.objects.filter(pk=study.pk).update(baseline="run-1")
    board = alice.get(reverse("leaderboard", args=[study.slug])).content.decode()
    assert 'title="run-1, the baseline" dir="auto" class="is-baseline">run-1</a>' in board
    two = f"?a={ids()['run-1']}&b={ids()['run-2']}"
    page = alice.get(reverse("compare", args=[study.slug]) + two).content.decode()
    rail = page.partition('<details class="rail"')[2].partition("</details>")[0]
    assert '<bdi class="is-baseline" title="The baseline">run-1</bdi>' in rail
    current = re.findall(r'aria-current="true" href="[^"]*/(\d+)/', rail)
    assert sorted(map(int, current)) == sorted([ids()["run-1"], ids()["run-2"]])


@pytest.mark.parametrize("judged_whole", [True, False])
@pytest.mark.parametrize("name", ["compare", "pairs", "measures"])
def test_pages_of_models_speak_of_models_and_prompts(alice, study, name, judged_whole):
    Study.objects.filter(pk=study.pk).update(case=Study.Case.ANSWERS)
    if not judged_whole:
        Topic.objects.filter(name__in=["t1", "t2", "t3", "t4", "t5"]).update(full_rounds=0)
    html = alice.get(reverse(name, args=[study.slug]) + "?a=&topics=all").content.decode()
    # On paper each page says its address, which is the same for every kind of study.
    page = re.sub(r"http://testserver\S*", "", html[html.index("<main") :])
    said = " ".join(re.findall(r">([^<]*)<", page) + re.findall(r'(?:alt|aria-label)="([^"]*)"', page))
    assert re.search(r"\bmodels?\b", said)
    wrong = re.findall(r".{0,30}\b[Tt]opics?\b.{0,20}|.{0,30}\b[Rr]uns?\b(?!-\d).{0,20}", said)
    assert not wrong, wrong


def test_queries_are_as_many_however_many_topics_and_runs_there_are(alice):
    asked = set()
    for topics, runs in ((3, 2), (9, 6)):
        study = with_runs(topics=topics, runs=runs, slug=f"s{topics}", name=f"S {topics}")
        finish(study)
        jobs.sweep()
        for name in ("compare", "pairs", "measures"):
            address = reverse(name, args=[study.slug])
            queries(alice, address)
            asked.add((name, queries(alice, address)))
    assert len(asked) == 3
    # Of the topics that made the difference, three at most, the ledger is read one by one.
    assert max(n for name, n in asked if name != "compare") <= 12
    assert max(n for name, n in asked) <= 26


def test_hardest_is_where_the_smallest_share_of_the_possible_is_reached(study):
    """A low mean is no hard topic where no ranking could have more."""
    topics = list(study.topics.order_by("name")[:3])
    means = ((0.2, 0.2), (0.4, 1.0), (0.5, 1.0))
    figures = {
        topic.pk: TopicStats(mean, 0.1, None, 0.0, ceiling)
        for topic, (mean, ceiling) in zip(topics, means, strict=True)
    }
    pair = list(study.runs.order_by("name")[:2])
    hardest, reached, _ = scores_page.says_of_topics(study, figures, pair, means=True)
    assert re.findall(r"\bt\d\b", hardest) == [topics[1].name, topics[2].name, topics[0].name]
    assert reached == "There the runs reach 40 % to 100 % of what is possible."


def test_topics_are_sorted_by_what_they_say_of_the_runs_and_runs_stand_as_on_the_leaderboard(alice, study):
    runs = ["run-0", "run-1", "run-2"]
    scores = np.array([scores_of(run) for run in runs])
    means = scores.mean(axis=0)
    others = (scores.sum(axis=1, keepdims=True) - scores) / 5
    agreements = [np.corrcoef(scores[:, i], others[:, i])[0, 1] for i in range(6)]
    names = list(Topic.objects.order_by("name").values_list("name", flat=True))
    stored_scores = score_rows.read(list(Topic.objects.order_by("name").values_list("pk", flat=True)))
    reached = means / [one.ceiling(("pgc", options(0.95))) for one in stored_scores.values()]
    expected = {
        "hard": [names[i] for i in np.argsort(reached, kind="stable")],
        "apart": [names[i] for i in np.argsort(-scores.std(axis=0), kind="stable")],
        "against": [names[i] for i in np.argsort(agreements, kind="stable")],
        "name": names,
    }
    first, second = np.argsort(-scores.mean(axis=1), kind="stable")[:2]
    expected["gap"] = [names[i] for i in np.argsort(-abs(scores[first] - scores[second]), kind="stable")]
    expected[""] = expected["gap"]
    for sort, order in expected.items():
        page = alice.get(reverse("leaderboard-topics", args=[study.slug]), {"sort": sort}).content.decode()
        assert re.findall(r">(t\d+)</a>", page) == order, sort
    heads = re.findall(r'by=\d+" title="(run-\d)">', page)
    assert heads == [runs[i] for i in np.argsort(-scores.mean(axis=1), kind="stable")]
    said = show(alice, study, "leaderboard-topics")
    texts = dict(Topic.objects.values_list("name", "text"))

    def with_words(name):
        words = texts[name].split()
        return f"{name} “{' '.join(words[:6])}{'…' * (len(words) > 6)}”"

    first, second, third = expected["hard"][:3]
    assert f"Hardest topics: {first}, {second} and {third}." in said
    low, high = (f"{100 * value:.0f} %" for value in (reached.min(), np.sort(reached)[2]))
    assert f"There the runs reach {low if low == high else f'{low} to {high}'} of what is possible." in said
    least = with_words(expected["against"][0])
    assert f"{least} agrees with them least" in said or f"{least} most." in said
    assert f"{means[0]:.3f} {100 * reached[0]:.0f} % {scores[:, 0].std(ddof=1):.3f}" in said
    assert len(re.findall(r'class="h\d( best)?"', page)) == 18
    # Ten steps up to the highest score, rounded up to a twentieth.
    assert f'class="h{int(10 * scores[0, 0] / (np.ceil(scores.max() * 20) / 20))}' in page


def test_one_run_has_no_figures_of_topics(alice):
    study = with_runs(runs=1)
    judge(study)
    assert "Spread" not in show(alice, study, "leaderboard-topics", "?sort=apart")


def test_measures_are_compared_as_the_library_does_over_the_stored_scores(alice, study):
    found = measure_comparison.MEASURES.now(study, None)
    assert (found.topics, found.runs, found.pairs) == (6, 3, 3)
    for line in found.figures:
        table = np.array([scores_of(f"run-{n}", line.measure, line.p) for n in range(3)]).T
        expected = sensitivity(table)
        assert (line.share, line.holm, line.bonferroni) == (
            expected.share,
            expected.holm,
            expected.bonferroni,
        )
    first = np.array([scores_of(f"run-{n}", "pgc", 0.8) for n in range(3)]).mean(axis=1)
    last = np.array([scores_of(f"run-{n}", "compatibility", 0.95) for n in range(3)]).mean(axis=1)
    places = [(line.measure, line.p) for line in found.figures]
    i, j = places.index(("pgc", 0.8)), places.index(("compatibility", 0.95))
    assert found.taus[i][j] == found.taus[j][i] == pytest.approx(kendalltau(first, last).statistic)
    said = show(alice, study, "measures")
    assert "3 runs are 3 pairs that can be tested." in said
    assert "All means are over 6 topics." in said
    assert f"PGC, p = 0.80 {100 * found.figures[i].share:.0f} %" in said
    assert f"{found.taus[i][j]:.2f}" in said


def test_the_measures_at_the_studys_own_p_are_named_first(study):
    found = measure_comparison.MEASURES.now(study, None)
    names = [f"{one.measure} {one.p}" for one in found.figures]
    i, j = names.index("pgc 0.95"), names.index("compatibility 0.95")
    taus = [[1.0] * len(names) for _ in names]
    taus[0][1] = taus[1][0] = 0.2
    for tau, alike in ((0.92, "nearly alike"), (0.7, "partly alike"), (0.3, "differently")):
        taus[i][j] = taus[j][i] = tau
        said, rest = agreement(replace(found, taus=taus), names, 0.95, study.words)
        assert said == f"The two measures of this study rank the runs {alike} (τ {tau:.2f})."
        least = f"Of all measures at all p, least alike are {names[0]} and {names[1]} (τ 0.20)."
        assert rest.startswith(least)


def test_of_many_runs_the_best_the_pinned_and_those_off_the_line_are_named():
    names = [f"r{n}" for n in range(20)]
    xs, ys = [1 - n / 20 for n in range(20)], [1 - n / 20 for n in range(20)]
    for place, off in ((5, 0.4), (9, -0.3), (12, 0.2)):
        ys[place] += off
    assert named(names, xs, ys, {"r17"}) == [17, 0, 5, 9, 12]
    assert named(names[:12], xs[:12], ys[:12], set()) == list(range(12))


def test_many_scores_are_compared_by_a_job_and_the_last_figures_shown_meanwhile(alice, study, monkeypatch):
    monkeypatch.setattr(measure_comparison, "AT_ONCE", 0)
    address = reverse("measures", args=[study.slug])
    with monkeypatch.context() as no_job:
        no_job.setattr("web.shared.waiting_pages.nudge_at_most_every", lambda *_: None)
        page = alice.get(address)
        assert "The measures are being compared." in text(page)
        assert page["Retry-After"]
        measure_comparison.MEASURES.job(study.pk)
        first = text(alice.get(address))
        assert "3 runs are 3 pairs that can be tested." in first
        alike = "All measures rank the runs in the same order." in first
        assert ("The table, in which all agree alike" in first) == alike
        assert "newer figures" not in first
        StoredScores.objects.update(revision=F("revision") + 1)
        assert "newer figures are on their way" in text(alice.get(address))
    measure_comparison.MEASURES.job(study.pk)
    assert text(alice.get(address)) == first
    # What the bars mean stands in the column that a phone leaves out with them.
    shown = alice.get(address).content.decode()
    assert re.search(r'<th [^>]*class="plot"><span [^>]*>pale: plain, dark: Holm<', shown)


def test_measures_of_a_study_that_is_hardly_judged_say_nothing(alice):
    study = with_runs()
    said = show(alice, study, "measures")
    assert "The measures cannot be compared yet" in said
    assert "0 pairs that can be tested" in said
    assert "PGC, p = 0.80 – – –" in said
    assert "This page needs at least two runs." in show(
        alice, with_runs(runs=1, slug="one", name="One"), "measures"
    )


def test_topic_stays_in_once_a_round_is_complete_though_the_next_one_asks_more(study):
    topic = Topic.objects.order_by("name").first()
    assert topic.full_rounds >= 1
    Topic.objects.filter(pk=topic.pk).update(asked=topic.asked + 10)
    assert compared(study).of_whole.topics == 6


def test_every_run_is_held_against_a_baseline(alice, study):
    """scipy's paired test of each, by hand from the stored scores."""
    base = ids()["run-1"]
    whole, lines = run_comparison.to_baseline(study, base, "pgc", 0.95, None)
    assert whole
    by_run = {line.run: line for line in lines}
    for name in ("run-0", "run-2"):
        own, other = scores_of(name), scores_of("run-1")
        line = by_run[ids()[name]]
        assert line.difference == pytest.approx(np.mean(own) - np.mean(other))
        assert line.p_value == pytest.approx(ttest_rel(own, other).pvalue, abs=1e-6)
    assert by_run[base].difference is None
    page = show(alice, study, "baseline", f"?base={base}")
    assert "Against run-1" in page
    assert "cannot be held against it" not in page  # least of all run-1 itself
    assert re.search(
        r"([12]|None) of 2 runs (is|are) significantly better than run-1, "
        r"([12] (is|are) significantly worse)?(, )?([12] (is|are) open)?",
        page,
    )
    assert queries(alice, reverse("baseline", args=[study.slug])) <= 12


def test_the_baseline_is_the_studys_or_the_first_pin_or_the_leader(alice, study):
    leader = leaderboard.board(study, 0.95).rows[0].name
    other = Run.objects.exclude(name=leader).first()
    assert f"{leader} is the first of the leaderboard; no baseline is set" in show(alice, study, "baseline")
    unknown = show(alice, study, "baseline", "?base=99999999999999999999")
    assert f"Against {leader}" in unknown
    pin = show(alice, study, "baseline", f"?pin={other.pk}")
    assert f"{other.name} is the run pinned first; no baseline is set" in pin
    Study.objects.filter(pk=study.pk).update(baseline=other.name)
    assert f"{other.name} is the baseline of this study." in show(alice, study, "baseline")


def test_beside_a_leader_that_nobody_named_several_that_may_come_first_are_said_first(study):
    board = leaderboard.board(study, 0.95)
    names = dict(Run.objects.values_list("pk", "name"))

    def answer(ranks, sure):
        places = zip(board.rows, ranks, strict=True)
        rows = [
            replace(row, means={board.leading: replace(row.means[board.leading], ranks=place)})
            for row, place in places
        ]
        led = rows[0].run_id
        _, lines = run_comparison.to_baseline(study, led, "pgc", 0.95, None)
        found = [replace(line, sure=line.run in {rows[n].run_id for n in sure}) for line in lines]
        return baseline._beside_leader(replace(board, rows=rows), names, led, found, study)

    may_lead = ((1, 2), (1, 3), (2, 3))
    leader, second = (row.name for row in board.rows[:2])
    first, rest = answer(may_lead, (2,))
    assert first == f"{second} is not told from {leader}, the leader; 1 is significantly worse."
    assert rest.startswith(f"No baseline is named: {leader} stands here because it leads")
    assert answer(may_lead, ())[0].endswith(f"are not told from {leader}, the leader.")
    assert answer(may_lead, (1, 2)) is None
    assert answer(((1, 1), (2, 3), (2, 3)), (1, 2)) is None


def test_one_run_alone_has_no_baseline(alice, study):
    Run.objects.exclude(pk=Run.objects.first().pk).update(shown=False)
    assert "This page needs at least two runs." in show(alice, study, "baseline")
