"""Studies that ask for result pages, for tests: runs that place items in lists and in grids."""

from collections.abc import Mapping, Sequence

from django.utils import timezone

from collection.models import Item, Placement, Run, Study
from judging.models import Assignment, Task
from judging.questions import result_pages
from judging.tasks.serp import PageSettings
from tests.judging.visiting import Visitor, begin, form, send
from tests.makers import add_items, add_run, invite, make_study

ITEMS = [f"DOCNO-{letter}" for letter in "abcdefgh"]
# Of each run what it ranks: b and d are on both pages, d at the same rank.
RUNS = {"SECRET-oak": ["a", "b", "c", "d"], "SECRET-elm": ["b", "e", "f", "d"]}
# Rows of differing length.
GRIDS = {"SECRET-oak": ["abc", "d"], "SECRET-elm": ["b", "efg", "dh"]}


def paged_study(
    *,
    topics: int = 1,
    runs: Mapping[str, Sequence[str]] = RUNS,
    grades: Mapping[str, float] | None = None,
    opened: bool = True,
    **fields,
) -> tuple[Study, Task]:
    """A study, open by default, whose only task asks for result pages: nothing is asked yet."""
    kind = fields.pop("kind", Study.Kind.TEXT)
    study = make_study(topics=topics, items=0, junk=0, kind=kind)
    for topic in study.topics.all():
        known = {f"DOCNO-{letter}": grade for letter, grade in (grades or {}).items()}
        add_items(topic, {docno: known.get(docno) for docno in ITEMS})
    for name, ranked in runs.items():
        if any(len(row) != 1 for row in ranked):
            add_grid(study, name, ranked)
        else:
            names = list(study.topics.values_list("name", flat=True))
            add_run(study, name, {topic: [f"DOCNO-{letter}" for letter in ranked] for topic in names})
    task = result_pages.usual(study)
    task.position = 0
    task.settings = {name: fields.pop(name) for name in PageSettings.model_fields() if name in fields}
    for name, value in ({"batch_challenges": 0} | fields).items():
        setattr(task, name, value)
    task.save()
    if opened:
        Study.objects.filter(pk=study.pk).update(opened_at=timezone.now())
    study.refresh_from_db()
    return study, Task.objects.select_related("study").get(pk=task.pk)


def add_grid(study: Study, name: str, rows: Sequence[str]) -> Run:
    """A run that places items in these rows, for every topic."""
    run = Run.objects.create(study=study, name=name, topics=study.topics.count())
    for topic in study.topics.all():
        items = {item.docno: item for item in Item.objects.filter(topic=topic)}
        cells = [(r, c, letter) for r, row in enumerate(rows) for c, letter in enumerate(row)]
        Placement.objects.bulk_create(
            Placement(
                run=run,
                topic=topic,
                item=items[f"DOCNO-{letter}"],
                rank=rank,
                row=r,
                column=c,
                row_length=len(rows[r]),
            )
            for rank, (r, c, letter) in enumerate(cells, 1)
        )
    return run


def ask_all(task: Task) -> int:
    """Ask for all pairs of runs on all topics."""
    topics = list(task.study.topics.order_by("pk").values_list("pk", flat=True))
    return result_pages.ask(task, result_pages.choose(task, result_pages.every_pair(task.study), topics))


def prefer(study: Study, winners: Mapping[str, str | None], *, definitely: bool = False) -> Assignment:
    """Somebody new answers a batch as its page posts: by topic the run that is preferred, None for a tie."""
    visitor = Visitor()
    assignment = begin(visitor, f"/i/{invite(study).reference}/")
    names = dict(Run.every.values_list("pk", "name"))
    for place in assignment.batch.select_related("question__topic"):
        runs = [names[pk] for pk in place.question.subject_ids]
        winner = winners[place.question.topic.name]
        side = "tie"
        if place.role == "challenge":
            better = "0" if (place.question.expected or {})["lean"] > 0 else "1"
            side = ("left", "right")[place.shown.index(better)]
        elif winner is not None:
            side = ("left", "right")[place.shown.index(str(runs.index(winner)))]
            side = f"definitely-{side}" if definitely else side
        given = form(assignment, place, side, kind="pages")
        assert visitor.post("/answer/", given).status_code == 303
    assert send(visitor, assignment).status_code == 303
    return Assignment.objects.get(pk=assignment.pk)
