"""Campaigns for tests, and people whom a panel sends: they use pages as a browser without scripts does."""

import re
from decimal import Decimal
from html import unescape

from judging.models import Assignment
from panels import money
from panels.models import Campaign
from panels.participants import arrivals
from panels.recruitment import campaigns
from panels.terms import terms_hash
from tests.judging.visiting import Visitor, agreeing, side_of_known

LINK = {
    "finish": "code",
    "code_completed": "FINISHED-1234",
    "code_failed": "FINISHED-5678",
    "code_nothing_left": "NOTHING-1234",
}


def campaign_of(study, panel="link", *, cap="100", places=10, terms=None, **given) -> Campaign:
    """A draft whose study has a cap; on the panel of links unless said otherwise."""
    study.asked_by, study.contact = "Ada", "ada@example.org"
    study.save(update_fields=["asked_by", "contact"])
    own = dict(LINK) if panel == "link" else {}
    given = {"reward": Decimal("2.00")} | given
    made = campaigns.new(study, panel, places=places, terms=own | (terms or {}), **given)
    money.set_cap(made, Decimal(cap))
    return made


def armed(study, panel="link", **given) -> Campaign:
    """A campaign that is armed on its estimate."""
    made = campaign_of(study, panel, **given)
    return campaigns.arm(made.pk, terms_hash(made))


def running(study, panel="link", *, publish=10, **given) -> Campaign:
    """A campaign with so many places published."""
    made = armed(study, panel, **given)
    campaigns.publish(made.pk, publish)
    made.refresh_from_db()
    return made


class Sent:
    """Somebody whom a panel sent, at a browser that never has a cookie."""

    def __init__(self, address: str) -> None:
        self.client = Visitor()
        self.address = address
        self.home = ""
        self.arrived = self.open()

    def open(self):
        """Come by the panel's address; the page that follows."""
        response = self.client.get(self.address)
        if response.status_code == 303:
            self.home = response["Location"]
            response = self.client.get(self.home)
        return response

    def look(self):
        return self.client.get(self.home)

    def begin(self):
        entry = arrivals.at(self.home.split("/")[2])
        return self.client.post(self.home, agreeing(entry.campaign.study))

    @property
    def token(self) -> str:
        """The token of the form on the own page."""
        return token_on(self.look())

    def batch(self) -> Assignment:
        return Assignment.objects.get(pk=int(re.split("[_:]", self.token)[0]))

    def answer(self, *, wrong=0, most=99, token="", seconds="1.5") -> list[int]:
        """Answer the open batch, with so many challenges wrong; the statuses of the replies."""
        token = token or self.token
        batch = Assignment.objects.get(pk=int(re.split("[_:]", token)[0]))
        statuses = []
        for place in list(batch.batch.all())[:most]:
            side = side_of_known(place)
            if place.role == "challenge" and wrong:
                side, wrong = ("right" if side == "left" else "left"), wrong - 1
            form = {"token": token, "position": place.position, "choice": side, "seconds": seconds}
            statuses.append(self.client.post("/answer/", form).status_code)
        return statuses

    def send(self):
        return self.client.post("/submit/", {"token": self.token})

    def work(self, *, wrong=0):
        """Do all of it; the last page."""
        assert self.begin().status_code == 303
        self.answer(wrong=wrong)
        assert self.send().status_code == 303
        return self.look()


def token_on(response) -> str:
    """The token in a page's form."""
    found = re.search(r'name="token" value="([^"]+)"', response.content.decode())
    assert found, response.content.decode()[:2000]
    return unescape(found[1])


def link_address(campaign, person="p1", session="s1") -> str:
    terms = campaign.terms
    return f"/p/{campaign.token}/?{terms['person_parameter']}={person}&{terms['session_parameter']}={session}"
