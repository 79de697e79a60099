"""`manage.py verify STUDY`: check a study's ledger against its seals.

Ends with code 0 if all is as it was sealed, 1 if something is not, and 2 if nothing differs but rows are not
sealed that should be: seals may have been removed.
"""

from argparse import ArgumentParser
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from collection.commands import add_study, named_study
from judging.audit import verification

SHOWN = 20
OVERDUE = (
    "They should be: sealing runs every {:g} seconds. Either it stands still, as in a copy, or while the "
    "server or beat is stopped, or it is behind after a large import: `manage.py catchup` goes on. Or "
    "seals were removed: before you seal anew, compare with a hash that was noted (--noted)."
)


class Command(BaseCommand):
    help = (
        "Check a study's judgments, closed batches, decisions and trail against the seals. Names the first "
        "row that was changed, is missing or was added later, and ends with code 1 if there is one; with "
        "code 2 if rows are not sealed that should be. Changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_study(parser)
        parser.add_argument(
            "--noted",
            default="",
            metavar="HASH",
            help="a hash that was noted earlier: it must be among the seals",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study, noted = named_study(options["study"]), options["noted"].strip().lower()
        if noted and len(noted) < 12:
            raise CommandError("Give at least the first 12 characters of the hash that was noted.")
        with tqdm(disable=None, leave=False, unit=" seals") as bar:

            def show(done: int, total: int) -> None:
                bar.total = total
                bar.update(done - bar.n)

            report = verification.verify(study, noted=noted, progress=show)
        if noted and not report.noted:
            report.problems.append(
                f"No seal has the hash {noted}: this is not the ledger from which it was noted."
            )
        if report.problems:
            more = len(report.problems) - SHOWN
            tail = [f"... and {more:,} more"] if more > 0 else []
            raise CommandError("\n".join([*report.problems[:SHOWN], *tail]))
        if report.seal is None:
            self.stdout.write("Nothing is sealed yet.")
        else:
            self.stdout.write(
                f"{report.rows:,} rows are as they were sealed, in {report.seal.number:,} seals. The last is "
                f"of {_moment(report.seal.sealed_at)}:\n{report.seal.digest}"
            )
        if report.since is not None:
            told = (
                f"{report.waiting:,} newer rows are not sealed yet; the oldest is of {_moment(report.since)}."
            )
            if report.overdue:
                raise CommandError(f"{told}\n{OVERDUE.format(settings.SEAL_SECONDS)}", returncode=2)
            self.stdout.write(told)


def _moment(value: datetime) -> str:
    return f"{value:%d %b %Y, %H:%M} UTC"
