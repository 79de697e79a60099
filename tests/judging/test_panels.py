"""People of another panel: what any panel may rely on, tried with one that only these tests know."""

import re

import pytest
from django.urls import path, reverse
from django.utils import timezone

from config.urls import urlpatterns as addresses
from judging.models import Assessor, Assignment
from judging.verdicts import decisions
from panels.base import PANELS, Panel, UnknownPerson
from tests.judging.organizing import staff_of, text
from tests.judging.studies import make_study
from tests.judging.visiting import JSON, Visitor, agreeing, answer_all, begin, form, send, text_of
from web.assessor import views
from web.forecast import overview

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]
urlpatterns = [
    path("desk/<slug:seat>/", views.own_page, {"panel": "desk"}, name="desk"),
    *addresses,
]
HOME = "/desk/seat-4/"


class Desk(Panel):
    """People who sit at a desk, known by their seat; each batch earns them a cup of tea."""

    name = "desk"
    title = "People at the desk"

    def identify(self, request, **parts):
        found = Assessor.objects.select_related("study").filter(panel="desk", reference=parts["seat"]).first()
        if found is None:
            raise UnknownPerson("Nobody sits there.")
        return found

    def home(self, assessor, assignment_id=None):
        return reverse("desk", args=[assessor.reference])

    def completion(self, assignment):
        return f"Tea number {assignment.pk} is yours."


@pytest.fixture
def study(monkeypatch):
    monkeypatch.setitem(PANELS, "desk", Desk())
    study = staff_of(make_study(pairs=30, challenges=0, batch_pairs=5, batch_challenges=0))
    Assessor.objects.create(study=study, panel="desk", reference="seat-4")
    return study


@pytest.fixture
def visitor(study):
    return Visitor()


def sit(visitor) -> Assignment:
    """Begin, answer all and send."""
    assignment = begin(visitor, HOME)
    answer_all(visitor, assignment)
    assert send(visitor, assignment)["Location"] == HOME
    return assignment


def test_somebody_of_any_panel_judges_on_a_page_of_that_panels_address(visitor):
    assert "I agree, start judging" in text_of(visitor.get(HOME))
    response = visitor.post(HOME, agreeing(HOME))
    assert (response.status_code, response["Location"]) == (303, HOME)
    assignment = Assignment.objects.get()
    assert f'data-home="{HOME}"' in visitor.get(HOME + "?at=2").content.decode()
    first = assignment.batch.earliest("position")
    assert visitor.post("/answer/", form(assignment, first))["Location"] == HOME
    answer_all(visitor, assignment)
    assert send(visitor, assignment, **JSON).json() == {"submitted": True, "next": HOME}
    assert assignment.assessor.panel == "desk"


def test_somebody_whom_a_panel_does_not_know_is_told_so(visitor):
    for response in (visitor.get("/desk/seat-5/"), visitor.post("/desk/seat-5/", {"action": "begin"})):
        assert response.status_code == 404
        assert "Nobody sits there." in text_of(response)


def test_people_of_one_panel_have_no_page_of_another(visitor):
    assert visitor.get("/i/seat-4/").status_code == 404


def test_what_a_panel_has_to_tell_stands_on_every_page_after_a_batch(visitor, study):
    """Until one was sent, nothing; after that, whatever stands in the way of another."""
    assert "Tea" not in text_of(visitor.get(HOME))
    begin(visitor, HOME)
    Assignment.objects.update(deadline=timezone.now())
    assert "Tea" not in text_of(visitor.get(HOME))
    sent = sit(visitor)
    tea = f"Tea number {sent.pk} is yours."
    page = text_of(visitor.get(HOME))
    assert tea in page
    assert "Judge another batch" in page
    begin(visitor, HOME)
    assert tea not in text_of(visitor.get(HOME))  # not while judging
    Assignment.objects.filter(state="working").update(deadline=timezone.now())
    page = text_of(visitor.get(HOME))
    assert tea in page
    assert "The time was over before you had answered" in page
    last = [sit(visitor) for _ in range(3)][-1]
    tea = f"Tea number {last.pk} is yours."
    for response in (visitor.get(HOME), visitor.post(HOME, {"action": "begin"})):
        assert tea in text_of(response)
        assert {"Thank you", "to judge"} & {*re.findall("Thank you|to judge", text_of(response))}
    study.closed_at = timezone.now()
    study.save()
    assert tea in text_of(visitor.get(HOME))
    decisions.exclude(Assessor.objects.get().pk, "spilt it")
    assert tea in text_of(visitor.get(HOME))


# What organizers see of them


def test_they_are_counted_as_people_not_as_recorded_and_not_as_invited(visitor, study):
    sit(visitor)
    begin(visitor, HOME)
    Assessor.objects.create(study=study, panel="import", reference="digest:1", label="w1")
    people = overview.people(study)
    assert (people.invited, people.others, people.recorded) == (0, 1, 1)
    assert (people.kept, people.working) == (1, 1)


def test_organizers_read_where_they_come_from_and_how_far_they_are(alice, visitor, study):
    assert "1 People at the desk Not come yet" in text(alice.get("/studies/garden/people/"))
    sit(visitor)
    Assessor.objects.create(study=study, panel="import", reference="digest:1", label="w1")
    page = text(alice.get("/studies/garden/people/"))
    assert "1 People at the desk No open batch 1, all kept" in page
    assert "2 · w1 From a file of recorded judgments" in page
    assert "seat-4" not in page
    assert "1 assessor from other panels." in text(alice.get("/studies/garden/"))
