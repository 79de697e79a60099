"""`manage.py export_scores STUDY`: all scores as CSV, as the page gives them."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from collection.commands import add_study, named_study
from prefir.formats import write_scores
from scoring.board import score_export


class Command(BaseCommand):
    help = "Write run,topic,measure,p,value for every p: the means (no topic), then each topic."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_study(parser)
        parser.add_argument("-o", "--output", type=Path, help="a file; the screen if left out")

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        lines = write_scores(score_export.scores(study))
        if options["output"] is None:
            self.stdout.writelines(lines)
            return
        with options["output"].open("w", encoding="utf-8", newline="") as file:
            file.writelines(lines)
