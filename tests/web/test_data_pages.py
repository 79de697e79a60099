"""The data browser: topics, items, one item in full and duplicates, as pages and files."""

import csv
import io
import re

import pytest
from django.core.cache import cache
from django.core.files.base import ContentFile
from django.urls import reverse

from collection.material import contents, duplicates
from collection.material.duplicates import DUPLICATES
from collection.models import Grade, Import, Item, Placement, Run, Study, Topic
from judging.models import Assessor, Judgment, QuestionRole
from prefir.formats.conversations import NO_ANSWER
from tests.judging.organizing import logged_in, queries, staff_of, text
from tests.judging.studies import picture
from tests.makers import add_items, add_run, finish, make_study, open_study

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_files(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"
    cache.clear()


@pytest.fixture
def study():
    """t1 and t2 with 5 items of grade 1 and 2 of grade 0; t1-a in both runs, t1-b in one."""
    made = staff_of(make_study(topics=2, slug="s"))
    add_run(made, "first", {"t1": ["t1-a", "t1-b"], "t2": ["t2-c"]})
    add_run(made, "second", {"t1": ["t1-a"]})
    return made


@pytest.fixture
def bob(study):
    return logged_in("bob")


def lines(response) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(b"".join(response).decode())))


def item(docno: str) -> Item:
    return Item.objects.get(docno=docno)


def test_topics_are_listed_with_what_each_holds_as_counted_one_by_one(bob, study):
    topic = study.topics.get(name="t2")
    Item.objects.create(topic=topic, docno="bare")
    Item.objects.create(topic=topic, docno="pictured", image="x.png")
    hidden = Run.every.create(study=study, name="half loaded", shown=False)
    Placement.every.create(run=hidden, topic=topic, item=item("t2-a"), rank=1)
    expected = []
    for one in Topic.objects.order_by("name"):
        own = list(one.items.all())
        shown = list(Placement.objects.filter(topic=one))
        graded = sum(Grade.objects.filter(item=i).exists() for i in own)
        bare = sum(not i.text and not i.image for i in own)
        expected.append((len(own), graded, bare, len({p.run_id for p in shown})))
    assert expected == [(7, 7, 0, 2), (9, 7, 1, 1)]
    assert contents.holdings(list(Topic.objects.order_by("name"))) == expected
    said = text(bob.get(reverse("data", args=["s"])))
    assert "2 topics, 16 items and 2 runs are loaded." in said
    assert "t1 Which one for 1? 7 7 0 all" in said
    assert "t2 Which one for 2? 9 7 1 1 of 2" in said
    found = lines(bob.get(reverse("data-csv", args=["s"])))
    assert [tuple(int(n) for n in list(row.values())[2:]) for row in found] == [(*own, 0) for own in expected]


def test_lists_are_searched_and_narrowed(bob, study):
    t1 = study.topics.get(name="t1")
    Topic.objects.create(study=study, name="t3", text="50 % of \\ everything_")
    Item.objects.filter(docno="t1-b").update(text="A red  oak\nby the river")
    Item.objects.create(topic=t1, docno="t1-bare")
    Item.objects.create(topic=t1, docno="t1-empty", text=NO_ANSWER)

    def topics(**asked) -> list[str]:
        return [topic.name for topic in contents.topics(study, **asked)]

    def items(**asked) -> list[str]:
        return [one.docno for one in contents.items(t1, **asked)]

    assert topics(search="which 2") == ["t2"]
    assert topics(search="% \\") == ["t3"]
    assert topics(only="bare") == ["t1"]
    assert topics(only="ungraded") == topics(only="empty") == ["t3"]
    assert items(search="oak RED") == ["t1-b"]
    assert items(search="junk") == ["t1-junk0", "t1-junk1"]
    assert items(only="bare") == items(only="ungraded") == ["t1-bare", "t1-empty"]
    assert items(only="unranked", search="t1-") == [
        "t1-bare",
        "t1-c",
        "t1-d",
        "t1-e",
        "t1-empty",
        "t1-junk0",
        "t1-junk1",
    ]
    assert len(items(only="graded")) == 7
    page = reverse("data-topic", args=["s", t1.pk])
    assert "2 of 9 items" in text(bob.get(page, {"q": "junk"}))
    assert "No item matches." in text(bob.get(page, {"q": "nowhere"}))
    assert "No topic matches." in text(bob.get(reverse("data", args=["s"]), {"q": "nowhere", "page": "x"}))
    found = lines(bob.get(reverse("data-topic-csv", args=["s", t1.pk]), {"q": "oak"}))
    assert [(row["docno"], row["runs"], row["text"]) for row in found] == [
        ("t1-b", "1", "A red  oak\nby the river")
    ]


