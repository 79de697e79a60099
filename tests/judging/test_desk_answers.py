"""Own past answers on the desk: what is listed, what is not told, and correcting them by pages."""

import re
from dataclasses import asdict

import pytest

from judging.batches import answering
from judging.models import Assignment, BatchQuestion, Judgment, QuestionRole, Task
from judging.tasks import KINDS
from judging.tasks.aspects import AspectSettings, Details
from tests.judging.organizing import queries, text
from tests.judging.studies import give_pictures, make_study
from tests.judging.test_desk_pages import begin, seated
from tests.judging.visiting import answer_all, form, send
from tests.makers import invite, sit

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    made = make_study(pairs=20, challenges=9, slug="garden")
    Task.objects.filter(study=made).update(batch_challenges=2, batch_size=3)
    return made


def judged(browser, study, **how) -> Assignment:
    batch = begin(browser, study, study.topics.get(name="drought"))
    answer_all(browser, batch, **how)
    send(browser, batch)
    batch.refresh_from_db()
    return batch


def listed(page: str) -> list[str]:
    return re.findall(r"<li aria-labelledby.*?</li>", page, re.DOTALL)


def bare(row: str) -> str:
    """A row of the list without what says which question it is about, and what was said of it."""
    row = re.sub(r'"a\d+-\d+"|(value|datetime|href)="[^"]*"|class="label \w+"', "", row)
    row = re.sub(r'class="side[ \w]*"', "", row)
    return re.sub(r">[^<]*<", "><", row)


def test_ones_answers_are_listed_with_both_sides_and_nothing_tells_challenges(study):
    dora = seated(study)
    batch = judged(dora, study)
    sit(invite(study))
    page = dora.get("/desk/garden/answers/").content.decode()
    rows = listed(page)
    assert len(rows) == 5
    for row, place in zip(rows, batch.batch.order_by("position").select_related("question"), strict=True):
        subjects = [place.question.subjects.get(position=int(n)).item for n in place.shown]
        left, right = (row.rindex(item.text) for item in subjects)
        assert left < right
        chosen = Judgment.objects.get(question=place.question, assignment=batch).value
        assert f'class="label {KINDS["pair"].word(chosen)}"' in row
    # One form for all: the order of the batch says nothing, and no word or mark is another's.
    assert len({bare(row) for row in rows}) == 1
    said = page.partition("<main")[2].replace("Your note is kept.", "")
    assert not re.search(r"challenge|known|kept|DOCNO|77\.25|dora<", said)


def test_the_list_is_of_a_topic_where_one_is_asked_for(study):
    dora = seated(study)
    judged(dora, study)
    drought, shade = (study.topics.get(name=name) for name in ("drought", "shade"))
    assert len(listed(dora.get(f"/desk/garden/answers/?topic={drought.pk}").content.decode())) == 5
    assert "You have not answered anything here yet" in text(
        dora.get(f"/desk/garden/answers/?topic={shade.pk}")
    )
    assert f'/desk/garden/answers/?topic={drought.pk}"' in dora.get("/desk/garden/").content.decode()


def test_pages_are_of_a_fixed_size_and_take_the_same_queries(study, monkeypatch):
    dora = seated(study)
    for _ in range(2):
        judged(dora, study)
    few = queries(dora, "/desk/garden/answers/")
    monkeypatch.setattr("web.assessor.past_answers.A_PAGE", 3)
    assert queries(dora, "/desk/garden/answers/") == few
    second = dora.get("/desk/garden/answers/?page=2")
    assert len(listed(second.content.decode())) == 3
    assert "Page 2 of" in text(second)


def test_somebody_who_failed_reads_the_same_list_as_others_and_learns_nothing_by_trying(study):
    dora = seated(study)
    batch = judged(dora, study, wrong=True)
    assert batch.state == "discarded"
    rows = listed(dora.get("/desk/garden/answers/").content.decode())
    assert len(rows) == 5
    assert all("Change" in row for row in rows)
    refused = dora.post("/desk/garden/answers/", {"batch": batch.pk, "position": 1})
    assert refused.status_code == 409
    assert "These answers cannot be changed now." in text(refused)


def test_of_a_tie_both_texts_are_in_view_in_small_and_the_number_keeps_its_place(study):
    """Also where the topic is written from right to left."""
    dora = seated(study)
    batch = begin(dora, study, study.topics.get(name="drought"))
    answer_all(dora, batch)
    place = batch.batch.filter(role=QuestionRole.COUNTS).earliest("position")
    dora.post("/answer/", form(batch, place, "tie"))
    send(dora, batch)
    rows = listed(dora.get("/desk/garden/answers/").content.decode())
    counts = {'class="label tie"' in row: row.count('class="said-text soft"') for row in rows}
    assert counts == {True: 2, False: 1}
    assert all(re.search(r'<h2 id="[^"]*">\d\. <bdi>Which', row) for row in rows)


