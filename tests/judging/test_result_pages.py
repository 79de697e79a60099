"""Result pages side by side: what is asked, how challenges are made, what is collected, and what leaves.

Each answer is followed from the posted form through ledger and run preference to the exported file.
"""

import io
import random
import re

import pytest
from django.core.management import call_command

from collection.models import Item, Placement, Run, Study
from collection.upload.staging import remove_replaced
from judging.batches import answering
from judging.batches.sql_statements import shown_pages
from judging.models import BatchQuestion, Judgment, Question, QuestionRole
from judging.questions import result_pages
from judging.tasks import KINDS
from tests.judging.paged import GRIDS, add_grid, ask_all, paged_study, prefer
from tests.judging.studies import give_pictures
from tests.judging.visiting import Visitor, begin
from tests.makers import add_run, invite

pytestmark = pytest.mark.django_db
OAK, ELM = "SECRET-oak", "SECRET-elm"


def docnos(page) -> list[list[str]]:
    """Last letters of the docnos of a page as it was shown, by row."""
    rows: dict[object, list[str]] = {}
    names = dict(Item.objects.values_list("pk", "docno"))
    for n, cell in enumerate(page):
        rows.setdefault(("row", cell.row) if cell.row is not None else n, []).append(names[cell.item.pk][-1])
    return list(rows.values())


def opened(study):
    """Somebody's open batch."""
    return begin(Visitor(), f"/i/{invite(study).reference}/")


def test_an_answer_goes_from_the_form_through_the_ledger_to_the_file():
    study, task = paged_study(topics=2, assessors=2, scale="5")
    assert ask_all(task) == 2
    prefer(study, {"t1": OAK, "t2": None}, definitely=True)
    prefer(study, {"t1": OAK, "t2": ELM})
    oak, elm = (Run.objects.get(name=name).pk for name in (OAK, ELM))
    given = Judgment.objects.filter(topic__name="t1").order_by("pk")
    # As it was shown: 2 is definitely the left one.
    assert [judgment.value for judgment in given] == [
        {"01": 2, "10": -2}[given[0].shown],
        {"01": 1, "10": -1}[given[1].shown],
    ]
    found = [(one.compared.runs, one.first, one.second, one.ties) for one in result_pages.collected(task)]
    assert found == [((oak, elm), 2, 0, 0), ((oak, elm), 0, 1, 1)]
    assert result_pages.lines(result_pages.collected(task)) == [((oak, elm), 1, 1, 0)]
    file = io.StringIO()
    call_command("export", study.slug, "pages", stdout=file)
    both = f"{OAK} {ELM}"
    assert sorted(file.getvalue().splitlines()) == [
        f"t1 {both} {OAK}",
        f"t1 {both} {OAK}",
        f"t2 {both} {ELM}",
        f"t2 {both} tie",
    ]
    file = io.StringIO()
    call_command("export", study.slug, "pages", "--assessors", stdout=file)
    strengths = sorted((line.split()[0], line.split()[5]) for line in file.getvalue().splitlines())
    assert strengths == [("t1", "1"), ("t1", "2"), ("t2", "0"), ("t2", "1")]


def test_lists_are_shown_to_the_depth_and_grids_to_the_last_row_that_is_wanted():
    study, task = paged_study(depth=3)
    ask_all(task)
    batch = opened(study)
    [question] = shown_pages(batch.pk)
    pages = {"0": [["a"], ["b"], ["c"]], "1": [["b"], ["e"], ["f"]]}
    shown = batch.batch.get().shown
    assert [docnos(page) for page in question.pages] == [pages[place] for place in shown]
    study, task = paged_study(runs=GRIDS, rows=2)
    ask_all(task)
    batch = opened(study)
    [question] = shown_pages(batch.pk)
    pages = {"0": [["a", "b", "c"], ["d"]], "1": [["b"], ["e", "f", "g"]]}
    shown = batch.batch.get().shown
    assert [docnos(page) for page in question.pages] == [pages[place] for place in shown]


