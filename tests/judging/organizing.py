"""People who run studies, for tests: Alice organizes one, Bob coordinates it, Charlie has no part in it."""

import re

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from collection.models import Membership, Study
from judging.models import Assessor, Assignment
from tests.makers import Choice, sit

EVERY = 99  # challenges


def account(name: str, **more) -> User:
    """A user, made on first mention."""
    return User.objects.get_or_create(username=name, defaults=more)[0]


def logged_in(name: str, **more) -> Client:
    """A browser in which this user is logged in."""
    client = Client()
    client.force_login(account(name, **more))
    return client


def staff_of(study: Study) -> Study:
    """Make Alice the study's organizer and Bob its coordinator."""
    roles = {"alice": Membership.Role.ORGANIZER, "bob": Membership.Role.COORDINATOR}
    for name, role in roles.items():
        Membership.objects.create(study=study, user=account(name), role=role)
    return study


def judge_batch(assessor: Assessor, choice: Choice = Choice.A, *, fail: bool = False) -> Assignment:
    """Let somebody judge a batch to its end, always choosing the same; their challenges right, or wrong."""
    return sit(assessor, choose=lambda question: choice, wrong=EVERY if fail else 0)


def queries(client: Client, address: str) -> int:
    """How many queries a page takes, a file to its last line; the page must be there."""
    with CaptureQueriesContext(connection) as captured:
        response = client.get(address)
        assert response.status_code == 200
        assert b"".join(response)
    return len(captured)


def text(response) -> str:
    """What a page says, without its tags and line ends."""
    page = re.sub(r"<[^>]+>", " ", response.content.decode().partition("<main")[2])
    return " ".join(page.replace("&#x27;", "'").split())
