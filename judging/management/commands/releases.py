"""`manage.py releases STUDY [NAME]`: the releases of a study, or who somebody is in one."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from collection.commands import add_study, named_study
from judging.models import Release
from judging.transfer import pseudonyms


class Command(BaseCommand):
    help = (
        "List a study's releases, under which files name assessors alike; with a name, list each pseudonym "
        "of that release with our own name for the person, tab-separated. Not for publication."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_study(parser)
        parser.add_argument("name", nargs="?", help="the release whose people are wanted")

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        known = Release.objects.filter(study=study).order_by("pk")
        if options["name"] is None:
            for one in known:
                self.stdout.write(f"{one.name}\t{one.created_at:%Y-%m-%d}\t{one.actor}")
            return
        release = known.filter(name=options["name"]).first()
        if release is None:
            raise CommandError(f"There is no release {options['name']!r}; `export --release` makes one.")
        for pseudonym, name in pseudonyms.people(release):
            self.stdout.write(f"{pseudonym}\t{name}")
