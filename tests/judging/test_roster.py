"""The roster of a study: facts of people against a slow count in loops; search, filters, order, figures."""

import pytest
from django.urls import reverse

from collection.models import Study
from judging.batches import answering, sittings
from judging.models import Assessor, Assignment, Judgment, PersonFigures, QuestionRole
from judging.people import assessor_stats, roster
from judging.people.receipt_numbers import receipt_number
from judging.people.roster import Wanted
from judging.tasks.pair import lean_of
from judging.verdicts import decisions, pauses, question_set_aside
from panels import local
from tests.judging.organizing import queries, staff_of, text
from tests.makers import Choice, answer, lean_given, make_study, open_study, record, whim

pytestmark = pytest.mark.django_db
ADDRESS = "/studies/garden/people/"


def garden(slug="garden"):
    settings = {"judgments_per_pair": 3, "batch_pairs": 4, "batch_challenges": 2, "wrong_allowed": 1}
    return staff_of(open_study(make_study(items=6, slug=slug, **settings)))


@pytest.fixture(scope="module")
def judged(module_data):
    """Eight people who differ: corrected, failed, left unfinished, away, were excluded, never came."""
    study = garden()
    made = local.invite(study, ["Ada", "Grace", "Dora", "Emmy", "100%_Ida", "Kim", "Lou", "Max"])
    for n, person in enumerate(made[:6]):
        batch = answering.arrive(person.pk)
        answer(batch, choose=whim if n % 2 else lambda question: Choice.A, wrong=2 if n == 3 else n == 2)
        if n != 5:
            answering.submit(batch.pk)
    for row in list(Judgment.objects.filter(assignment__state="working", role=QuestionRole.COUNTS)):
        record(row.assignment_id, row.question_id, Choice.A if lean_given(row) < 1 else Choice.B)
    decisions.exclude(made[1].pk, "slept")
    sittings.release(answering.arrive(made[6].pk).pk)
    return study.pk


@pytest.fixture
def study(db, judged):
    return Study.objects.get(pk=judged)


@pytest.fixture
def people(study) -> list[Assessor]:
    return list(study.assessors.order_by("pk"))


def standing() -> list[Judgment]:
    """The answers that stand: of each question of a batch the last."""
    last = {}
    for row in Judgment.objects.select_related("assignment__assessor").order_by("revision"):
        last[row.assignment_id, row.question_id] = row
    return list(last.values())


def slowly(person: Assessor) -> tuple | None:
    """What `roster.facts` says of a person's challenges, counted in plain loops."""
    right, checked = 0, 0
    for row in standing():
        if row.assignment.assessor_id != person.pk or row.assignment.challenges_wrong is None:
            continue
        if row.role == QuestionRole.CHALLENGE:
            checked += 1
            lean = lean_of(row.value, row.shown)
            right += (lean > 0) - (lean < 0) == row.question.expected
    return (right, checked, 100 * right / checked) if checked else None


def test_facts_are_what_a_slow_count_finds(study, people):
    found = {fact: roster.facts(fact, [one.pk for one in people]) for fact in roster.FACTS}
    seen = 0
    for person in people:
        expected = slowly(person)
        told, wanted = found["challenges"].get(person.pk), expected
        assert (told is None) == (wanted is None), person.label
        if wanted is not None:
            seen += 1
            assert list(map(float, told)) == pytest.approx(list(wanted)), person.label
    assert seen > 3


def test_figures_of_answers_are_those_of_the_page_of_trust(alice):
    """Two of three say a; so two agree with one of two, the third with nobody. No sweep has run."""
    study = garden("another")
    study.tasks.update(batch_size=15)  # so that each of them is asked about every pair
    made = local.invite(study, ["Ada", "Grace", "Dora"])
    batches = [answering.arrive(one.pk) for one in made]
    given = [
        set(b.batch.filter(role=QuestionRole.COUNTS).values_list("question", flat=True)) for b in batches
    ]
    asked = min(set.intersection(*given))
    for batch, choice in zip(batches, (Choice.A, Choice.A, Choice.B), strict=True):
        record(batch.pk, asked, choice)
    rows = alice.get(reverse("people", args=[study.slug])).context["table"].rows
    assert [(row.trusted.agree, row.own.shared) for row in rows] == [(0.5, 1), (0.5, 1), (0, 1)]
    trusted = alice.get(reverse("trust", args=[study.slug])).context["people"]
    assert {row.one for row in trusted} == {row.trusted for row in rows}
    sort = reverse("people", args=[study.slug]) + "?sort="
    least = alice.get(f"{sort}agreement").context["table"].rows
    assert [row.assessor.label for row in least] == ["Dora", "Ada", "Grace"]
    most = alice.get(f"{sort}-agreement").context["table"].rows
    assert [row.assessor.label for row in most] == ["Ada", "Grace", "Dora"]


def labels(study, **asked) -> list[str]:
    found = roster.find(study, Wanted(**asked))
    known = dict(Assessor.objects.values_list("pk", "label"))
    return [known[pk] for pk, _ in found.people]


