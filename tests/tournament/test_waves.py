"""Topics that are opened in waves, or come later, and judgments of each pair that are raised on the way."""

import pytest
from django.urls import reverse

from collection.models import Action, Item, Study, Topic
from collection.upload import loading
from collection.upload.loading import CannotLoad
from judging.models import Judgment, Question, QuestionRole
from prefir.formats import BadFile
from prefir.rules import crowd
from tests.judging.organizing import logged_in, staff_of, text
from tests.makers import finish, invite, make_study, open_study, sit, whim
from tournament import services
from tournament.models import Plan, Tournament
from tournament.waves import first_wave

pytestmark = pytest.mark.django_db


def opened(study: Study) -> list[str]:
    rows = Topic.objects.filter(study=study, opened_at__isnull=False).order_by("pk")
    return list(rows.values_list("name", flat=True))


def asked(study: Study) -> set[str]:
    services.catch_up()
    return set(Question.objects.filter(study=study, wanted__gt=0).values_list("topic__name", flat=True))


def load(study: Study, kind: str, content: str, tmp_path, name="file") -> str:
    path = tmp_path / name
    path.write_text(content)
    return loading.load(study, kind, path).summary


def test_a_wave_opens_the_first_topics_and_a_later_one_the_others():
    study = make_study(topics=5)
    assert services.start(study.pk, 2) == 2
    assert opened(study) == ["t1", "t2"] == sorted(asked(study))
    assert services.start(study.pk, 1) == 1
    assert services.start(study.pk) == 2
    assert opened(study) == ["t1", "t2", "t3", "t4", "t5"] == sorted(asked(study))
    assert services.start(study.pk) == 0
    told = Action.objects.filter(study=study, what="opened").order_by("pk").values_list("after", flat=True)
    assert list(told) == [None, {"further topics": 1}, {"further topics": 2}]


def test_a_pilot_is_drawn_at_random_by_the_seed_and_goes_on_with_the_others():
    first = set()
    for number in range(6):
        study = make_study(topics=6, seed=f"seed {number}")
        assert services.start(study.pk, 2, drawn=True) == 2
        pilot = opened(study)
        first.add(tuple(pilot))
        assert services.start(study.pk, 2, drawn=True) == 2
        assert set(pilot) < set(opened(study))
        services.start(study.pk)
        assert opened(study) == ["t1", "t2", "t3", "t4", "t5", "t6"]
    assert len(first) > 1


def test_a_topic_plays_the_same_whichever_wave_opened_it():
    """Draws depend on the seed and the topic alone."""
    found = []
    for waves in ([None], [1, 1, None]):
        study = make_study(topics=3, items=12, seed="same", k=2, final_size=4, pairings=3)
        for most in waves:
            services.start(study.pk, most)
        finish(study, choose=whim)
        rows = Item.objects.filter(topic__study=study, top_rank__isnull=False)
        found.append(set(rows.values_list("docno", "top_rank")))
    assert found[0] == found[1]


def test_topics_without_anything_to_compare_do_not_fill_a_wave():
    study = make_study(topics=3)
    Item.objects.filter(topic__study=study, topic__name="t1").delete()
    assert services.start(study.pk, 1) == 2
    assert opened(study) == ["t1", "t2"]


def test_further_topics_with_their_items_and_grades_are_loaded_while_people_judge(tmp_path):
    study = open_study(make_study(topics=1))
    sit(invite(study))
    before = list(Judgment.objects.order_by("pk").values_list("pk", "value"))
    load(study, "topics", "t1\tWhich one for 1?\nnew\tA further one?\n", tmp_path)
    lines = [f'{{"docno": "n{n}", "topic": "new", "text": "Text {n}"}}\n' for n in range(4)]
    load(study, "items", "".join(lines), tmp_path)
    load(study, "qrels", "new 0 n0 1\nnew 0 n1 1\nnew 0 n2 1\n", tmp_path)
    assert asked(study) == {"t1"}
    assert services.waiting(study.pk) == 1
    services.start(study.pk)
    assert asked(study) == {"t1", "new"}
    assert len(Tournament.objects.get(topic__name="new").pool) == 3
    finish(study)
    assert list(Judgment.objects.order_by("pk").values_list("pk", "value"))[: len(before)] == before


