"""`manage.py limits STUDY`: show a study's limits, or set them."""

from argparse import ArgumentParser, ArgumentTypeError
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from collection.models import Study
from collection.study import lifecycle
from judging.batches import limits

NONE = "none"


def number(text: str) -> int | str:
    """A number from 1 on, or "none"."""
    if text == NONE:
        return NONE
    if not text.isdecimal() or not 1 <= int(text) <= 2**31 - 1:
        raise ArgumentTypeError(f"{text!r} is neither a number from 1 on nor {NONE!r}")
    return int(text)


def few(text: str) -> int | str:
    """As `number`, up to 32,767."""
    found = number(text)
    if found != NONE and int(found) > 32_767:
        raise ArgumentTypeError(f"{text} is more than 32767")
    return found


def moment(text: str) -> datetime | str:
    """A time with its zone, UTC where it has none; or "none"."""
    if text == NONE:
        return NONE
    try:
        found = parse_datetime(text)
    except ValueError:
        found = None
    if found is None:
        raise ArgumentTypeError(f"{text!r} is no time such as 2027-03-01T18:00 (UTC), nor {NONE!r}")
    return found if timezone.is_aware(found) else timezone.make_aware(found)


def add_options(parser: ArgumentParser) -> None:
    """The options of the limits, for every command that sets them."""
    told = {
        "batches_each": (few, "batches that one person may judge"),
        "batches_a_day": (number, "batches that all people together are given in a day (UTC)"),
        "judgments_most": (number, "judgments after which no batch is handed out"),
        "closes_at": (moment, "from when on no batch is handed out, such as 2027-03-01T18:00 (UTC)"),
    }
    for name, (type_, text) in told.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type_, metavar="N", help=f"{text}; or none")


def given(options: dict[str, Any]) -> dict[str, Any]:
    """The limits that the options set; None for no limit."""
    found = {name: options[name] for name in lifecycle.LIMITS if options.get(name) is not None}
    return {name: None if value == NONE else value for name, value in found.items()}


class Command(BaseCommand):
    help = "Show a study's limits and how much of them is used, or set them: a number, a time, or none."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="short name of the study")
        add_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study {options['study']!r}.")
        lifecycle.set_limits(study.pk, given(options))
        study.refresh_from_db()
        for name, label in lifecycle.LIMITS.items():
            value = lifecycle.told(getattr(study, name))
            self.stdout.write(f"{label}: {'no limit' if value is None else value}")
        for one in limits.used(study):
            self.stdout.write(f"{one.name}: {one.used} of {one.most}")