def test_pages_that_look_the_same_or_are_empty_are_not_asked_about():
    study, task = paged_study(runs=GRIDS, rows=1)
    add_grid(study, "twin", ["abc", "h"])
    add_grid(study, "other cells", ["ab", "c"])
    add_run(study, "silent", {})
    topics = [study.topics.get().pk]
    choice = result_pages.choose(task, result_pages.every_pair(study), topics)
    names = dict(Run.objects.values_list("pk", "name"))
    asked = {frozenset(names[run] for run in runs) for _, runs in choice.questions}
    assert frozenset((OAK, "twin")) not in asked
    assert frozenset((OAK, "other cells")) in asked
    assert (len(choice.questions), choice.same, choice.empty) == (5, 1, 4)


def test_each_topic_is_asked_about_once_before_any_comes_again():
    study, task = paged_study(topics=4)
    add_run(study, "third", {f"t{n}": ["DOCNO-h"] for n in range(1, 5)})
    ask_all(task)
    topics = list(Question.objects.order_by("pk").values_list("topic_id", flat=True))
    assert len(topics) == 12
    assert all(len(set(topics[start : start + 4])) == 4 for start in (0, 4, 8))


def test_asking_again_adds_what_is_missing_and_takes_nothing_back():
    _, task = paged_study(topics=2)
    assert ask_all(task) == 2
    assert ask_all(task) == 0
    task.settings["assessors"] = 3
    assert ask_all(task) == 2
    assert set(Question.objects.values_list("wanted", flat=True)) == {3}
    assert Question.objects.count() == 2
    assert result_pages.stop(task) == 2
    assert result_pages.progress(task) == (0, 0, 0, 0)


def test_too_many_questions_are_refused_before_pages_are_read(monkeypatch, django_assert_num_queries):
    study, task = paged_study(topics=2)
    monkeypatch.setattr(result_pages, "MOST", 1)
    pairs = result_pages.every_pair(study)
    with django_assert_num_queries(0), pytest.raises(result_pages.CannotAsk, match="more than 1 questions"):
        result_pages.choose(task, pairs, [1, 2])


def test_topics_are_ordered_by_how_much_the_pages_differ():
    study, task = paged_study(topics=2)
    Run.objects.all().delete()
    add_run(study, "one", {"t1": ["DOCNO-a", "DOCNO-b"], "t2": ["DOCNO-a", "DOCNO-b"]})
    add_run(study, "two", {"t1": ["DOCNO-b", "DOCNO-a"], "t2": ["DOCNO-a", "DOCNO-c"]})
    t1, t2 = study.topics.order_by("name").values_list("pk", flat=True)
    assert result_pages.by_difference(task, result_pages.every_pair(study), [t1, t2]) == [t2, t1]


def test_only_kept_batches_count_and_no_preference_of_items_comes_of_them():
    study, task = paged_study()
    ask_all(task)
    assignment = opened(study)
    place = assignment.batch.get()
    answering.record(assignment.pk, place.question_id, 1)
    assert result_pages.collected(task) == []
    answering.submit(assignment.pk)
    assert len(result_pages.collected(task)) == 1
    file = io.StringIO()
    call_command("export", study.slug, "judgments", stdout=file)
    assert file.getvalue() == ""


def test_a_run_that_is_replaced_stays_in_the_ledger_and_out_of_the_results():
    study, task = paged_study(topics=2)
    ask_all(task)
    prefer(study, {"t1": OAK, "t2": OAK})
    old = Run.objects.get(name=OAK)
    Run.objects.filter(pk=old.pk).update(shown=False)
    add_run(study, OAK, {"t1": ["DOCNO-h"], "t2": ["DOCNO-g"]})
    remove_replaced(study.pk)
    assert Placement.every.filter(run=old).count() == 8
    assert result_pages.collected(task) == []
    task.settings["assessors"] = 2
    assert ask_all(task) == 2
    assert set(Question.objects.filter(subjects__run=old).values_list("wanted", flat=True)) == {0}
    call_command("verify", study.slug, stdout=io.StringIO())


