"""The page "Can the judgments be trusted?": agreement, bias, consistency and time, overall and per person."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.core.paginator import Paginator
from django.db.models import OuterRef
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collection.models import Study
from judging.assessor_names import assessor_name
from judging.models import Assessor, Assignment, Decision, Task
from scoring.compute.answer_stats import AnswerFigures
from scoring.compute.trust_figures import Agreement, OfTask, PersonTrust, Trust
from web.shared import waiting_pages
from web.shared.access import for_members, steers
from web.shared.latest_trust import FEW, hasty, latest_trust, percent
from web.shared.phrases import count
from web.shared.task_words import SCALES

if TYPE_CHECKING:
    from prefir.measures import Transitivity

A_PAGE = 50
# How many excluded people are listed.
EXCLUDED = 100
KINDS = {"pair": "Pairs", "pages": "Result pages", "pick": "Picks", "grade": "Grades"}
# Thresholds of alpha in Krippendorff, Content Analysis (2004), 11.4: reliable data, tentative conclusions.
RELIABLE, TENTATIVE = 0.8, 0.667

# Sort orders of the list of people: title and sort key. People whose key is None come last.
SORTS: dict[str, tuple[str, Callable[[PersonTrust], Any]]] = {
    "failing": ("Challenges failed", lambda one: None if one.failing is None else -one.failing),
    "agree": ("Agree with others, least first", lambda one: one.agree),
    "left": ("Most uneven sides", lambda one: None if one.left is None else -abs(one.left - 0.5)),
    "same": ("Same again, least first", lambda one: one.same),
    "seconds": ("Fastest", lambda one: one.seconds),
    "ties": ("Most ties", lambda one: None if one.ties is None else -one.ties),
    "answers": ("Most answers", lambda one: -one.answers),
    "name": ("Name", lambda one: one.name),
}


@for_members
@require_safe
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the figures last computed.

    If judgments have come since, a job recomputes them; few judgments are recomputed at once. Otherwise nine
    queries at most with those of the login.
    """
    told: dict[str, object] = {"study": study, "stretch_width": BAR}
    if not Assignment.objects.filter(task__study=study).exists():
        return render(request, "coordinator/trust.html", told | {"empty": True})
    found, newer = latest_trust(study)
    if found is None:
        return waiting_pages.looks_again(request, "coordinator/trust.html", told)
    kinds = {task.pk: task for task in Task.objects.filter(study=study)}
    own = found.value.trust
    told |= {
        "empty": not own.all.answers,
        "at": found.at,
        "newer": newer,
        "answer": answer(own, kinds),
        "all": own.all,
        "agreements": [(_named(one.task, kinds), one, _strengths(kinds[one.task])) for one in own.agreements],
        "triples": _triples(own.triples),
        "tasks": [(_named(pk, kinds), figures) for pk, figures in own.tasks.items()],
        "between": own.between,
        "challenges": own.challenges,
        "stretches": _stretches(own.stretches),
        "excluded": _excluded(study),
        "excluded_most": EXCLUDED,
        "steers": steers(study),
        **_people(request, own.people),
    }
    return render(request, "coordinator/trust.html", told)


def _excluded(study: Study) -> list[tuple[str, datetime | None, bool]]:
    """Return who was excluded, latest first: name, time, and whether challenges decided it, not a person."""
    last = Decision.objects.filter(assessor=OuterRef("pk"), what=Decision.What.EXCLUDED).order_by("-pk")
    out = Assessor.objects.filter(study=study, excluded_at__isnull=False).annotate(by=last.values("by")[:1])
    return [
        (assessor_name(one.panel, one.label, one.pk), one.excluded_at, one.by is None)
        for one in out.order_by("-excluded_at")[:EXCLUDED]
    ]


def _strengths(task: Task) -> bool:
    """Return True if answers of a task say how much better something is."""
    return task.way.graded(task.scale)


def _named(task: int, tasks: dict[int, Task]) -> str:
    kind, scale = tasks[task].kind, tasks[task].scale
    said = SCALES.get(("pair" if kind == "pages" else kind, scale), scale)
    return f"{KINDS.get(kind, kind)}: {said}"