def test_people_are_filtered_by_what_they_do_now(study, people):
    study.tasks.update(failing="warn")
    answering.submit(answering.arrive(people[5].pk).pk)
    batch = answering.arrive(people[5].pk)
    pauses.pause(people[7].pk, "for a test")
    assert labels(study, state="excluded") == ["Grace", "Emmy"]
    assert labels(study, state="away") == ["Lou"]
    assert labels(study, state="judging") == ["Kim"]
    assert labels(study, state="finished") == ["Ada", "Dora", "100%_Ida"]
    assert labels(study, state="never") == labels(study, state="paused") == ["Max"]
    assert labels(study, state="warned") == []
    named = {one.label: one.pk for one in study.assessors.all()}
    assert labels(study, state="look", named=[named["Kim"], named["Ada"]]) == ["Ada", "Kim"]
    assert labels(study, state="look") == []
    answer(batch, wrong=2)
    answering.submit(batch.pk)
    assert labels(study, state="warned") == ["Kim"]
    for place in batch.batch.filter(role=QuestionRole.CHALLENGE):
        question_set_aside.set_aside(place.question_id, "unclear")
    assert labels(study, state="warned") == []


def test_people_are_found_by_a_part_of_their_label_or_their_number(study, people):
    assert labels(study, search="rac") == ["Grace"]
    assert labels(study, search="IDA") == ["100%_Ida"]
    assert labels(study, search="%_") == ["100%_Ida"]
    assert labels(study, search="2") == ["Grace"]
    assert labels(study, search="' OR 1=1") == []
    found = roster.find(study, Wanted(search="Dora"))
    assert found.people == [(people[2].pk, 3)]


def test_who_quotes_the_number_of_a_receipt_is_found_by_it(study, people):
    batch = Assignment.objects.filter(assessor=people[2]).get()
    number = receipt_number(batch.pk)
    assert labels(study, search=f" {number} ") == ["Dora"]
    assert labels(study, search=f"{batch.pk}-{(int(number[-4:]) + 1) % 10_000:04}") == []
    assert labels(garden("other"), search=number) == []


def test_lists_are_sorted_by_each_column_with_those_last_who_have_no_figure(study, people):
    assessor_stats.refresh()
    found = {fact: roster.facts(fact, [one.pk for one in people]) for fact in roster.FACTS}
    challenges = {pk: float(row[2]) for pk, row in found["challenges"].items()}
    given = {people[0].pk: 0.5, people[2].pk: 0.25, people[4].pk: 0.75}
    for sort, figures_of in (("challenges", challenges), *((sort, given) for sort in roster.GIVEN)):
        for down in (False, True):
            known = [pk for pk, _ in roster.find(study, Wanted(sort=sort, down=down, given=given)).people]
            expected = sorted(figures_of, key=lambda pk: (-figures_of[pk] if down else figures_of[pk], pk))
            assert known[: len(expected)] == expected, (sort, down)
            assert len(known) == 8
    assert labels(study, sort="label")[:3] == ["100%_Ida", "Ada", "Dora"]
    assert labels(study, sort="number", down=True)[0] == "Max"
    assert labels(study, sort="batches")[-1] != "Max"
    assert labels(study, sort="state")[0] == "Lou"


def test_figures_follow_the_ledger_and_cost_nothing_where_nothing_is_new(
    study, people, django_assert_num_queries
):
    assert assessor_stats.refresh() == 7
    with django_assert_num_queries(3):
        assert assessor_stats.refresh() == 0
    made = dict(PersonFigures.objects.values_list("assessor", "made_at"))
    decisions.readmit(people[1].pk, "awake")
    assert assessor_stats.refresh() == 1
    after = dict(PersonFigures.objects.values_list("assessor", "made_at"))
    assert [pk for pk in after if after[pk] != made[pk]] == [people[1].pk]
    now = roster.facts("challenges", list(after))
    known = PersonFigures.objects.exclude(challenges=None).values_list("assessor", "challenges")
    assert dict(known) == {pk: pytest.approx(float(own[2])) for pk, own in now.items()}


def test_the_page_is_asked_for_by_its_address(alice, study, people):
    assessor_stats.refresh()
    page = alice.get(ADDRESS, {"state": "excluded", "sort": "-number"})
    said = text(page)
    assert said.index("4 · Emmy") < said.index("2 · Grace")
    assert "2 people." in said
    assert 'aria-sort="descending"' in page.content.decode()
    assert "Nobody matches." in text(alice.get(ADDRESS, {"search": "nobody"}))
    for odd in ({"sort": "-x"}, {"state": "x"}, {"page": "0"}, {"page": "99"}, {"search": "\x00"}):
        assert "8 assessors: " in text(alice.get(ADDRESS, odd))
    assert "Sorted by the figures of the last sweep" in text(alice.get(ADDRESS, {"sort": "challenges"}))


def test_every_order_and_filter_takes_as_many_queries(alice, study, people):
    queries(alice, ADDRESS)
    asked = {queries(alice, f"{ADDRESS}?sort={sort}&state=finished") for sort in roster.SORTS}
    assert len(asked) == 1


def test_people_of_a_file_that_is_not_loaded_whole_are_not_listed(study, people):
    held = Assignment.objects.filter(assessor=people[0]).first()
    Assessor.objects.filter(pk=people[0].pk).update(panel="import")
    Assignment.objects.filter(pk=held.pk).update(state="loading")
    assert "Ada" not in labels(study)
