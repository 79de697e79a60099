"""Means by group of topics: against sums by hand, and what the page says of groups that turn the order."""

from dataclasses import replace
from statistics import median

import numpy as np
import pytest
from django.core.cache import cache
from django.urls import reverse

from collection.models import Placement, Study
from collection.models.study import WORDS
from prefir.measures import compare_to_baseline, mean_intervals
from scoring import jobs
from scoring.analysis import all_pairs, run_comparison, topic_groups
from scoring.analysis.comparison_scores import scores_of
from scoring.analysis.system_maps import GROUP_MAPS, MAPS
from scoring.analysis.topic_filter import group_choices, topics_in
from scoring.analysis.topic_groups import GroupMeans
from scoring.board import standings
from scoring.compute.answer_columns import COUNTS
from scoring.compute.group_figures import group_figures
from scoring.models import Standing
from scoring.quality import trust
from scoring.quality.group_trust import GROUP_TRUST
from tests.judging.organizing import logged_in, queries, text
from tests.makers import add_run, finish
from tests.scoring.plain_answers import Answer, answers, columns
from tests.scoring.plain_figures import agreement, triples, units_of
from tests.scoring.test_leaderboard_pages import with_runs
from web.coordinator.board import group_board
from web.coordinator.compare import groups_page
from web.coordinator.group_sentences import answer
from web.live.axis import Axis

pytestmark = pytest.mark.django_db
TOPICS = 14


@pytest.fixture(scope="module")
def judged(module_data):
    """14 topics in two categories and three runs; on the last seven the runs' rankings are turned round."""
    study = with_runs(topics=TOPICS, runs=3, measures="pgc")
    for n in range(1, TOPICS + 1):
        study.topics.filter(name=f"t{n}").update(groups={"category": "plain" if n <= 7 else "turned"})
    finish(study)
    jobs.sweep()
    return study.pk


@pytest.fixture
def study(db, judged):
    return Study.objects.get(pk=judged)


def scored(study, monkeypatch, values) -> None:
    """Let the study's scores be these."""
    changed = replace(scores_of(study, "pgc", 0.95), values=values)
    monkeypatch.setattr(topic_groups, "scores_of", lambda *_: changed)


def test_each_group_has_the_means_of_its_topics(study):
    found = topic_groups.compare_groups(study, "category", "pgc", 0.95)
    own = scores_of(study, "pgc", 0.95)
    of = dict(study.topics.values_list("pk", "groups"))
    for group in found.groups:
        mask = [of[topic]["category"] == group.name for topic in own.topics]
        assert group.topics == sum(mask) == 7
        for run, mean, low in zip(found.runs, group.means, group.lows, strict=True):
            values = own.values[mask, own.runs.index(run)]
            assert mean == pytest.approx(sum(values) / 7)
            assert low == pytest.approx(mean_intervals(values[:, None], bounds=(0, 1)).lows[0])
    assert found.all.means == sorted(found.all.means, reverse=True)
    assert not found.turned


def test_a_group_that_turns_the_order_is_named_with_its_significance(study, monkeypatch):
    own = scores_of(study, "pgc", 0.95)
    of = dict(study.topics.values_list("pk", "groups"))
    plain = np.array([of[topic]["category"] == "plain" for topic in own.topics])
    jitter = np.linspace(0, 0.01, TOPICS)
    values = np.stack(
        [np.where(plain, 0.9, 0.4) + jitter, np.where(plain, 0.1, 0.6), np.full(TOPICS, 0.2)], axis=1
    )
    scored(study, monkeypatch, values)
    found = topic_groups.compare_groups(study, "category", "pgc", 0.95)
    (turned,) = found.turned
    assert turned.name == "turned"
    # The slow way: every other run against the leader, in both groups, corrected by Holm.
    tests = [compare_to_baseline(values[mask], 0).p_values for mask in (plain, ~plain)]
    known = sorted(p for test in tests for p in test if not np.isnan(p))
    smaller = [p for p in known if p <= tests[1][1]]
    assert turned.chance == pytest.approx(max(p * (len(known) - n) for n, p in enumerate(smaller)))
    assert turned.is_sure
    names = [f"run-{n}" for n in range(3)]
    said = answer(found, [names[own.runs.index(run)] for run in found.runs], study.words)
    assert said == (
        "run-0 leads over all topics; in 1 group another does: turned (run-1).",
        "It is significantly better than run-0 there in turned.",
    )


