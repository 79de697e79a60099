"""`manage.py load_release PATH`: make a study of a release that `manage.py release` wrote."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from web.release.release_loader import BadRelease, load


class Command(BaseCommand):
    help = (
        "Make a study of a release. Checksums are checked first, and the scores are computed anew and held "
        "against the release's: if one byte differs, nothing is loaded. Judging in it is over."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, help="the release: a folder or a zip")
        parser.add_argument("--study", default="", metavar="SLUG", help="its short name here")
        parser.add_argument("--organizer", metavar="USERNAME", help="who may see and steer it")

    def handle(self, *args: Any, **options: Any) -> None:
        organizer = None
        if options["organizer"]:
            organizer = get_user_model().objects.filter(username=options["organizer"]).first()
            if organizer is None:
                raise CommandError(f"There is no user {options['organizer']!r}.")
        try:
            study = load(
                options["path"],
                slug=options["study"],
                organizer=organizer,
                progress=lambda what: self.stderr.write(f"{what} ...") if self.stderr.isatty() else None,
            )
        except BadRelease as error:
            raise CommandError(f"Nothing was loaded from {options['path']}:\n{error}") from error
        self.stdout.write(f"Made the study {study.slug}; its scores are those of the release, byte for byte.")
