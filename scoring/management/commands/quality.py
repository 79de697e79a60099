"""`manage.py quality STUDY`: position bias, ties, time and consistency of a study's answers, as a file."""

import csv
import io
import json
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from collection.commands import add_study, named_study
from judging.transfer import pseudonyms
from scoring.quality.answer_quality import lines


class Command(BaseCommand):
    help = (
        "Write how people answer, computed from the ledger: of all answers that count, of each task, of each "
        "assessor, and apart of challenges and of batches that do not count. JSON lines, or CSV with --csv."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_study(parser)
        parser.add_argument("--csv", action="store_true", help="CSV with a head in place of JSON lines")
        parser.add_argument("-o", "--output", type=Path, help="a file; the screen if left out")
        parser.add_argument(
            "--release", default="", metavar="NAME", help="under which assessors are named, as with `export`"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        try:
            names = pseudonyms.names_in(pseudonyms.release_of(study, options["release"]))
        except pseudonyms.BadReleaseName as error:
            raise CommandError(f"{error}.") from error
        rows = lines(study, names)
        text = "".join(_csv(rows) if options["csv"] else map(_json, rows))
        if options["output"] is None:
            self.stdout.write(text, ending="")
            return
        try:
            options["output"].write_text(text, encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{options['output']} cannot be written: {error.strerror}.") from error


def _json(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


def _csv(rows: Iterator[dict[str, Any]]) -> Iterator[str]:
    """Lines of CSV; the picks of a place stand as JSON in their column."""
    for number, row in enumerate(rows):
        line = io.StringIO()
        writer = csv.DictWriter(line, row, lineterminator="\n")
        if not number:
            writer.writeheader()
        writer.writerow(row | {"picks": json.dumps(row["picks"])})
        yield line.getvalue()