# Challenges

GRADES = dict(zip("abcdefgh", [0, 4, 0, 3, 4, 0, 3, 0], strict=True))


def test_a_challenge_has_the_form_and_overlap_of_a_question_and_only_its_quality_differs():
    _, task = paged_study(runs=GRIDS, grades=GRADES, batch_challenges=1)
    ask_all(task)
    [known] = Question.objects.filter(expected__isnull=False)
    [asked] = Question.objects.filter(expected__isnull=True)
    assert known.subject_ids == asked.subject_ids[::-1]
    cells = {
        run: [p.item_id for p in Placement.objects.filter(run=run).order_by("rank")]
        for run in known.subject_ids
    }
    grades = dict(Item.objects.values_list("pk", "grade__value"))
    own, made = [cells[run] for run in known.subject_ids], known.expected["pages"]
    # Where both pages showed the same item, they still do.
    same = [(i, j) for i, a in enumerate(own[0]) for j, b in enumerate(own[1]) if a == b]
    assert same == [(i, j) for i, a in enumerate(made[0]) for j, b in enumerate(made[1]) if a == b]
    assert [len(set(page)) for page in made] == [6, 4]
    shared = set(made[0]) & set(made[1])
    alone = [[grades[item] for item in page if item not in shared] for page in made]
    better = 0 if known.expected["lean"] > 0 else 1
    assert min(alone[better]) > max(alone[1 - better])


def test_there_is_no_challenge_where_grades_are_missing_or_alike():
    for grades in ({}, dict.fromkeys("abcdefgh", 2.0), {"a": 4, "b": 0}):
        _, task = paged_study(runs=GRIDS, grades=grades)
        ask_all(task)
        assert not Question.objects.filter(task=task, expected__isnull=False).exists()


def test_filled_pages_agree_with_a_slow_and_obvious_check():
    """Over random pages and grades: no item twice, items shared where they were, better ones apart."""
    chooser = random.Random(1)
    made = 0
    for _ in range(400):
        pool = range(chooser.randrange(4, 30))
        pages = [
            tuple((i, None, None) for i in chooser.sample(pool, chooser.randrange(1, min(9, len(pool)))))
            for _ in "12"
        ]
        graded = [(chooser.choice([0, 0, 1, 2, 3, 4]), 100 + i) for i in pool]
        found = result_pages.filled(pages, graded, 4 / 3, chooser)
        if found is None:
            continue
        made += 1
        one, other = found["pages"]
        for i, (a, *_) in enumerate(pages[0]):
            for j, (b, *_) in enumerate(pages[1]):
                assert (a == b) == (one[i] == other[j])
        assert all(len(set(page)) == len(page) for page in (one, other))
        values = {item: grade for grade, item in graded}
        alone = [[values[i] for i in page if i not in set(one) & set(other)] for page in (one, other)]
        good, bad = alone if found["lean"] > 0 else alone[::-1]
        assert min(good) > max(bad)
        assert sum(good) / len(good) - sum(bad) / len(bad) >= 4 / 3
    assert made > 50


def test_what_a_challenge_shows_is_in_the_ledger_and_wrong_answers_fail():
    study, task = paged_study(runs=GRIDS, grades=GRADES, batch_challenges=1)
    ask_all(task)
    assert prefer(study, {"t1": OAK}).state == "kept"
    place = BatchQuestion.objects.get(role=QuestionRole.CHALLENGE)
    answer = Judgment.objects.get(role=QuestionRole.CHALLENGE)
    kind = KINDS["pages"]
    assert kind.is_right(answer.value, answer.shown, place.expected)
    assert not kind.is_right(-answer.value, answer.shown, place.expected)
    assert not kind.is_right(0, answer.shown, place.expected)
    [question] = [one for one in shown_pages(place.assignment_id) if one.position == place.position]
    shown = [[cell.item.pk for cell in page] for page in question.pages]
    assert shown == [place.expected["pages"][int(side)] for side in place.shown]


