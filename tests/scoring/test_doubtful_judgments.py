"""Doubtful judgments: graphs made by hand, what is read for them, the page, and the file."""

import csv
import io
import random
from dataclasses import replace
from itertools import pairwise

import pytest
from django.urls import reverse

from collection.models import Grade, Item, Topic
from judging import ledger
from judging.batches import answering
from judging.models import BatchQuestion, Judgment
from judging.verdicts import decisions, question_set_aside
from prefir.measures import ideal_ranking
from scoring import jobs
from scoring.analysis import doubtful_judgments as analysis
from scoring.analysis import lead_changes, leave_one_out
from scoring.analysis.doubtful_judgments import DOUBTS, WITHOUT_DOUBTFUL
from scoring.analysis.lead_changes import LEAD_CHANGES
from scoring.compute.doubtful_judgments import (
    Reason,
    Vote,
    closing,
    doubtful_judgments,
    fails_challenges,
)
from scoring.scores.topic_scores import graph_of
from tests.judging.organizing import queries, text
from tests.makers import Choice, invite, lean_given, record
from tests.scoring.test_leaderboard_pages import judge, with_runs
from web.coordinator.answers import doubtful_judgments as section

A, B, C, D = 1, 2, 3, 4


def votes(*given: tuple[int, int, int]) -> list[Vote]:
    """Votes (person, preferred, other), numbered from 1."""
    return [Vote(n, person, one, other, 1) for n, (person, one, other) in enumerate(given, 1)]


def found(given, **more) -> dict[int, tuple[Reason, ...]]:
    """The reasons of each doubtful judgment."""
    return {one.judgment: one.reasons for one in doubtful_judgments(given, **more)}


def test_one_against_two_others_is_doubtful_and_one_against_one_is_not():
    assert found(votes((1, A, B), (2, B, A))) == {}
    assert found(votes((1, A, B), (2, A, B), (3, B, A))) == {3: (Reason.AGAINST,)}
    # Two say so: then others agree with each.
    assert found(votes((1, A, B), (2, A, B), (3, A, B), (4, B, A), (5, B, A))) == {}
    # A tie of another agrees with nobody.
    tie = Vote(4, 4, A, B, 0)
    [one] = doubtful_judgments([*votes((1, A, B), (2, A, B), (3, B, A)), tie])
    assert (one.judgment, one.others, one.against) == (3, 3, 2)


def test_two_answers_of_one_person_are_not_two_others():
    assert Reason.AGAINST not in found(votes((1, A, B), (1, A, B), (2, B, A))).get(3, ())


def test_of_three_preferences_in_a_circle_the_last_is_doubtful():
    [one] = doubtful_judgments(votes((1, A, B), (1, B, C), (1, C, A)))
    assert (one.judgment, one.reasons, one.cycle) == (3, (Reason.CYCLE,), (A, B, C))
    assert found(votes((1, A, B), (1, B, C), (1, A, C))) == {}


def test_the_pair_with_the_smallest_lead_closes_the_cycle_whenever_it_was_judged():
    given = votes((1, C, A), (1, A, B), (2, A, B), (1, B, C), (2, B, C))
    assert found(given) == {1: (Reason.CYCLE,)}
    # Of the pair that is left out, those on the other side are not doubted.
    three = votes((1, C, A), (2, C, A), (3, A, C), *[(p, A, B) for p in (1, 2)], *[(p, B, C) for p in (1, 2)])
    assert {n for n, reasons in found(three).items() if Reason.CYCLE in reasons} == {1, 2}


def test_of_a_cycle_of_equal_leads_the_pair_that_the_ideal_turns_round_is_doubted():
    circle = votes((1, A, B), (1, B, C), (1, C, A))
    for ideal, doubted in (((A, B, C), 3), ((B, C, A), 1), ((C, A, B), 2)):
        assert found(circle, ideal=ideal) == {doubted: (Reason.CYCLE,)}
    # A larger lead comes first, whatever the ideal says.
    assert found(votes((1, A, B), (2, A, B), (1, B, C), (1, C, A)), ideal=(B, C, A)) == {4: (Reason.CYCLE,)}


