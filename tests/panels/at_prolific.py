"""Campaigns on the Prolific emulator, and participants who come from there and go back with a code."""

import json
import re
import urllib.error
import urllib.request
from html import unescape
from typing import Any
from urllib.parse import urlsplit

import httpx

from panels.models import Campaign
from panels.recruitment import campaigns
from tests.panels.at_turk import make_all
from tests.panels.campaigning import Sent, armed
from tests.panels.emulated import Emulated


def published(study, number=1, *, settle=True, **given) -> Campaign:
    """A campaign with so many places published at the emulator."""
    campaign = armed(study, "prolific", **given)
    campaigns.publish(campaign.pk, number)
    if settle:
        make_all(campaign)
    campaign.refresh_from_db()
    return campaign


def client(at: Emulated) -> httpx.Client:
    """An HTTP client as it comes, for the API."""
    return httpx.Client(base_url=f"{at.url}/api/v1", headers={"Authorization": "Token of-a-test"}, timeout=30)


class Refused(Exception):
    """The participants' site said no: its status and why."""


def pid(number: int) -> str:
    """The id of a participant."""
    return f"{number:024x}"


class Site:
    """The emulator's site, as one participant uses it."""

    def __init__(self, at: Emulated, participant: str) -> None:
        self.at, self.participant = at, participant

    def ask(self, method: str, path: str) -> Any:
        body = b"" if method == "POST" else None
        request = urllib.request.Request(f"{self.at.url}{path}", body, method=method)
        request.add_header("Accept", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=30) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as refused:
            raise Refused(refused.code, json.load(refused)["error"]) from None

    def offers(self) -> list[str]:
        return [one["id"] for one in self.ask("GET", f"/prolific/{self.participant}/")["studies"]]

    def take(self, study: str = "next") -> Any:
        return self.ask("POST", f"/prolific/{self.participant}/take/{study}")

    def give_back(self, submission: str) -> None:
        self.ask("POST", f"/prolific/{self.participant}/return/{submission}")

    def complete(self, code: str) -> Any:
        return self.ask("GET", f"/submissions/complete?cc={code}&participant={self.participant}")


class Participant(Sent):
    """A participant who has taken a place of a campaign's study, and has come to our page."""

    def __init__(self, market, campaign, number=1) -> None:
        self.site = Site(market, pid(number))
        self.task = self.site.take(campaign.outside)
        self.submission = self.task["submission"]
        there = urlsplit(self.task["address"])
        super().__init__(f"{there.path}?{there.query}")

    def code(self) -> str:
        """The code with which the last page leads back."""
        page = self.look().content.decode()
        found = re.search(r'href="([^"]+/submissions/complete\?cc=([^"]+))"', page)
        assert found, page
        assert unescape(found[1]).startswith(self.site.at.url)
        return found[2]

    def go_back(self):
        return self.site.complete(self.code())

    def do(self, *, wrong=0):
        """Do the whole batch, here and there."""
        self.work(wrong=wrong)
        return self.go_back()
