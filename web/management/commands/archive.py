"""`manage.py archive STUDY`: put a study into the archive, or take it out again."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from collection.commands import add_study, named_study
from collection.study import lifecycle


class Command(BaseCommand):
    help = "Put a study into the archive: nothing of it is lost, and it stands in nobody's list of studies."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_study(parser)
        parser.add_argument("--out", action="store_true", help="take it out of the archive")

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        try:
            (lifecycle.unarchive if options["out"] else lifecycle.archive)(study.pk)
        except lifecycle.CannotSteer as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{study.slug} is {'out of' if options['out'] else 'in'} the archive.")
