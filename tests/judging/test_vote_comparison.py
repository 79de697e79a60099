"""Earlier votes compared with judgments of now: from the files to the page, and against counts by hand."""

from unittest.mock import Mock

import pytest
from django.core.cache import cache
from django.urls import reverse

from collection.models import Import, Item, Membership, Study
from collection.upload import loading, pending_uploads
from judging.models import Judgment
from scoring import jobs
from scoring.analysis import vote_comparison
from scoring.analysis.vote_comparison import VOTES
from tests.judging.model_answers import drop, lines, load_all, new_study
from tests.judging.organizing import account, logged_in, queries, text
from tests.makers import Choice, finish
from tournament import services
from tournament.models import Tournament
from web.coordinator.compare.votes_page import answer, strength

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]
# Which model won each prompt earlier; "a" is preferred in each now.
WINNERS = ["a", "a", "b", "tie", "a", "b"]


@pytest.fixture
def alice():
    return logged_in("alice", is_staff=True)


def rows(winners=WINNERS) -> list[dict[str, str]]:
    return [
        {
            "prompt": f"Why {n}?",
            "model_a": "ape",
            "model_b": "bat",
            "response_a": f"Ape {n} says so.",
            "response_b": f"Bat {n} says no.",
            "winner": winner,
        }
        for n, winner in enumerate(winners)
    ]


def kept_votes(client) -> tuple[Study, Import]:
    """A study whose answers are loaded, and whose votes are kept for later."""
    study = new_study(client)
    drop(client, study, arena=lines(*rows()))
    (votes,) = (one for one in pending_uploads.of(study) if one.kind == "judgments")
    client.post(reverse("files", args=[study.slug]), {"what": "later", "file": votes.pk})
    load_all(client, study)
    return study, votes


def judged(client) -> Study:
    """The same with judgments that always prefer ape, and then the votes."""
    study, votes = kept_votes(client)
    services.start(study.pk)
    apes = set(Item.objects.filter(topic__study=study, docno="ape").values_list("pk", flat=True))
    finish(study, choose=lambda question: Choice.A if question.subject_ids[0] in apes else Choice.B)
    client.post(reverse("files", args=[study.slug]), {"what": "load-kept", "file": votes.pk})
    load_all(client, study)
    services.catch_up()
    jobs.sweep()
    return study


def test_votes_that_are_kept_for_later_leave_their_pairs_to_people(alice):
    study, votes = kept_votes(alice)
    assert Judgment.objects.count() == 0
    assert Item.objects.filter(topic__study=study).count() == 12
    assert pending_uploads.of(study) == [votes]
    said = text(alice.get(reverse("files", args=[study.slug])))
    assert "Kept for later" in said
    assert "Load these votes of" in said
    assert not pending_uploads.ready(pending_uploads.of(study))
    Import.objects.filter(pk=votes.pk).update(created_at="2020-01-01T00:00Z")
    assert pending_uploads.drop_old() == 0


def test_of_answers_with_votes_the_first_button_asks_people(alice):
    study = new_study(alice)
    drop(alice, study, arena=lines(*rows()))
    files = reverse("files", args=[study.slug])
    assert "Ask people; keep the votes for later" in text(alice.get(files))
    alice.post(files, {"what": "load-others"})
    load_all(alice, study)
    (kept,) = pending_uploads.of(study)
    assert (kept.kind, pending_uploads.is_kept(kept)) == ("judgments", True)
    assert Judgment.objects.count() == 0
    assert Item.objects.filter(topic__study=study).count() == 12
    assert "Load the votes that are kept" in text(alice.get(reverse("votes", args=[study.slug])))


def test_from_the_file_to_the_comparison(alice):
    """Judgments of now prefer ape throughout: four votes of six said otherwise or nothing."""
    study = judged(alice)
    assert not Tournament.objects.filter(topic__study=study, finished=False).exists()
    found = VOTES.compute(study)
    assert (found.earlier, found.later, found.agreement.pairs) == (6, 6, 6)
    assert found.agreement.share == pytest.approx(3 / 6)
    # From both sides: three times won and won, twice lost and won, once tied and won.
    assert found.agreement.table.tolist() == [[1.5, 0, 1.0], [0.5, 0, 0.5], [1.0, 0, 1.5]]
    kappa = (0.5 - (2.5 * 3 + 0 + 2.5 * 3) / 36) / (1 - (2.5 * 3 + 0 + 2.5 * 3) / 36)
    assert found.agreement.kappa == pytest.approx(kappa)
    assert found.differing == 3
    assert [one.gap for one in found.pairs] == [2, 2, 1]
    assert found.answers
    said = text(alice.get(reverse("votes", args=[study.slug])))
    assert "Earlier votes and those of now say the same in 50 %" in said
    assert "6 pairs of answers have both. 6 earlier votes and 6 judgments of now count." in said
    assert f"Cohen’s kappa is {kappa:.2f}" in said
    assert "In 3 of 6 pairs the majority is for another answer now, or for none." in said
    assert "Why 2? ape and bat bat ape Read both" in said
    assert "ape 1" in said