def test_what_two_people_agree_on_is_doubted_only_for_pairs_with_as_large_a_lead():
    both = votes(*[(p, *edge) for edge in ((A, B), (B, C), (C, A)) for p in (1, 2)])
    assert found(both, ideal=(B, C, A)) == {1: (Reason.CYCLE,), 2: (Reason.CYCLE,)}
    # One answer fewer for any other pair of the cycle, and that one is doubted, though the ideal has it so.
    assert found([*both[:2], *both[3:]], ideal=(B, C, A)) == {4: (Reason.CYCLE,)}
    assert found(both[:-1], ideal=(B, C, A)) == {5: (Reason.CYCLE,)}


def test_no_pair_is_left_out_for_a_weaker_one_or_of_equal_ones_against_the_ideal():
    """Of random answers of several people, in a random ideal."""
    draw = random.Random(3)
    several = 0
    for _ in range(60):
        given = votes(*[(draw.randrange(4), *draw.sample(range(6), 2)) for _ in range(40)])
        ideal = draw.sample(range(6), 6)
        for one in doubtful_judgments(given, ideal=ideal):
            if not one.cycle:
                continue
            own = lead(given, one.preferred, one.other)
            others = [lead(given, *step) for step in pairwise(one.cycle)]
            assert own > 0
            assert min(others) >= own
            several += own > 1
            if max(others) == own:
                assert ideal.index(one.preferred) > ideal.index(one.other)
    assert several > 20


def lead(given: list[Vote], one: int, other: int) -> int:
    return sum((vote.order == (one, other)) - (vote.order == (other, one)) for vote in given)


def test_the_shortest_way_round_is_named():
    """From a to d there are two ways: by b and c, and by c alone."""
    given = votes((1, A, B), (1, B, C), (1, C, D), (1, A, C), (1, D, A))
    [one] = doubtful_judgments(given)
    assert one.cycle == (A, C, D)


def test_edges_that_are_taken_never_make_a_cycle_and_none_more_could_be_taken():
    """Against networkx' own search on random graphs."""
    import networkx

    draw = random.Random(7)
    for _ in range(60):
        pairs = [tuple(draw.sample(range(8), 2)) for _ in range(20)]
        edges = [pair for n, pair in enumerate(pairs) if not {pair, pair[::-1]} & set(pairs[:n])]
        left_out = closing(edges)
        graph = networkx.DiGraph()
        for start, end in edges:
            closes = graph.has_node(end) and graph.has_node(start) and networkx.has_path(graph, end, start)
            assert closes == ((start, end) in left_out)
            if closes:
                way = left_out[start, end]
                assert (way[0], way[-1]) == (end, start)
                assert len(way) == len(networkx.shortest_path(graph, end, start))
                assert all(graph.has_edge(*step) for step in pairwise(way))
            else:
                graph.add_edge(start, end)


def test_who_says_the_opposite_when_asked_again_is_doubted_and_a_tie_is_no_opposite():
    given = votes((1, A, B), (2, A, B), (3, A, B))
    again = [Vote(10, 1, B, A, 1), Vote(11, 2, B, A, 0), Vote(12, 3, B, A, -1)]
    assert found(given, again=again) == {1: (Reason.REPEAT,)}


def test_grades_contradict_by_more_than_half_of_their_span():
    given = votes((1, A, B), (1, C, D))
    grades = {A: 0, B: 2, C: 1, D: 2}
    assert found(given, grades=grades, span=3) == {1: (Reason.GRADES,)}
    assert found(given, grades=grades, span=4) == {}
    assert found(given, grades={B: 3}, span=3) == {}
    # With two grades alone it is the whole span.
    assert found(votes((1, A, B)), grades={A: 0, B: 1}, span=1) == {1: (Reason.GRADES,)}


