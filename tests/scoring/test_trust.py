"""The page about trust: figures held against published examples and slow plain counts; the job."""

import random
import re
from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.urls import reverse

from collection.models import Study
from collection.models.study import WORDS
from judging.models import Assessor, Judgment
from judging.verdicts import decisions
from panels.base import PANELS
from prefir.measures.agreement import LabelColumns
from scoring import jobs
from scoring.analysis.doubtful_judgments import Doubts
from scoring.analysis.leave_one_out import Without
from scoring.compute.answer_columns import AGAIN, COUNTS
from scoring.compute.answer_stats import figures
from scoring.compute.answer_units import units_of
from scoring.compute.influence import Effect
from scoring.compute.trust_figures import (
    Agreement,
    KnownPerson,
    OfTask,
    Trust,
    agreement,
    between,
    reported,
    stretches,
    triples,
)
from scoring.quality import trust
from scoring.quality.trust import TRUST
from tests.judging.organizing import logged_in, queries, staff_of, text
from tests.judging.studies import make_study
from tests.makers import Choice, finish, invite, open_study, sit
from tests.scoring.plain_answers import Answer, answers, columns
from tests.scoring.test_leaderboard_pages import judge, with_runs
from web.coordinator.answers import trust_page, trust_verdict

NONE = figures(columns([]))


@pytest.fixture
def study(db):
    study = with_runs(topics=3, runs=3)
    judge(study, 3)
    return study


def given(question: int, assessor: int, first: int, second: int, strength: int, about=COUNTS) -> Answer:
    sign = (strength > 0) - (strength < 0)
    return Answer(
        about,
        1,
        "5",
        assessor,
        question,
        7,
        (first, second),
        sign,
        None,
        sign,
        ((first, second, sign),),
        1.0,
        0.0,
        None,
        strength,
    )


def test_kappa_is_that_of_fleiss_own_kind_of_table():
    """The worked example of Fleiss' kappa with 10 subjects, 14 raters and 5 categories: 0.210."""
    table = [
        *([0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1]),
        *([7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]),
    ]
    units = [dict(enumerate(label for label, times in enumerate(row) for _ in range(times))) for row in table]
    # Questions that fewer answered are left out of kappa, and count in alpha.
    found = agreement(LabelColumns.of([*units, {1: 0, 2: 1}, {1: 0}]), "nominal")
    assert found.kappa == pytest.approx(0.210, abs=5e-4)
    assert (found.kappa_questions, found.kappa_people, found.questions) == (10, 14, 11)


def test_alpha_is_that_of_krippendorffs_example():
    """Krippendorff (2011), section C: nominal data, four observers, missing answers: 0.743."""
    rows = ("1  2  3  3  2  1  4  1  2  .  .  .", "1  2  3  3  2  2  4  1  2  5  .  3",
            ".  3  3  3  2  3  4  2  2  5  1  .", "1  2  3  3  2  4  4  1  2  5  1  .")  # fmt: skip
    columns = zip(*(row.split() for row in rows), strict=True)
    units = [{at: int(label) for at, label in enumerate(own) if label != "."} for own in columns]
    assert agreement(LabelColumns.of(units), "nominal").alpha == pytest.approx(0.743, abs=5e-4)


def test_alpha_and_kappa_do_not_depend_on_which_item_of_a_pair_is_named_first():
    """200 answers to 40 pairs, most for the first; then some pairs are named the other way.

    Against a matrix of coincidences that has each two answers to a pair as they are, and turned.
    """
    chooser = random.Random("named")
    asked = [(q, who, chooser.choice([2, 2, 1, 0, -1])) for q in range(40) for who in range(5)]
    known = {who: KnownPerson(f"local-{who}", "invited", 0, 0) for who in range(5)}
    found = []
    for turned in (set(), set(chooser.sample(range(40), 20))):
        every = [given(q, who, 1, 2, -own if q in turned else own) for q, who, own in asked]
        found.append(reported(columns(every), known))
    (one, first), (other, second) = found
    assert first.agreements == second.agreements
    assert one.all.alpha == other.all.alpha == first.agreements[0].merged.alpha
    for own, label in (
        (first.agreements[0].given, int),
        (first.agreements[0].merged, lambda lean: (lean > 0) - (lean < 0)),
    ):
        met = Counter()
        for q in range(40):
            labels = [label(lean) for at, _, lean in asked if at == q]
            for a, b in permutations(labels, 2):
                met[a, b] += 1 / 4
                met[-a, -b] += 1 / 4
        times = Counter()
        for (a, _), share in met.items():
            times[a] += share
        unlike = sum(share for (a, b), share in met.items() if a != b)
        expected = sum(times[a] * times[b] for a in times for b in times if a != b)
        assert own.alpha == pytest.approx(1 - (times.total() - 1) * unlike / expected)


