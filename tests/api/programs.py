"""Programs that use the API, for tests: each with a token of somebody's account."""

from typing import Any

from django.test import Client

from collection.credentials import api_tokens
from collection.models import Membership, Study
from panels import account as accounts
from tests.judging.organizing import account

ALL = ("read", "load", "judge")


def token_of(name: str, *scopes: str) -> str:
    """A token of somebody's account, as its owner was shown it."""
    return api_tokens.make(account(name), "a program", scopes or ALL, 30)[1]


class Program(Client):
    """A program with a token of somebody's account; of nobody's without a name."""

    def __init__(self, name: str = "", *scopes: str, token: str = "") -> None:
        token = token or (token_of(name, *scopes) if name else "")
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        super().__init__(enforce_csrf_checks=True, headers=headers)

    def ask(self, path: str, **query: Any) -> Any:
        """GET a path below /api/v1; its answer must be there."""
        response = self.get(f"/api/v1{path}", query)
        assert response.status_code == 200, response.content
        return response.json()

    def send(self, path: str, body: Any = None, **more: Any) -> Any:
        """POST JSON to a path below /api/v1; the response."""
        return self.post(f"/api/v1{path}", body or {}, "application/json", **more)

    def load(self, path: str, content: bytes) -> Any:
        """POST a file's content to a path below /api/v1; the response."""
        return self.post(f"/api/v1{path}", content, "application/octet-stream")

    def pages(self, path: str, name: str, **query: Any) -> list[Any]:
        """All that a list holds, page by page."""
        found, cursor = [], ""
        while cursor is not None:
            page = self.ask(path, cursor=cursor, **query)
            found += page[name]
            cursor = page["next"]
        return found


def make_assessor(study: Study, name: str) -> None:
    """Make an account an assessor of a study, as its page of people does."""
    Membership.objects.create(study=study, user=account(name), role=Membership.Role.ASSESSOR)
    accounts.seat(study.pk, account(name).pk)
