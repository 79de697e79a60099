"""The leaderboard's pages: what they say, what they leave out, and when they say that nothing has changed."""

import re

import pytest
from django.db.models import F
from django.urls import reverse

from collection.models import Item, Study, Topic
from judging.batches import answering
from judging.models import QuestionRole
from scoring import jobs
from scoring.board import leaderboard, standings
from scoring.scores import topic_scores
from tests.judging.organizing import queries, staff_of
from tests.makers import Choice, add_run, answer, finish, invite, make_study, open_study, record, sit
from tests.scoring import stored
from tournament.services import catch_up
from web.live import live_board

pytestmark = pytest.mark.django_db


def with_runs(topics=2, runs=2, **settings):
    """An open study whose runs rank all items: the first one as people will prefer, the last backwards."""
    study = staff_of(make_study(topics=topics, batch_challenges=0, **settings))
    rankings = {
        topic.name: list(topic.items.order_by("docno").values_list("docno", flat=True))
        for topic in study.topics.all()
    }
    for n in range(runs):
        turned = {t: docnos[::-1] if n == runs - 1 else docnos[n:] for t, docnos in rankings.items()}
        add_run(study, f"run-{n}", turned)
    return open_study(study)


@pytest.fixture(scope="module")
def unjudged(module_data):
    return with_runs().pk


@pytest.fixture
def study(db, unjudged):
    return Study.objects.get(pk=unjudged)


def judge(study, batches=1):
    """Let new people judge, and bring rounds and scores up to date, as the nudges would."""
    for _ in range(batches):
        sit(invite(study))
        catch_up()
        jobs.sweep()


def score_of(run: str, measure: str, p: float, topic: str = "t1") -> float | None:
    """A stored score."""
    return stored.value(run, measure, p, topic)


def show(client, study, name="leaderboard", query="") -> str:
    """The text of a page without tags, blanks run together."""
    response = client.get(reverse(name, args=[study.slug]) + query)
    assert response.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def test_before_the_first_judgment_scores_are_absent_and_not_zero(alice, study):
    page = show(alice, study)
    assert "No judgment counts yet." in page
    assert "0 of 2 topics judged" in page
    assert "0.000" not in page
    rows = re.findall(
        r'<tr role="row"[^>]*>.*?</tr>',
        alice.get(f"/studies/{study.slug}/leaderboard/").content.decode(),
        re.S,
    )
    assert [row.count("–") for row in rows[1:]] == [3, 3]  # rank, PGC, compatibility


def test_means_are_those_of_the_topics_that_have_a_score(alice, study):
    """Against a plain mean over the stored scores; the second topic is not judged and takes no part,
    although it was looked at and has rows that say so."""
    Topic.objects.update(revision=F("revision") + 1)
    judge(study)
    assert score_of("run-0", "pgc", 0.95, "t2") is None
    scores = {measure: score_of("run-0", measure, 0.95) for measure in ("pgc", "compatibility")}
    page = show(alice, study)
    assert "1 of 2 topics judged" in page
    assert "Rank 95 % range Run" in page
    share = r"\d+ %"
    assert re.search(rf"– run-0 {scores['pgc']:.3f} {share} {scores['compatibility']:.3f} ", page)
    assert "All runs are scored on 1 topic." in page


def test_the_answer_names_the_run_that_people_agree_with(alice, study):
    judge(study, batches=2)
    page = show(alice, study)
    assert "run-0 has the highest mean PGC" in page
    assert "Over only 2 topics, no test tells runs apart." in page
    assert page.index("run-0 0.") < page.index("run-1 0.")


def test_a_topic_weighs_by_the_share_of_its_questions_that_is_answered(study):
    """One topic is judged to its end, of the other's ten pairs two are: the mean is as if it were a fifth."""
    judge(study)
    assignment = answering.arrive(invite(study).pk)
    pairs = assignment.batch.filter(role=QuestionRole.COUNTS)
    for place in pairs[:2]:
        record(assignment.pk, place.question_id, Choice.A)
    jobs.sweep()
    (first, second) = study.topics.order_by("name")
    assert (first.asked, second.asked, second.scored.judgments) == (first.scored.judgments, 10, 2)
    row = next(row for row in leaderboard.board(study, 0.95).rows if row.name == "run-0")
    values = [score_of("run-0", "pgc", 0.95, topic.name) for topic in (first, second)]
    assert values[0] != values[1]
    assert row.means["pgc"].value == pytest.approx((values[0] + 0.2 * values[1]) / 1.2)


def test_answers_in_open_batches_count_and_are_said_to_be_provisional(alice, study):
    judge(study)
    answer(answering.arrive(invite(study).pk), most=3)
    jobs.sweep()
    page = show(alice, study)
    assert "13 judgments, 3 of them in batches still being judged" in page
    assert re.search(r"2 topics: 2 begun, \d with a full round, \d with known top items 13 judg", page)


