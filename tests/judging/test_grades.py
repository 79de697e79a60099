"""Grades: what a grade is, which answers to challenges are right, and how guidelines are written."""

import pytest
from django.core.exceptions import ValidationError

from judging.models import Task
from judging.tasks import KINDS, BadAnswer
from judging.tasks.grade import USUAL, Level

KIND = KINDS["grade"]


def expected(scale: str, grade: float) -> dict:
    return {"scale": scale, "grade": grade}


@pytest.mark.parametrize("value", [0, 1, 4, 100])
def test_a_grade_is_spelt_as_the_form_gave_it(value):
    assert KIND.parse({"choice": str(value)}) == value
    assert KIND.word(value) == str(value)


@pytest.mark.parametrize("text", ["", "left", "-1", "2.5", "1e1", "٣", "1000", "+1"])
def test_what_is_no_whole_number_is_no_grade(text):
    with pytest.raises(BadAnswer, match="whole number"):
        KIND.parse({"choice": text})


@pytest.mark.parametrize(
    ("scale", "taken", "refused"),
    [
        ("0-1", [0, 1], [2, -1, True]),
        ("0-2", [0, 1, 2], [3, -1, 1.0]),
        ("0-4", [0, 1, 2, 3, 4], [5, -1, 2.0, True, "3", None]),
        ("0-100", [0, 1, 99, 100], [101, -1, 50.0]),
    ],
)
def test_only_grades_of_the_scale_are_taken(scale, taken, refused):
    for value in taken:
        KIND.check(value, scale)
    for value in refused:
        with pytest.raises(BadAnswer, match=f"0 (to|or) {scale[2:]}"):
            KIND.check(value, scale)


def test_a_grade_implies_no_preference():
    assert list(KIND.leans(4, "0")) == []


def test_a_grade_is_about_one_item():
    KIND.check_subjects((7,))
    for subjects in ((), (7, 8)):
        with pytest.raises(ValueError, match="1 different subjects"):
            KIND.check_subjects(subjects)


def test_of_0_to_4_a_challenge_is_right_within_1_on_the_same_side_of_relevant():
    """Written out: known grade -> answers that are right."""
    right = {
        known: [value for value in range(5) if KIND.is_right(value, "0", expected("0-4", known))]
        for known in range(5)
    }
    assert right == {0: [0, 1], 1: [0, 1], 2: [2, 3], 3: [2, 3, 4], 4: [3, 4]}


@pytest.mark.parametrize(
    ("scale", "answers"), [("0-2", {0: [0, 1], 1: [0, 1], 2: [2]}), ("0-1", {0: [0], 1: [1]})]
)
def test_of_fewer_grades_a_challenge_is_right_on_the_same_side_of_relevant(scale, answers):
    for known, right in answers.items():
        values = KIND.scales[scale]
        assert [value for value in values if KIND.is_right(value, "0", expected(scale, known))] == right


def test_of_0_to_100_a_challenge_is_right_within_25():
    right = [value for value in range(101) if KIND.is_right(value, "0", expected("0-100", 80))]
    assert right == list(range(55, 101))


def test_the_usual_guidelines_name_the_grades_of_the_field():
    levels = KIND.levels("0-4", "")
    names = ["Not relevant", "Related", "Relevant", "Highly relevant", "Perfectly relevant"]
    assert [(level.value, level.name) for level in levels] == list(enumerate(names))
    assert all(level.told for level in levels)
    assert KIND.levels("0-4", USUAL["0-4"]) == levels


def test_guidelines_are_a_line_a_grade_in_any_order():
    levels = KIND.levels("0-4", "0 Bad\n\n2. So: in part: yes\n 1) Poor\n4 Best : all of it\n3 Good:\n")
    assert levels == [
        Level(0, "Bad", ""),
        Level(1, "Poor", ""),
        Level(2, "So", "in part: yes"),
        Level(3, "Good", ""),
        Level(4, "Best", "all of it"),
    ]


@pytest.mark.parametrize("scale", ["0-1", "0-2", "0-4"])
def test_the_usual_guidelines_of_one_scale_become_those_of_the_one_that_is_chosen(scale):
    assert [level.value for level in KIND.levels(scale, "")] == list(KIND.scales[scale])
    for usual in USUAL.values():
        assert KIND.checked({"guidelines": usual}, scale).guidelines == USUAL[scale]
    own = "\n".join(f"{value} Name {value}" for value in KIND.scales[scale])
    assert KIND.checked({"guidelines": own}, scale).guidelines == own


@pytest.mark.parametrize(
    ("scale", "guidelines", "said"),
    [
        ("0-2", "0 a\n1 b", "No line begins with 2. Give each grade from 0 to 2 one."),
        ("0-2", "0 a\n1 b\n2 c\n3 d", "The grade 3 is not on this scale."),
        ("0-1", "0 a\n1 b\n1 c", "The grade 1 has two lines."),
    ],
)
def test_guidelines_of_fewer_grades_are_refused_alike(scale, guidelines, said):
    with pytest.raises(ValidationError, match=said):
        Task(kind="grade", scale=scale, settings={"guidelines": guidelines}).clean()


@pytest.mark.parametrize(
    ("guidelines", "said"),
    [
        ("0 a\n1 b\n2 c\n3 d", "begins with 4"),
        ("0 a\n1 b\n2 c\n3 d\n4 e\n4 f", "grade 4 has two lines"),
        ("5 a", "is no grade"),
        ("Good ones: 4", "is no grade"),
    ],
)
def test_guidelines_that_leave_a_grade_open_are_refused(guidelines, said):
    task = Task(kind="grade", scale="0-4", settings={"guidelines": guidelines})
    with pytest.raises(ValidationError, match=said):
        task.clean()
    Task(kind="grade", scale="0-100", settings={"guidelines": guidelines}).clean()


@pytest.mark.parametrize(
    ("guidelines", "meanings"),
    [
        ("", ["100", "75", "50", "25", "0"]),
        ("90-100: all of it\n0 = nothing", ["90-100", "0"]),
        ("More is better.", []),
        ("100: all of it\n\nMore is better.", []),
    ],
)
def test_guidelines_of_a_line_for_each_of_some_grades_are_a_list(guidelines, meanings):
    assert [grade for grade, _ in KIND.meanings(guidelines)] == meanings
