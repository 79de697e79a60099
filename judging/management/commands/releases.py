"""`manage.py releases STUDY [NAME]`: the releases of a study, or who somebody is in one."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from collection.commands import add_study, named_study
from judging.models import Release
from judging.people import person_names
from judging.transfer import pseudonyms
from prefir.formats import defused


class Command(BaseCommand):
    help = (
        "List a study's releases, under which files name assessors alike; with a name, list each pseudonym "
        "of that release with the person's name in the ledger and their name on pages, tab-separated. "
        "Not for publication."
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
        people = list(pseudonyms.people(release))
        names = person_names.names(study, [pk for pk, *_ in people], labels=True)
        for pk, pseudonym, recorded_as in people:
            self.stdout.write(f"{pseudonym}\t{recorded_as}\t{defused(names[pk])}")
