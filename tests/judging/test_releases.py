"""Releases: files of one name a person alike, those of two do not, and nobody can try out who it is."""

import hashlib
import hmac
import io

import pytest
from django.core.management import CommandError, call_command

from judging.models import FROM_FILES, Assessor, Release
from judging.people import person_names
from judging.transfer import pseudonyms
from tests.judging.organizing import judge_batch, logged_in, staff_of
from tests.judging.released import name_of
from tests.judging.studies import invite, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return staff_of(make_study(batch_pairs=5))


def run(*words) -> str:
    out = io.StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


def people_in(text) -> set[str]:
    return {line.split()[4] for line in text.splitlines()}


def test_a_pseudonym_is_the_hmac_of_who_it_is_under_the_releases_key(study):
    somebody = invite(study)
    key = bytes(pseudonyms.release_of(study, "paper").key)
    expected = hmac.new(key, f"local:{somebody.pk}".encode(), hashlib.sha256).hexdigest()[:12]
    assert name_of(somebody, "paper") == f"local-{expected}"
    assert len(key) == 32


def test_a_release_names_people_alike_and_two_releases_do_not(study):
    for _ in range(3):
        judge_batch(invite(study))
    first = run("export", "garden", "judgments", "--assessors", "--release", "paper")
    assert run("export", "garden", "judgments", "--assessors", "--release", "paper") == first
    second = run("export", "garden", "judgments", "--assessors", "--release", "thesis")
    usual = run("export", "garden", "judgments", "--assessors")
    named = [people_in(text) for text in (first, second, usual)]
    assert [len(names) for names in named] == [3, 3, 3]
    assert not named[0] & named[1]
    assert not named[0] & named[2]
    assert list(Release.objects.order_by("pk").values_list("name", flat=True)) == [
        "paper",
        "thesis",
        "working",
    ]
    # Texts, and what could not be judged, are named like the judgments of their release.
    texts = run("export", "garden", "texts", "--release", "paper")
    assert all(name in texts for name in named[0])
    assert '"consented_at"' not in texts


def test_two_studies_never_share_a_name(study):
    other = staff_of(make_study(name="Other", slug="other"))
    assert pseudonyms.release_of(study).key != pseudonyms.release_of(other).key


def test_labels_of_files_stay_as_their_file_has_them(study):
    anna = Assessor.objects.create(study=study, panel=FROM_FILES, reference="anna", label="anna")
    assert name_of(anna) == "import-anna"


def test_who_somebody_is_in_a_release_is_told_by_a_command(study):
    somebody = invite(study)
    run("export", "garden", "texts", "--release", "paper")
    pseudonym, on_pages = name_of(somebody, "paper"), person_names.name_of(somebody)
    assert run("releases", "garden", "paper") == f"{pseudonym}\tlocal-{somebody.pk}\t{on_pages}\n"
    assert run("releases", "garden").startswith("paper\t")
    with pytest.raises(CommandError, match="There is no release"):
        run("releases", "garden", "book")


@pytest.mark.parametrize("name", [" paper", "a" * 61, "pa/per", "päper"])
def test_what_is_no_name_is_refused(study, name):
    with pytest.raises(CommandError, match="no name of a release"):
        run("export", "garden", "texts", "--release", name)
    assert not Release.objects.exists()


def test_a_release_belongs_to_what_names_people(study):
    with pytest.raises(CommandError, match="--release goes with"):
        run("export", "garden", "qrels", "--release", "paper")
    with pytest.raises(CommandError, match="--release goes with"):
        run("export", "garden", "judgments", "--release", "paper")


def test_pages_make_no_release_but_the_usual_one(study):
    judge_batch(invite(study))
    alice = logged_in("alice")
    assert alice.get("/studies/garden/judgments.txt?assessors=1&release=paper").status_code == 404
    pseudonyms.release_of(study, "paper")
    found = alice.get("/studies/garden/judgments.txt?assessors=1&release=paper").getvalue().decode()
    assert people_in(found) == {name_of(Assessor.objects.get(), "paper")}
