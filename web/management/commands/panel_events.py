"""`manage.py panel_events prolific`: have Prolific say at once what changes, by webhooks."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from panels.base import Unavailable, WrongAccount


class Command(BaseCommand):
    help = "Subscribe this server to the events of a panel's account, and print the secret that signs them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("panel", choices=["prolific"])
        parser.add_argument("--workspace", default="", help="its id, where the account has several")

    def handle(self, *_: Any, workspace: str, **options: Any) -> None:
        from panels.prolific import webhook_subscriptions

        address = settings.PUBLIC_URL.rstrip("/") + reverse("prolific-events")
        try:
            secret = webhook_subscriptions.subscribe(address, workspace)
        except (Unavailable, WrongAccount) as error:
            raise CommandError(f"Prolific did not take it: {error}") from error
        self.stdout.write(
            f"Events are sent to {address}. Set this for the server and its workers, and start them again:\n"
            f"PROLIFIC_WEBHOOK_SECRET={secret}"
        )