def shown(client, address: str, sort: str) -> list[str]:
    """The first column of a list, sorted so."""
    page = client.get(address, {"sort": sort}).context
    return [str(line[0]) if isinstance(line, tuple) else line.item.docno for line in page["lines"]]


def test_topics_are_sorted_by_each_column_and_back(bob, study):
    finish(open_study(study))
    Topic.objects.create(study=study, name="t3", text="t3")
    Item.objects.create(topic=study.topics.get(name="t2"), docno="bare")
    Grade.objects.filter(item__docno="t1-a").delete()
    address = reverse("data", args=["s"])
    ascending = {
        "name": ["t1", "t2", "t3"], "items": ["t3", "t1", "t2"], "graded": ["t3", "t1", "t2"],
        "bare": ["t1", "t3", "t2"], "runs": ["t3", "t2", "t1"],
    }  # fmt: skip
    # Those with as many stay in the order of their names.
    descending = {name: rows[::-1] for name, rows in ascending.items()} | {"bare": ["t2", "t1", "t3"]}
    assert {name: shown(bob, address, name) for name in ascending} == ascending
    assert {name: shown(bob, address, f"-{name}") for name in ascending} == descending
    given = {
        name: Judgment.objects.counting().filter(topic__name=name).count() for name in ("t1", "t2", "t3")
    }
    assert given["t1"] > given["t3"] == 0
    assert [given[name] for name in shown(bob, address, "-judged")] == sorted(given.values(), reverse=True)
    assert {str(topic): n for topic, _, n in bob.get(address).context["lines"]} == given
    heads = bob.get(address, {"sort": "-items", "q": "t"}).context["heads"]
    assert [head.order for head in heads] == ["", "descending", "", "", "", ""]
    assert heads[1].address == "?q=t&sort=items"
    assert heads[2].address == "?q=t&sort=-graded"
    assert "sort = colour is not known" in text(bob.get(address, {"sort": "colour"}))


def test_names_with_numbers_stand_in_the_order_of_these_and_columns_that_are_empty_are_left_out(bob, study):
    for name in ("t10", "t3"):
        Topic.objects.create(study=study, name=name, text=name)
    address = reverse("data", args=["s"])
    assert shown(bob, address, "name") == ["t1", "t2", "t3", "t10"]
    assert shown(bob, address, "-items") == ["t1", "t2", "t3", "t10"]
    assert "Without text" not in text(bob.get(address))
    Item.objects.create(topic=study.topics.get(name="t3"), docno="bare")
    assert "Without text" in text(bob.get(address))


def test_items_are_sorted_by_grade_best_rank_runs_and_judgments(bob, study):
    finish(open_study(study))
    topic = study.topics.get(name="t1")
    address = reverse("data-topic", args=["s", topic.pk])
    page = bob.get(address).context
    about = {
        line.item.docno: sum(
            line.item.pk in map(int, judgment.question.key.split())
            for judgment in Judgment.objects.counting().filter(topic=topic)
        )
        for line in page["lines"]
    }
    assert {line.item.docno: line.judged for line in page["lines"]} == about
    assert max(about.values()) > min(about.values()) == 0
    assert {line.item.docno: (line.runs, line.best) for line in page["lines"] if line.runs} == {
        "t1-a": (2, 1), "t1-b": (1, 2)
    }  # fmt: skip
    assert shown(bob, address, "best")[:2] == shown(bob, address, "-runs")[:2] == ["t1-a", "t1-b"]
    assert shown(bob, address, "-best")[:3] == ["t1-b", "t1-a", "t1-c"]
    assert shown(bob, address, "-grade")[-2:] == ["t1-junk0", "t1-junk1"]
    assert shown(bob, address, "place")[0] == topic.items.get(top_rank=1).docno
    first = bob.get(address).context["lines"][0]
    assert first.item.place == 1
    judged = shown(bob, address, "-judged")
    assert [about[docno] for docno in judged] == sorted(about.values(), reverse=True)
    assert shown(bob, address, "-docno") == sorted(about, reverse=True)
    rows = lines(bob.get(reverse("data-topic-csv", args=["s", topic.pk])))
    assert {row["docno"]: int(row["judgments"]) for row in rows} == about
    assert {row["docno"]: row["best_rank"] for row in rows if row["best_rank"]} == {"t1-a": "1", "t1-b": "2"}


