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
    """One step: number, words, address, and whether it is the current one."""

    number: int
    title: str
    address: str
    here: bool


def steps(study: Study | None, here: str) -> list[Step]:
    """The steps of a study being set up; none once it is open.

    here: the name of the current page. Steps of a study that does not exist yet have no address.
    """
    if study is not None and study.opened_at:
        return []
    return [
        Step(number, title, reverse(name, args=[study.slug]) if study else "", name == here)
        for number, (name, title) in enumerate(STEPS, 1)
    ]
