"""`manage.py ids STUDY --why REASON`: show panels' ids of a study's people; each showing is stored."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from collection.commands import add_study, named_study
from judging.assessor_names import assessor_name
from judging.people import person_names
from panels import encryption
from panels.participants import people
from prefir.formats import defused


class Command(BaseCommand):
    help = (
        "Show the ids that panels have for a study's people, beside the name of each in the ledger, and last "
        "their name on pages: tab-separated. Each showing is stored with its reason, for good; --shown lists "
        "who was shown which, and why."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_study(parser)
        parser.add_argument("--why", default="", help="what the ids are needed for")
        parser.add_argument(
            "--assessor", type=int, metavar="N", help="one person alone: the number in the name of the ledger"
        )
        parser.add_argument("--shown", action="store_true", help="list who was shown ids, not the ids")

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        known = people.known_as(study, options["assessor"])
        names = {person.pk: assessor_name(one.panel, one.label, one.pk) for person, one in known.items()}
        on_pages = person_names.names(study, [one.pk for one in known.values()], labels=True)
        shown_as = {person.pk: defused(on_pages[one.pk]) for person, one in known.items()}
        if options["shown"]:
            for row in people.showings(study).filter(person__in=names).order_by("pk"):
                at = row.created_at.strftime("%Y-%m-%dT%H:%M:%SZ")
                told = (at, names[row.person_id], defused(row.actor), defused(row.why))
                self.stdout.write("\t".join((*told, shown_as[row.person_id])))
            return
        if not options["why"].strip():
            raise CommandError('Say what the ids are needed for: --why "…". It is stored with each showing.')
        if not known:
            self.stderr.write("Nobody of this study came by a panel.")
        for person in known:
            try:
                shown = people.view(person, None, options["why"]) or "destroyed"
            except encryption.WrongKey as error:
                raise CommandError(str(error)) from error
            told = (names[person.pk], person.panel, person.environment, defused(shown))
            self.stdout.write("\t".join((*told, shown_as[person.pk])))
