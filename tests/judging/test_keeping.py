"""Copying, archiving and deleting a study, and finding one among many."""

from datetime import timedelta
from io import StringIO

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.urls import reverse
from django.utils import timezone

from collection.models import Action, Deletion, Grade, Import, Item, Membership, Placement, Run, Study, Topic
from collection.study import lifecycle, share_links, study_deletion
from collection.upload import loading
from judging.audit import hash_chain
from judging.models import Assessor, Judgment, Seal, Task
from panels.models import Campaign, IdentityAccess, Person
from panels.participants.people import person_for
from scoring import jobs as scoring_jobs
from tests.judging.organizing import account, logged_in, queries, staff_of, text
from tests.judging.studies import give_pictures
from tests.makers import add_run, finish, invite, make_study, open_study, sit
from tests.panels.campaigning import running
from tournament.models import Plan

pytestmark = pytest.mark.django_db
OURS = ("collection", "judging", "panels", "tournament", "scoring")
# Of the whole installation, and of people: no study has them.
NOBODYS = {
    "collection_deletion",
    "collection_apitoken",
    "panels_pace",
    "panels_person",
    "panels_identityaccess",
}


def judged(**settings) -> Study:
    """A study with rows in many tables, judging over."""
    study = open_study(make_study(topics=2, batch_pairs=4, **settings))
    staff_of(study)
    for name in ("best", "worst"):
        add_run(study, name, {t.name: [i.docno for i in t.items.all()] for t in study.topics.all()})
    share_links.share(study, blind=True, days=1)
    running(study, publish=1)
    for _ in range(3):
        sit(invite(study))
    scoring_jobs.sweep()
    hash_chain.seal()
    Campaign.objects.update(state="closed", closed_at=timezone.now())
    lifecycle.close(study.pk)
    return Study.objects.get(pk=study.pk)


def rows_left() -> dict[str, int]:
    """How many rows each table of ours holds."""
    models = [m for m in apps.get_models(include_auto_created=True) if m._meta.app_label in OURS]
    return {m._meta.db_table: m._base_manager.count() for m in models}


def delete_all(study: Study) -> None:
    study_deletion.begin(study.pk)
    study_deletion.carry_out(study.pk)


def test_every_table_of_a_study_is_known():
    """A model that is added later is found by its keys, or named above."""
    known = {model._meta.db_table for model, _ in study_deletion.tables()} | {"collection_study"}
    assert known | NOBODYS == rows_left().keys()
    assert known & NOBODYS == set()


def test_no_table_is_emptied_before_those_that_refer_to_it():
    order = [model for model, _ in study_deletion.tables()]
    for place, model in enumerate(order):
        later = {f.related_model for f in model._meta.concrete_fields if f.is_relation}
        assert not later & set(order[:place]), model


def test_a_deleted_study_leaves_nothing_and_takes_nothing_of_another():
    other = judged(name="Stays")
    before = rows_left()
    study = judged(name="Goes", slug="goes")
    assert rows_left()["judging_judgment"] > before["judging_judgment"] > 0
    delete_all(study)
    after = rows_left()
    assert after.pop("collection_deletion") == 1
    # The other's actions are sealed once more.
    assert not Seal.objects.exclude(study=other).exists()
    for name in ("collection_deletion", "judging_seal"):
        before.pop(name)
        after.pop(name, None)
    assert after == before
    assert not Study.objects.filter(pk=study.pk).exists()
    assert Judgment.objects.filter(question__study=other).exists()
    row = Deletion.objects.get()
    assert (row.name, row.slug, row.going_on) == ("Goes", "goes", False)
    assert row.finished_at
    assert row.rows["judgments"] > 0


def test_its_pictures_go_and_those_that_a_copy_shows_stay():
    study = make_study(kind="image")
    give_pictures(study)
    staff_of(study)
    copied(study, "items")
    own, *_ = Item.objects.filter(topic__study=study)
    alone = Item.objects.filter(topic__study=study).last()
    Item.objects.filter(topic__study__name="The copy", docno=alone.docno).delete()
    twin = Item.objects.get(topic__study__name="The copy", docno=own.docno)
    assert twin.image.name == own.image.name
    delete_all(study)
    assert default_storage.exists(own.image.name)
    assert not default_storage.exists(alone.image.name)
    delete_all(Study.objects.get(name="The copy"))
    assert not default_storage.exists(own.image.name)