def test_an_item_is_shown_as_assessors_see_it_with_the_ranks_of_runs(bob, study):
    Study.objects.update(markup=Study.Markup.MARKDOWN)
    Item.objects.filter(docno="t1-a").update(text="**Bold** <script>alert(1)</script>")
    response = bob.get(reverse("data-item", args=["s", item("t1-a").pk]))
    page = response.content.decode()
    assert "<strong>Bold</strong>" in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>alert" not in page
    said = text(response)
    assert "Grade 1; in 2 of 2 runs, best at rank 1. Nobody was asked about it yet." in said
    assert "Next item" in said
    assert "Previous item" not in said
    ranks = lines(bob.get(reverse("data-item-ranks", args=["s", item("t1-b").pk])))
    assert [(row["run"], row["rank"]) for row in ranks] == [("first", "2")]
    assert "No run ranks it." in text(bob.get(reverse("data-item", args=["s", item("t1-e").pk])))


def test_an_item_stands_where_the_list_that_led_to_it_has_it(bob, study):
    finish(open_study(study))
    topic = Topic.objects.get(name="t1")
    for asked in ("", "?sort=-judged", "?sort=docno", "?only=graded&sort=best"):
        address = reverse("data-topic", args=["s", topic.pk]) + asked
        listed = bob.get(address)
        own = [line.item.pk for line in listed.context["lines"]]
        assert len(own) > 2
        near = re.escape(asked.replace("&", "&amp;"))
        for at, pk in enumerate(own):
            link = reverse("data-item", args=["s", pk]) + asked
            assert f'href="{link.replace("&", "&amp;")}"' in listed.content.decode()
            page = bob.get(link)
            assert f"{at + 1} of {len(own)}" in text(page)
            found = dict(re.findall(rf'items/(\d+)/{near}" rel="(prev|next)"', page.content.decode()))
            beside = {"prev": own[at - 1] if at else None, "next": own[at + 1] if at + 1 < len(own) else None}
            assert {way: int(other) for other, way in found.items()} == {k: v for k, v in beside.items() if v}


def test_judgments_of_an_item_are_those_of_the_ledger(bob, study):
    finish(open_study(study))
    own = item("t1-a")
    expected = {
        judgment.pk
        for judgment in Judgment.objects.current()
        if own.pk in map(int, judgment.question.key.split())
    }
    found = lines(bob.get(reverse("data-item-judgments", args=["s", own.pk])))
    assert len(found) == len(expected) > 2
    # The maker of answers always prefers the smaller docno, and of challenges the graded one: t1-a.
    assert {row["of_this_item"] for row in found} == {"won"}
    assert {row["counts"] for row in found if row["challenge"] == "1"} <= {"0"}
    # A challenge that was asked: its other item lost each time.
    asked = Judgment.objects.filter(role=QuestionRole.CHALLENGE).latest("pk").question
    junk = next(found for found in asked.subjects.all() if found.item and "junk" in found.item.docno)
    lost = lines(bob.get(reverse("data-item-judgments", args=["s", junk.item_id])))
    assert {row["of_this_item"] for row in lost} == {"lost"}
    challenges = text(bob.get(reverse("data-item", args=["s", junk.item_id])))
    assert f"{len(lost)} of them not counted: challenges, repeats" in challenges
    told = "1 answer about it does" if len(lost) == 1 else f"{len(lost)} answers about it do"
    assert f"No judgment of it counts. {told} not count." in challenges
    said = text(bob.get(reverse("data-item", args=["s", own.pk])))
    counted = Judgment.objects.counting().filter(pk__in=expected).count()
    assert f". {counted} judgments: won {counted}." in said
    # What a phone shows without scrolling.
    assert "This item Answer Assessor" in said
    left_out = len(expected) - counted
    assert f"answers as given{f', {left_out} of them not counted: ' if left_out else ';'}" in said
    assert found[0]["person"] in said
    person = Assessor.objects.get(pk=found[0]["assessor"].rsplit("-", 1)[1])
    assert person.label in text(logged_in("alice").get(reverse("data-item", args=["s", own.pk])))
    assert person.label not in said


