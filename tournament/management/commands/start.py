"""`manage.py start STUDY`: open a study for judging, as the organizer's button does."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from collection.commands import add_study, named_study
from tournament import services
from tournament.models import Tournament
from tournament.plans import plan_of


class Command(BaseCommand):
    help = "Fix the pools of a study's topics and ask the first round. Says what the pools hold."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_study(parser)
        parser.add_argument(
            "--topics", type=int, metavar="N", help="open the first N topics only; a later call opens others"
        )

        parser.add_argument(
            "--drawn", action="store_true", help="with --topics: N drawn at random, as for a pilot"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        try:
            services.start(study.pk, options["topics"], drawn=options["drawn"])
        except services.CannotStart as error:
            raise CommandError(str(error)) from error
        with tqdm(disable=None, leave=False, unit=" topics") as bar:
            services.catch_up(lambda done, total: bar.update(done - bar.n))
        pools = {
            name: len(pool)
            for name, pool in Tournament.objects.filter(topic__study=study).values_list("topic__name", "pool")
        }
        if not pools:
            self.stdout.write("Open for grading: the tournaments wait for the collected grades.")
            return
        largest = max(pools, key=lambda name: pools[name])
        said = (
            f"{sum(pools.values()):,} candidates in the pools of {sum(map(bool, pools.values()))} topics; "
            f"the largest has {pools[largest]} ({largest})"
        )
        # Only some strategies have a final, which small pools begin with.
        if final := plan_of(study).settings.get("final_size"):
            small = sum(1 for size in pools.values() if 0 < size <= final)
            said += f"; {small} {'has' if small == 1 else 'have'} {final} or fewer"
        self.stdout.write(f"{said}.")