def test_few_topics_make_no_lead_sure(study, monkeypatch):
    own = scores_of(study, "pgc", 0.95)
    study.topics.exclude(name__in=["t1", "t2"]).update(groups={"category": "plain"})
    study.topics.filter(name__in=["t1", "t2"]).update(groups={"category": "few"})
    few = np.array(
        [
            topic in set(study.topics.filter(name__in=["t1", "t2"]).values_list("pk", flat=True))
            for topic in own.topics
        ]
    )
    values = np.stack([np.where(few, 0.1, 0.9), np.where(few, 0.9, 0.1), np.full(TOPICS, 0.0)], axis=1)
    values[few, 0] += [0.0, 1e-6]
    scored(study, monkeypatch, values)
    (turned,) = topic_groups.compare_groups(study, "category", "pgc", 0.95).turned
    assert (turned.name, turned.is_sure) == ("few", False)


def test_groups_of_a_topic_or_two_say_nothing_of_who_leads(study):
    study.topics.update(groups={"category": "none"})
    study.topics.filter(name__in=["t1", "t2"]).update(groups={"category": "few"})
    study.topics.filter(name="t3").update(groups={"category": "one"})
    found = topic_groups.compare_groups(study, "category", "pgc", 0.95)
    names = [str(run) for run in found.runs]
    assert answer(found, names, study.words)[1] == (
        "2 of them have too few topics to test it. How sure its lead is stands on the leaderboard."
    )
    small = replace(found, groups=[one for one in found.groups if one.name != "none"])
    assert answer(small, names, study.words) == (
        "Too early to say: no group has six topics yet.",
        "2 of 2 groups have scores, over 1 to 2 topics each.",
    )


def test_many_groups_share_a_last_column():
    groups = topic_groups._largest([str(n) for n in range(30)] + ["0"])
    assert groups[0] == groups[-1] == "0"
    assert len(set(groups)) == topic_groups.MOST_GROUPS + 1


def test_the_page_shows_each_group_beside_all_topics(study):
    said = text(logged_in("alice").get(reverse("groups", args=[study.slug])))
    assert "All topics 14 topics" in said
    assert "plain 7 topics" in said
    assert "run-0 leads in each of the 2 groups" in said


def test_many_runs_have_low_rows_that_do_not_scroll_by_themselves(study):
    page = reverse("groups", args=[study.slug])
    assert (
        '<table class="stack first-ten by-topic by-group" ' in logged_in("alice").get(page).content.decode()
    )
    topic = study.topics.get(name="t1")
    docnos = list(topic.items.values_list("docno", flat=True))
    for n in range(18):
        add_run(study, f"further-{n}", {"t1": docnos})
    jobs.sweep()
    said = logged_in("alice").get(page).content.decode()
    assert '<table class="stack first-ten by-topic by-group many" ' in said
    assert '<div class="scroll wide" tabindex="0" role="region" aria-label="Means by group">' in said


def test_without_groups_the_page_says_where_they_come_from(study):
    study.topics.update(groups={})
    said = text(logged_in("bob").get(reverse("groups", args=[study.slug])))
    assert "No topic has a group yet." in said


def test_a_weight_counts_in_means(study):
    study.topics.filter(name="t1").update(weight=14.0)
    own = scores_of(study, "pgc", 0.95)
    found = topic_groups.compare_groups(study, "category", "pgc", 0.95)
    heavy = next(i for i, topic in enumerate(own.topics) if own.weights[i] == 14.0)
    place = own.runs.index(found.runs[0])
    every = own.values[:, place]
    assert found.all.means[0] == pytest.approx((13 * every[heavy] + every.sum()) / 27)


def test_topics_of_a_group_are_those_with_its_column_and_value(study):
    of = dict(study.topics.values_list("pk", "groups"))
    assert topics_in(study, "category:plain") == {pk for pk, own in of.items() if own["category"] == "plain"}
    assert topics_in(study, "") is None
    assert topics_in(study, "category:none") is None
    assert group_choices(study) == [
        ("category:plain", "category: plain (7)"),
        ("category:turned", "category: turned (7)"),
    ]
    study.topics.filter(name="t1").update(groups={"a:b": "c:d", "n": 3})
    assert topics_in(study, "a:b:c:d") == topics_in(study, "n:3") == {study.topics.get(name="t1").pk}