def test_items_that_show_the_same_are_found_and_no_others(bob, study):
    Item.objects.filter(docno="t1-b").update(text="Text of\n  t1-a ")
    Item.objects.filter(docno="t2-a").update(text="Text of t1-a")  # another topic's
    Item.objects.filter(docno__in=["t1-c", "t1-d"]).update(text="")
    Topic.objects.create(study=study, name="t9", text="Which one  for 1?")
    found = DUPLICATES.compute(study)
    assert [(g.name, g.what, [d for _, d in g.items]) for g in found.groups] == [
        ("t1", "text", ["t1-a", "t1-b"])
    ]
    assert (found.total, found.extra) == (1, 1)
    assert [[name for _, name in own] for own in found.topics] == [["t1", "t9"]]
    said = text(bob.get(f"{reverse('data', args=['s'])}?duplicates"))
    assert "1 group of items shows the same" in said
    assert "1 text is asked by several topics" in said
    assert "Keep one docno of each group." in said
    rows = lines(bob.get(reverse("duplicates-csv", args=["s"])))
    assert [tuple(row.values()) for row in rows] == [
        ("1", "topic", "t1", ""),
        ("1", "topic", "t9", ""),
        ("2", "text", "t1", "t1-a"),
        ("2", "text", "t1", "t1-b"),
    ]
    assert "Shows the same as t1-b" in text(bob.get(reverse("data-item", args=["s", item("t1-a").pk])))


def test_pictures_are_compared_by_their_bytes():
    study = make_study(topics=1, items=0, junk=0, kind=Study.Kind.IMAGE)
    topic = study.topics.get()
    red = picture((255, 0, 0)).read()
    files = {"a": red, "b": red, "c": picture((0, 0, 255)).read(), "d": red + b"\0"}
    for docno, content in files.items():
        made = Item(topic=topic, docno=docno, width=9, height=9)
        made.image.save("x.png", ContentFile(content), save=True)
    Item.objects.create(topic=topic, docno="gone", image="no/such/file.png", width=9, height=9)
    [group] = DUPLICATES.compute(study).groups
    assert (group.what, [docno for _, docno in group.items]) == ("picture", ["a", "b"])


def test_a_large_study_is_looked_through_by_a_job_and_again_after_a_file(bob, study, monkeypatch):
    monkeypatch.setattr(duplicates, "AT_ONCE", (0, 0))
    started = []
    monkeypatch.setattr("web.shared.waiting_pages.nudge_at_most_every", lambda *asked: started.append(asked))
    address = f"{reverse('data', args=['s'])}?duplicates"
    response = bob.get(address)
    assert "being looked for" in text(response)
    assert response["Retry-After"] == "3"
    assert bob.get(reverse("duplicates-csv", args=["s"])).status_code == 302
    assert started[0][1:] == (DUPLICATES.job, study.pk)
    DUPLICATES.job(study.pk)
    assert "There are no duplicates" in text(bob.get(address))
    Item.objects.filter(docno="t1-b").update(text="Text of t1-a")
    assert "There are no duplicates" in text(bob.get(address))
    Import.objects.create(study=study, kind="items", name="f", state=Import.State.DONE)
    assert "being looked for" in text(bob.get(address))
    DUPLICATES.job(study.pk)
    assert "1 group of items" in text(bob.get(address))


def test_two_processes_do_not_look_at_once(study):
    cache.add(DUPLICATES._key("lease", study), (1, 2))
    assert DUPLICATES.compute(study) is None
    assert DUPLICATES.progress(study) == (1, 2)


def test_queries_are_as_many_however_much_there_is():
    asked = set()
    for slug, topics, items, runs in (("small", 2, 3, 1), ("large", 30, 40, 6)):
        study = staff_of(make_study(topics=topics, items=items, slug=slug))
        for n in range(runs):
            add_run(study, f"r{n}", {"t1": ["t1-a", "t1-b", "t1-c"]})
        add_items(study.topics.get(name="t1"), {"x1": None, "x2": None})
        Item.objects.filter(docno__in=["x1", "x2"]).update(text="same")
        bob = logged_in("bob")
        DUPLICATES.compute(study)
        topic = study.topics.get(name="t1")
        one = topic.items.get(docno="t1-b")
        for name, rest in (
            ("data", []),
            ("data-topic", [topic.pk]),
            ("data-item", [one.pk]),
        ):
            address = reverse(name, args=[slug, *rest])
            bob.get(address)
            asked.add((name, queries(bob, address)))
    assert len(asked) == 3, asked
    assert max(n for _, n in asked) <= 14


def test_a_study_without_data_says_what_comes_here(db):
    study = staff_of(make_study(topics=0, slug="none"))
    alice = logged_in("alice")
    assert "No topics are loaded yet." in text(alice.get(reverse("data", args=["none"])))
    topic = Topic.objects.create(study=study, name="t", text="t")
    assert "No item of this topic is loaded" in text(
        alice.get(reverse("data-topic", args=["none", topic.pk]))
    )
