"""The example files that the page for loading offers: one after another they make a study that opens."""

import pytest
from django.urls import reverse

from collection.models import Study
from collection.upload import loading
from collection.upload.kinds import KINDS
from judging.batches import answering
from judging.models import QuestionRole
from judging.questions import asking
from tests.judging.organizing import logged_in
from tests.makers import invite, open_study, study_with

pytestmark = pytest.mark.django_db


def load_examples(study, kinds, folder):
    for kind in kinds:
        path = folder / KINDS[kind].example_name
        path.write_bytes(KINDS[kind].example())
        loading.load(study, kind, path)


def test_the_examples_for_passages_make_a_study_with_checked_batches(tmp_path):
    study = study_with(name="Passages", slug="passages")
    load_examples(study, ["topics", "items", "qrels", "run", "judgments", "challenges"], tmp_path)
    batch = answering.arrive(invite(open_study(study)).pk).batch
    assert batch.filter(role=QuestionRole.CHALLENGE).count() == asking.task_of(study).batch_challenges


def test_the_example_for_sound_is_loaded_and_asked_about(tmp_path):
    study = study_with(name="Sounds", slug="sounds", kind=Study.Kind.SOUND, batch_challenges=0)
    client = logged_in("alice")
    reply = client.get(reverse("load-example", args=["images"]) + "?of=sound")
    (tmp_path / "sounds.zip").write_bytes(reply.content)
    loading.load(study, "images", tmp_path / "sounds.zip")
    assert set(study.topics.get().items.values_list("seconds", flat=True)) == {2.0}
    assert answering.arrive(invite(open_study(study)).pk).batch.exists()


def test_the_examples_for_images_make_a_study_that_asks(tmp_path):
    study = study_with(name="Images", slug="images", kind=Study.Kind.IMAGE)
    load_examples(study, ["topics", "images", "grid"], tmp_path)
    assert answering.arrive(invite(open_study(study)).pk).batch.count() == 6