def test_two_runs_and_all_pairs_are_compared_over_the_topics_of_a_group(study):
    own = scores_of(study, "pgc", 0.95)
    kept = topics_in(study, "category:turned")
    mask = np.array([topic in kept for topic in own.topics])
    first, second = own.runs[:2]
    found = run_comparison.compare(study, first, second, "pgc", 0.95, False, "category:turned")
    gaps = own.values[mask, 0] - own.values[mask, 1]
    assert found.shown.difference == pytest.approx(np.nanmean(gaps))
    assert {line.topic for line in found.topics} <= kept
    pairs = all_pairs.compare(study, "pgc", 0.95, False, "category:turned")
    assert pairs.difference(first, second) == pytest.approx(np.nanmean(gaps))
    # What was kept for one group is not shown for another.
    every = all_pairs.compare(study, "pgc", 0.95, False)
    assert every.topics == 14
    assert pairs.topics == 7


def test_pages_of_two_runs_and_pairs_say_which_group_they_show(study):
    alice = logged_in("alice")
    for page in ("compare", "pairs"):
        address = reverse(page, args=[study.slug])
        said = text(alice.get(f"{address}?group=category:plain"))
        assert "Only topics of the group category:plain" in said
        assert "Only topics" not in text(alice.get(f"{address}?group=category:none"))
        assert 'name="group"' in alice.get(address).content.decode()
    file = alice.get(reverse("table-csv", args=[study.slug, "pairs"]) + "?group=category:plain&topics=all")
    every = alice.get(reverse("table-csv", args=[study.slug, "pairs"]) + "?topics=all")
    assert file.status_code == 200
    assert file.content != every.content
    compared = reverse("compare", args=[study.slug]) + "?group=category:plain"
    assert "group=category%3Aplain" in alice.get(compared).context["file_query"]


def test_judgments_are_counted_by_group(study):
    """By hand, from the answers of each group alone."""
    every, by_group = GROUP_TRUST.compute(study, "category")
    of = dict(study.topics.values_list("pk", "groups"))
    given = [one for one in answers(study) if one.about == COUNTS]
    assert every.answers == len(given)
    for name, figures in by_group.items():
        own = [one for one in given if of[one.topic]["category"] == name]
        assert figures.answers == len(own) > 0
        assert figures.triples == triples(own)
        assert figures.agreement == agreement(units_of(own), "nominal", sided=True)
        times = [one.seconds for one in own if one.seconds is not None]
        assert figures.seconds == (median(times) if times else None)
    assert sum(one.answers for one in by_group.values()) == every.answers


def test_agreement_and_time_of_a_group_are_those_of_its_answers():
    """Two people: of one mind about one group, in 4 and 6 seconds; not about the other, in 10 and 20."""
    given = [
        *(answered(1, question=1, assessor=a, lean=1, seconds=s) for a, s in ((1, 4.0), (2, 6.0))),
        answered(2, question=2, assessor=1, lean=1, seconds=10.0),
        answered(2, question=2, assessor=2, lean=-1, seconds=20.0),
        answered(3, question=3, assessor=1, lean=0, seconds=None),
    ]
    every, by_group = group_figures(columns(given), {1: "easy", 2: "hard"})
    assert {name: (one.agreement.raw, one.seconds) for name, one in by_group.items()} == {
        "easy": (1.0, 5.0),
        "hard": (0.0, 15.0),
        "": (None, None),
    }
    assert (every.answers, every.agreement.raw, every.seconds) == (5, 0.5, 8.0)


def answered(topic, *, question, assessor, lean, seconds) -> Answer:
    return Answer(
        *(COUNTS, 1, "3", assessor, question, topic, (1, 2), lean, None, lean, ((1, 2, lean),), seconds, 1.0),
        None,
        lean,
    )


def test_the_page_shows_judgments_by_group(study):
    alice = logged_in("alice")
    address = reverse("groups", args=[study.slug])
    said = text(alice.get(address))
    assert "Judgments by group" in said
    every, by_group = GROUP_TRUST.cached(study, "category")
    assert f"Judgments {every.answers} {by_group['plain'].answers} {by_group['turned'].answers}" in said
    assert said.index("pink: loses more here than other runs do") < said.index("possible")
    assert "?group=category%3Aplain" in alice.get(address).content.decode()
    assert queries(alice, address) <= 22


