"""Groups for topics that are loaded already: by every door, while judging is open, and nothing else moves."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from collection import jobs
from collection.models import Topic
from judging.models import Question
from tests.api.programs import Program
from tests.api.test_loading import load
from tests.judging.files import seen
from tests.judging.organizing import logged_in, staff_of, text
from tests.judging.studies import make_study

pytestmark = pytest.mark.django_db
GROUPS = b"topic,light,soil\nshade,little,wet\ndrought,much,\n"
BOTH = {"shade": {"light": "little", "soil": "wet"}, "drought": {"light": "much"}}


@pytest.fixture
def study(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"
    return staff_of(make_study())


def groups(study) -> dict[str, dict[str, str]]:
    return dict(Topic.objects.filter(study=study).values_list("name", "groups"))


def frozen(study) -> list:
    """What is asked, and what is loaded, but for the groups."""
    topics, *others = seen()
    rows = [{name: value for name, value in row.items() if name != "groups"} for row in topics]
    return [rows, others, list(Question.objects.order_by("pk").values())]


def by_command(study, tmp_path):
    (tmp_path / "g.csv").write_bytes(GROUPS)
    call_command("load", study.slug, "groups", tmp_path / "g.csv")


def by_program(study, tmp_path):
    load(Program("alice", "load"), study, "groups", GROUPS)


def by_the_page(study, tmp_path):
    sent = {"kind": "groups", "files": [SimpleUploadedFile("g.csv", GROUPS)]}
    alice = logged_in("alice")
    came = alice.post(reverse("files", args=[study.slug]), sent)
    jobs.load_next()
    shown = alice.get(came.url)
    assert "groups of 2 topics by light, soil" in text(shown)
    assert reverse("groups", args=[study.slug]) in shown.content.decode()


def by_a_drop(study, tmp_path):
    alice, address = logged_in("alice"), reverse("files", args=[study.slug])
    # A name of a column that says itself that it is of groups; those of others are said by hand.
    dropped = SimpleUploadedFile("g.csv", GROUPS.replace(b"light", b"category"))
    assert "2 topics by category, soil" in text(alice.post(address, {"files": [dropped]}, follow=True))
    alice.post(address, {"what": "load"})
    jobs.load_next()
    for topic in Topic.objects.filter(study=study):
        topic.groups["light"] = topic.groups.pop("category")
        topic.save()


@pytest.mark.parametrize("door", [by_command, by_program, by_the_page, by_a_drop])
def test_every_door_gives_groups_while_judging_is_open_and_changes_nothing_else(study, tmp_path, door):
    before = frozen(study)
    door(study, tmp_path)
    assert groups(study) == BOTH
    assert frozen(study) == before


def test_a_column_is_replaced_for_the_topics_of_the_file_and_others_stay(study, tmp_path):
    by_command(study, tmp_path)
    (tmp_path / "h.csv").write_bytes(b"topic,soil,place\nshade,,north\n")
    call_command("load", study.slug, "groups", tmp_path / "h.csv")
    assert groups(study) == BOTH | {"shade": {"light": "little", "place": "north"}}


def test_an_unknown_topic_is_named_and_nothing_is_loaded(study, tmp_path):
    (tmp_path / "g.csv").write_bytes(GROUPS + b"marsh,much,wet\n")
    with pytest.raises(CommandError, match='line 4: unknown topic "marsh"'):
        call_command("load", study.slug, "groups", tmp_path / "g.csv")
    assert groups(study) == {"shade": {}, "drought": {}}
    call_command("load", study.slug, "groups", tmp_path / "g.csv", leave_out=True)
    assert groups(study) == BOTH


def test_a_topic_has_no_more_columns_than_it_may(study, tmp_path):
    by_command(study, tmp_path)
    columns = [f"c{n}" for n in range(19)]
    (tmp_path / "g.csv").write_text(f"topic,{','.join(columns)}\nshade,{','.join(columns)}\n")
    with pytest.raises(CommandError, match="shade would have 21 columns of groups; 20 are allowed"):
        call_command("load", study.slug, "groups", tmp_path / "g.csv")


def test_by_group_shows_those_who_may_load_how_groups_are_given(study):
    address = reverse("groups", args=[study.slug])
    alice = logged_in("alice").get(address).content.decode()
    assert "shade,medicine,en" in alice
    assert f'action="{reverse("files", args=[study.slug])}"' in alice
    bob = logged_in("bob").get(address)
    assert "An organizer of the study can add groups here" in text(bob)
    assert 'type="file"' not in bob.content.decode()
