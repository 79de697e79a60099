"""`manage.py rotateids`: encrypt panels' ids and e-mail addresses with the first of the keys."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from panels import encryption
from panels.participants import people


class Command(BaseCommand):
    help = (
        "Encrypt the ids that panels have for people, and e-mail addresses, with the first key of "
        "PANEL_ID_KEYS. People may work meanwhile. Afterwards the keys between the first and the last are "
        "needed no more; the last stays, since by it people are found again."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            ids, addresses = people.rotate()
        except encryption.WrongKey as error:
            raise CommandError(f"{error} What was encrypted anew before stays so.") from error
        except people.WrongLastKey as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"Encrypted with the first key: {ids:,} id{'s' * (ids != 1)} of panels, "
            f"{addresses:,} e-mail address{'es' * (addresses != 1)}."
        )
