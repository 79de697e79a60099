"""The page of records: everything first, then files by their use, each with its format and what it holds."""

import pytest
from django.urls import reverse

from collection.models import Study
from collection.study import lifecycle
from judging.audit import hash_chain
from judging.models import Judgment
from scoring import jobs
from tests.judging.organizing import logged_in, staff_of
from tests.makers import finish, make_study
from tests.scoring.test_leaderboard_pages import with_runs

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    study = with_runs(topics=2)
    finish(study)
    jobs.sweep()
    hash_chain.seal()
    return study


def groups(client, study) -> dict[str, list]:
    response = client.get(reverse("records", args=[study.slug]))
    return {group.title: group.files for group in response.context["groups"]}


def test_the_release_stands_first_and_coordinators_do_not_see_it(study):
    shown = groups(logged_in("alice"), study)
    assert [*shown] == ["Everything", "For your own analysis", "For other programs", "To prove it later"]
    assert [file.title for file in shown["Everything"]] == ["Release", "Report"]
    shown = groups(logged_in("bob"), study)
    assert [file.title for file in shown["Everything"]] == ["Report"]
    assert "To prove it later" not in shown


def test_the_release_is_no_link_before_judging_is_over(study):
    alice, address = logged_in("alice"), reverse("records", args=[study.slug])
    page = alice.get(address).content.decode()
    assert f'href="{reverse("study-close", args=[study.slug])}">Pause or end judging first</a>' in page
    assert reverse("release", args=[study.slug]) not in page
    assert 'class="button main"' not in page
    lifecycle.close(study.pk)
    assert "Pause or end judging" not in alice.get(address).content.decode()
    assert 'class="button main">Release</a>' in alice.get(address).content.decode()


def test_every_file_says_its_use_and_format_and_can_be_taken(study):
    alice = logged_in("alice")
    files = [file for group in groups(alice, study).values() for file in group]
    assert all(file.use.endswith(".") and file.form for file in files)
    addresses = {one for file in files for one in (file.address, *(other for _, other in file.others))}
    assert len(addresses) > len(files)
    for address in addresses - {reverse("report-pdf", args=[study.slug])}:
        assert alice.get(address).status_code in (200, 302), address  # a release: once judging is over


def test_files_say_how_much_they_hold(study):
    files = {file.title: file for group in groups(logged_in("alice"), study).values() for file in group}
    assert files["Judgments"].size == f"{Judgment.objects.count()} judgments"
    assert files["Means"].size == "2 runs"
    body = b"".join(logged_in("alice").get(files["Judgments"].address).streaming_content).decode()
    assert len(body.splitlines()) == Judgment.objects.count()
    assert files["Sealed ledger"].size == f"{hash_chain.last(study.pk).total} rows"


def test_pictures_have_no_preference_pairs_and_a_release_without_them(study):
    Study.objects.filter(pk=study.pk).update(kind="image")
    shown = groups(logged_in("alice"), study)
    assert [file.title for file in shown["For other programs"]] == ["Merged grades"]
    assert shown["Everything"][0].others[0][0] == "without pictures"


def test_before_there_are_results_the_page_says_so():
    study = staff_of(make_study())
    page = logged_in("alice").get(reverse("records", args=[study.slug]))
    assert page.context["groups"] == []
    assert "Files can be taken once there are judgments." in page.content.decode()
