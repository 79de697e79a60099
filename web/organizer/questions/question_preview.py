"""Questions as assessors see them, for organizers: each subject's text as rendered, or its picture."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from collection.material.pictures import medium_of
from collection.models import Item, Run, Study
from judging.models import Question, Task
from judging.tasks import KINDS
from web.judging_page.trial import placements
from web.shared import tokens
from web.shared.typesetting import shows_nothing, typeset


@dataclass(frozen=True)
class PreviewSide:
    """A subject of a question, at its position.

    better: whether the known answer prefers it. chosen: whether the given answer does. rows: the items of a
    result page, row by row; in a list each row holds one item.
    """

    name: str  # as organizers know it: the docno, or the run
    text: Markup
    letters: int
    picture: str  # a token of its picture or recording; "" where there is none
    width: int | None
    height: int | None
    medium: str = ""  # of what the token is for
    better: bool = False
    chosen: bool = False
    rows: Sequence[Sequence["PreviewSide"]] = ()

    @property
    def empty(self) -> bool:
        """Whether the text shows nothing."""
        return bool(self.text) and shows_nothing(self.text)


def subjects(study: Study, questions: Iterable[Question]) -> dict[int, list[PreviewSide]]:
    """Return the subjects of each question in the question's own order, by question id.

    The questions must come with their tasks (select_related). Each item's text is rendered once.
    """
    of_runs: dict[Task, list[Question]] = defaultdict(list)
    ids: set[int] = set()
    questions = list(questions)
    for question in questions:
        if KINDS[question.task.kind].about == "run":
            of_runs[question.task].append(question)
            ids.update(item for page in _made(question) for item in page)
        else:
            ids.update(question.subject_ids)
    cells: dict[tuple[int, int, int], list[Placed]] = {}
    names: dict[int, str] = {}
    for task, own in of_runs.items():
        runs = {run for question in own for run in question.subject_ids}
        names |= dict(Run.every.filter(pk__in=runs).values_list("pk", "name"))
        placed = placements(task, runs, {question.topic_id for question in own})
        for one in placed.values_list("topic_id", "run_id", "item_id", "row"):
            cells.setdefault((task.pk, *one[:2]), []).append(one[2:])
            ids.add(one[2])
    items = {item.pk: _item(study, item) for item in Item.objects.filter(pk__in=ids)}
    found = {}
    for question in questions:
        if question.task in of_runs:
            at = (question.task_id, question.topic_id)
            pages = _filled([cells.get((*at, run), []) for run in question.subject_ids], _made(question))
            found[question.pk] = [
                PreviewSide(names[run], Markup(""), 0, "", None, None, rows=_rows(page, items))
                for run, page in zip(question.subject_ids, pages, strict=True)
            ]
        else:
            found[question.pk] = [items[item] for item in question.subject_ids]
    return found


# An item's id and the row in which a run places it (None in a list).
Placed = tuple[int, int | None]


def _made(question: Question) -> list[list[int]]:
    """Return the items with which a challenge fills the cells of its runs; [] for other questions."""
    return question.expected["pages"] if question.expected else []


def _filled(pages: list[list[Placed]], made: list[list[int]]) -> list[list[Placed]]:
    if not made:
        return pages
    return [
        [(item, row) for item, (_, row) in zip(own, page, strict=False)]
        for own, page in zip(made, pages, strict=True)
    ]


def _rows(page: list[Placed], items: dict[int, PreviewSide]) -> list[list[PreviewSide]]:
    rows: list[list[PreviewSide]] = []
    last: int | None = None
    for item, row in page:
        if row is None or row != last or not rows:
            rows.append([])
        rows[-1].append(items[item])
        last = row
    return rows


def _item(study: Study, item: Item) -> PreviewSide:
    pictured = study.shows_file(item.image.name, item.text)
    return PreviewSide(
        name=item.docno,
        text=Markup("") if pictured else typeset(item.text, study.set_as),
        letters=0 if pictured else len(item.text),
        picture=tokens.sign_image(item.pk) if pictured else "",
        medium=medium_of(item.image.name) if pictured else "",
        width=item.width,
        height=item.height,
    )
