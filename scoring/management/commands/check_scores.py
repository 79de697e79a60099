"""`manage.py check_scores STUDY FILE`: compare a file of scores with what the ledger gives now."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from collection.commands import add_study, named_study
from prefir.formats import BadFile, read_scores
from scoring.board import score_export


class Command(BaseCommand):
    help = (
        "Scores are derived, so a file of them is not loaded but checked: every line that differs from "
        "what the ledger gives now (by more than 1e-9) is named, and the exit code is then not 0."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_study(parser)
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        path: Path = options["file"]
        if not path.is_file():
            raise CommandError(f"{path}: there is no such file.")
        try:
            with path.open("rb") as source:
                given = read_scores(path.name, source)
        except BadFile as error:
            raise CommandError(f"Nothing was compared:\n{error}") from error
        with tqdm(disable=None, leave=False, unit=" topics") as bar:
            now = score_export.fresh(study, lambda done, total: bar.update(done - bar.n))
            found = list(score_export.differences(path.name, given, now))
        for sentence in found:
            self.stdout.write(sentence)
        if found:
            raise CommandError(f"{len(found):,} differences in {len(given):,} lines.")
        self.stdout.write(f"All {len(given):,} scores are what the ledger gives.")
