"""`manage.py load STUDY KIND FILE...`: load files into a study, as the organizer's page does."""

import shutil
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from collection.commands import add_study, named_study
from collection.models import Study
from collection.upload import loading, unknown_topics
from prefir.formats import HEAD, UNKNOWN_TOPIC, BadFile, parts_of, recognize


class Command(BaseCommand):
    help = "Load files into a study. One bad line: nothing of that file is loaded, every bad line is named."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_study(parser)
        parser.add_argument("kind", choices=sorted(loading.KINDS))
        parser.add_argument("files", nargs="+", type=Path)
        parser.add_argument("--name", default="", help="the run's name, for grids")
        parser.add_argument(
            "--ties",
            choices=["descending", "ascending", "rank"],
            default="descending",
            help="order of equal scores in a run: by docno, or by the rank column",
        )

        parser.add_argument(
            "--leave-out",
            action="store_true",
            help="leave out what items, grades and runs say of topics that are not loaded",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        try:
            self._load(study, options)
        finally:
            # Once for all files, since each run concerns every topic.
            loading.announce_all(study.pk)

    def _load(self, study: Study, options: dict[str, Any]) -> None:
        chosen = {"name": options["name"], "ties": options["ties"]}
        if options["leave_out"]:
            if unknown_topics.OPTION not in loading.KINDS[options["kind"]].options:
                raise CommandError(
                    f"Files of the kind {options['kind']} are loaded as a whole: not with --leave-out."
                )
            chosen[unknown_topics.OPTION] = "yes"
        for path in options["files"]:
            if not path.exists():
                raise CommandError(f"{path}: there is no such file.")
            try:
                for name, file in _files(options["kind"], path):
                    self._load_file(study, options["kind"], name, file, chosen)
            except BadFile as error:
                hint = ""
                unknown = any(one.reason.startswith(UNKNOWN_TOPIC) for one in error.problems)
                if unknown and unknown_topics.OPTION in loading.KINDS[options["kind"]].options:
                    hint = "\nWith --leave-out, what it says of topics that are not loaded is left out."
                raise CommandError(f"Nothing was loaded from {path}:\n{error}{hint}") from error
            except loading.CannotLoad as error:
                raise CommandError(f"Nothing was loaded from {path}: {error}") from error

    def _load_file(self, study: Study, kind: str, name: str, file: Path, chosen: dict[str, str]) -> None:
        started = time.monotonic()
        # disable=None: no bar where the output is not a terminal.
        with tqdm(total=100, disable=None, leave=False, unit="%") as bar:
            row = loading.load(
                study,
                kind,
                file,
                name=name,
                options=chosen,
                more=True,
                progress=lambda done, total: _move(bar, done, total),
            )
        self.stdout.write(f"{name}: {row.summary} in {time.monotonic() - started:.1f} s")
        with file.open("rb") as content:
            if kind == "answers" and recognize(content.read(HEAD)).votes:
                self.stdout.write(
                    f"{name}: its votes are not loaded. To load them too: "
                    f"manage.py load {study.slug} judgments {name}"
                )
        for note in row.notes:
            self.stdout.write(f"{name}: {note}")
        for doubt in row.doubts:
            self.stderr.write(self.style.WARNING(f"{name}: {doubt}"))


def _files(kind: str, path: Path) -> Iterator[tuple[str, Path]]:
    """The names and paths of what to load: of kinds that come in several files, also each file of a zip."""
    parts = parts_of(path.name, path) if loading.KINDS[kind].several else []
    if len(parts) < 2:
        yield path.name, path
        return
    with tempfile.TemporaryDirectory() as folder:
        for part in parts:
            copy = Path(folder) / "part"
            with part.open() as content, copy.open("wb") as file:
                shutil.copyfileobj(content, file)
            yield part.name, copy


def _move(bar: Any, done: int, total: int) -> None:
    bar.update(100 * done // max(total, 1) - bar.n)
