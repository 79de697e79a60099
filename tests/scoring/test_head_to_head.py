"""Duels of runs: strengths from the stored judgments, held against the library by hand, on the page."""

import csv
import io
import random
import re
from itertools import combinations

import numpy as np
import pytest
from django.core.cache import cache
from django.urls import reverse

from collection.models import Item, Study, Topic
from collection.models.study import WORDS
from collection.upload import loading
from judging import ledger
from prefir.measures import bradley_terry
from scoring import jobs
from scoring.analysis import head_to_head
from tests.judging.organizing import queries, staff_of, text
from tests.makers import Choice, add_run, finish, make_study, open_study
from web.coordinator.compare import comparison_pages
from web.coordinator.strength_lines import answer, chance_ends, strength_lines

pytestmark = pytest.mark.django_db
ANSWERS = {"oak": "a", "elm": "b", "ash": "c"}
PAGES_OF_TWO = ("leaderboard", "report", "report-md", "compare")


def arena(topics: int = 6) -> Study:
    """A study of systems that give one answer each: run oak gives item a, elm b, and ash c.

    People prefer what is loaded first, but for every third topic, where they prefer what is loaded last.
    """
    study = staff_of(make_study(topics=topics, items=3, junk=0, k=1, batch_challenges=0))
    for name, letter in ANSWERS.items():
        add_run(study, name, {topic.name: [f"{topic.name}-{letter}"] for topic in study.topics.all()})
    open_study(study)
    turned = {topic.pk for topic in study.topics.order_by("pk")[2::3]}
    finish(study, choose=lambda question: Choice.B if question.topic_id in turned else Choice.A)
    jobs.sweep()
    return study


def show(client, study, query="") -> str:
    response = client.get(reverse("duels", args=[study.slug]) + query)
    assert response.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def counts(lean: int) -> tuple[bool, bool, bool]:
    """Whether the first wins, the second, or neither."""
    return lean > 0, lean < 0, lean == 0


def test_strengths_are_those_of_the_judgments(alice):
    """Each judgment of two items is a duel of the two runs that gave them: counted one by one."""
    study = arena()
    runs = head_to_head.runs_of(study)
    names = dict(study.runs.values_list("pk", "name"))
    place = {ANSWERS[names[run]]: i for i, run in enumerate(runs)}
    letters = {pk: docno[-1] for pk, docno in Item.objects.values_list("pk", "docno")}
    rows = [
        (
            topic,
            place[letters[one.first]],
            place[letters[one.second]],
            one.lean > 0,
            one.lean < 0,
            one.lean == 0,
        )
        for topic in Topic.objects.values_list("pk", flat=True)
        for one in ledger.given(topic).counting
    ]
    expected = bradley_terry(np.array(rows, dtype=float), 3, intervals=False)
    found = head_to_head.STRENGTHS.compute(study, 0.95)
    assert found.strengths.strengths.tolist() == pytest.approx(expected.strengths.tolist())
    assert found.strengths.duels == len(rows) > 0
    page = show(alice, study)
    assert f"After {len(rows)} judgments on 6 topics" in page
    assert re.search(r"oak (has the highest strength, but not surely|is the strongest)\.", page)


def test_two_models_begin_with_how_often_each_was_preferred_to_the_other(alice):
    """Expected by looking at every judgment of the pair, one after another."""
    study = arena()
    Study.objects.filter(pk=study.pk).update(case=Study.Case.ANSWERS)
    oak, ash = (study.runs.get(name=name).pk for name in ("oak", "ash"))
    letters = {pk: docno[-1] for pk, docno in Item.objects.values_list("pk", "docno")}
    given = [one for topic in study.topics.all() for one in ledger.given(topic.pk).counting]
    of_two = [one for one in given if {letters[one.first], letters[one.second]} == {"a", "c"}]
    leans = [one.lean if letters[one.first] == "a" else -one.lean for one in of_two]
    won, lost = sum(lean > 0 for lean in leans), sum(lean < 0 for lean in leans)
    assert won > lost > 0
    found = head_to_head.STRENGTHS.compute(study, study.persistence)
    assert found.tally(oak, ash) == (won, lost, 0)
    assert found.tally(ash, oak) == (lost, won, 0)
    address = reverse("compare", args=[study.slug])
    shown = text(alice.get(address + f"?a={oak}&b={ash}"))
    assert f"directly, oak was preferred {won} times and ash {lost} times." in shown
    duels = text(alice.get(reverse("duels", args=[study.slug])))
    assert "the model of the row" in duels
    assert "the run of the row" not in duels
    shown = text(alice.get(address + f"?a={ash}&b={oak}"))
    assert f"directly, ash was preferred {lost} times and oak {won} times." in shown


