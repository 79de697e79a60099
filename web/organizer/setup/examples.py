"""The page that chooses the examples in a task's instructions, and its practice questions."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from collection import audit_log
from collection.models import Item, Study
from judging.batches import examples
from judging.batches.examples import AS_PRACTICE, IN_INSTRUCTIONS, LONGEST, Example
from judging.models import Task
from judging.questions import texts
from judging.tasks.pair import Pair
from judging.tasks.pick import Pick
from web.shared import tokens
from web.shared.access import for_organizers
from web.shared.view_choices import choice_of

USES = ("", IN_INSTRUCTIONS, AS_PRACTICE)
MOST = {IN_INSTRUCTIONS: 4, AS_PRACTICE: 4}


@dataclass
class ExampleChoice:
    """A question with a known answer that the page offers.

    better: the better or best item, or the graded item. others: the other items, [] for a grade.
    """

    example: Example
    topic: str
    better: Item
    others: list[Item]
    error: str = ""

    @property
    def key(self) -> str:
        """The suffix of its form fields."""
        return self.example.key.replace(" ", "-")

    @property
    def sides(self) -> list[tuple[str, Item, str]]:
        """Its items, the better one first: what each is called, and a token of its file or ""."""
        if not self.others:
            first = f"Grade {self.example.expected['grade']:g}"
        else:
            first = "Best" if len(self.others) > 1 else "Better"
        named = [(first, self.better), *(("Other", item) for item in self.others)]
        return [(name, item, tokens.sign_image(item.pk) if item.image else "") for name, item in named]


@for_organizers
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show and store the examples and practice questions of a task; `?asks=` is its kind."""
    asks = choice_of(request.GET, "asks", examples.KINDS, Pair.name)
    task = Task.objects.filter(study=study, kind=asks).select_related("study").first()
    choices = _choices(task) if task else []
    problem = ""
    if request.method == "POST" and task:
        chosen = [_sent(choice, request) for choice in choices]
        change = request.POST.get("change", "").strip()[:200]
        problem = _problem(study, choices, chosen, change)
        if not problem:
            _store(task, [one for one in chosen if one.use], change)
            messages.success(request, "The examples and practice questions are saved.")
            return redirect(f"{reverse('examples', args=[study.slug])}?asks={asks}")
        choices = [
            ExampleChoice(new, old.topic, old.better, old.others, old.error)
            for new, old in zip(chosen, choices, strict=True)
        ]
    chosen_first = sorted(choices, key=lambda choice: not choice.example.use)
    context: dict[str, Any] = {"study": study, "task": task, "asks": asks, "choices": chosen_first}
    context |= {"chosen": [choice for choice in choices if choice.example.use]}
    context |= {"problem": problem, "change": request.POST.get("change", ""), "longest": LONGEST}
    return render(request, "organizer/examples.html", context)


def _choices(task: Task) -> list[ExampleChoice]:
    found = examples.candidates(task)
    items = examples.items_of(found)
    made = []
    for one in found:
        if any(pk not in items for pk in one.subjects):
            continue
        others = [items[pk] for pk in one.subjects]
        best = 0
        if task.kind == Pair.name:
            best = int(one.expected < 0)
        elif task.kind == Pick.name:
            best = one.expected["best"]
        better = others.pop(best)
        made.append(ExampleChoice(one, better.topic.text, better, others))
    return made


def _sent(choice: ExampleChoice, request: HttpRequest) -> Example:
    use = request.POST.get(f"use-{choice.key}", "")
    why = " ".join(request.POST.get(f"why-{choice.key}", "").split())[:LONGEST].rstrip(".")
    return choice.example._replace(use=use if use in USES else "", why=why)


def _problem(study: Study, choices: list[ExampleChoice], chosen: list[Example], change: str) -> str:
    """Return what has to be corrected, in a sentence, or ""; set `error` on choices without a reason."""
    for choice, one in zip(choices, chosen, strict=True):
        if one.use and not one.why:
            choice.error = "Say why: assessors learn from the reason."
    if any(choice.error for choice in choices):
        return "Say why, for each question that you chose."
    for use, most in MOST.items():
        if sum(one.use == use for one in chosen) > most:
            return f"Choose at most {most} of each: nobody reads more."
    if study.opened_at and not change:
        return "Say in a sentence what changes: people may have read the older examples."
    return ""


@transaction.atomic
def _store(task: Task, chosen: list[Example], change: str) -> None:
    """Store a task's examples; once judging is open, as a new version of its texts."""
    # Locked so that the study cannot be opened between the check and the change.
    study = Study.objects.select_for_update().get(pk=task.study_id)
    before, after = task.examples, examples.stored(chosen)
    if before == after:
        return
    if study.opened_at:
        texts.put_on_record(study.pk)
    task.examples = after
    task.save(update_fields=["examples"])
    if study.opened_at:
        texts.renew(study.pk, change)
    else:
        told: dict[str, Any] = {"before": {"examples": before}, "after": {"examples": after}}
        audit_log.note(
            study.pk, audit_log.What.SETTINGS, about=f"examples and practice ({task.kind})", **told
        )
    examples.keep_out(task)
