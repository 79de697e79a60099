"""Files of challenges while judging is open: known answers stand, and none is given to what is asked."""

import pytest

from judging.models import QuestionRole
from judging.questions import asking
from prefir.formats import BadFile
from tests.makers import invite, make_study, open_study, sit

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]


@pytest.fixture
def study():
    return make_study(topics=2)


def test_once_open_no_pair_that_is_asked_or_judged_becomes_a_challenge(study, load):
    """And no known answer is turned round; the same file again, and new pairs, are taken."""
    load(study, "judgments", "t2 t2-a t2-b t2-a\n")
    load(study, "challenges", "t1 t1-a t1-junk0 t1-a\n")
    load(study, "challenges", "t1 t1-a t1-junk0 t1-a\n")
    open_study(study)
    asked = asking.open_questions(study).filter(topic__name="t1").earliest("pk")
    a, b = (s.item.docno for s in asked.subjects.all())
    lines = [
        "t1 t1-a t1-junk0 t1-junk0",
        f"t1 {a} {b} {a}",
        "t2 t2-a t2-b t2-b",
        "t1 t1-b t1-junk0 t1-b",
    ]
    with pytest.raises(BadFile, match="line") as refused:
        load(study, "challenges", "\n".join(lines) + "\n")
    said = str(refused.value).splitlines()
    assert [line.split(":")[0] for line in said] == [f"file.txt, line {n}" for n in (1, 2, 3)]
    assert "has another answer already" in said[0]
    assert "is being asked or was judged" in said[1]
    before = asking.Question.objects.filter(expected__isnull=False).count()
    load(study, "challenges", "t1 t1-a t1-junk0 t1-a\n" + lines[3] + "\n")
    assert asking.Question.objects.filter(expected__isnull=False).count() == before + 1


def test_an_answer_stands_from_the_first_judgment_on_even_if_nobody_asks_any_more(study, load):
    open_study(study)
    batch = sit(invite(study))
    pair = batch.batch.filter(role=QuestionRole.COUNTS).first().question
    asking.Question.objects.filter(pk=pair.pk).update(wanted=0, taken=0)
    a, b = (s.item.docno for s in pair.subjects.all())
    with pytest.raises(BadFile, match="was judged"):
        load(study, "challenges", f"{pair.topic.name} {a} {b} {b}\n")