def test_ties_are_tallied_and_models_that_never_met_are_said_to_be_so(alice):
    """Duels by hand, on two topics: (topic, first, second, won, lost, tied)."""
    rows = np.array([[1, 0, 1, 2, 1, 1], [2, 0, 1, 0, 3, 0], [2, 1, 2, 0, 0, 1]], dtype=float)
    assert head_to_head.tallied(rows) == {(0, 1): (2, 4, 1), (1, 2): (0, 0, 1)}
    study = arena()
    one, other = study.runs.order_by("name")[:2]
    Study.objects.filter(pk=study.pk).update(case=Study.Case.ANSWERS)
    study.refresh_from_db()
    add_run(study, "new", {topic.name: [] for topic in study.topics.all()})
    assert "was preferred" in comparison_pages.met_sentence(study, one, other)
    new = study.runs.get(name="new")
    assert comparison_pages.met_sentence(study, one, new).startswith("No judgment is between answers")


def test_that_the_first_two_never_met_is_said_wherever_they_are_compared(alice, tmp_path):
    """oak and elm are each preferred to ash alone, until somebody judges oak against elm."""
    study = staff_of(make_study(topics=6, items=3, junk=0, case=Study.Case.ANSWERS))
    for name, letter in ANSWERS.items():
        add_run(study, name, {topic.name: [f"{topic.name}-{letter}"] for topic in study.topics.all()})

    def said(*judged: str) -> list[bool]:
        path = tmp_path / f"{len(judged)}.txt"
        lines = [f"t{t} t{t}-{one[0]} t{t}-{one[1]} t{t}-{one[0]}\n" for t in range(1, 7) for one in judged]
        path.write_text("".join(lines))
        loading.load(study, "judgments", path)
        jobs.sweep()
        pages = [alice.get(reverse(name, args=[study.slug])).content.decode() for name in PAGES_OF_TWO]
        return ["No judgment is between answers of the" in page for page in pages]

    assert said("ac", "bc", "bc") == [True] * 4
    assert said("ab") == [False] * 4


def test_a_difference_over_other_prompts_than_the_means_says_so(alice, tmp_path):
    """oak is judged on a prompt more than elm, which loses on the first."""
    study = staff_of(make_study(topics=7, items=3, junk=0, case=Study.Case.ANSWERS, measures="win_rate"))
    for name, letter in ANSWERS.items():
        add_run(study, name, {topic.name: [f"{topic.name}-{letter}"] for topic in study.topics.all()})
    lines = [f"t{t} t{t}-a t{t}-c t{t}-a\n" for t in range(1, 8)]
    lines += [f"t{t} t{t}-b t{t}-c t{t}-{'c' if t == 1 else 'b'}\n" for t in range(1, 7)]
    path = tmp_path / "judgments.txt"
    path.write_text("".join(lines))
    loading.load(study, "judgments", path)
    jobs.sweep()
    compared = text(alice.get(reverse("compare", args=[study.slug])))
    assert "oak is ahead of elm by 0.167 in mean win rate on the 6 prompts that both have" in compared
    assert "By tests over at most 7 prompts" in text(alice.get(reverse("leaderboard", args=[study.slug])))


def test_a_large_study_is_computed_by_a_job_and_kept(alice, monkeypatch):
    study = arena()
    monkeypatch.setattr(head_to_head, "AT_ONCE", 0)
    cache.clear()
    assert "The strengths are being computed." in show(alice, study)
    head_to_head.STRENGTHS.job(study.pk)
    assert "After" in show(alice, study)
    assert queries(alice, reverse("duels", args=[study.slug])) <= 9