def test_what_was_stopped_is_gone_on_with(monkeypatch):
    study = judged()
    study_deletion.begin(study.pk)
    model, _ = study_deletion.tables()[12]
    real = study_deletion._delete

    def stop(study_id, one, *rest):
        if one is model:
            raise KeyboardInterrupt
        real(study_id, one, *rest)

    monkeypatch.setattr(study_deletion, "_delete", stop)
    with pytest.raises(KeyboardInterrupt):
        study_deletion.sweep()
    monkeypatch.undo()
    assert Study.objects.filter(pk=study.pk).exists()
    study_deletion.sweep()
    assert not Study.objects.exists()
    assert Deletion.objects.get().finished_at


@pytest.mark.django_db(transaction=True)
def test_a_row_that_somebody_adds_meanwhile_goes_too(monkeypatch):
    """As a score does that was being computed: its table was emptied already."""
    study = judged()
    study_deletion.begin(study.pk)
    real, added = study_deletion._delete, []

    def add(study_id, model, *rest):
        if model is Topic and not added:
            added.append(Import.objects.create(study=study, kind="topics", name="late.tsv"))
            Run.objects.create(study=study, name="late")
        real(study_id, model, *rest)

    monkeypatch.setattr(study_deletion, "_delete", add)
    study_deletion.carry_out(study.pk)
    assert added
    assert not Import.objects.exists()
    assert not Run.every.exists()
    assert not Study.objects.exists()


def test_only_a_study_that_was_chosen_is_deleted():
    study = judged()
    with pytest.raises(LookupError):
        study_deletion.carry_out(study.pk)
    assert Judgment.objects.exists()


@pytest.mark.parametrize("table", ["judging_judgment", "judging_decision", "collection_action"])
def test_the_ledger_lets_nothing_go_but_while_a_study_is_deleted(table):
    judged()

    def emptied(sql: str) -> str:
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(sql)
                transaction.set_rollback(True)
        except DatabaseError as error:
            return str(error)
        return "done"

    assert "only ever added" in emptied(f"DELETE FROM {table}")
    Deletion.objects.create(study=10**9, name="n", slug="s", actor="a", going_on=True)
    assert emptied(f"DELETE FROM {table}") != ""
    assert "only ever added" not in emptied(f"DELETE FROM {table} WHERE id = (SELECT max(id) FROM {table})")
    assert "only ever added" in emptied(f"UPDATE {table} SET id = id")


def test_people_of_panels_who_came_to_no_other_study_are_forgotten():
    study = judged()
    old = person_for("link", "live", "gone")
    Person.objects.update(created_at=timezone.now() - timedelta(days=2))
    IdentityAccess.objects.create(person=old, actor="a test", why="a test")
    new = person_for("link", "live", "just arrived")
    delete_all(study)
    assert list(Person.objects.all()) == [new]
    assert not IdentityAccess.objects.exists()