def test_a_picture_is_seen_again_by_a_token_that_names_no_item(study, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    give_pictures(study)
    dora = seated(study)
    batch = judged(dora, study)
    html = dora.get("/desk/garden/answers/").content.decode()
    [*addresses] = re.findall(r'<img src="(/image/[^"]+)"', html)
    assert len(addresses) == 10
    # What was chosen is in view in small, also while its answer is folded.
    small = re.findall(r'<img class="said-text" src="([^"]+)"', html)
    assert len(small) == 5
    assert set(small) < set(addresses)
    place = batch.batch.order_by("position").first()
    left = place.question.subjects.get(position=int(place.shown[0])).item
    response = dora.get(addresses[0])
    assert b"".join(response) == left.image.read()
    items = set(BatchQuestion.objects.values_list("question__subjects__item", flat=True))
    assert not items & {int(part) for part in re.findall(r"\d+", addresses[0].split(":")[0])[3:]}


def test_a_correction_by_pages_keeps_both_answers_and_the_last_one_counts(study):
    dora = seated(study)
    batch = judged(dora, study)
    place = batch.batch.filter(role=QuestionRole.COUNTS).order_by("position").first()
    opened = dora.post("/desk/garden/answers/", {"batch": batch.pk, "position": place.position})
    assert opened["Location"] == f"/desk/garden/judge/?at={place.position}"
    page = dora.get(opened["Location"])
    assert "You have sent these answers before" in text(page)
    assert dora.post("/answer/", form(batch, place, "right")).status_code == 303
    assert "changed 1 time" in text(dora.get("/desk/garden/answers/"))
    send(dora, batch)
    batch.refresh_from_db()
    assert batch.state == "kept"
    rows = Judgment.objects.filter(assignment=batch, question=place.question)
    assert [(row.revision, KINDS["pair"].word(row.value)) for row in rows.order_by("revision")] == [
        (0, "left"),
        (1, "right"),
    ]
    assert Judgment.objects.settled().get(question=place.question).revision == 1


def test_nobody_reopens_what_is_not_theirs(study):
    dora = seated(study)
    batch = judged(dora, study)
    erik = seated(study, "erik")
    assert erik.post("/desk/garden/answers/", {"batch": batch.pk, "position": 1}).status_code == 409
    assert erik.post("/desk/garden/answers/", {}).status_code == 409
    batch.refresh_from_db()
    assert batch.state == "kept"


def test_while_a_batch_is_open_others_are_not_offered(study):
    dora = seated(study)
    judged(dora, study)
    Task.objects.filter(study=study).update(batch_challenges=0)
    begin(dora, study, study.topics.get(name="shade"))
    page = dora.get("/desk/garden/answers/")
    assert "Finish it before you change others" in text(page)
    assert 'action="/desk/garden/answers/"' not in "".join(listed(page.content.decode()))


def test_a_question_that_was_asked_twice_says_so_at_the_second_answer(study):
    Task.objects.filter(study=study).update(repeats=1)
    dora = seated(study)
    batch = judged(dora, study)
    rows = listed(dora.get("/desk/garden/answers/").content.decode())
    again = [place.question.again for place in batch.batch.order_by("position").select_related("question")]
    assert ["asked for the second time" in row for row in rows] == again
    assert sum(again) == 1


def test_an_answer_says_what_it_said_of_aspects_and_reasons(study):
    ways = AspectSettings(
        aspects="Correct\nClear\nComplete", reasons="Off topic\nToo long", remark="asked", claims="asked"
    )
    Task.objects.filter(study=study).update(settings=asdict(ways))
    dora = seated(study)
    batch = begin(dora, study, study.topics.get(name="drought"))
    said = {"aspects": {"Correct": -1, "Clear": 0}, "reasons": ("Too long",), "remark": "Says it <twice>"}
    said |= {"claims": ((1, -1, 1), (None, 0)), "rules": ways.rules}
    first, second, *_ = batch.batch.order_by("position")
    answering.answer(batch.pk, first.position, 1, kind="pair", details=Details(**said))
    answering.answer(batch.pk, second.position, 1, kind="pair")
    for address in ("", f"{batch.pk}/{first.position}/"):
        found = text(dora.get(f"/desk/garden/answers/{address}"))
        assert (
            "Correct : Right Lower Clear : Tie Complete : not answered "
            "Left Upper : Supported 2, Not supported 1 Right Lower : Cannot tell 1 Too long "
            "Says it &lt;twice&gt;" in found
        )
    assert "Correct : not answered Clear : not answered" in text(dora.get("/desk/garden/answers/"))
