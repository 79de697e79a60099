"""`manage.py assessor STUDY USERNAME ...`: make people with accounts assessors of a study."""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from collection.commands import add_study, named_study
from collection.models import Membership
from collection.study import lifecycle


class Command(BaseCommand):
    help = "Make people with accounts assessors of a study: they log in, and see their queue over its topics."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_study(parser)
        parser.add_argument("names", nargs="+", metavar="USERNAME", help="see `manage.py account make`")
        parser.add_argument("--remove", action="store_true", help="take their part away; answers stay")

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        for name in options["names"]:
            user = User.objects.filter(username=name).first()
            if user is None:
                raise CommandError(f"No account is called {name!r}. Nobody's part was changed.")
            part = study.members.filter(user=user).first()
            if part is not None and part.role != Membership.Role.ASSESSOR:
                raise CommandError(f"{name} is {part.role} of {study.slug}. Nobody's part was changed.")
            if options["remove"]:
                lifecycle.remove_member(study.pk, user.pk)
            else:
                lifecycle.set_member(study.pk, user.pk, Membership.Role.ASSESSOR)
        done = "no assessor any more" if options["remove"] else "assessor"
        self.stdout.write(f"Of {study.slug}, {done}: {', '.join(options['names'])}.")
