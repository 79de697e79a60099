"""`manage.py study NAME`: make a study from the command line."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from collection import audit_log
from collection.models import Membership, Study
from collection.presets import ANSWERS, PRESETS, RANKINGS
from judging.models import Task
from judging.questions import grading, result_pages
from judging.questions.wording import wording_for
from judging.tasks.grade import Average, GradeTask
from judging.tasks.pair import Pair
from judging.tasks.pick import Pick
from judging.tasks.serp import Pages
from prefir.rules import STRATEGIES, Picks
from tournament.models import Plan
from web.management.commands import limits
from web.organizer.setup.study_form import TASK_FIELDS

# Texts have no option: they are written on the page.
TASK = {option: field for option, field in TASK_FIELDS.items() if option not in ("instructions", "consent")}
PICKS = ("grid_size", "appearances")
PLAN = ("k", "final_size", "pairings", "judgments_per_pair", *PICKS)


class Command(BaseCommand):
    help = "Make a study. Its short name is used in addresses and by the other commands."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="short name: letters, digits, hyphens")
        parser.add_argument("--title", default="", help="the name that people see")
        parser.add_argument("--kind", choices=Study.Kind.values, default=Study.Kind.TEXT)
        parser.add_argument(
            "--answers", action="store_true", help="it compares answers of models: Markdown, by win rate"
        )
        parser.add_argument("--markup", choices=Study.Markup.values)
        parser.add_argument("--ground", choices=Study.Ground.values, default=Study.Ground.LIGHT)
        parser.add_argument(
            "--play-first", type=int, default=3, help="seconds of each sound or film before an answer"
        )
        parser.add_argument(
            "--as-they-are", action="store_true", help="play sound and film as loud as they are"
        )
        parser.add_argument("--currency", choices=Study.CURRENCIES, default="USD", help="of all its money")
        parser.add_argument("--mode", choices=list(STRATEGIES), default="crowd")
        parser.add_argument("--asked-by", default="", help="who asks, as assessors read it")
        parser.add_argument("--contact", default="", help="whom assessors may write to")
        parser.add_argument(
            "--language",
            default="",
            choices=[code for code, _ in settings.LANGUAGES],
            help="of the assessors' pages",
        )
        parser.add_argument("--organizer", metavar="USERNAME", help="who may load and steer it")
        parser.add_argument("--seed")
        parser.add_argument(
            "--confirm-hasty", action="store_true", default=None, help="ask again about answers in haste"
        )
        parser.add_argument(
            "--tell-agreement",
            action="store_true",
            default=None,
            help="tell people after each batch how often others answered alike",
        )
        self_made = (*PICKS, "confirm_hasty", "tell_agreement")
        for name in (name for name in (*TASK, *PLAN) if name not in self_made):
            type_ = str if name in ("question", "scale", "failing") else int
            choices = {"scale": list(Pair.scales), "failing": Task.Failing.values}.get(name)
            parser.add_argument(f"--{name.replace('_', '-')}", type=type_, choices=choices)

        parser.add_argument(
            "--pick", type=int, metavar="G", help="tournaments ask for the best of G items, 3 to 9"
        )
        parser.add_argument("--pick-worst", action="store_true", help="ask for the worst of them too")
        parser.add_argument("--appearances", type=int, help="of picks: grids for each item in a round")
        parser.add_argument(
            "--grade", choices=list(GradeTask.scales), help="ask for grades first; tournaments wait for them"
        )
        parser.add_argument("--grade-depth", type=int, help="the rank to which runs' items are graded")
        parser.add_argument("--grade-assessors", type=int, help="how many assessors grade each item")
        parser.add_argument(
            "--grade-average", choices=Average.values, help="how their answers become its grade"
        )
        parser.add_argument(
            "--pages", choices=list(Pages.scales), help="let result pages be asked for, with so many answers"
        )
        limits.add_options(parser)
        parser.add_argument("--pages-depth", type=int, help="the rank to which lists are shown")
        parser.add_argument("--pages-rows", type=int, help="the row to which grids are shown")

    def handle(self, *args: Any, **options: Any) -> None:
        preset = PRESETS[ANSWERS if options["answers"] else RANKINGS]
        study = Study(slug=options["slug"], name=options["title"] or options["slug"], **preset)
        study.kind = options["kind"]
        if options["markup"]:
            study.markup = options["markup"]
        study.ground, study.currency = options["ground"], options["currency"]
        study.play_first, study.levelled = options["play_first"], not options["as_they_are"]
        study.asked_by, study.contact = options["asked_by"], options["contact"]
        study.language = options["language"]
        for name, value in limits.given(options).items():
            setattr(study, name, value)
        if options["seed"] is not None:
            study.seed = options["seed"]
        organizer = None
        if options["organizer"]:
            organizer = get_user_model().objects.filter(username=options["organizer"]).first()
            if organizer is None:
                raise CommandError(f"There is no user {options['organizer']!r}.")
        given = {name: options[name] for name in (*TASK, *PLAN) if options.get(name) is not None}
        if study.recorded and (options["pick"] is not None or options["mode"] == Picks.name):
            raise CommandError("Sound and film are compared in pairs, not picked.")
        if options["pick"] is not None:
            if options["scale"]:
                raise CommandError("--scale is of pairs; picks have --pick-worst.")
            options["mode"], given["grid_size"] = Picks.name, options["pick"]
            given["scale"] = Pick.WITH_WORST if options["pick_worst"] else "best"
        elif options["mode"] == Picks.name:
            given["scale"] = Pick.WITH_WORST if options["pick_worst"] else "best"
        try:
            study.full_clean()
            with transaction.atomic():
                study.save()
                audit_log.note(study.pk, audit_log.What.MADE, after={"organizer": options["organizer"]})
                self._task_and_plan(study, options["mode"], given)
                if options["grade"]:
                    self._grading(study, options)
                if options["pages"]:
                    self._pages(study, options)
        except ValidationError as error:
            raise CommandError("\n".join(error.messages)) from error
        if organizer:
            Membership.objects.create(study=study, user=organizer, role=Membership.Role.ORGANIZER)
        self.stdout.write(f"Made the study {study.slug}, seed {study.seed}.")

    def _grading(self, study: Study, options: dict[str, Any]) -> None:
        task = grading.usual(study)
        task.scale, task.settings["guidelines"] = options["grade"], ""
        _set(task, options, "grade_depth", "grade_assessors", "grade_average")
        grading.put_first(task)
        task.full_clean()
        task.save()

    def _pages(self, study: Study, options: dict[str, Any]) -> None:
        task = result_pages.usual(study)
        task.scale = options["pages"]
        _set(task, options, "pages_depth", "pages_rows")
        task.full_clean()
        task.save()

    def _task_and_plan(self, study: Study, strategy: str, given: dict[str, Any]) -> None:
        asks = STRATEGIES[strategy].asks
        values = {TASK[name]: value for name, value in given.items() if name in TASK}
        task = Task(study=study, kind=asks, **values)
        task.wording = wording_for(study.kind, task.wording, asks)
        task.full_clean()
        task.save()
        known = STRATEGIES[strategy].defaults
        settings = {name: value for name, value in given.items() if name in PLAN and name in known}
        Plan.objects.create(study=study, task=task, strategy=strategy, settings=settings, seed=study.seed)


def _set(task: Task, options: dict[str, Any], *names: str) -> None:
    """Set what is given of these options, each called by its kind of task and the setting."""
    given = {name.partition("_")[2]: options[name] for name in names if options[name]}
    task.settings |= given