def test_judgments_of_many_answers_are_read_by_a_job(study, monkeypatch):
    monkeypatch.setattr(trust, "AT_ONCE", 0)
    cache.clear()
    alice = logged_in("alice")
    address = reverse("groups", args=[study.slug])
    assert "The judgments are being read." in text(alice.get(address))
    GROUP_TRUST.job(study.pk)
    assert "Krippendorff’s α" in text(alice.get(address))


def test_groups_that_change_are_read_again(study):
    GROUP_TRUST.compute(study, "category")
    study.topics.filter(name="t1").update(groups={"category": "turned"})
    assert GROUP_TRUST.cached(study, "category") is None


def test_a_map_is_of_the_rankings_of_a_group(study):
    """Held against a study's map from which the other topics are gone."""
    one = GROUP_MAPS.compute(study, "rbo", "category:plain")
    every = MAPS.compute(study, "rbo")
    assert one.means != every.means
    kept = topics_in(study, "category:plain")
    Placement.objects.exclude(topic__in=kept).delete()
    cache.clear()
    assert one.means == pytest.approx(MAPS.compute(study, "rbo").means)


def test_the_map_says_which_group_it_shows(study):
    alice, address = logged_in("alice"), reverse("map", args=[study.slug])
    page = alice.get(f"{address}?group=category:plain")
    assert "Only topics of the group category:plain" in text(page)
    assert len(page.context["topics"]) <= 7 < len(alice.get(address).context["topics"])
    figure = reverse("figure-svg", args=[study.slug, "map"])
    drawn = [alice.get(figure + query).content for query in ("", "?group=category:plain")]
    assert drawn[0] != drawn[1]


def test_a_map_is_made_again_where_groups_change(study):
    GROUP_MAPS.compute(study, "rbo", "category:plain")
    study.topics.filter(name="t1").update(groups={"category": "turned"})
    assert GROUP_MAPS.cached(study, "rbo", "category:plain") is None


def test_the_board_of_a_group_has_the_means_and_ranks_of_its_topics_alone(study):
    alice, address = logged_in("alice"), reverse("leaderboard", args=[study.slug])
    said = text(alice.get(f"{address}?group=category:turned"))
    assert "Over the topics of one group alone, category: turned (7)" in said
    assert queries(alice, f"{address}?group=category:turned") <= 6
    assert queries(alice, address) <= 6
    assert "data-stream" not in alice.get(f"{address}?group=category:turned").content.decode()
    found = standings.computed(study, topics_in(study, "category:turned"))
    own = scores_of(study, "pgc", 0.95, "category:turned")
    known = mean_intervals(own.values, weights=own.weights, bounds=(0, 1))
    for place, run in enumerate(found["runs"]):
        assert run["id"] == own.runs[place]
        mean, low, high, topics, ranks, ceiling = run["means"]["pgc"]["p=0.95"]
        assert (mean, low, high) == (known.means[place], known.lows[place], known.highs[place])
        assert (topics, ceiling) == (7, pytest.approx(own.ceilings.mean()))
        assert tuple(ranks) == tuple(known.ranks[place])
        assert f"{mean:.3f}" in said
    assert (found["topics"], found["topics_judged"]) == (7, 7)
    assert found["judgments"] == sum(own.judgments) < standings.computed(study)["judgments"]


def test_the_board_of_a_group_follows_its_judgments_by_itself(study):
    alice, query = logged_in("alice"), "?group=category:turned"
    page = alice.get(reverse("leaderboard", args=[study.slug]) + query).content.decode()
    part = reverse("leaderboard-group", args=[study.slug]) + query
    assert f'data-live="{part.replace(":", "%3A")}" data-every="5000"' in page
    shown = alice.get(part)
    assert "Over the topics of one group alone" in shown.content.decode()
    known = {"HTTP_IF_NONE_MATCH": shown["ETag"]}
    assert f'data-version="{shown["ETag"].replace(chr(34), "&quot;")}"' in page
    assert alice.get(part, **known).status_code == 304
    before = Standing.objects.filter(study=study).latest("number")
    before.pk, before.number = None, before.number + 1
    before.save()
    assert alice.get(part, **known).status_code == 200
    # Other topics in the group, though as many: another board.
    known = {"HTTP_IF_NONE_MATCH": alice.get(part)["ETag"]}
    gone = study.topics.filter(groups__category="turned")[0]
    for topic, own in ((study.topics.get(name="t1"), "turned"), (gone, "plain")):
        topic.groups["category"] = own
        topic.save(update_fields=["groups"])
    cache.delete(group_board.topics_key(study, "category:turned"))  # which goes by itself after 30 seconds
    again = alice.get(part, **known)
    assert again.status_code == 200


