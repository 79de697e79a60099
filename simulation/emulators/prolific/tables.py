"""The Prolific emulator's tables, switches and ids."""

import secrets
from typing import Any

SCHEMA = """
CREATE TABLE IF NOT EXISTS study (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, status TEXT NOT NULL, terms TEXT NOT NULL,
    places INTEGER NOT NULL, reward INTEGER NOT NULL, created REAL NOT NULL, published REAL);
CREATE TABLE IF NOT EXISTS submission (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, study TEXT NOT NULL, participant TEXT NOT NULL,
    status TEXT NOT NULL, started REAL NOT NULL, deadline REAL NOT NULL, completed REAL, code TEXT,
    approved REAL);
CREATE INDEX IF NOT EXISTS submission_study ON submission (study, status);
CREATE TABLE IF NOT EXISTS bulk (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, study TEXT NOT NULL, lines TEXT NOT NULL,
    times INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS bonus (
    number INTEGER PRIMARY KEY, bulk TEXT NOT NULL, submission TEXT NOT NULL, amount INTEGER NOT NULL,
    fee INTEGER NOT NULL, at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS workspace_group (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, workspace TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS member (
    participant_group TEXT NOT NULL, participant TEXT NOT NULL, at REAL NOT NULL,
    PRIMARY KEY (participant_group, participant));
CREATE TABLE IF NOT EXISTS hook_secret (workspace TEXT PRIMARY KEY, id TEXT NOT NULL, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS hook (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, event_type TEXT NOT NULL, target_url TEXT NOT NULL,
    workspace TEXT NOT NULL, token TEXT NOT NULL, confirmed INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS event (number INTEGER PRIMARY KEY, event_type TEXT NOT NULL, body TEXT NOT NULL);
CREATE TRIGGER IF NOT EXISTS submission_taken AFTER INSERT ON submission BEGIN
    INSERT INTO event (event_type, body) VALUES ('submission.status.change', json_object(
        'event_type', 'submission.status.change', 'resource_id', new.id,
        'participant_id', new.participant, 'status', new.status));
END;
CREATE TRIGGER IF NOT EXISTS submission_moved AFTER UPDATE OF status ON submission
WHEN new.status <> old.status BEGIN
    INSERT INTO event (event_type, body) VALUES ('submission.status.change', json_object(
        'event_type', 'submission.status.change', 'resource_id', new.id,
        'participant_id', new.participant, 'status', new.status));
END;
CREATE TRIGGER IF NOT EXISTS study_moved AFTER UPDATE OF status ON study
WHEN new.status <> old.status BEGIN
    INSERT INTO event (event_type, body) VALUES ('study.status.change', json_object(
        'event_type', 'study.status.change', 'resource_id', new.id, 'status', new.status,
        'metadata', json_object()));
END;
"""
TABLES = ("study", "submission", "bulk", "bonus", "workspace_group", "member", "hook", "event")
PROJECT, WORKSPACE = "6" * 24, "7" * 24
# id -> title and projects; how many of them the account has is a switch.
WORKSPACES = {
    WORKSPACE: ("Emulated workspace", (PROJECT,)),
    "9" * 24: ("Second workspace", ("a" * 24, "b" * 24)),
}
# What nobody here has tried against the real service, with the value that seems likeliest.
SWITCHES: dict[str, Any] = {
    "page_size": 20,  # of lists, where nobody asks for another
    "fee_rate": "0.333",  # of rewards and bonuses; rounded up to the cent
    "currency": "USD",
    "balance": 1_000_000,  # cents
    "workspaces": 1,  # of the account
    "rate_limit": 0,  # requests a second above which it throttles; 0 is none
    "spelling": "usual",  # or "underscores": AWAITING_REVIEW, TIMED_OUT
    "pay_repeats": True,  # paying a bulk of bonuses again pays again
    "pay_delay": 0,  # seconds until bonuses that are paid are shown on submissions
    "processing": 0,  # seconds for which a completed submission is shown as PROCESSING
    "list_delay": 0,  # seconds until a new study is listed
    "may_retake": False,  # whether somebody who returned a place may take another one
    "approval_days": 21,  # until a submission is approved by itself
}


def new_id() -> str:
    """An id as Prolific makes them: 24 hexadecimal digits."""
    return secrets.token_hex(12)
