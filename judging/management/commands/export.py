"""`manage.py export STUDY WHAT`: write what was judged in a study to a file or the terminal."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from collection.commands import add_study, named_study
from collection.material import grade_export as collection
from collection.models import Study
from judging.transfer import judgment_export, pseudonyms
from judging.transfer.preference_pairs import preference_pairs


class Command(BaseCommand):
    help = (
        "Write a study's judgments (topic a b winner), its merged grades or the grades that its assessors "
        "gave (TREC qrels), which all load again; its preferences between result pages (topic run run "
        "winner; with serp as SERP_level_preference of Xie et al. has them); what its answers say of aspects "
        "and reasons (JSON lines); what assessors said they cannot judge (tab-separated); the versions of "
        "its texts with that of each batch (JSON lines); preference pairs of prompt, chosen and rejected "
        "text (JSON lines); or its sealed ledger (JSON lines with a running hash), for others to check. "
        "Judgments are those of kept batches; answers of batches still being judged are left out."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_study(parser)
        kinds = ["judgments", "aspects", "qrels", "grades", "pages", "serp", "declined", "texts", "ledger"]
        kinds.append("pairs")
        parser.add_argument("what", choices=kinds)
        parser.add_argument("-o", "--output", type=Path, help="the file to write; the terminal if left out")
        parser.add_argument(
            "--assessors",
            action="store_true",
            help="with judgments and pages: add who gave each, as a fifth column, and how strongly, as a "
            "sixth; with grades: how many gave it",
        )

        parser.add_argument(
            "--release",
            default="",
            metavar="NAME",
            help="under which assessors are named: files of one release name a person alike, those of "
            f"two do not; made on first mention, {pseudonyms.USUAL!r} if left out",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        named = options["assessors"] and options["what"] in ("judgments", "pages")
        names = None
        if named or options["what"] in ("texts", "declined", "aspects"):
            try:
                names = pseudonyms.names_in(pseudonyms.release_of(study, options["release"]))
            except pseudonyms.BadReleaseName as error:
                raise CommandError(f"{error}.") from error
        elif options["release"]:
            raise CommandError(
                "--release goes with what names assessors: judgments and pages with --assessors,"
                " texts, declined and aspects."
            )
        if options["what"] == "judgments":
            lines = judgment_export.judgments(study, names=names)
        elif options["what"] == "grades":
            lines = judgment_export.collected_grades(study, assessors=options["assessors"])
        elif options["what"] == "pages":
            lines = judgment_export.run_preferences(study, names=names)
        elif options["assessors"]:
            raise CommandError(
                "--assessors goes with judgments, grades and pages: the others have none, a ledger always."
            )
        elif options["what"] == "texts" and names:
            lines = judgment_export.texts(study, names)
        elif options["what"] == "declined" and names:
            lines = judgment_export.declined(study, names)
        elif options["what"] == "aspects" and names:
            lines = judgment_export.aspects(study, names)
        elif options["what"] == "serp":
            lines = _serp(study)
        elif options["what"] == "pairs":
            lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in preference_pairs(study))
        elif options["what"] == "ledger":
            lines = judgment_export.sealed_ledger(study)
        else:
            lines = collection.merged_qrels(study)
        path: Path | None = options["output"]
        try:
            if path is None:
                for line in lines:
                    self.stdout.write(line, ending="")
            else:
                self.stdout.write(f"{path}: {_write_whole(path, lines):,} lines")
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror}.") from error
        except ValueError as error:
            raise CommandError(f"Nothing was written: {error}.") from error


def _serp(study: Study) -> Iterator[str]:
    try:
        return judgment_export.serp_preferences(study)
    except ValueError as error:
        raise CommandError(f"Nothing was written: {error}.") from error


def _write_whole(path: Path, lines: Iterator[str]) -> int:
    """Write a file that gets its name only once it is complete: half a file looks like a small study."""
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("w", encoding="utf-8", newline="\n") as file:
            written = sum(bool(file.write(line)) for line in lines)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return written