def test_groups_agree_as_all_pairs_of_people_do_that_are_looked_at_one_by_one():
    draw = random.Random(3)
    groups = {pk: draw.choice(["a", "b", "c"]) for pk in range(9)}
    units = {
        q: {pk: draw.randint(-1, 1) for pk in draw.sample(range(9), draw.randint(1, 6))} for q in range(40)
    }
    every = [given(q, pk, 1, 2, label) for q, unit in units.items() for pk, label in unit.items()]
    for line in between(units_of(columns(every)), groups):
        shares = []
        for unit in units.values():
            told = [
                unit[one] == unit[other]
                for one, other in permutations(unit, 2)
                if (groups[one], groups[other]) == (line.first, line.second)
            ]
            if told:
                shares.append(sum(told) / len(told))
        assert line.questions == len(shares)
        assert line.share == pytest.approx(sum(shares) / len(shares))


def test_triples_are_told_apart_by_their_ties_as_xie_et_al_do():
    """A cycle, an order with a tie that fits, and one that does not, each counted by hand."""
    cycle = [given(1, 1, 1, 2, 2), given(2, 1, 2, 3, 1), given(3, 1, 3, 1, 1)]
    fits = [given(1, 1, 1, 2, 0), given(2, 1, 1, 3, 1), given(3, 1, 2, 3, 2)]
    not_so = [given(1, 1, 1, 2, 0), given(2, 1, 1, 3, 1), given(3, 1, 3, 2, 2)]
    cycle, fits, not_so = (triples(columns(own)) for own in (cycle, fits, not_so))
    assert (cycle.asym, cycle.s2a) == ((0, 1), (0, 0))
    assert (fits.s2a, not_so.s2a) == ((1, 1), (0, 1))


def test_stretches_have_all_answers_once_in_their_order():
    every = [given(n, 1, 1, 2, 1 if n < 100 else -1) for n in range(201)]
    parts = stretches(columns(every))
    assert [(start, own.answers) for start, own in parts] == [
        (0, 50),
        (50, 50),
        (100, 50),
        (150, 50),
        (200, 1),
    ]
    assert [own.left.share for _, own in parts] == [1, 1, 0, 0, 0]


def test_strength_is_kept_apart_and_merged(study):
    """Against the stored rows: two answers to a question are equal as given, or by their side."""
    counting = [one for one in answers(study) if one.about != AGAIN]
    found = computed(study).agreements[0]
    for own, label in ((found.given, "strength"), (found.merged, "label")):
        units: dict[int, list[int]] = {}
        for one in counting:
            units.setdefault(one.question, []).append(getattr(one, label))
        shares = []
        for labels in units.values():
            pairs = list(combinations(labels, 2))
            if pairs:
                shares.append(sum(a == b for a, b in pairs) / len(pairs))
        assert own.questions == len(shares)
        if shares:
            assert own.raw == pytest.approx(sum(shares) / len(shares))


def test_invited_people_are_those_of_the_panels_without_a_marketplace():
    assert set(trust.LOCAL_PANELS) == {name for name, panel in PANELS.items() if panel.invites_by_name}
    assert trust.group_of("local", True) == trust.JOINED
    assert [trust.group_of(panel, False) for panel in ("account", "mturk", "import")] == [
        trust.LOCAL,
        trust.CROWD,
        trust.RECORDED,
    ]


def computed(study) -> Trust:
    found = TRUST.compute(study)
    assert found is not None
    return found.trust


def page(client, study, query=""):
    return client.get(reverse("trust", args=[study.slug]) + query)


@pytest.mark.django_db
def test_a_study_without_judgments_says_what_will_be_here(alice):
    assert "There are no judgments that count yet." in text(page(alice, with_runs()))


