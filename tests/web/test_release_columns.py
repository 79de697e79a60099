"""Columns of the ledger: a release has each of them, or leaves it out for a reason."""

import json

import pytest

from judging.models import Assignment, BatchQuestion, Decision, Decline, Judgment, Withdrawal
from tests.web.test_release import judged, released

pytestmark = pytest.mark.django_db

# Columns of the ledger that a release does not tell by their own name, and why.
NOT_TOLD = {
    Assignment: {
        "id": "numbered anew as batch",
        "source": "the name of a file, which could name people",
        "sealed_slot": "of the seals of older versions alone",
        "opened_at": "as a day, opened",
        "submitted_at": "as a day, submitted",
        **dict.fromkeys(("consented_at", "deadline", "visit", "patience"), "of the page while it was open"),
        **dict.fromkeys(("first_deadline", "first_submitted_at"), "times, which could name people"),
        "withdrawn": "follows from unanswered.jsonl",
        "version": "as texts",
    },
    BatchQuestion: {
        "id": "no name for it",
        "role": "as challenge",
        "assignment": "as batch",
        "assessor": "by its batch",
    },
    Judgment: {
        "role": "as challenge, which a repeat is too",
        **dict.fromkeys(("id", "nonce"), "of the server's own"),
        "assignment": "as batch",
        "topic": "by its question",
        "created_at": "as a day",
        "remark": "free words, which could name people; their hash is in details",
    },
    Decline: {
        "id": "no name for it",
        "assignment": "as batch",
        "created_at": "as a day",
        "note": "free words, which could name people",
        "revision": "told where it is not 0, so where an answer is withdrawn; no answer is here",
    },
    Withdrawal: {"id": "no name for it", "assignment": "as batch", "created_at": "as a day"},
    Decision: {
        "id": "no name for it",
        "assignment": "as batch",
        "created_at": "as a day",
        "why": "free words, which could name people",
    },
}
FILES = {
    Assignment: "batches",
    BatchQuestion: "asked",
    Judgment: "judgments",
    Decline: "unanswered",
    Withdrawal: "unanswered",
    Decision: "decisions",
}


def test_every_column_of_the_ledger_is_in_a_release_or_left_out_for_a_reason(tmp_path):
    path = released(judged(), tmp_path)
    for model, file in FILES.items():
        told = set().union(*(json.loads(line) for line in (path / f"{file}.jsonl").read_text().splitlines()))
        columns = {field.name for field in model._meta.fields}
        assert columns - told == NOT_TOLD[model].keys(), model.__name__
