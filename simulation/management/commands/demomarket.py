"""`manage.py demomarket`: the emulated marketplace of the paid demonstration, with its simulated workers."""

import random
import sys
import threading
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from simulation.demo import paid
from simulation.emulators import serve
from simulation.turkers import Became, Down, Turker

# Seconds until somebody looks again what there is, by the outcome of the last visit.
REST = {Became.NOTHING: 12.0, Became.TURNED_AWAY: 15.0}


class Command(BaseCommand):
    help = (
        "Run the emulator of Mechanical Turk with simulated workers who do the HITs of the paid "
        "demonstration. It is no marketplace and moves no money."
    )
    requires_system_checks = []  # it uses none of this project's data

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, required=True)
        parser.add_argument("--state", type=Path, required=True, help="the file that keeps its state")
        parser.add_argument("--workers", type=int, default=12)
        parser.add_argument("--pause", type=float, default=2.0, help="seconds before each answer, about")
        parser.add_argument(
            "--until-eof",
            action="store_true",
            help="end when standard input does, with anyone who started it",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        ended = threading.Event()
        judge = paid.judge()
        for number in range(1, options["workers"] + 1):
            worker = Turker(
                f"http://localhost:{options['port']}",
                f"ADEMO{number:02}",
                judge,
                pause=options["pause"],
                patience=float("inf"),
                stop=ended.is_set,
            )
            threading.Thread(target=_work, args=(worker, ended), daemon=True).start()
        if options["until_eof"]:
            threading.Thread(target=_end_with_input, args=(ended,), daemon=True).start()
        emulator = threading.Thread(
            target=serve, args=("mturk", options["port"], options["state"]), daemon=True
        )
        emulator.start()
        try:
            while emulator.is_alive() and not ended.wait(1.0):
                pass
        except KeyboardInterrupt:
            ended.set()


def _work(worker: Turker, ended: threading.Event) -> None:
    """Do HITs, with rests between them."""
    while not ended.is_set():
        try:
            rest = REST.get(worker.visit(), 1.0)
        except (Down, ValueError, KeyError):
            rest = REST[Became.TURNED_AWAY]
        ended.wait(rest * random.uniform(0.5, 1.5))


def _end_with_input(ended: threading.Event) -> None:
    sys.stdin.buffer.read()
    ended.set()
