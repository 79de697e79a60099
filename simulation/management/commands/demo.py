"""Makes the demonstration studies once and prints addresses and logins: `manage.py demo`."""

import json
import secrets
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand

from simulation.demo.studies import PASSAGES, PICTURES, make


class Command(BaseCommand):
    help = "Make the demonstration studies, unless they are there, and print addresses and logins."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--address", default="http://127.0.0.1:8000", help="where the server will be")

    def handle(self, *args: Any, **options: Any) -> None:
        url = options["address"].rstrip("/")
        logins = self._logins()
        organizer, coordinator = (_user(name, password) for name, password in logins.items())
        passages, pictures = (
            make(recipe, organizer, coordinator, self.stdout.write) for recipe in (PASSAGES, PICTURES)
        )
        lines = [
            "",
            f"Faceoff          {url}/",
            *(f"  log in as      {name:<12} password  {password}" for name, password in logins.items()),
            # An organizer may have turned an open link off.
            *(
                f"Judge {what}   {url}/join/{study.join_token}/"
                for what, study in (("passages", passages), ("pictures", pictures))
                if study.join_token
            ),
            f"Leaderboard      {url}/studies/{passages.slug}/leaderboard/",
            "",
            "Open a judging link in one window and the leaderboard in another.",
        ]
        self.stdout.write("\n".join(lines))

    def _logins(self) -> dict[str, str]:
        """Read or make the demonstration's passwords, kept in DATA_DIR so that every start can print them."""
        path = settings.DATA_DIR / "demo-logins.json"
        if not path.exists():
            names = ("organizer", "coordinator")
            # Under its name only when it is whole: a start may be cut short.
            draft = path.with_suffix(".draft")
            draft.unlink(missing_ok=True)
            draft.touch(mode=0o600)
            draft.write_text(json.dumps({name: secrets.token_urlsafe(9) for name in names}, indent=1))
            draft.replace(path)
        logins: dict[str, str] = json.loads(path.read_text())
        return logins


def _user(name: str, password: str) -> User:
    # A callable, so that the slow password hash is made only for a new user.
    defaults: dict[str, Any] = {
        "password": lambda: make_password(password),
        "is_staff": name == "organizer",
    }
    user, _ = User.objects.get_or_create(username=name, defaults=defaults)
    if not user.check_password(password) and not user.last_login:
        # The file with the first password is gone, and nobody has logged in with it or changed it.
        user.set_password(password)
        user.save()
    return user