def test_the_page_says_how_far_people_agree_and_lists_them(alice, study):
    shown = text(page(alice, study))
    count = Judgment.objects.count()
    assert f"{count} answers of 3 people that count" in shown
    assert "3 · somebody" in shown
    shown_to_bob = text(page(logged_in("bob"), study))
    assert "somebody" not in shown_to_bob
    for number in (1, 2, 3):
        assert f"Person {number}" in shown_to_bob
    found = text(page(logged_in("bob"), study, "?find=PERSON 1&sort=name"))
    assert "without Person 1" in found
    assert "without Person 2" not in found
    assert "Nobody is called so." in text(page(alice, study, "?find=nobody"))


def test_who_is_excluded_is_named_and_why(alice, db):
    study = staff_of(open_study(make_study(pairs=21, challenges=9, batch_pairs=5, batch_challenges=2)))
    ours, theirs = invite(study), invite(study)
    sit(invite(study))
    decisions.exclude(ours.pk, "in earnest", by=User.objects.get(username="alice"))
    sit(theirs, wrong=99)
    said = text(page(alice, study))
    assert "2 people are excluded, and not in this table" in said
    assert "none favours a side; 2 excluded, not counted" in said
    assert "1 · somebody , by an organizer" in said
    assert "2 · somebody , who failed challenges" in said
    assert "in earnest" not in said


def test_wrong_challenges_stand_first(alice, db):
    study = staff_of(open_study(make_study(pairs=21, challenges=9, batch_pairs=5, batch_challenges=2)))
    sit(invite(study))
    bad = invite(study)
    sit(bad, wrong=2)
    found = {one.pk: one for one in computed(study).people}
    # Nothing of a discarded batch counts; so anyone who has no other is in no list.
    assert bad.pk not in found
    trusted = TRUST.cached(study).trust
    assert (trusted.challenges.some, trusted.challenges.every) == (0, 2)
    assert (trusted.challenges_out.some, trusted.challenges_out.every) == (2, 2)
    said = text(page(alice, study))
    assert "of people who are not excluded: 0 % (0–66) of 2" in said
    assert "Challenges right 100 % 2 of 2; 2 of excluded people left out" in said


def test_exclusions_change_the_figures_and_the_job_computes_them(alice, study, monkeypatch):
    monkeypatch.setattr(trust, "AT_ONCE", 0)
    first = page(alice, study)
    assert "The figures are being computed." in text(first)
    assert first["Retry-After"] == "3"
    TRUST.compute(study)
    assert "of 3 people that count" in text(page(alice, study))
    decisions.exclude(Assessor.objects.first().pk, "for a test")
    jobs.sweep()
    shown = text(page(alice, study))
    assert "of 3 people that count" in shown
    assert "Judgments have changed since" in shown
    TRUST.compute(study)
    assert "of 2 people that count" in text(page(alice, study))


def test_queries_do_not_grow_with_judgments(alice):
    study = with_runs(topics=6, runs=3)
    judge(study)
    page(alice, study)
    before = queries(alice, reverse("trust", args=[study.slug]))
    judge(study, 2)
    cache.clear()
    page(alice, study)
    assert queries(alice, reverse("trust", args=[study.slug])) == before <= 21


def test_agreement_has_intervals_which_hold_what_more_questions_show():
    """Of 60 studies of 100 questions, 57 are expected to hold the agreement of a very large one."""
    rng = np.random.default_rng(3)

    def found(questions):
        easy = rng.random(questions) < 0.5
        right = rng.random((questions, 2)) < np.where(easy, 0.75, 0.25)[:, None]
        return agreement(LabelColumns.of(np.where(right, 1, -1)), "nominal", sided=True)

    true, tries = found(100_000), [found(100) for _ in range(60)]
    assert sum(one.raw_ends[0] < true.raw < one.raw_ends[1] for one in tries) >= 53
    assert sum(one.alpha_ends[0] < true.alpha < one.alpha_ends[1] for one in tries) >= 53
    few = agreement(LabelColumns.of([[1, 1]] * 13), "nominal")
    assert few.alpha_ends is None
    assert few.raw_ends[0] == pytest.approx(0.025 ** (1 / 13), abs=0.1)


def test_what_may_be_chance_is_said_to_be():
    own = Agreement(200, 0.5, 0.042, "nominal", None, 0, 0, alpha_ends=(-0.02, 0.1), raw_ends=(0.44, 0.56))
    nobody = Trust(NONE, {}, [OfTask(1, own, None)], triples(columns([])), [], [], [], NONE.left, NONE.left)
    said, _ = trust_page.answer(nobody, {})
    assert "the same in 50 % (44 to 56) of the cases" in said
    assert f"α is 0.042 ({chr(0x2212)}0.02 to 0.10), perhaps no more than by chance." in said


