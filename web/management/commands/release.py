"""`manage.py release STUDY PATH`: write a study as a release, a folder or a zip that others can load."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from collection.commands import add_study, named_study
from judging.transfer.pseudonyms import BadReleaseName
from web.release.files import CannotRelease, release
from web.release.folder import write_folder, zipped


class Command(BaseCommand):
    help = (
        "Write a study as a release: all that it compares, every answer with its batch, sides, seconds and a "
        "pseudonym, decisions, runs, scores, settings, checksums, a README and a datasheet. Nobody is named. "
        "`manage.py load_release` makes a study of it with the same scores."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_study(parser)
        parser.add_argument(
            "path", type=Path, help="a folder that is not there yet, or a file ending in .zip"
        )
        parser.add_argument("--release", default="", metavar="NAME", help="under which assessors are named")
        parser.add_argument("--without-pictures", action="store_true", help="leave the pictures out")

    def handle(self, *args: Any, **options: Any) -> None:
        study, path = named_study(options["study"]), options["path"]
        if path.exists():
            raise CommandError(f"{path} is there already. Choose another, or remove it.")
        try:
            files = release(study, options["release"], pictures=not options["without_pictures"])
            if path.suffix == ".zip":
                self._zip(files, path)
            else:
                write_folder(files, path)
        except (CannotRelease, BadReleaseName) as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror}.") from error
        self.stdout.write(
            f"Wrote {path}. Its README.md says what is in it; read DATASHEET.md before you share it."
        )

    def _zip(self, files: Any, path: Path) -> None:
        part = path.with_name(f"{path.name}.part")
        try:
            with part.open("wb") as file:
                for piece in zipped(files, path.stem):
                    file.write(piece)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