class TestThePage:
    @pytest.fixture
    def study(self):
        return judged()

    @pytest.fixture
    def alice(self, study):
        return logged_in("alice")

    def post(self, client, study, what, **given):
        return client.post(reverse(f"study-{what}", args=[study.slug]), given, follow=True)

    def test_it_is_deleted_by_its_name_alone(self, study, alice):
        assert "Type that" in text(self.post(alice, study, "delete", typed="Another"))
        assert Study.objects.filter(pk=study.pk, deleting_since=None).exists()
        said = text(self.post(alice, study, "delete", typed=f" {study.name} "))
        assert f"{study.name} is deleted" in said
        assert alice.get(reverse("study", args=[study.slug])).status_code == 404

    def test_nobody_reaches_a_study_that_is_being_deleted(self, study, alice):
        _share, secret = share_links.share(study, blind=True, days=1)
        study_deletion.begin(study.pk)
        for name in ("study", "leaderboard", "keep", "judgments-export"):
            assert alice.get(reverse(name, args=[study.slug])).status_code == 404
        assert share_links.found(secret) is None

    def test_while_judging_is_open_it_is_neither_archived_nor_deleted(self, study, alice):
        lifecycle.reopen(study.pk)
        for what, given in (("archive", {}), ("delete", {"typed": study.name})):
            response = self.post(alice, study, what, **given)
            assert response.status_code == 409
            assert "Judging is open" in text(response)
        assert Study.objects.get(pk=study.pk).archived_at is None
        with pytest.raises(IntegrityError), transaction.atomic():
            Study.objects.filter(pk=study.pk).update(archived_at=timezone.now())

    def test_a_campaign_that_is_not_closed_keeps_it(self, study, alice):
        Campaign.objects.update(state="running")
        response = self.post(alice, study, "delete", typed=study.name)
        assert response.status_code == 409
        assert "Close it first" in text(response)
        assert Study.objects.get(pk=study.pk).deleting_since is None

    def test_an_archived_study_is_listed_apart_and_cannot_be_opened(self, study, alice):
        self.post(alice, study, "archive")
        assert study.name not in text(alice.get("/"))
        assert study.name in text(alice.get("/?archive=yes"))
        said = text(alice.post(reverse("study-reopen", args=[study.slug]), follow=True))
        assert "Take it out of the archive first" in said
        self.post(alice, study, "archive", out="yes")
        assert study.name in text(alice.get("/"))
        noted = Action.objects.filter(study=study).order_by("-pk").values_list("what", flat=True)[:2]
        assert list(noted) == ["unarchived", "archived"]

    def test_a_study_is_found_by_any_words_of_its_name(self, study, alice):
        for number in range(9):
            made = make_study(name=f"Web search {number}", slug=f"web-{number}")
            Membership.objects.create(study=made, user=account("alice"), role="organizer")
        assert "Find a study" in text(alice.get("/"))
        found = text(alice.get("/?q=SEARCH+7"))
        assert "Web search 7" in found
        assert "Web search 6" not in found
        assert "No study has" in text(alice.get("/?q=nothing+like+it"))

    def test_the_list_costs_the_same_for_many_studies(self, study, alice):
        before = queries(alice, "/")
        for number in range(9):
            made = make_study(name=f"n{number}", slug=f"n{number}")
            Membership.objects.create(study=made, user=account("alice"), role="organizer")
        assert queries(alice, "/") == before

    def test_only_staff_copy(self, study):
        address = reverse("study-copy", args=[study.slug])
        response = logged_in("alice").post(address, {"name": "Copy", "what": "runs"})
        assert response.status_code == 403
        assert not Study.objects.filter(name="Copy").exists()


def placed(study: Study) -> set[tuple]:
    rows = Placement.objects.filter(run__study=study)
    return set(rows.values_list("run__name", "topic__name", "item__docno", "rank", "row", "column"))


def items(study: Study) -> set[tuple]:
    rows = Item.objects.filter(topic__study=study)
    return set(rows.values_list("topic__name", "topic__text", "docno", "text", "grade__value", "top_rank"))


def copied(study: Study, what: str, *, load: bool = True, **more) -> Study:
    """A copy that Alice made, loaded as the job does it."""
    User.objects.filter(username="alice").update(is_staff=True)
    address = reverse("study-copy", args=[study.slug])
    response = logged_in("alice").post(address, {"name": "The copy", "what": what} | more)
    assert response.status_code == 302, text(response)
    if load and what != "settings":
        assert loading.run_next()
    return Study.objects.get(name="The copy")


def test_a_copy_has_the_settings_texts_items_grades_and_runs_and_nobodys_answers():
    study = judged()
    Task.objects.filter(study=study).update(instructions="Read both.", scale="5")
    Study.objects.filter(pk=study.pk).update(persistence=0.8, batches_each=3, asked_by="IR group")
    copy = copied(study, "runs")
    assert items(copy) == {(*row[:-1], None) for row in items(study)}
    assert placed(copy) == placed(study)
    assert placed(copy)
    assert Run.objects.get(study=copy, name="best").topics == Run.objects.get(study=study, name="best").topics
    assert (copy.persistence, copy.batches_each, copy.asked_by) == (0.8, 3, "IR group")
    assert copy.opened_at is None
    assert copy.seed != study.seed
    task, own = Task.objects.get(study=copy), Task.objects.get(study=study)
    assert (task.instructions, task.scale, task.batch_size) == ("Read both.", "5", own.batch_size)
    assert Plan.objects.get(study=copy).settings == Plan.objects.get(study=study).settings
    assert Plan.objects.get(study=copy).task == task
    assert not Assessor.objects.filter(study=copy).exists()
    assert Import.objects.get(study=copy).summary == "2 topics and 2 runs"
    assert [m.user.username for m in copy.members.all()] == ["alice"]


