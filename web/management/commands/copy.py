"""`manage.py copy STUDY NAME`: copy a study, its settings, texts and material, as its page *Keep* does."""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from collection.commands import add_study, named_study
from collection.models import Import
from collection.upload import loading
from web.organizer.setup import whole_study


class Command(BaseCommand):
    help = "Copy a study: settings, texts, topics, items, pictures, grades and runs; never people or answers."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_study(parser)
        parser.add_argument("name", help="of the copy, as it stands on its pages")
        parser.add_argument(
            "--what",
            choices=[whole_study.RUNS, whole_study.ITEMS, whole_study.NOTHING],
            default=whole_study.RUNS,
            help="runs: everything (the default); items: the same without runs; settings: and texts alone",
        )
        parser.add_argument("--organizer", metavar="USERNAME", required=True, help="who organizes the copy")
        parser.add_argument(
            "--members", action="store_true", help="those who organize or watch the study have a part in it"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study, name = named_study(options["study"]), options["name"].strip()
        if not 1 <= len(name) <= 120:
            raise CommandError(f"A name has 1 to 120 characters; this one has {len(name)}.")
        organizer = User.objects.filter(username=options["organizer"]).first()
        if organizer is None:
            raise CommandError(f"There is no user {options['organizer']!r}.")
        made, begun = whole_study.copy(
            study, name, organizer, what=options["what"], members=options["members"]
        )
        self.stdout.write(f"Made the study {made.slug}, a copy of {study.slug}, seed {made.seed}.")
        if begun is None:
            return
        loading.run(begun.pk)  # unless a worker has begun it already
        begun.refresh_from_db()
        if begun.state == Import.State.DONE:
            self.stdout.write(f"Its material: {begun.summary}.")
        elif begun.state in (Import.State.WAITING, Import.State.RUNNING):
            self.stdout.write("A worker copies its material; the study's page says when it is there.")
        else:
            raise CommandError("Its material was not copied:\n" + "\n".join(begun.problems))
