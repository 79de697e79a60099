"""Runs an emulator of a marketplace on a port of this machine: `manage.py emulate mturk --port 8300`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from simulation.emulators import EMULATORS, serve


class Command(BaseCommand):
    help = (
        "Run an emulator of a marketplace on the loopback address. It is no marketplace and moves no money."
    )
    requires_system_checks = []  # it uses none of this project's data

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", choices=sorted(EMULATORS))
        parser.add_argument("--port", type=int, required=True, help="0 takes a free one and prints it")
        parser.add_argument("--state", type=Path, required=True, help="the file that keeps its state")

    def handle(self, *args: Any, **options: Any) -> None:
        serve(options["name"], options["port"], options["state"])