def test_p_is_chosen_in_the_address_and_else_the_studys(alice, study):
    study.persistence = 0.9
    study.save()
    judge(study)
    by_p = {p: show(alice, study, query=f"?p={p}") for p in (0.8, 0.9)}
    assert "0.80 weighs the ranks about as nDCG@3 does." in by_p[0.8]
    assert "0.90 weighs the ranks about as nDCG@10 does; it is this study’s choice." in by_p[0.9]
    value = score_of("run-0", "pgc", 0.8)
    assert f"{value:.3f}" in by_p[0.8]
    assert f"{value:.3f}" not in by_p[0.9]
    for query in ("", "?p=2", "?p=x", "?p=nan"):
        assert "0.90 weighs" in show(alice, study, query=query)


def test_the_leaderboard_takes_as_many_queries_for_a_large_study_as_for_a_small(alice):
    small, large = with_runs(topics=1, runs=1), with_runs(topics=8, runs=5)
    judge(large)
    for study in (small, large):
        address = reverse("leaderboard", args=[study.slug])
        alice.get(address)  # writes the standing, which the sweep does otherwise
        assert queries(alice, address) == 6


def test_topic_by_topic_takes_as_many_queries_for_a_large_study_as_for_a_small(alice):
    small, large = with_runs(topics=1, runs=2), with_runs(topics=8, runs=5)
    judge(large)
    addresses = [reverse("leaderboard-topics", args=[s.slug]) for s in (small, large)]
    counts = []
    for address in addresses:
        queries(alice, address)  # scores that this process has not read yet
        counts.append(queries(alice, address))
    assert counts[0] == counts[1] == 16


def test_topic_by_topic_absent_is_a_dash_and_a_run_that_ranks_nothing_has_zero(alice, study):
    add_run(study, "silent", {})
    judge(study)
    page = show(alice, study, "leaderboard-topics")
    # Answered, mean, reached, spread, agrees, possible; then the runs as the leaderboard has them.
    row = r" t1 Which [^?]+\? 10 0\.\d{3} \d+ % 0\.\d{3} – 0\.\d{3} 0\.\d{3} 0\.\d{3} 0\.000 "
    assert re.search(row, page)
    assert re.search(r" t2 Which [^?]+\? 0 – – – ", page)


def test_topic_by_topic_shows_either_measure(alice, study):
    judge(study)
    graphed, compatible = (score_of("run-1", measure, 0.85) for measure in ("pgc", "compatibility"))
    assert f"{graphed:.3f}" in show(alice, study, "leaderboard-topics", "?p=0.85")
    page = show(alice, study, "leaderboard-topics", "?p=0.85&measure=compatibility")
    assert f"{compatible:.3f}" in page
    assert f"{graphed:.3f}" not in page


def test_topic_by_topic_can_be_ordered_by_a_runs_scores(alice):
    """Absent ones come last, and equal ones by name."""
    study = with_runs(topics=3)
    run = study.runs.get(name="run-1")
    for topic, value in zip(study.topics.order_by("name"), (None, 0.2, 0.7), strict=True):
        stored.put(topic, run, value)
    page = show(alice, study, "leaderboard-topics", f"?by={run.pk}")
    assert page.index(" t3 Which") < page.index(" t2 Which") < page.index(" t1 Which")
    assert "by the scores of run-1" in page


def test_topic_by_topic_a_hundred_stand_on_a_page(alice):
    study = staff_of(make_study(topics=101, items=1, junk=0))
    add_run(study, "run", {"t1": ["t1-a"]})
    assert "Topics 1 to 100 of 101" in show(alice, study, "leaderboard-topics")
    assert "Topics 101 to 101 of 101" in show(alice, study, "leaderboard-topics", "?page=2")
    assert "Topics 1 to 1 of 1." in show(alice, study, "leaderboard-topics", "?q=t77")


def test_topics_whose_top_is_known_are_counted(alice, study):
    finish(study)
    jobs.sweep()
    assert Item.objects.filter(topic__study=study, top_rank=1).count() == 2
    assert "top items known for 2 " in show(alice, study)


def test_dropping_the_scores_and_computing_them_again_gives_the_same(alice, study):
    judge(study)
    before = [score for score in stored.rows() if score.value is not None]
    assert before
    # Without the time at its foot.
    page = show(alice, study).rpartition(",")[0]
    topic_scores.rebuild(study.pk)
    assert [score for score in stored.rows() if score.value is not None] == before
    assert show(alice, study).rpartition(",")[0] == page


@pytest.mark.parametrize("page", ["topics", "leaderboard-topics"])
def test_a_search_for_what_no_text_holds_finds_nothing(alice, study, page):
    """PostgreSQL takes NUL for no text."""
    assert alice.get(reverse(page, args=[study.slug]) + "?q=%00x").status_code == 200


