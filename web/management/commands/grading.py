"""`manage.py grading`: how far a study's grading is, and asking about what was loaded since it was opened."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Sum

from collection.commands import add_study, named_study
from judging.models import Question
from judging.questions import grading
from web.forecast.grading_cost import cost_of
from web.shared.phrases import count, duration


class Command(BaseCommand):
    help = "Say how far the grading of a study is, and what of its items nobody is asked about."

    def add_arguments(self, parser: CommandParser) -> None:
        add_study(parser)
        parser.add_argument(
            "--ask-more", action="store_true", help="ask about the items that were loaded since it was opened"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        tasks = grading.tasks_of(study)
        if not tasks:
            raise CommandError(f"{study.slug} asks for no grades.")
        if study.opened_at is None:
            raise CommandError(f"{study.slug} is not open yet: opening it asks for the grades.")
        if options["ask_more"] and study.closed_at:
            raise CommandError(f"{study.slug} is closed: nobody is asked any more.")
        for task in tasks:
            if options["ask_more"]:
                self.stdout.write(f"{count(grading.extend(study.pk, task.pk), 'more item')} asked about.")
            asked = Question.objects.filter(task=task, wanted__gt=0)
            sums = asked.aggregate(wanted=Sum("wanted"), taken=Sum("taken"))
            left = cost_of(task, sum(map(len, grading.not_asked(task).values())))
            self.stdout.write(
                f"{count(asked.count(), 'item')} asked about; {sums['taken'] or 0} of {sums['wanted'] or 0} "
                f"answers given or being given; {count(len(grading.collected(task)), 'collected grade')}."
            )
            if left.items:
                self.stdout.write(
                    f"Not asked about: {count(left.items, 'item')}, {count(left.answers, 'answer')}, "
                    f"about {duration(left.hours)}. --ask-more asks."
                )
