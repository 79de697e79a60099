"""`manage.py result_pages STUDY`: ask assessors to compare runs' result pages."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from collection.commands import add_study, named_study
from judging.questions import result_pages
from web.organizer.setup.result_pages import AskForm, forecast
from web.shared.phrases import count, duration


class Command(BaseCommand):
    help = (
        "Ask assessors to compare the result pages of runs for topics; `manage.py study NAME --pages 3`, or "
        "the page Result pages, sets up how. What is asked already is not asked again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_study(parser)
        parser.add_argument(
            "--runs",
            choices=["all", "untold"],
            default="all",
            help="untold: what the leaderboard cannot tell apart",
        )
        parser.add_argument("--baseline", metavar="RUN", help="compare each run with this one alone")
        parser.add_argument("--topics", nargs="+", metavar="TOPIC", help="these topics alone")
        parser.add_argument("--first", type=int, metavar="N", help="the first topics by name")
        parser.add_argument("--differ", type=int, metavar="N", help="the topics where the pages differ most")
        parser.add_argument(
            "--assessors", type=int, default=1, help="of each question (default: %(default)s)"
        )
        parser.add_argument("--count", action="store_true", help="only say how much it would be")

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        task = result_pages.task_of(study)
        if task is None:
            raise CommandError("This study asks for no result pages; its page Result pages sets them up.")
        if not study.judging_is_open:
            raise CommandError("Judging is not open. Open it first: `manage.py start`.")
        baseline = study.runs.filter(name=options["baseline"], shown=True).first()
        if options["baseline"] and baseline is None:
            raise CommandError(f"There is no run {options['baseline']!r}.")
        ways = [name for name in ("topics", "first", "differ") if options[name]]
        if len(ways) > 1:
            raise CommandError("Choose topics in one way: --topics, --first or --differ.")
        form = AskForm(
            study,
            {
                "runs": "baseline" if baseline else options["runs"],
                "baseline": baseline and baseline.pk,
                "topics": {"topics": "named"}.get(ways[0], ways[0]) if ways else "all",
                "number": options["first"] or options["differ"],
                "names": " ".join(options["topics"] or ()),
                "assessors": options["assessors"],
            },
        )
        if not form.is_valid():
            raise CommandError("\n".join(str(error) for errors in form.errors.values() for error in errors))
        try:
            choice = form.chosen(task)
        except result_pages.CannotAsk as error:
            raise CommandError(str(error)) from error
        work = forecast(task, choice)
        self.stdout.write(
            f"{count(work.questions, 'question')}, {count(work.answers, 'answer')} in batches of "
            f"{task.batch_size}: about {duration(work.hours)} of judging. {work.same} more look the same, "
            f"{work.empty} have an empty page."
        )
        if not options["count"]:
            new = result_pages.ask(task, choice)
            self.stdout.write(f"{count(new, 'question')} more asked from now on.")
