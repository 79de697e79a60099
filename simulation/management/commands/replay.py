"""Replay: simulated assessors judge a study's tournaments to the end (`manage.py replay STUDY [FILE]`)."""

import threading
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from tqdm import tqdm

from collection import audit_log
from collection.commands import add_study, named_study
from collection.models import Study
from collection.upload import record_store
from prefir.formats import BadFile, read_preferences
from simulation.replay import PageDesk, RecordedAnswers, ReplayOutcome, ServiceDesk, Stuck, digest, replay
from tournament import services


class Command(BaseCommand):
    help = (
        "Simulated assessors judge a study, in batches with challenges, until every tournament has ended. "
        "Their answers come from FILE (topic a b winner); for other pairs from the grades, else the seed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_study(parser)
        parser.add_argument("file", nargs="?", type=Path, help="recorded judgments: topic a b winner")
        parser.add_argument("--url", help="post to the pages of this server instead of calling the services")
        parser.add_argument("--at-once", type=int, default=1, help="how many judge at the same time")
        parser.add_argument(
            "--failing", type=float, default=0.0, help="share of assessors who fail a batch's challenges"
        )
        parser.add_argument("--batches", type=int, help="stop after so many batches")

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        if not study.judging_is_open:
            raise CommandError(f"Judging is not open: `manage.py start {study.slug}` opens it.")
        # Without workers a replay that was killed may have left a round judged and not advanced.
        services.catch_up()
        oracle = RecordedAnswers(study, self._record(study, options["file"]))
        # Before the first answer: anyone who reads the ledger later must not take them for people.
        told = {
            "answers from": options["file"].name if options["file"] else "grades",
            "server": options["url"],
        }
        audit_log.note(study.pk, audit_log.What.REPLAYED, after=told)
        started = time.monotonic()
        outcomes: list[ReplayOutcome] = []
        errors: list[Exception] = []
        lanes = options["at_once"]
        with tqdm(disable=None, unit=" topics") as bar:

            def run(lane: int) -> None:
                try:
                    desk = PageDesk(options["url"]) if options["url"] else ServiceDesk()
                    outcome = replay(
                        study,
                        oracle,
                        desk=desk,
                        failing=options["failing"],
                        max_batches=options["batches"],
                        lane=(lane, lanes),
                        progress=lambda done, total: _show(bar, done, total),
                    )
                    outcomes.append(outcome)
                except Exception as error:
                    errors.append(error)
                finally:
                    if lanes > 1:
                        connection.close()

            if lanes == 1:
                run(1)
            else:
                threads = [threading.Thread(target=run, args=(i,)) for i in range(1, lanes + 1)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
        for error in errors:
            if isinstance(error, Stuck):
                raise CommandError(str(error)) from error
            raise error
        seconds = time.monotonic() - started
        judgments = sum(o.judgments for o in outcomes)
        self.stdout.write(
            f"{judgments:,} judgments in {sum(o.batches for o in outcomes):,} batches, "
            f"{sum(o.failed for o in outcomes)} of them failed, in {seconds:.1f} s "
            f"({judgments / max(seconds, 0.001):.0f} a second). Result {digest(study)}."
        )

    def _record(self, study: Study, path: Path | None) -> list[tuple[str, str, str, str | None]]:
        if path is None:
            return []
        try:
            records = read_preferences(path.name, path, record_store.known(study))
        except (BadFile, OSError) as error:
            raise CommandError(str(error)) from error
        return [(r.topic, r.a, r.b, r.winner) for r in records]


def _show(bar: Any, done: int, total: int) -> None:
    bar.total = total
    bar.update(max(0, done - bar.n))