def answer(own: Trust, tasks: dict[int, Task]) -> tuple[str, list[str]]:
    """Return a sentence on whether the judgments can be trusted, and further sentences that support it."""
    best = widest_agreement(own)
    rests: list[str] = []
    if best is not None and best[0].all_same:
        asked = count(best[0].questions, "question")
        first = (
            f"Every answer to {asked} that two people or more answered is the same. "
            "Krippendorff’s α has no value then, since agreement by chance is 1."
        )
    elif best is None or best[0].alpha is None:
        first = "It cannot be told yet whether people agree: too few questions were answered by two of them."
    else:
        how, asked = _agreement_word(best[0]), count(best[0].questions, "question")
        of = (
            f" on {KINDS.get(tasks[best[1].task].kind, 'answers').lower()}" if len(own.agreements) > 1 else ""
        )
        first = (
            f"People say the same{of} in {percent(best[0].raw)} of the cases where two answered one of "
            f"{asked}; "
            f"Krippendorff’s α is {best[0].alpha:.3f}, {how}."
        )
    if own.all.left.share is not None and own.all.left.percents is not None and own.all.left_p is not None:
        low, high = own.all.left.percents
        side = "no more" if own.all.left_p >= 0.05 else "more"
        rests.append(
            f"The left was chosen {percent(own.all.left.share)} of the time "
            f"(95 % interval {low} to {high} %), {side} uneven than chance explains."
        )
    if own.all.repeated.share is not None:
        again = count(own.all.repeated.every, "pair")
        rests.append(f"Of {again} asked again, {percent(own.all.repeated.share)} were answered the same.")
    if own.challenges.share is not None:
        rests.append(f"Of the challenges, {percent(own.challenges.share)} were answered wrongly.")
    if share := hasty(own.all):
        rests.append(f"{share} of the answers came faster than a reader could be.")
    return first, rests


def widest_agreement(own: Trust) -> tuple[Agreement, OfTask] | None:
    """Return the agreement on most questions, with its task: strong and weak preference taken together."""
    told = [(one.merged or one.given, one) for one in own.agreements]
    return max(told, key=lambda line: line[0].questions, default=None)


def _agreement_word(own: Agreement) -> str:
    """Return in words what alpha means; draw no conclusion from fewer than FEW questions."""
    alpha = own.alpha or 0.0
    if own.questions < FEW:
        return "though of too few questions to rely on"
    if alpha >= RELIABLE:
        return "enough to rely on single answers"
    if alpha >= TENTATIVE:
        return "enough for tentative conclusions from single answers"
    if alpha > 0:
        return (
            "more than by chance, but too little to rely on single answers; several of them together say more"
        )
    return "no more than by chance"


def _triples(found: "Transitivity") -> list[tuple[str, int, int, float]]:
    """Return table lines (kind, transitive triples, all triples, share), without kinds that never occur."""
    titles = {"asym": "no tie", "s2a": "one tie", "s2s": "two or three ties"}
    lines = [(title, *getattr(found, kind), found.share(kind)) for kind, title in titles.items()]
    some, every = (sum(line[i] for line in lines) for i in (1, 2))
    lines.append(("all", some, every, found.share()))
    return [line for line in lines if line[2]]


BAR = 120


@dataclass(frozen=True)
class Stretch:
    """A stretch of answers: first and last number, its figures, and the lengths of its bars (0 to BAR)."""

    first: int
    last: int
    own: AnswerFigures
    agree: int
    seconds: int


def _stretches(parts: Sequence[tuple[int, AnswerFigures]]) -> list[Stretch]:
    longest = max((own.middle or 0 for _, own in parts), default=0) or 1
    return [
        Stretch(
            start + 1,
            start + own.answers,
            own,
            round(BAR * (own.agreement or 0)),
            round(BAR * (own.middle or 0) / longest),
        )
        for start, own in parts
    ]


def _people(request: HttpRequest, people: Sequence[PersonTrust]) -> dict[str, object]:
    find = request.GET.get("find", "").strip()
    sort = request.GET.get("sort", "")
    sort = sort if sort in SORTS else "failing"
    of = SORTS[sort][1]
    wanted = [one for one in people if find.casefold() in one.name.casefold()]
    # The first element sorts unknown values last, so that None is never compared.
    wanted.sort(key=lambda one: ((value := of(one)) is None, value if value is not None else 0, one.pk))
    return {
        "find": find,
        "sort": sort,
        "sorts": [(name, title) for name, (title, _) in SORTS.items()],
        "page": Paginator(wanted, A_PAGE).get_page(request.GET.get("page")),
        "flagged": sum(one.flagged for one in people),
        "people_all": len(people),
    }