def test_too_fast_is_below_the_least_time_and_ties_can_be_too_fast():
    given = [*votes((1, A, B), (1, A, C)), Vote(3, 1, B, C, 0)]
    assert found(given, times={1: (0.5, 0.6), 2: (0.6, 0.6), 3: (0.1, 0.6)}) == {
        1: (Reason.FAST,),
        3: (Reason.FAST,),
    }
    assert found(given, times={1: (None, 0.6)}) == {}


def test_a_tie_contradicts_nobody_and_no_grades():
    given = [*votes((1, B, A), (2, B, A)), Vote(3, 3, A, B, 0)]
    assert found(given, grades={A: 0, B: 3}, span=3) == {}


def test_judgments_of_who_fails_challenges_are_doubted():
    assert found(votes((1, A, B), (2, A, B)), failing={2}) == {2: (Reason.FAILED,)}
    assert [fails_challenges(*of) for of in ((1, 1), (2, 8), (2, 9), (3, 12))] == [False, True, False, True]


def test_those_with_most_reasons_come_first():
    given = votes((1, A, B), (2, A, B), (3, B, A), (3, C, D))
    order = doubtful_judgments(given, times={3: (0.1, 1.0), 4: (0.1, 1.0)})
    assert [(one.judgment, one.reasons) for one in order] == [
        (3, (Reason.AGAINST, Reason.FAST)),
        (4, (Reason.FAST,)),
    ]


def test_a_pick_is_one_judgment_and_shown_by_the_pair_with_most_against_it():
    picked = [Vote(9, 5, A, B, 1), Vote(9, 5, A, C, 1)]
    given = [*votes((1, C, A), (2, C, A)), *picked]
    [one] = doubtful_judgments(given, times={9: (0.1, 1.0)})
    assert (one.judgment, one.preferred, one.other) == (9, A, C)
    assert one.reasons == (Reason.AGAINST, Reason.FAST)


@pytest.fixture
def study(db):
    """Three people answer the same questions; the last says the opposite of both others of one pair."""
    return answered(1)


def answered(opposed: int):
    """A study in which the last of three people says the opposite of both others of so many pairs."""
    study = with_runs(topics=1, runs=3, judgments_per_pair=3)
    for person in range(3):
        batch = answering.arrive(invite(study).pk)
        for n, place in enumerate(BatchQuestion.objects.filter(assignment=batch).order_by("question_id")):
            odd = person == 2 and n < opposed
            # Times as of people: neither even nor those of another.
            seconds = 9.0 if odd else 9.0 + 2 * ((7 * n + 3 * person) % 11) + 0.3 * person
            record(batch.pk, place.question_id, Choice.B if odd else Choice.A, seconds=seconds)
        answering.submit(batch.pk)
    jobs.sweep()
    return study


def page(client, study, query=""):
    return client.get(reverse("trust", args=[study.slug]) + query)


def odd() -> Judgment:
    [found] = [one for one in Judgment.objects.all() if lean_given(one) == Choice.B]
    return found


def test_excerpts_of_markdown_are_plain_words(alice, study):
    study.markup = "markdown"
    study.save()
    Item.objects.update(text="## Tides\n\n**Short:** the *moon*.")
    shown = text(page(alice, study))
    assert "Tides Short: the moon." in shown
    assert "**" not in shown
    assert "##" not in shown


def test_the_page_names_the_pair_and_who_and_why(alice, study):
    shown = text(page(alice, study))
    total = Judgment.objects.count()
    assert f"1 of {total} judgments is doubtful." in shown
    assert "All 2 others say the opposite." in shown
    own = odd()
    # By the name that the table of people below has.
    assert "3 · somebody , 9.0 s" in shown
    assert f"?person={own.assignment.assessor_id}&amp;" in page(alice, study).content.decode()
    html = page(alice, study).content.decode()
    aside = reverse("declined-one", args=[study.slug, own.question_id]) + "?back=trust"
    assert aside in html
    assert "the answers that it has still count in the scores." in shown
    assert "The answers that it has still count." in text(alice.get(aside))
    assert reverse("exclude", args=[study.slug, own.assignment.assessor_id]) in html