@pytest.mark.parametrize(
    ("kind", "content", "said"),
    [
        (
            "topics",
            "t1\tAnother text?\nnew\tA new one?\n",
            'topic "t1" is open for judging, so its text stands',
        ),
        ("items", '{"docno": "x", "topic": "t1", "text": "T"}\n', "so its items and grades stand still"),
        ("qrels", "t1 0 t1-a 2\n", "so its items and grades stand still"),
    ],
)
def test_what_is_open_stands_still_and_every_line_about_it_is_named(tmp_path, kind, content, said):
    study = open_study(make_study(topics=1))
    items = Item.objects.count()
    with pytest.raises(BadFile) as refused:
        load(study, kind, content, tmp_path)
    assert said in str(refused.value)
    assert "line 1" in str(refused.value)
    assert Item.objects.count() == items
    assert set(Topic.objects.values_list("name", flat=True)) == {"t1"}


def test_a_file_that_is_read_while_a_wave_is_opened_is_refused(tmp_path, monkeypatch):
    study = make_study(topics=2)
    services.start(study.pk, 1)
    kind = loading.kind_of("qrels")
    real = kind.load

    def and_open(source, progress):
        finish = real(source, progress)
        services.start(study.pk)
        return finish

    monkeypatch.setattr(kind, "load", and_open)
    with pytest.raises(CannotLoad, match="opened for judging while the file was read"):
        load(study, "qrels", "t2 0 t2-a 3\n", tmp_path)
    assert Item.objects.get(docno="t2-a").grade.value == 1


def test_topics_of_a_study_that_collects_grades_first_are_opened_at_once():
    study = make_study(topics=2)
    study.tasks.create(kind="grade", scale="0-4", position=2, settings={"grades_first": True})
    with pytest.raises(services.CannotStart, match="all topics are opened at once"):
        services.start(study.pk, 1)


class TestPages:
    @pytest.fixture
    def study(self):
        return staff_of(make_study(topics=3))

    def post(self, study, **given):
        return logged_in("alice").post(reverse("tournament-start", args=[study.slug]), given, follow=True)

    def test_an_organizer_opens_a_first_wave_and_then_the_rest(self, study):
        assert "first rounds of 1 topic" in text(self.post(study, most="1"))
        assert "2 topics are not open yet." in text(
            logged_in("alice").get(reverse("study", args=[study.slug]))
        )
        page = text(logged_in("alice").get(reverse("tournament-start", args=[study.slug])))
        assert "Open further topics" in page
        assert "2 further topics will be judged" in page
        self.post(study)
        assert opened(study) == ["t1", "t2", "t3"]
        assert "Judging is open already, of all topics" in text(
            logged_in("alice").get(reverse("tournament-start", args=[study.slug]))
        )

    def test_an_organizer_draws_a_pilot_by_a_box(self, study):
        Study.objects.filter(pk=study.pk).update(seed="draws another topic than the first")
        assert 'name="drawn"' in logged_in("alice").get(reverse("tournament-start", args=[study.slug])).text
        topics = list(Topic.objects.filter(study=study).order_by("pk").values_list("pk", flat=True))
        pools = {topic: [1, 2] for topic in topics}
        (drawn,) = first_wave(topics, pools, 1, "draws another topic than the first")
        self.post(study, most="1", drawn="yes")
        assert opened(study) == [Topic.objects.get(pk=drawn).name]

    @pytest.mark.parametrize("most", ["0", "-1", "some", "1.5", "9" * 30, "²"])
    def test_what_is_no_number_of_topics_opens_nothing(self, study, most):
        response = self.post(study, most=most)
        assert response.status_code == 409
        assert "as a whole number, such as 5" in text(response)
        assert opened(study) == []

    def test_the_forecast_of_a_wave_leaves_out_what_is_open(self, study):
        """By rules: 3 candidates of grade 1 ... all pairs of a small final, topic by topic."""
        size = len(Item.objects.filter(topic__name="t1", grade__value__gt=0))
        pairs = crowd.round_pairs(size, 9, 7)
        self.post(study, most="2")
        page = text(logged_in("alice").get(reverse("tournament-start", args=[study.slug])))
        assert f"1 further topic will be judged, and {pairs} pairs are asked about at once" in page


