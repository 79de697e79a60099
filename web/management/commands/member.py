"""`manage.py member STUDY PART USERNAME ...`: give people with accounts a part in a study, or take it."""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from collection.commands import add_study, named_study
from collection.models import Membership, Run
from collection.study import lifecycle

Role = Membership.Role


class Command(BaseCommand):
    help = "Give people with accounts a part in a study, or take it away."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_study(parser)
        parser.add_argument("part", choices=[*Role.values, "none"], help="their part; none takes it away")
        parser.add_argument("names", nargs="+", metavar="USERNAME", help="see `manage.py account make`")
        parser.add_argument("--runs", nargs="+", default=[], metavar="RUN", help="a participant's own runs")

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        study, part = named_study(options["study"]), options["part"]
        runs = list(Run.objects.filter(study=study, name__in=options["runs"]))
        if unknown := sorted(set(options["runs"]) - {run.name for run in runs}):
            raise CommandError(f"{study.slug} has no run {', '.join(unknown)}. Nobody's part was changed.")
        if (part == Role.PARTICIPANT) != bool(runs):
            raise CommandError("Give --runs for participants, for nobody else. Nobody's part was changed.")
        for name in options["names"]:
            user = User.objects.filter(username=name).first()
            if user is None:
                raise CommandError(f"No account is called {name!r}. Nobody's part was changed.")
            try:
                if part == "none":
                    if links := lifecycle.remove_member(study.pk, user.pk):
                        self.stdout.write(f"Ended {links} of {name}'s links to the leaderboard.")
                else:
                    lifecycle.set_member(study.pk, user.pk, part, runs)
            except lifecycle.CannotSteer as error:
                raise CommandError(f"{error} Nobody's part was changed.") from error
        self.stdout.write(f"Of {study.slug}, {part}: {', '.join(options['names'])}.")