def test_a_copy_can_be_opened_and_judged_to_its_end():
    copy = copied(judged(), "items", members="on")
    assert not Run.objects.filter(study=copy).exists()
    assert {m.user.username for m in copy.members.all()} == {"alice", "bob"}
    open_study(copy)
    finish(copy)
    assert not Topic.objects.filter(study=copy, tournament__finished=False).exists()


def test_a_copy_of_the_settings_alone_has_no_topic():
    copy = copied(judged(), "settings")
    assert not Topic.objects.filter(study=copy).exists()
    assert not Grade.objects.filter(item__topic__study=copy).exists()


def test_a_study_of_which_a_copy_is_being_made_is_not_deleted():
    """Else the copy would lack whatever went before it was read."""
    study = judged()
    copied(study, "runs", load=False)
    with pytest.raises(lifecycle.CannotSteer, match="A copy of this study is being made"):
        study_deletion.begin(study.pk)
    assert loading.run_next()
    study_deletion.begin(study.pk)


def test_a_copy_whose_original_is_gone_says_so_and_is_left_empty():
    study = judged()
    copy = copied(study, "runs", load=False)
    # As an older version of the server might have done it.
    Study.objects.filter(pk=study.pk).update(deleting_since=timezone.now())
    assert loading.run_next()
    row = Import.objects.get(study=copy)
    assert (row.state, row.problems) == ("refused", ["The study that was to be copied is gone."])
    page = text(logged_in("alice").get(reverse("import", args=[copy.slug, row.pk])))
    assert "that was to be copied is gone" in page
    assert "Load it again" not in page


def manage(*words: str) -> str:
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


def test_the_commands_copy_archive_and_delete_as_the_page_does():
    study = judged()
    User.objects.create_user("carla")
    for what, items, runs in (("runs", 6, 2), ("items", 6, 0), ("settings", 0, 0)):
        said = manage("copy", study.slug, f"Only {what}", "--what", what, "--organizer", "carla")
        made = Study.objects.get(name=f"Only {what}")
        assert f"Made the study {made.slug}, a copy of {study.slug}" in said
        assert Membership.objects.filter(study=made).values_list("user__username", "role").get() == (
            "carla",
            "organizer",
        )
        assert (Item.objects.filter(topic__study=made).count() > 0) == (items > 0)
        assert Run.objects.filter(study=made).count() == runs
        assert not Judgment.objects.filter(topic__study=made).exists()
        assert "is in the archive" in manage("archive", made.slug)
        assert Study.objects.get(pk=made.pk).archived_at
        assert "is out of the archive" in manage("archive", made.slug, "--out")
        assert Study.objects.get(pk=made.pk).archived_at is None
        assert f"{made.slug} is deleted." in manage("delete", made.slug, "--name", made.name)
        assert not Study.objects.filter(pk=made.pk).exists()
    assert Judgment.objects.filter(topic__study=study).exists()


def test_the_commands_refuse_what_the_page_refuses():
    study = judged()
    Study.objects.filter(pk=study.pk).update(name="The only one")
    with pytest.raises(CommandError, match="has to say so"):
        manage("delete", study.slug, "--name", "Another")
    Campaign.objects.update(state="running", closed_at=None)
    with pytest.raises(CommandError, match=r"1 campaign of this study is not closed.*Nothing was deleted"):
        manage("delete", study.slug, "--name", "The only one")
    assert Study.objects.get(pk=study.pk).deleting_since is None
    with pytest.raises(CommandError, match="There is no user 'nobody'"):
        manage("copy", study.slug, "A copy", "--organizer", "nobody")
    with pytest.raises(CommandError, match="1 to 120 characters; this one has 0"):
        manage("copy", study.slug, "  ", "--organizer", "nobody")
    Study.objects.filter(pk=study.pk).update(deleting_since=timezone.now())
    with pytest.raises(CommandError, match="is being deleted"):
        manage("archive", study.slug)