# The page

HIDDEN = re.compile(r"SECRET|DOCNO|oak|elm|expected|lean|challenge", re.IGNORECASE)
# Signatures and tokens are random letters: "oAk" comes up in one of them now and then.
RANDOM = re.compile(r"(?<=:)[\w-]{43}|(?<=/i/)[\w-]{22}|[A-Za-z0-9]{32,}")


@pytest.mark.parametrize("pictures", [False, True], ids=["passages", "pictures"])
def test_nothing_on_the_page_names_a_run_an_item_or_a_challenge(settings, tmp_path, pictures):
    settings.MEDIA_ROOT = tmp_path
    fields = {"kind": Study.Kind.IMAGE} if pictures else {}
    study, task = paged_study(runs=GRIDS, grades=GRADES, batch_challenges=1, **fields)
    Item.objects.update(text="words")
    if pictures:
        give_pictures(study)
    ask_all(task)
    visitor, address = Visitor(), f"/i/{invite(study).reference}/"
    for response in (visitor.get(address), begin(visitor, address) and visitor.get(address)):
        page = response.content.decode()
        assert not HIDDEN.findall(RANDOM.sub("", page.replace(study.name, "")))
    for position in (1, 2):
        section = page.split(f'data-position="{position}"')[1].partition("</section>")[0]
        assert section.count('class="cell') == 10
        assert section.count('class="cell both') == 4
    tokens = set(re.findall(r'src="(/image/[^"]+)"', page))
    assert bool(tokens) == pictures
    for token in tokens:
        assert visitor.get(token).status_code == 200


def test_every_picture_of_a_page_is_the_one_that_was_placed(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    study, task = paged_study(runs=GRIDS, grades=GRADES, batch_challenges=1, kind=Study.Kind.IMAGE)
    give_pictures(study)
    ask_all(task)
    visitor, address = Visitor(), f"/i/{invite(study).reference}/"
    batch = begin(visitor, address)
    page = visitor.get(address).content.decode()
    for question in shown_pages(batch.pk):
        section = page.split(f'data-position="{question.position}"')[1].partition("</section>")[0]
        sources = re.findall(r'src="(/image/[^"]+)"', section)
        cells = [cell for side in question.pages for cell in side]
        for source, cell in zip(sources, cells, strict=True):
            served = b"".join(visitor.get(source).streaming_content)
            assert served == Item.objects.get(pk=cell.item.pk).image.read()


def test_a_picture_is_seen_only_while_its_batch_is_open(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    study, task = paged_study(runs=GRIDS, kind=Study.Kind.IMAGE)
    give_pictures(study)
    ask_all(task)
    visitor, address = Visitor(), f"/i/{invite(study).reference}/"
    batch = begin(visitor, address)
    source = re.search(r'src="(/image/[^"]+)"', visitor.get(address).content.decode())[1]
    assert visitor.get(source).status_code == 200
    answering.record(batch.pk, batch.batch.get().question_id, 0)
    answering.submit(batch.pk)
    assert visitor.get(source).status_code == 404


def test_a_page_takes_as_many_queries_however_many_questions_and_challenges(django_assert_num_queries):
    study, task = paged_study(runs=GRIDS, grades=GRADES, batch_challenges=0)
    ask_all(task)
    one = opened(study)
    study, task = paged_study(topics=5, runs=GRIDS, grades=GRADES, batch_challenges=3)
    ask_all(task)
    many = opened(study)
    assert (one.batch.count(), many.batch.count()) == (1, 8)
    for batch in (one, many):
        with django_assert_num_queries(3):
            shown_pages(batch.pk)