def matched(tmp_path, results, runs=("alpha", "beta", "gamma")) -> Study:
    """A study of single answers; results: of each topic, pairs of a winner and a loser."""
    study = staff_of(make_study(topics=len(results), items=len(runs), junk=0, k=1, batch_challenges=0))
    topics = list(study.topics.order_by("pk"))
    letters = {run: "abcdef"[place] for place, run in enumerate(runs)}
    for run, letter in letters.items():
        add_run(study, run, {topic.name: [f"{topic.name}-{letter}"] for topic in topics})
    lines = [
        f"{topic.name} {topic.name}-{letters[won]} {topic.name}-{letters[lost]} {topic.name}-{letters[won]}"
        for topic, own in zip(topics, results, strict=True)
        for won, lost in own
    ]
    path = tmp_path / "duels.txt"
    path.write_text("\n".join(lines) + "\n")
    loading.load(study, "judgments", path)
    jobs.sweep()
    return study


def sweep(tmp_path) -> Study:
    """Alpha wins all of its 16 duels; beta 5 of 8 against gamma."""
    inner = [("beta", "gamma")] * 5 + [("gamma", "beta")] * 3
    return matched(tmp_path, [[("alpha", "beta"), ("alpha", "gamma"), one] for one in inner])


def test_who_won_all_is_named_first_and_stands_first_everywhere(alice, tmp_path):
    study = sweep(tmp_path)
    page = show(alice, study)
    assert "alpha won all of its 16 duels, so its strength has no upper end. beta comes next." in page
    assert "After 24 judgments on 8 topics." in page
    assert "strongest" not in page
    assert "fewer than 10 judgments" not in page
    assert re.search(
        r"alpha won all \+\d\.\d\d or more 16 16 : 0 beta \+0\.26 .* 16 5 : 11 gamma \u22120\.26", page
    )
    assert "alpha – all 8:0 all 8:0 beta none 0:8 – 62 5:3 gamma none 0:8 38 3:5 –" in page
    # Five of eight are too few to be sure; all and none have no interval, though eight of eight are sure.
    shown = alice.get(reverse("duels", args=[study.slug])).content.decode()
    hatched = re.findall(
        r'<td class="c\d+ unsure" title="95 % interval: (\d+) to (\d+); where[^"]+"><a [^>]+>(\d+)<', shown
    )
    assert [said for *_, said in hatched] == ["62", "38"]
    assert all(int(low) < 50 < int(high) for low, high, _ in hatched)
    rows = list(csv.DictReader(io.StringIO(table_file(alice, study, "csv"))))
    assert [(row["run"], row["status"], row["won"]) for row in rows] == [
        ("alpha", "won all", "16.0"),
        ("beta", "fitted", "5.0"),
        ("gamma", "fitted", "3.0"),
    ]
    assert (rows[0]["strength"], rows[0]["high"]) == ("inf", "inf")
    assert r"alpha & won all & 1 & 1 & $\infty$" in table_file(alice, study, "tex")


def table_file(client, study, ending) -> str:
    return client.get(reverse(f"table-{ending}", args=[study.slug, "strengths"])).content.decode()


def test_a_chain_has_a_first_and_a_last(alice, tmp_path):
    page = show(alice, matched(tmp_path, [[("alpha", "beta"), ("alpha", "gamma"), ("beta", "gamma")]] * 2))
    assert "alpha won all of its 4 duels" in page
    assert "Strengths and chances: 3 runs have fewer than 10 judgments" in page
    assert re.search(r"alpha won all open at both ends 4 4 : 0 beta between .* gamma lost all", page)


def test_runs_that_never_met_are_in_groups_of_their_own(alice, tmp_path):
    runs = ("alpha", "beta", "gamma", "delta", "omega")
    turns = [[("alpha", "beta"), ("gamma", "delta")], [("beta", "alpha"), ("gamma", "delta")]]
    page = show(alice, matched(tmp_path, [*turns, turns[0]], runs))
    assert "The runs form 2 groups that never met, so that none is the strongest of all." in page
    assert "gamma won all of its 3 duels" in page
    assert "alpha has the highest strength, but not surely." in page
    assert "omega met nobody." in page
    assert "Group 1 of 2: met each other, and nobody of another group" in page