@pytest.fixture
def part():
    """Four topics, of which the first two have all their answers, and the others a third of a first round."""
    study = with_runs(topics=4, runs=3)
    whole, some = list(study.topics.order_by("name"))[:2], study.topics.order_by("name").last()
    finish(study)
    others = study.topics.exclude(pk__in=[topic.pk for topic in whole])
    others.update(asked=F("asked") * 3, full_rounds=0)
    jobs.sweep()
    return study, whole, some


def test_means_are_over_topics_with_all_questions_answered_and_a_switch_shows_all(alice, part):
    study, whole, _ = part
    names = [topic.name for topic in whole]
    found = leaderboard.board(study, 0.95)
    assert (found.topics_judged, found.topics_whole, found.topics_in_part, found.whole) == (4, 2, 2, True)
    for row in found.rows:
        plain = sum(score_of(row.name, "pgc", 0.95, topic) for topic in names) / 2
        assert row.means["pgc"].value == pytest.approx(plain)
        assert row.means["pgc"].topics == 2
    every = leaderboard.board(study, 0.95, every=True)
    for row in every.rows:
        weighted = {"t1": 1.0, "t2": 1.0, "t3": 1 / 3, "t4": 1 / 3}
        total = sum(w * score_of(row.name, "pgc", 0.95, topic) for topic, w in weighted.items())
        assert row.means["pgc"].value == pytest.approx(total / sum(weighted.values()))
    page = show(alice, study)
    leader, mean = every.rows[0].name, every.rows[0].means["pgc"].value
    third = study.topics.get(name="t3")
    left = third.asked - third.scored.judgments
    assert "Means are over the 2 topics with a full round of answers" in page
    assert "2 topics are judged in part." in page
    assert f"{leader} would lead too, with {mean:.3f}. Next comes t3, after {left} more answers." in page
    assert "Show means over all judged topics" in page
    switched = show(alice, study, query="?topics=all")
    assert "Means are over all 4 topics that are judged; 2 topics are judged in part" in switched
    assert f"with {found.rows[0].means['pgc'].value:.3f}. Show means over these alone" in switched
    assert f"{mean:.3f}" in switched


def test_compatibility_is_over_topics_of_one_kind_of_ideal(alice):
    """Two topics whose top items are known, and two that only have a full round: the ideal of these rests on
    the grades alone, and their values are of another kind.
    """
    study = with_runs(topics=4, runs=3)
    finish(study)
    known, others = list(study.topics.order_by("name"))[:2], list(study.topics.order_by("name"))[2:]
    Item.objects.filter(topic__in=others).update(top_rank=None)
    topic_scores.rebuild(study.pk)
    jobs.sweep()
    found = leaderboard.board(study, 0.95)
    assert (found.whole, found.top_known, found.topics_in_part) == (True, True, 0)
    for row in found.rows:
        plain = sum(score_of(row.name, "compatibility", 0.95, topic.name) for topic in known) / 2
        assert row.means["compatibility"].value == pytest.approx(plain)
        assert (row.means["compatibility"].topics, row.means["pgc"].topics) == (2, 4)
    page = show(alice, study)
    assert "Compatibility is over the 2 of them whose top items are known. Show means over all" in page
    every = show(alice, study, query="?topics=all")
    assert "so that its means mix two kinds. Show means over these alone" in every
    # One alone tells nothing: until there are two, the means are over the others.
    Item.objects.filter(topic=known[1]).update(top_rank=None)
    topic_scores.rebuild(study.pk)
    jobs.sweep()
    found = leaderboard.board(study, 0.95)
    assert not found.top_known
    assert {row.means["compatibility"].topics for row in found.rows} == {3}
    assert "Compatibility leaves out the topic whose top items are known" in show(alice, study)


def test_before_two_topics_are_whole_all_count_by_their_share(alice, study):
    answer(answering.arrive(invite(study).pk), most=2)
    jobs.sweep()
    assert not leaderboard.board(study, 0.95).whole
    assert "No topic has a full round of answers yet" in show(alice, study)


def test_where_every_topic_is_judged_to_its_end_nothing_is_said_of_parts(alice, study):
    finish(study)
    jobs.sweep()
    done = leaderboard.board(study, 0.95)
    assert (done.topics_whole, done.topics_in_part, done.whole) == (2, 0, False)
    assert "judged in part" not in show(alice, study)


def test_standing_of_an_earlier_version_is_written_anew(study):
    judge(study)
    first = standings.current(study)
    first.board.pop("measures")
    first.save()
    second = standings.current(study)
    assert second.number == first.number + 1
    assert second.version == first.version
    assert "measures" in second.board
    assert standings.current(study) == second


def test_who_follows_all_topics_is_told_of_them(part):
    study, _, _ = part
    standing = standings.current(study)
    own, every = (live_board.render(study, standing, live_board.View(0.95, one)) for one in (False, True))
    assert own.pieces["over"] != every.pieces["over"]
    assert own.frame == every.frame
    assert set(live_board.VIEWS) == {
        name for p in topic_scores.PERSISTENCES for name in (f"{p}", f"{p}-every")
    }