def test_what_the_order_would_be_is_what_excluding_that_one_judgment_gives(alice, study):
    order = WITHOUT_DOUBTFUL.compute(study)
    assert (order.judgments, order.topics) == (1, 1)
    assert "Without them, " in text(page(alice, study))


def test_the_lead_without_a_judgment_is_what_leaving_it_out_everywhere_gives(alice, study):
    own = odd()
    changes = LEAD_CHANGES.compute(study)
    assert list(changes.without) == [own.pk]
    whole = leave_one_out.influence(study, {7: ""}, lambda topic: {7: [own.pk]}, lambda *_: None)
    before, after = (
        dict(zip(whole.runs, means, strict=True))
        for means in (whole.people[0].effect.before, whole.people[0].effect.after)
    )
    assert changes.lead == pytest.approx(before[changes.first] - before[changes.second])
    assert changes.without[own.pk] == pytest.approx(after[changes.first] - after[changes.second])


def test_the_lead_is_that_of_the_leaderboards_means_each_over_its_own_topics():
    nan = float("nan")
    assert lead_changes._lead([[1.0, nan, 0.5], [0.5, 0.4, nan]], [1.0, 1.0, 1.0]) == pytest.approx(0.3)


def test_what_changes_the_lead_most_comes_first_and_can_be_asked_again(alice):
    study = answered(4)
    doubtful = {one.doubt.judgment for one in DOUBTS.compute(study).listed}
    shown = page(alice, study)
    changes = LEAD_CHANGES.cached(study)
    listed = [row.doubt.judgment for row in (*shown.context["rows"], *shown.context["folded"])]
    moves = [abs(changes.without.get(pk, changes.lead) - changes.lead) for pk in listed]
    assert moves == sorted(moves, reverse=True)
    assert set(listed) == doubtful
    question = Judgment.objects.get(pk=listed[0]).question
    assert question.taken >= question.wanted
    again = reverse("doubtful-again", args=[study.slug])
    assert alice.post(again, {"question": [question.pk, "x"]}).url.endswith("#doubts")
    question.refresh_from_db()
    assert question.wanted == question.taken + 1
    assert "1 pair will be judged once more" in text(page(alice, study))


def test_a_question_set_aside_and_a_person_excluded_leave_the_list(alice, study):
    own = odd()
    response = alice.post(
        reverse("declined-one", args=[study.slug, own.question_id]) + "?back=trust",
        {"why": "two right answers", "do": "aside"},
    )
    assert response.url == reverse("trust", args=[study.slug])
    shown = text(page(alice, study))
    assert "othing speaks against any of" in shown
    assert DOUBTS.cached(study).judgments == Judgment.objects.count() - 3
    question_set_aside.ask_again(own.question_id, "after all")
    assert "judgments is doubtful" in text(page(alice, study))
    decisions.exclude(own.assignment.assessor_id, "for a test")
    assert "othing speaks against any of" in text(page(alice, study))


def test_of_one_answer_each_what_closes_a_cycle_stands_the_other_way_round_in_the_ideal_ranking(db):
    draw, cyclic = random.Random(1), 0
    for _ in range(4):
        study = with_runs(topics=1, runs=3)
        batch = answering.arrive(invite(study).pk)
        for place in BatchQuestion.objects.filter(assignment=batch).order_by("question_id"):
            record(batch.pk, place.question_id, draw.choice([Choice.A, Choice.B]), seconds=9.0)
        answering.submit(batch.pk)
        topic = Topic.objects.get(study=study)
        docnos = dict(Item.objects.filter(topic=topic).values_list("pk", "docno"))
        ideal = ideal_ranking((), graph_of(ledger.given(topic.pk).counting))
        for doubt in [one.doubt for one in DOUBTS.compute(study).listed if one.doubt.cycle]:
            assert ideal.index(docnos[doubt.preferred]) > ideal.index(docnos[doubt.other])
            cyclic += 1
    assert cyclic > 1