def test_a_group_that_is_not_there_is_all_topics(study):
    alice, address = logged_in("alice"), reverse("leaderboard", args=[study.slug])
    body = alice.get(f"{address}?group=category:none").content.decode()
    assert "data-stream" in body
    assert "one group alone" not in body
    assert 'value="category:turned"' in body


def test_the_board_says_which_group_turns_the_order(study, monkeypatch):
    alice, address = logged_in("alice"), reverse("leaderboard", args=[study.slug])
    assert "By category:" not in text(alice.get(address))
    cache.clear()
    own = scores_of(study, "pgc", 0.95)
    of = dict(study.topics.values_list("pk", "groups"))
    plain = np.array([of[topic]["category"] == "plain" for topic in own.topics])
    values = np.stack([np.where(plain, 0.9, 0.4), np.where(plain, 0.1, 0.6), np.full(TOPICS, 0.2)], axis=1)
    scored(study, monkeypatch, values)
    said = text(alice.get(address))
    assert "By category: run-0 leads over all topics; in 1 group another does: turned (run-1)." in said
    assert queries(alice, address) <= 6


def test_a_baseline_is_compared_over_a_group_with_what_is_possible(study):
    base = study.runs.get(name="run-2").pk
    _, lines = run_comparison.to_baseline(study, base, "pgc", 0.95, None, "category:plain")
    own = scores_of(study, "pgc", 0.95, "category:plain")
    for line in lines:
        values = own.values[:, own.runs.index(line.run)]
        assert line.topics == 7
        assert line.mean == pytest.approx(values.mean())
        assert line.ceiling == pytest.approx(own.ceilings.mean())
    alice, address = logged_in("alice"), reverse("baseline", args=[study.slug])
    body = alice.get(f"{address}?base={base}&group=category:plain").content.decode()
    assert "Over the topics of one group alone, category: plain (7)." in body
    assert f"{lines[0].mean:.3f}" in body
    assert "group=category%3Aplain" in body  # its file too


def test_columns_of_groups_say_what_is_possible(study, monkeypatch):
    found = topic_groups.compare_groups(study, "category", "pgc", 0.95)
    own = scores_of(study, "pgc", 0.95)
    of = dict(study.topics.values_list("pk", "groups"))
    for group in found.groups:
        mask = [of[topic]["category"] == group.name for topic in own.topics]
        assert group.ceilings == [pytest.approx(own.ceilings[mask].mean())] * len(found.runs)


def test_the_tint_says_where_a_run_is_better_beside_the_others_than_over_all_topics():
    """By hand: of three runs the first is ahead by 0.1 over all topics, by 0.4 in one group, by none in the
    other, where all do better; the last changes by as much the other way.
    """

    def group(name, *means):
        none = [None, None, None]
        return GroupMeans(name, 6, [*means], none, none, none, 0)

    shown = [group("all", 0.6, 0.5, 0.4), group("a", 0.9, 0.5, 0.1), group("b", 0.8, 0.8, 0.8)]
    words = WORDS[Study.Case.RANKINGS]
    lines = groups_page._lines(shown, [(1, "one"), (2, "two"), (3, "three")], Axis(0, 20, 5), words)
    # On an axis from 0 to 1 a mark stands at its mean.
    assert [cell.mark for cell in lines[0][1]] == ["60.0", "90.0", "80.0"]
    assert [cell.group for cell in lines[0][1]][1:] == ["a", "b"]
    assert [[cell.tint for cell in cells] for _, cells in lines] == [
        ["", "c8", "c4"],
        ["", "", ""],
        ["", "c2", "c6"],
    ]
