"""The six steps from files to the first judgment, and which of them are done."""

from dataclasses import dataclass

from django.urls import reverse

from collection.models import Study

STEPS = (
    ("study-settings", "Name and question"),
    ("files", "Files"),
    ("study-seen", "Preview"),
    ("people", "People"),
    ("tournament-start", "Open"),
    ("study-send", "Judge"),
)


@dataclass(frozen=True)
class Step:
    """One step: its number, title and address, and whether it is the page shown (`here`)."""

    number: int
    title: str
    address: str
    here: bool


def steps(study: Study | None, here: str) -> list[Step]:
    """Return the steps of a study that is being set up; [] once it is open.

    here: the URL name of the page shown. Without a study (it is yet to be created) the addresses are "".
    """
    if study is not None and study.opened_at:
        return []
    return [
        Step(number, title, reverse(name, args=[study.slug]) if study else "", name == here)
        for number, (name, title) in enumerate(STEPS, 1)
    ]
