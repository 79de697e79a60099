"""Visiting the assessor's pages as a browser without JavaScript does, watching for cookies."""

import re

from django.test import Client

from collection.models import Study
from judging.models import Assessor, Assignment, Task
from web.judging_page import offers
from web.shared import tokens

JSON = {"accept": "application/json"}


class Visitor(Client):
    """A browser that holds stale cookies of its own, and is never given one."""

    def request(self, **request):
        self.cookies["sessionid"] = "of-a-session-that-is-gone"
        response = super().request(**request)
        sent = {morsel.OutputString() for morsel in response.cookies.values()}
        assert not sent, f"{request.get('PATH_INFO')} sets {sent}"
        return response


def agreeing(where: str | Study, **more) -> dict:
    """The fields of the form that begins a batch, of a page that shows the texts of now.

    where: a study, or a personal address. A person who is not stored yet belongs to the only study.
    """
    known = None
    if isinstance(where, str):
        known = Assessor.objects.filter(reference=where.split("/")[2]).first()
        where = known.study if known else Study.objects.get()
    offered = offers.offer(where, known)
    task = offered.task if offered else Task.objects.filter(study=where)[0]
    return {"action": "begin", "task": task.pk, "version": task.version} | more


def begin(visitor, address) -> Assignment:
    """Agree and begin; the open assignment."""
    response = visitor.post(address, agreeing(address))
    assert response.status_code == 303
    return Assignment.objects.get(assessor__reference=address.split("/")[2], state="working")


def form(assignment, place, side="left", **more) -> dict:
    """The fields that the page posts for a question of a batch."""
    token = tokens.sign_assignment(assignment.pk)
    return {"token": token, "position": place.position, "choice": side, "seconds": "1.5"} | more


def side_of_known(place) -> str:
    """The side on which the expected item (a) of a challenge stands; left for other questions."""
    return "left" if place.shown == "01" or place.role == "counts" else "right"


def answer_all(visitor, assignment, wrong=False) -> None:
    """Answer a whole batch, its challenges rightly or all wrongly."""
    for place in assignment.batch.all():
        side = side_of_known(place)
        if wrong and place.role == "challenge":
            side = "right" if side == "left" else "left"
        assert visitor.post("/answer/", form(assignment, place, side)).status_code == 303


def send(visitor, assignment, **headers):
    return visitor.post("/submit/", {"token": tokens.sign_assignment(assignment.pk)}, headers=headers)


def as_anybody(response) -> bytes:
    """A page as two people get it who came at different times and have receipts of different numbers."""
    own = rb"""<time [^>]*>[^<]*</time>|data-sent="[^"]*\"|(?<=data-copied>)\d+-\d{4}"""
    return re.sub(own, b"", response.content)


def text_of(response) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def without_receipt(text: str) -> str:
    """The text of a page after a batch without what is the batch's own: when it was sent, and its number."""
    return re.sub(r"(?:Sent \d\d:\d\d UTC )?Number \d+-\d{4}", "", text)
