"""`manage.py backup FOLDER`: copy database, pictures and key while the server runs."""

import contextlib
import shutil
import sqlite3
from argparse import ArgumentParser
from contextlib import closing
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection


class Command(BaseCommand):
    help = (
        "Copy everything that an installation over SQLite holds into a new folder, while people judge: the "
        "database as it is at one moment, then pictures, uploads and the key. With FACEOFF_DATA=FOLDER the "
        "server starts from it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="where the copy goes; must not exist")

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"]
        if connection.vendor != "sqlite":
            raise CommandError("This copies SQLite. For PostgreSQL use pg_dump: docs/operators.md says how.")
        data, database = Path(settings.DATA_DIR), Path(connection.settings_dict["NAME"])
        if folder.resolve().is_relative_to(data.resolve()):
            raise CommandError(f"{folder} lies in the folder that is to be copied: choose another place.")
        # Under its name only when it is whole: a copy that was cut short is not taken for one.
        draft = folder.with_name(f"{folder.name}.part")
        for path in (folder, draft):
            if path.exists():
                raise CommandError(f"{path} is there already: choose another name, or remove it.")
        draft.mkdir(parents=True, mode=0o700)
        _copy_database(database, draft / database.name)
        # After it: a picture is stored before the row that names it.
        ignored = _but_the_database(data, database)
        shutil.copytree(data, draft, dirs_exist_ok=True, ignore=ignored, copy_function=_copy_if_there)
        draft.rename(folder)
        self.stdout.write(
            f"{folder} holds a copy of {data}. It lets its reader act as anybody: keep it safe."
        )


def _copy_database(source: Path, target: Path) -> None:
    """Copy a database that others write to: one reading transaction, which in WAL mode holds up nobody."""
    with closing(sqlite3.connect(source, timeout=60)) as read, closing(sqlite3.connect(target)) as written:
        read.backup(written)
    target.chmod(0o600)


def _copy_if_there(source: str, target: str) -> None:
    """Copy a file, unless it was removed since the folder was read, as uploads are that have been loaded."""
    with contextlib.suppress(FileNotFoundError):
        shutil.copy2(source, target)


def _but_the_database(data: Path, database: Path) -> Any:
    """What `copytree` leaves out: the database and its journals, which were copied otherwise."""

    def ignored(folder: str, names: list[str]) -> set[str]:
        return {name for name in names if Path(folder) == data and name.startswith(database.name)}

    return ignored