def test_both_answers_can_be_read_side_by_side(alice):
    study = judged(alice)
    page = alice.get(reverse("votes", args=[study.slug]))
    address = page.context["pairs"][0].topic.pk
    pair = page.context["pairs"][0].pair
    query = f"?a={pair.first}&b={pair.second}"
    said = text(alice.get(reverse("topic-judgments", args=[study.slug, address]) + query))
    assert "Ape 2 says so." in said
    assert "Bat 2 says no." in said
    assert "2 judgments of 1 pair, none doubtful." in said


def test_a_viewer_reads_no_single_judgments(alice):
    study = judged(alice)
    Membership.objects.create(study=study, user=account("vera"), role=Membership.Role.VIEWER)
    said = text(logged_in("vera").get(reverse("votes", args=[study.slug])))
    assert "say the same in 50 %" in said
    assert "Read both" not in said


def test_where_votes_stand_in_the_way_the_page_says_what_to_do(alice):
    study = new_study(alice)
    drop(alice, study, arena=lines(*rows()))
    load_all(alice, study)
    jobs.sweep()
    said = text(alice.get(reverse("votes", args=[study.slug])))
    assert "Nothing to compare yet. Earlier votes came in a file, for example from an arena." in said
    assert "So far: 6 earlier votes, no new judgments of the same pairs." in said
    assert "Raise judgments of each pair Votes of files count as judgments, so people are asked" in said
    assert "Copy this study" in said


def test_where_votes_and_judgments_are_of_other_pairs_the_page_says_so():
    found = Mock(agreement=Mock(share=None), earlier=560, later=246)
    said, so_far = answer(found, Study(case=Study.Case.ANSWERS).words)
    assert said == "No pair of answers has both earlier votes and judgments of now."
    assert so_far == "So far: 560 earlier votes, 246 new judgments, none of the same pairs."


def test_without_votes_the_page_says_how_they_come(alice):
    study = new_study(alice)
    drop(alice, study, answers=lines(*[{k: v for k, v in row.items() if k != "winner"} for row in rows()]))
    load_all(alice, study)
    said = text(alice.get(reverse("votes", args=[study.slug])))
    assert "No votes were loaded from files." in said
    assert "Keep for later, and ask these pairs" in said


def test_a_large_study_is_compared_by_a_job_and_kept(alice, monkeypatch):
    study = judged(alice)
    monkeypatch.setattr(vote_comparison.head_to_head, "AT_ONCE", 0)
    cache.clear()
    address = reverse("votes", args=[study.slug])
    assert "The votes are being compared." in text(alice.get(address))
    VOTES.job(study.pk)
    assert "say the same" in text(alice.get(address))
    assert queries(alice, address) <= 14


def test_votes_of_several_people_are_one_pair(alice, tmp_path):
    """Two earlier votes against one of now: half of the pair agrees."""
    study = judged(alice)
    topic = study.topics.get(text="Why 0?")
    path = tmp_path / "more.txt"
    path.write_text(f"{topic.name} ape bat bat eve\n")
    loading.load(study, "judgments", path)
    found = VOTES.compute(study)
    assert (found.earlier, found.agreement.pairs) == (7, 6)
    assert found.agreement.share == pytest.approx(2.5 / 6)


@pytest.mark.parametrize(
    ("kappa", "word"), [(-0.1, "no"), (0.2, "slight"), (0.61, "substantial"), (0.9, "almost perfect")]
)
def test_agreement_is_called_as_by_landis_and_koch(kappa, word):
    assert strength(kappa) == word


def test_loading_waits_for_no_kept_votes(alice):
    study, _ = kept_votes(alice)
    assert not loading.run_next()
    assert pending_uploads.load_all(study) == 0
