"""Questions as assessors see them, for organizers: each subject's text as it is set, or its picture."""

from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from collection.models import Item, Run, Study
from judging.models import Question
from judging.tasks import KINDS
from web import tokens
from web.typesetting import typeset


@dataclass(frozen=True)
class Side:
    """A subject of a question, in its place. better: whether the known answer prefers it; chosen: whether the
    answer does.
    """

    name: str  # as organizers know it: the docno, or the run
    text: Markup
    letters: int
    picture: str  # an image token; "" where there is none
    width: int | None
    height: int | None
    better: bool = False
    chosen: bool = False


def subjects(study: Study, questions: Iterable[Question]) -> dict[tuple[str, int], Side]:
    """The subjects of these questions by what they are and their ids. Two queries; their tasks are read.

    Cost grows with the texts of these questions, which are set once each.
    """
    ids: dict[str, set[int]] = {"item": set(), "run": set()}
    for question in questions:
        ids[KINDS[question.task.kind].about].update(question.subject_ids)
    found = {("item", item.pk): _item(study, item) for item in Item.objects.filter(pk__in=ids["item"])}
    if ids["run"]:
        for run in Run.every.filter(pk__in=ids["run"]):
            found["run", run.pk] = Side(run.name, Markup(""), 0, "", None, None)
    return found


def _item(study: Study, item: Item) -> Side:
    pictured = bool(item.image) and (study.kind == Study.Kind.IMAGE or not item.text)
    return Side(
        name=item.docno,
        text=Markup("") if pictured else typeset(item.text, study.markup),
        letters=0 if pictured else len(item.text),
        picture=tokens.sign_image(item.pk) if pictured else "",
        width=item.width,
        height=item.height,
    )
