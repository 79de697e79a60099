"""Makes the demonstration studies once and prints addresses and logins: `manage.py demo`."""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Permission, User
from django.core.management.base import BaseCommand

from simulation.demo import paid, welcome
from simulation.demo.studies import make


class Command(BaseCommand):
    help = "Make the demonstration studies, unless they are there, and print addresses and logins."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--address", default="http://127.0.0.1:8000", help="where the server will be")

    def handle(self, *args: Any, **options: Any) -> None:
        logins = welcome.logins()
        new = not logins
        logins = logins or welcome.new_logins()
        organizer, coordinator = (_user(name, password, new) for name, password in logins.items())
        if new:
            welcome.keep(logins)
        # Anyone who tries a panel link sees whom to pay.
        organizer.user_permissions.add(*Permission.objects.filter(codename="view_raw_ids"))
        for recipe in welcome.RECIPES.values():
            make(recipe, organizer, coordinator, self.stdout.write)
        if paid.wanted():
            paid.offer(make(paid.PAID, organizer, coordinator, self.stdout.write))
        self.stdout.write(f"\n{welcome.welcome(options['address'])}")


def _user(name: str, password: str, new: bool) -> User:
    # A callable, so that the slow password hash is made only for a new user.
    defaults: dict[str, Any] = {
        "password": lambda: make_password(password),
        "is_staff": name == "organizer",
    }
    user, made = User.objects.get_or_create(username=name, defaults=defaults)
    if new and not made and not user.last_login:
        # The file with the first password is gone, and nobody has logged in with it or changed it.
        user.set_password(password)
        user.save()
    return user
