"""`manage.py openlink STUDY [on|off]`: show a study's open link, or turn it on or off."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from collection.commands import add_study, named_study
from collection.study import lifecycle
from judging.verdicts import decisions
from web.shared.phrases import count


class Command(BaseCommand):
    help = (
        "Show the open link by which anybody may join a study, or turn it on or off. A link that was turned "
        "off never works again; turned on, scores count kept batches only."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_study(parser)
        parser.add_argument("what", nargs="?", choices=["on", "off"], help="without it, the link is shown")
        parser.add_argument(
            "--close-batches", action="store_true", help="off: also close what those who joined have open"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        what = options["what"]
        if options["close_batches"] and what != "off":
            raise CommandError("--close-batches belongs to off.")
        if what:
            try:
                lifecycle.open_link(study.pk, on=what == "on")
            except lifecycle.CannotSteer as error:
                raise CommandError(str(error)) from error
            study.refresh_from_db()
        if options["close_batches"]:
            closed = decisions.close_open(study.pk, by_link=True)
            self.stdout.write(f"{count(closed, 'open batch')} closed.")
        if study.join_token:
            link = settings.PUBLIC_URL.rstrip("/") + reverse("join", args=[study.join_token])
            self.stdout.write(link)
        else:
            self.stdout.write("The open link is off.")