class TestRaising:
    def test_more_judgments_of_each_pair_are_asked_and_all_that_were_given_count(self):
        study = open_study(make_study(topics=2, items=5))
        finish(study)
        before = Judgment.objects.filter(role=QuestionRole.COUNTS).count()
        services.raise_judgments(study.pk, 3)
        services.catch_up()
        assert not Tournament.objects.filter(finished=True).exists()
        assert set(Question.objects.filter(wanted__gt=0).values_list("wanted", flat=True)) == {3}
        assert not Item.objects.filter(top_rank__isnull=False).exists()
        finish(study)
        assert Judgment.objects.filter(role=QuestionRole.COUNTS).count() == 3 * before

    def test_it_ends_as_if_it_had_been_so_from_the_beginning(self):
        """For answers that depend on the pair alone: the slow way is to play it all with three each."""
        found = []
        for raised in (False, True):
            given = {"topics": 1, "items": 12, "k": 2, "final_size": 4, "pairings": 3, "seed": "s"}
            study = make_study(judgments_per_pair=1 if raised else 3, **given)
            open_study(study)
            if raised:
                finish(study, choose=whim)
                services.raise_judgments(study.pk, 3)
            finish(study, choose=whim)
            rows = Item.objects.filter(topic__study=study, top_rank__isnull=False)
            found.append(set(rows.values_list("docno", "top_rank")))
        assert found[0] == found[1]

    def test_it_is_never_lowered(self):
        study = open_study(make_study(judgments_per_pair=3))
        with pytest.raises(ValueError, match="only be raised"):
            services.raise_judgments(study.pk, 2)

    def test_somebody_who_plays_by_the_old_plan_meanwhile_does_not_have_the_last_word(self, monkeypatch):
        study = open_study(make_study(topics=1))
        finish(study)
        topic = Topic.objects.get()
        real, raised = services._write, []

        def raise_first(*given):
            if not raised:
                raised.append(services.raise_judgments(study.pk, 2))
            return real(*given)

        monkeypatch.setattr(services, "_write", raise_first)
        Tournament.objects.update(seen=-1, stored="")
        services.advance(topic.pk)
        monkeypatch.undo()
        assert services.behind() == [topic.pk]
        services.catch_up()
        assert set(Question.objects.filter(wanted__gt=0).values_list("wanted", flat=True)) == {2}

    def test_the_settings_page_raises_it_on_record_and_refuses_to_lower_it(self):
        study = staff_of(open_study(make_study(judgments_per_pair=2)))
        alice, address = logged_in("alice"), reverse("study-settings", args=[study.slug])
        form = alice.get(address).context["form"]
        given = {
            name: value
            for name, value in (
                (name, form.get_initial_for_field(f, name)) for name, f in form.fields.items()
            )
            if value is not None and value is not False
        }
        assert "can only be raised" in text(alice.post(address, given | {"judgments_per_pair": "1"}))
        response = alice.post(address, given | {"judgments_per_pair": "4"})
        assert response.status_code == 302, text(response)
        assert Plan.objects.get().settings["judgments_per_pair"] == 4
        last = Action.objects.filter(what="settings").latest("pk")
        assert (last.before, last.after) == (
            {"Judgments of each pair or grid": 2},
            {"Judgments of each pair or grid": 4},
        )