@pytest.mark.parametrize(
    ("questions", "alpha", "says"),
    [
        (29, 0.9, "29 questions have two answers or more: too few to say"),
        (30, 0.8, "enough to rely on"),
        (30, 0.667, "tentative"),
        (30, 0.666, "too little"),
        (30, -0.1, "no more than by chance"),
    ],
)
def test_agreement_is_judged_by_krippendorffs_bounds_and_not_from_few_questions(questions, alpha, says):
    own = Agreement(questions, 0.5, alpha, "nominal", None, 0, 0)
    said, _ = trust_page.answer(
        Trust(NONE, {}, [OfTask(1, own, None)], triples(columns([])), [], [], [], NONE.left, NONE.left), {}
    )
    assert says in said


def test_where_all_answers_are_the_same_the_page_says_so_and_why_there_is_no_alpha(alice):
    study = with_runs(topics=3, runs=3, judgments_per_pair=2)
    for _ in range(4):
        sit(invite(study), choose=lambda question: Choice.TIE)
    shown = text(page(alice, study))
    assert re.search(r"Every answer to \d+ questions that two people or more answered is the same\.", shown)
    assert "Krippendorff’s α has no value then, since agreement by chance is 1." in shown
    assert "1.000 none: all the same none: all the same" in shown
    assert "It cannot be told yet" not in shown


def test_a_strong_and_a_weak_answer_for_one_side_are_the_same_only_merged():
    """Two people, three questions: alike, alike but for the strength, and opposite."""
    told = [(1, 1), (2, 1), (1, -1)]
    every = [given(q, who, 1, 2, own) for q, pair in enumerate(told) for who, own in enumerate(pair)]
    known = KnownPerson("local-1", "invited", 0, 0)
    (own,) = reported(columns(every), {0: known, 1: known})[1].agreements
    assert (own.given.raw, own.merged.raw) == (pytest.approx(1 / 3), pytest.approx(2 / 3))


def test_without_second_answers_and_challenges_the_verdict_says_that_too_little_is_known(alice):
    study = with_runs(topics=3, runs=3)
    finish(study)
    verdict = re.search(r'<p class="answer[^>]*>(.*?)</p>', page(alice, study).content.decode(), re.S)[1]
    assert "Too little is known: few pairs have two answers, and nobody met a challenge." in verdict
    assert "Yes" not in verdict


def test_many_answers_of_a_person_to_look_at_make_the_verdict_conditional():
    """Of 90 answers that agree, person 2 gave 18: one in five; what changes without them is said with it."""
    every = [given(q, who, 1, 2, 1) for q in range(36) for who in (0, 1)]
    every += [given(q, 2, 1, 2, 1) for q in range(18)]
    known = KnownPerson("local-1", "invited", 0, 0)
    own = reported(columns(every), dict.fromkeys(range(3), known))[1]
    doubts, words = Doubts(90, {}, [], {}, {}, 0), WORDS[Study.Case.RANKINGS]
    ranks = [1, 2]

    def without(after):
        means = [0.5, 0.4], [0.6 - rank / 10 for rank in after]
        return Without(2, "them", 18, 18, Effect(*means, ranks, after, 1.0, 2 * (after != ranks), 0.1))

    said = trust_verdict.verdict(doubts, None, own, words)
    assert said[0].startswith("Yes: ")
    said = trust_verdict.verdict(doubts, None, own, words, doubted={2: without(ranks)})
    assert said[0] == (
        "Yes, but 20 % of the answers are by one person to look at: without them, every run would keep its "
        "rank, and the first would lead by 0.100 as now."
    )
    assert not said[2]
    assert (
        "by 2 people to look at."
        in trust_verdict.verdict(doubts, None, own, words, doubted={2: None, 1: None})[0]
    )
    said = trust_verdict.verdict(doubts, None, own, words, doubted={2: without([2, 1])})
    assert said[0] == "With doubt: another run would lead without one person to look at."
    assert said[2]
    # Too few of their answers to speak of.
    few = [*every, *(given(q, 3, 1, 2, 1) for q in range(5))]
    own = reported(columns(few), dict.fromkeys(range(4), known))[1]
    assert trust_verdict.verdict(doubts, None, own, words, doubted={3: None})[0].startswith("Yes: ")
