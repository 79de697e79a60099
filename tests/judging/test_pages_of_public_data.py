"""The image data set's page preferences and grades, entered through the assessor's pages and exported again.

Simulated assessors post what the page posts, in any order, left and right as they stand; what comes out is
compared with the data set's files. By default some topics; the whole set takes a minute:
FACEOFF_WHOLE=1 pytest tests/judging/test_pages_of_public_data.py
"""

import io
import os

import pytest
from django.core.management import call_command

from collection.models import Item, Study
from collection.upload import loading
from judging.models import Question, Task
from judging.questions import grading, result_pages
from tests.judging.paged import prefer
from tests.judging.visiting import Visitor, begin, form, send
from tests.makers import invite, make_study
from tests.public_data import DATA, needs_data
from tournament import services

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files"), *needs_data]
FOLDER = DATA / "image-preferences"
TOPICS = None if os.environ.get("FACEOFF_WHOLE") else 12


def images() -> Study:
    study = make_study(topics=0, kind=Study.Kind.IMAGE)
    loading.load(study, "xie-positions", FOLDER / "Image_position.json")
    return study


def exported(study: Study, what: str) -> list[str]:
    out = io.StringIO()
    call_command("export", study.slug, what, stdout=out)
    return out.getvalue().splitlines()


def test_page_preferences_come_out_as_the_data_set_has_them():
    study = images()
    task = result_pages.usual(study)
    task.position, task.batch_challenges, task.batch_size = 0, 0, 17
    task.save()
    services.start(study.pk)
    file = (FOLDER / "SERP_level_preference").read_text().splitlines()
    rows = [line.split("\t") for line in file[1:]][:TOPICS]
    winners = {topic: {"0": "sogou", "1": None, "2": "baidu"}[word] for topic, word in rows}
    topics = list(study.topics.filter(name__in=winners).order_by("pk").values_list("pk", flat=True))
    choice = result_pages.choose(task, result_pages.every_pair(study), topics)
    result_pages.ask(task, choice)
    assert Question.objects.filter(task=task).count() == len(rows)
    while Question.objects.filter(task=task, taken=0).exists():
        assert prefer(study, winners).state == "kept"
    # The lines, in the order of the file.
    assert exported(study, "serp") == file[: len(rows) + 1]
    # And as any program reads judgments.
    pages = {line.split()[0]: line.split()[3] for line in exported(study, "pages")}
    assert pages == {topic: winner or "tie" for topic, winner in winners.items()}


def test_grades_come_out_as_the_data_set_has_them():
    """The file has means of three labels, which are not in it: three numbers of that sum are given."""
    study = images()
    rows = [line.split("\t") for line in (FOLDER / "relevance_data").read_text().splitlines()[1:]]
    known = {docno: float(grade) for _, docno, grade in rows}
    names = list(dict.fromkeys(topic for topic, *_ in rows))[: TOPICS and 2]
    task = Task.objects.create(
        study=study, kind="grade", scale="0-100", batch_size=50, position=0, batch_challenges=0,
        settings={"depth": 1000, "assessors": 3, "average": "mean", "grades_first": True},
    )  # fmt: skip
    wanted = {item: round(3 * known[docno]) for item, docno in Item.objects.values_list("pk", "docno")}
    services.start(study.pk)
    Question.objects.filter(task=task).exclude(topic__name__in=names).update(wanted=0)
    given: dict[int, list[int]] = {}
    while Question.objects.filter(task=task, wanted=3).exclude(taken=3).exists():
        visitor = Visitor()
        batch = begin(visitor, f"/i/{invite(study).reference}/")
        for place in batch.batch.all():
            item = int(place.question.key)
            own = given.setdefault(item, [])
            left, others = wanted[item] - sum(own), 2 - len(own)
            # Less than half of what is missing, so that they differ, but no more than the others can make up.
            own.append(min(100, max(left - 100 * others, left // 2 - 1, 0)) if others else left)
            answer = form(batch, place, str(own[-1]), kind="grade")
            assert visitor.post("/answer/", answer).status_code == 303
        assert send(visitor, batch).status_code == 303
    found = {line.split()[2]: float(line.split()[3]) for line in exported(study, "grades")}
    assert found == {docno: known[docno] for topic, docno, _ in rows if topic in names}
    assert {one.assessors for one in grading.collected(task).values()} == {3}