def test_grades_of_the_study_speak_against_it_too(alice, study):
    [preference] = [one for one in ledger.given(Topic.objects.get().pk).counting if one.judgment == odd().pk]
    worse, better = (preference.first, preference.second)[:: 1 if preference.lean > 0 else -1]
    Grade.objects.filter(item=better).update(value=3)
    Grade.objects.filter(item=worse).update(value=0)
    found = {one.doubt.judgment: one.doubt.reasons for one in DOUBTS.compute(study).listed}
    assert found[odd().pk] == (Reason.AGAINST, Reason.GRADES)


def test_many_judgments_are_left_to_a_job(alice, study, monkeypatch):
    monkeypatch.setattr(analysis, "AT_ONCE", 0)
    first = page(alice, study)
    assert "Doubtful judgments are being looked for." in text(first)
    assert first["Retry-After"] == "3"
    DOUBTS.job(study.pk)
    without_order = page(alice, study)
    assert "would be without the doubtful ones is being computed, and appears here" in text(without_order)
    assert 'data-waits="trusted"' in without_order.content.decode()
    WITHOUT_DOUBTFUL.job(study.pk)
    assert "is doubtful. Without them," in text(page(alice, study))


def test_queries_do_not_grow_with_doubtful_judgments(alice, study):
    several = answered(4)
    WITHOUT_DOUBTFUL.compute(several)
    assert DOUBTS.cached(several).doubtful > 3
    counted = []
    for one in (study, several):
        page(alice, one)
        counted.append(queries(alice, reverse("trust", args=[one.slug])))
    assert counted[0] == counted[1] <= 23


def test_some_stand_open_and_the_others_in_a_fold(alice, monkeypatch):
    monkeypatch.setattr("web.coordinator.answers.doubtful_judgments.FIRST", 3)
    several = answered(4)
    doubtful = DOUBTS.compute(several).doubtful
    html = page(alice, several).content.decode()
    shown, fold, folded = html.partition(f"<summary>{doubtful - 3} more</summary>")
    assert fold
    assert (shown.count("Both in full"), folded.count("Both in full")) == (3, min(doubtful, 10) - 3)


def test_two_judgments_of_one_question_are_said_to_be_so(alice, monkeypatch):
    study, rows = answered(4), section.rows
    several = len(DOUBTS.compute(study).listed)
    assert f"{several} judgments of" not in text(page(alice, study))
    one = Judgment.objects.latest("pk").question_id
    same = lambda *a, **k: (replace(row, question=one) for row in rows(*a, **k))  # noqa: E731
    monkeypatch.setattr(section, "rows", same)
    assert f"Have 1 judged once more {several} judgments of 1 question:" in text(page(alice, study))


def test_one_reason_can_be_looked_at_alone_and_no_other_word_breaks_the_page(alice, study):
    assert "All others say the opposite 1" in text(page(alice, study, "?why=against"))
    assert "judgments is doubtful" in text(page(alice, study, "?why=nonsense&doubts=99"))


def test_the_list_comes_as_csv(alice, study):
    response = alice.get(reverse("doubtful-csv", args=[study.slug]))
    [line] = csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode()))
    assert (line["reasons"], line["others"], line["others_opposite"]) == ("against", "2", "2")
    assert line["assessor"] == f"local-{odd().assignment.assessor_id}"
    assert line["person"] in text(page(alice, study))
    assert line["seconds"] == "9.0"


def test_old_addresses_lead_here(alice, study):
    assert alice.get(f"/studies/{study.slug}/quality/").url == reverse("trust", args=[study.slug])
    without = alice.get(reverse("without", args=[study.slug]) + "?person=5").url
    assert without == reverse("trust", args=[study.slug]) + "?person=5#without"


def test_nothing_that_speaks_against_any_is_said(alice):
    study = with_runs(topics=1)
    judge(study)
    assert "othing speaks against any of" in text(page(alice, study))