def test_of_rankings_judgments_are_counted_and_no_run_is_called_the_strongest(alice):
    """One judgment is a duel of four pairs of runs; it is told, and counts, once."""
    study = staff_of(make_study(topics=3, items=3, junk=0, k=1, batch_challenges=0))
    for name, letters in {"oak": "ab", "elm": "ab", "ash": "c", "fir": "c"}.items():
        tops = {topic.name: [f"{topic.name}-{letter}" for letter in letters] for topic in study.topics.all()}
        add_run(study, name, tops)
    open_study(study)
    finish(study, choose=lambda question: Choice.A)
    found = head_to_head.STRENGTHS.compute(study, 0.95)
    judged = sum(len(ledger.given(topic.pk).counting) for topic in study.topics.all())
    assert 0 < found.judgments <= judged
    assert not found.answers
    page = show(alice, study, "?p=0.95")
    assert "These runs are rankings, not single answers: the leaderboard says which is best." in page
    assert f"{found.judgments} judgments on 3 topics" in page
    assert "strongest" not in page


def test_one_run_alone_has_no_duels(alice):
    study = staff_of(make_study())
    assert "This page needs at least two runs." in show(alice, study)


@pytest.mark.parametrize(
    ("of_two", "overlap", "said"),
    [
        ([(3, 1), (3, 2)], False, "oak is the strongest."),
        ([(4, 1), (1, 3)], True, "oak is the strongest."),
        ([(9, 1), (2, 8)], True, "oak has the highest strength, but not surely."),
    ],
)
def test_the_interval_of_the_difference_decides_who_is_the_strongest(of_two, overlap, said):
    """Also where the intervals of both overlap, which does not contradict it.

    of_two: duels won and lost against the next, on every second topic.
    """
    duels = [
        (topic, *pair, *counts, 0)
        for topic in range(12)
        for pair, counts in (
            ((0, 1), of_two[topic % 2]),
            ((0, 2), (6 + topic % 5, 1 + topic % 3)),
            ((1, 2), (4 + topic % 5, 2 + topic % 3)),
        )
    ]
    own = bradley_terry(duels, 3)
    words = WORDS[Study.Case.RANKINGS]
    first, rest = answer(head_to_head.Duels([1, 2, 3], True, own), ["oak", "elm", "ash"], words)
    assert first == said
    low, high = (round(100 * end) for end in own.chance_ends(0, 1))
    assert f"of 100 duels (95 % interval: {low} to {high})" in rest
    assert (own.chance_ends(0, 1)[0] <= 0.5) == ("highest" in said)
    assert bool(own.lows[0] <= own.highs[1]) == overlap


def test_below_a_verdict_that_says_the_same_the_difference_of_the_two_is_folded(tmp_path, alice):
    """Alpha wins all: ranks are sure. Strengths are only where the others lost some duels to each other."""
    chain = matched(tmp_path, [[("alpha", "beta"), ("alpha", "gamma"), ("beta", "gamma")]] * 8)
    for study, same in ((sweep(tmp_path), True), (chain, False)):
        Study.objects.filter(pk=study.pk).update(case=Study.Case.ANSWERS)
        board = alice.get(reverse("leaderboard", args=[study.slug]))
        assert board.context["differs"] == (not same)
        said = board.content.decode()
        why = said.index("Strengths count each judgment alike")
        assert (why > said.index("How strengths and chances are computed")) == same


def test_an_interval_that_is_read_never_contradicts_what_is_sure():
    assert chance_ends(0.504, 0.62) == "50.4 to 62"
    assert chance_ends(0.41, 0.4996) == "41 to 49.96"
    assert chance_ends(0.2, 0.8) == "20 to 80"
    draw, both = random.Random(1), set()
    for _ in range(12):
        duels = [
            (topic, first, second, draw.randint(0, 3 + second), draw.randint(0, 4), draw.randint(0, 1))
            for topic in range(10)
            for first, second in combinations(range(5), 2)
        ]
        own = bradley_terry(duels, 5)
        names = list("abcde")
        for line in strength_lines(head_to_head.Duels(list(range(5)), True, own), names):
            for one in line.chances:
                if one.ends:
                    low, high = map(float, one.ends.split(" to "))
                    assert one.unsure == (low <= 50 <= high), one
                    # What is sure has a colour.
                    assert one.unsure or (one.step > 5) == (low > 50)
                    both.add(one.unsure)
    assert both == {True, False}
