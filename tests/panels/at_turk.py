"""Campaigns on the MTurk emulator, and workers who take HITs there and do them on our pages."""

from datetime import timedelta
from urllib.parse import urlsplit

from django.utils import timezone

from panels import reconciliation
from panels.models import Call, Campaign, Place
from panels.participants import arrivals
from tests.panels.campaigning import Sent, armed
from tests.panels.turk import Worker, client

# No sandbox or production asks for less; the emulator's workers have no history.
EASY = {"approved_least": 0, "approved_percent": 0}


def published(study, number=1, *, settle=True, **given) -> Campaign:
    """A campaign with so many HITs published at the emulator."""
    from panels.recruitment import campaigns

    campaign = armed(study, "mturk", terms=EASY, **given)
    campaigns.publish(campaign.pk, number)
    if settle:
        make_all(campaign)
    campaign.refresh_from_db()
    return campaign


def make_all(campaign: Campaign) -> int:
    """Make the calls that are due, until none is."""
    made = 0
    while tried := reconciliation.make_calls(campaign.pk):
        made += tried
    return made


def due_now() -> None:
    """Let every call that waits for its time be tried now."""
    Call.objects.filter(state__in=["waiting", "doubt"]).update(not_before=timezone.now())


def hits(market) -> list[dict]:
    """All HITs there are, as the API lists them."""
    pages = client(market).get_paginator("list_hits").paginate()
    return [hit for page in pages for hit in page["HITs"]]


def our_hits(market, campaign) -> list[dict]:
    own = f"-{campaign.pk}-{campaign.token[:6]}-"
    return [hit for hit in hits(market) if own in hit.get("RequesterAnnotation", "")]


class Turker(Sent):
    """A worker at the emulator who has accepted a HIT, and sees our page in its frame."""

    def __init__(self, market, worker="AWORKER1", hit="") -> None:
        self.worker = Worker(market, worker)
        # Tests of a file share the emulator: another's HITs lead nowhere.
        own = set(Place.objects.values_list("outside", flat=True))
        self.task = self.worker.accept(hit or next(one for one in self.worker.offers() if one in own))
        self.assignment = self.task["assignmentId"]
        frame = urlsplit(self.task["frame"])
        super().__init__(f"{frame.path}?{frame.query}")

    def hand_in(self):
        """Send the form of the last page to the emulator, as the browser does."""
        entry = arrivals.at(self.home.split("/")[2])
        page = self.look().content.decode()
        assert f'value="{entry.receipt}"' in page, page
        return self.worker.submit(self.assignment, receipt=entry.receipt)

    def do(self, *, wrong=0):
        """Do the whole HIT, here and there."""
        self.work(wrong=wrong)
        return self.hand_in()


def collect(campaign) -> reconciliation.ReconciliationReport:
    """What the beat does: compare, and make the calls that follow."""
    report = reconciliation.reconcile(Campaign.objects.get(pk=campaign.pk))
    make_all(campaign)
    return report


def place_of(campaign) -> Place:
    return Place.objects.get(campaign=campaign)


def shift(monkeypatch, **by) -> None:
    """Let our clock run ahead, in every module that asks `timezone.now`."""
    real = timezone.now
    ahead = timedelta(**by)
    monkeypatch.setattr(timezone, "now", lambda: real() + ahead)
