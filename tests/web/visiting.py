"""Using the pages and the command of accounts, as tests do it."""

import io
import re

from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

PASSWORD, OTHER = "correct horse battery", "purple staple engine"


def page_of(user: User, action: str = "") -> str:
    return f"/accounts/{user.pk}/{action + '/' if action else ''}"


def link_in(response) -> str:
    """The path of the one link that a page shows."""
    (link,) = re.findall(r'value="http://testserver(/choose-password/[^"]+)"', response.content.decode())
    return link


def choose(link: str, password: str = PASSWORD, again: str | None = None, client: Client | None = None):
    """Open a link as its owner does, and send the form; the last answer."""
    client = client or Client()
    shown = client.get(link, follow=True)
    form = {"new_password1": password, "new_password2": password if again is None else again}
    return client.post(shown.request["PATH_INFO"], form, follow=True)


def can_log_in(name: str, password: str) -> bool:
    return Client().post("/login/", {"username": name, "password": password}).status_code == 302


def is_logged_in(client: Client) -> bool:
    return client.get("/").status_code == 200


def run(*words: str) -> str:
    said = io.StringIO()
    call_command("account", *words, stdout=said)
    return said.getvalue()
