"""`manage.py study NAME`: make a study from the command line."""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from collection.models import Membership, Study

SETTINGS = {
    "question": str,
    "k": int,
    "final_size": int,
    "pairings": int,
    "judgments_per_pair": int,
    "seed": str,
    "batch_pairs": int,
    "batch_challenges": int,
    "wrong_allowed": int,
    "minutes": int,
}


class Command(BaseCommand):
    help = "Make a study. Its short name is used in addresses and by the other commands."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="short name: letters, digits, hyphens")
        parser.add_argument("--title", default="", help="the name that people see")
        parser.add_argument("--kind", choices=Study.Kind.values, default=Study.Kind.TEXT)
        parser.add_argument("--mode", choices=Study.Mode.values, default=Study.Mode.CROWD)
        parser.add_argument("--organizer", metavar="USERNAME", help="who may load and steer it")
        for name, type_ in SETTINGS.items():
            parser.add_argument(f"--{name.replace('_', '-')}", type=type_)

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study(
            slug=options["slug"],
            name=options["title"] or options["slug"],
            kind=options["kind"],
            mode=options["mode"],
            **{name: options[name] for name in SETTINGS if options[name] is not None},
        )
        organizer = None
        if options["organizer"]:
            organizer = get_user_model().objects.filter(username=options["organizer"]).first()
            if organizer is None:
                raise CommandError(f"There is no user {options['organizer']!r}.")
        try:
            study.full_clean()
        except ValidationError as error:
            raise CommandError("\n".join(error.messages)) from error
        study.save()
        if organizer:
            Membership.objects.create(study=study, user=organizer, role=Membership.Role.ORGANIZER)
        self.stdout.write(f"Made the study {study.slug}, seed {study.seed}.")
