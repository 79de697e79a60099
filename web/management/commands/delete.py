"""`manage.py delete STUDY`: delete a study for good, its rows in every table, its pictures and files."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from collection.commands import add_study, named_study
from collection.study import lifecycle, study_deletion
from web.organizer.setup import whole_study


class Command(BaseCommand):
    help = "Delete a study for good, with all judgments. There is no way back: take a release before."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_study(parser)
        parser.add_argument("--name", required=True, help="the study's whole name once more")

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"], deleting=True)
        if options["name"].strip() != study.name.strip():
            raise CommandError(
                f"{study.slug} is called “{study.name}”: --name has to say so. Nothing was deleted."
            )
        try:
            whole_study.begin_deletion(study.pk)
        except lifecycle.CannotSteer as error:
            raise CommandError(f"{error} Nothing was deleted.") from error
        with tqdm(disable=None, leave=False, unit=" rows") as bar:

            def told(table: str, rows: int) -> None:
                bar.set_description(table)
                bar.update(rows)

            study_deletion.carry_out(study.pk, told)
        self.stdout.write(f"{study.slug} is deleted.")
