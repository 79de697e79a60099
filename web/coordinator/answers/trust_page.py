"""The page "Can the judgments be trusted?": doubtful judgments, agreement, bias, time, people."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from django.core.paginator import Paginator
from django.db.models import OuterRef
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from collection.models import Study
from judging.models import Assessor, Assignment, Decision, Task
from judging.people import person_names
from scoring.analysis.leave_one_out import Influence
from scoring.compute.answer_stats import AnswerFigures, AnswerReport
from scoring.compute.trust_figures import Agreement, PersonTrust, Trust
from scoring.quality.trust import TRUST, TrustFigures
from web.coordinator.answers import doubtful_judgments, leave_one_out, trust_verdict
from web.shared import waiting_pages
from web.shared.access import for_members, steers
from web.shared.influence_sentences import lead_said, without, without_person
from web.shared.latest_trust import (
    FEW,
    RELIABLE,
    TENTATIVE,
    alpha_told,
    hasty,
    latest_trust,
    named_people,
    people_like_programs,
    percent_told,
    widest_agreement,
)
from web.shared.objections import doubted_people, objections_to_people
from web.shared.phrases import count, percent
from web.shared.task_words import NAMES, SCALES
from web.shared.view_choices import choice_of

if TYPE_CHECKING:
    from prefir.measures import Transitivity

TEMPLATE = "coordinator/trust.html"
A_PAGE = 10
# How many excluded people are listed, and how many to look at are named below the verdict.
EXCLUDED, NAMED = 100, 3

# Sort orders of the list of people: title and sort key. People whose key is None come last.
SORTS: dict[str, tuple[str, Callable[[PersonTrust], Any]]] = {
    "failing": ("Challenges failed", lambda one: None if one.failing is None else -one.failing),
    "agree": ("Agree with others, least first", lambda one: one.agree),
    "left": ("Most uneven sides", lambda one: None if one.left is None else -abs(one.left - 0.5)),
    "same": ("Same again, least first", lambda one: one.same),
    "seconds": ("Fastest", lambda one: one.seconds),
    "ties": ("Most ties", lambda one: None if one.ties is None else -one.ties),
    "answers": ("Most answers", lambda one: -one.answers),
    "name": ("Name", lambda one: one.pk),
}
LEAD = ("lead", "Change the lead most")


@dataclass(frozen=True)
class AnswerGroup:
    """A line of the tables of answers: the name of a group, and its figures."""

    name: str
    own: AnswerFigures

    @property
    def places(self) -> list[tuple[int, list[tuple[int, int, float]]]]:
        """For each grid size its places, numbered from 1, with their choices and share in percent."""
        return [
            (size, [(at, n, 100 * n / sum(counts)) for at, n in enumerate(counts, 1)])
            for size, counts in self.own.picks.items()
            if sum(counts)
        ]


class PersonRow(NamedTuple):
    """A line of the list of people. title: as the reader knows them. against: what speaks against them. lead:
    how it would change without them; moved: how many runs would have another rank, None while unknown.
    """

    one: PersonTrust
    own: AnswerFigures
    title: str
    against: list[str]
    lead: str
    moved: int | None


@for_members
@require_safe
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the figures last computed.

    If judgments have come since, a job recomputes them; few judgments are recomputed at once. Otherwise the
    number of queries does not depend on the number of judgments.
    """
    told: dict[str, Any] = {"study": study, "stretch_width": BAR, "steers": steers(study)}
    if not Assignment.objects.filter(task__study=study).exists():
        return render(request, TEMPLATE, told | {"empty": True})
    found, newer = latest_trust(study)
    told |= doubtful_judgments.section(request, study) | leave_one_out.section(request, study)
    if found is not None:
        told |= {"at": found.at, "newer": newer or told.get("doubts_newer")}
        told |= _figures(request, study, found.value, told["influence"], told["asked"])
    else:
        told["trust_waiting"] = waiting_pages.waiting(TRUST, study)
    doubts, order = told["doubts"], told.get("order")
    own = found.value.trust if found else None
    if doubts is None:
        told["known"], told["figures"] = trust_verdict.known_before(study)
    else:
        waits = bool(told["order_waits"])
        programs = people_like_programs(study)
        told["verdict"] = trust_verdict.verdict(
            doubts, order, own, study.words, programs=len(programs), doubted=told.get("suspects", {})
        )
        out = len(told.get("excluded", ()))
        told["figures"] = trust_verdict.key_figures(
            study, doubts, order, own, order_waits=waits, excluded=out, programs=programs
        )
    if found is None or doubts is None or told["order_waits"] or "influence_waiting" in told:
        return waiting_pages.looks_again(request, TEMPLATE, told)
    return render(request, TEMPLATE, told)


@for_members
@require_safe
def moved(request: HttpRequest, study: Study) -> HttpResponse:
    """Lead on from the address of the former page about bias, consistency and time."""
    return redirect("trust", study.slug)


def _figures(
    request: HttpRequest, study: Study, found: TrustFigures, influence: Influence | None, asked: int
) -> dict[str, object]:
    kinds = {task.pk: task for task in Task.objects.filter(study=study)}
    own = found.trust
    return {
        "empty": not own.all.answers and not found.answers.people,
        "all": own.all,
        "agreement": agreement_sentence(own, kinds),
        "sides": sides_sentences(own),
        "agreements": [(_named(one.task, kinds), one, _strengths(kinds[one.task])) for one in own.agreements],
        "strengths": any(_strengths(kinds[one.task]) for one in own.agreements),
        "triples": _triples(own.triples),
        "groups": list(_groups(found.answers, kinds)),
        "between": own.between,
        "challenges": own.challenges,
        "stretches": _stretches(own.stretches),
        "excluded": _excluded(study),
        "excluded_most": EXCLUDED,
        **_people(request, study, found, influence, asked),
    }


def _excluded(study: Study) -> list[tuple[str, datetime | None, bool]]:
    """Return who was excluded, latest first: name, time, and whether challenges decided it, not a person."""
    last = Decision.objects.filter(assessor=OuterRef("pk"), what=Decision.What.EXCLUDED).order_by("-pk")
    out = Assessor.objects.filter(study=study, excluded_at__isnull=False).annotate(by=last.values("by")[:1])
    listed = list(out.order_by("-excluded_at")[:EXCLUDED])
    names = person_names.names(study, [one.pk for one in listed], labels=steers(study))
    return [(names[one.pk], one.excluded_at, one.by is None) for one in listed]


def _strengths(task: Task) -> bool:
    """Return True if answers of a task say how much better something is."""
    return task.way.graded(task.scale)


def _named(task: int, tasks: dict[int, Task]) -> str:
    """Name a task by its kind, and by its scale where the study has several tasks of the kind."""
    kind, scale = tasks[task].kind, tasks[task].scale
    alike = sum(one.kind == kind for one in tasks.values())
    said = SCALES.get(("pair" if kind == "pages" else kind, scale), scale)
    return f"{NAMES.get(kind, kind)}, {said}" if alike > 1 else NAMES.get(kind, kind)


def _groups(found: AnswerReport, tasks: dict[int, Task]) -> Iterator[AnswerGroup]:
    """Yield a line for all tasks together if there are several, for each, and for what does not count."""
    if len(found.tasks) > 1:
        yield AnswerGroup("All that count", found.all)
    for pk, own in found.tasks.items():
        yield AnswerGroup(_named(pk, tasks), own)
    if found.challenges.answers:
        yield AnswerGroup("Challenges", found.challenges)
    if found.discarded.answers:
        yield AnswerGroup("Batches that do not count", found.discarded)


def answer(own: Trust, tasks: dict[int, Task]) -> tuple[str, list[str]]:
    """Return a sentence on whether the judgments can be trusted, and further sentences that support it."""
    return agreement_sentence(own, tasks), sides_sentences(own)


def agreement_sentence(own: Trust, tasks: dict[int, Task]) -> str:
    """Say how far people agree, or how far answers do where files name nobody who gave them."""
    best = widest_agreement(own)
    if not named_people(own):
        return _agreement_of_answers(best[0] if best else None)
    if best is not None and best[0].all_same:
        asked = count(best[0].questions, "question")
        return (
            f"Every answer to {asked} that two people or more answered is the same. "
            "Krippendorff’s α has no value then, since agreement by chance is 1."
        )
    if best is None or best[0].alpha is None:
        return "It cannot be told yet whether people agree: too few questions were answered by two of them."
    if best[0].questions < FEW:
        return _too_few(best[0])
    how, asked = _agreement_word(best[0]), count(best[0].questions, "question")
    kind = NAMES.get(tasks[best[1].task].kind, "answers").lower() if len(own.agreements) > 1 else ""
    return (
        f"People say the same{f' on {kind}' if kind else ''} in {percent_told(best[0])} of the cases where "
        f"two answered one of {asked}; Krippendorff’s α is {alpha_told(best[0])}, {how}. In brackets: 95 % "
        "intervals."
    )


def _too_few(own: Agreement) -> str:
    asked = f"{count(own.questions, 'question')} {'has' if own.questions == 1 else 'have'}"
    return f"Only {asked} two answers or more: too few to say how far people agree."


def _agreement_of_answers(own: Agreement | None) -> str:
    if own is None or own.alpha is None:
        return (
            "It cannot be told whether answers agree: too few questions have two answers that could differ."
        )
    if own.questions < FEW:
        return _too_few(own)
    return (
        f"Two answers to a question are the same in {percent_told(own)} of the cases, over "
        f"{count(own.questions, 'question')} that have two or more; Krippendorff’s α is {alpha_told(own)}, "
        f"{_agreement_word(own)}."
    )


def sides_sentences(own: Trust) -> list[str]:
    """Say whether a side is favoured, whether people are consistent, and whether they take their time."""
    rests: list[str] = []
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
    return rests


def _agreement_word(own: Agreement) -> str:
    """Return in words what alpha means."""
    alpha = own.alpha or 0.0
    if alpha >= RELIABLE:
        return "enough to rely on single answers"
    if alpha >= TENTATIVE:
        return "enough for tentative conclusions from single answers"
    if own.alpha_ends is not None and own.alpha_ends[0] <= 0 < alpha:
        return "perhaps no more than by chance"
    if alpha > 0:
        return (
            "more than by chance, but too little to rely on single answers; several of them together say more"
        )
    return "no more than by chance"


def _triples(found: "Transitivity") -> list[tuple[str, int, int, float]]:
    """Return table lines (kind, transitive triples, all triples, share), without kinds that never occur."""
    titles = {"asym": "no tie", "s2a": "one tie", "s2s": "two or three ties"}  # as the paper names them
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


def _people(
    request: HttpRequest, study: Study, found: TrustFigures, influence: Influence | None, asked: int
) -> dict[str, object]:
    """Return a page of the list of people; that of `asked`, an assessor's id, unless another is wanted."""
    people = named_people(found.trust)
    find = request.GET.get("find", "").strip()
    effects = {one.pk: one.effect for one in influence.people} if influence else {}
    against = objections_to_people(study, found)
    doubted = doubted_people(study, against, labels=steers(study))
    suspects = {one.pk: without_person(study, one.pk) if n < NAMED else None for n, one in enumerate(doubted)}
    places = {pk: n for n, pk in enumerate(effects)}  # who changes most comes first
    sorts = {**SORTS, LEAD[0]: (LEAD[1], lambda one: places.get(one.pk))} if effects else SORTS
    sorts = {
        "against": ("To look at first", lambda one: (-len(against.get(one.pk, ())), -(one.failing or 0))),
        **sorts,
    }
    sort = choice_of(request.GET, "sort", sorts, LEAD[0] if effects and not against else "against")
    of = sorts[sort][1]
    names = person_names.names(study, [one.pk for one in people], labels=steers(study))
    wanted = [one for one in people if find.casefold() in names[one.pk].casefold()]
    # The first element sorts unknown values last, so that None is never compared.
    wanted.sort(key=lambda one: ((value := of(one)) is None, value if value is not None else 0, one.pk))
    at = next((n for n, one in enumerate(wanted) if one.pk == asked), 0)
    page = Paginator(wanted, A_PAGE).get_page(request.GET.get("page") or at // A_PAGE + 1)
    return {
        "find": find,
        "sort": sort,
        "sorts": [(name, title) for name, (title, _) in sorts.items()],
        "page": page,
        "people": [
            PersonRow(
                one,
                found.answers.people[one.pk],
                names[one.pk],
                against.get(one.pk, []),
                lead_said(effects[one.pk].leads) if one.pk in effects else "",
                effects[one.pk].moved if one.pk in effects else None,
            )
            for one in page
        ],
        "flagged": sum(one.flagged for one in people),
        "people_open": bool(doubted) or not {"person", "find", "sort", "page"}.isdisjoint(request.GET),
        "to_look_at": len(doubted),
        "suspects": suspects,
        "doubted": [
            (one, without(left_out, study.words) if (left_out := suspects[one.pk]) else "")
            for one in doubted[:NAMED]
        ],
        "again": any(one.repeated for one in people),
        "people_all": len(people),
        "ways": len({one.group for one in people}) > 1,
        "given": given_sentence(found.trust),
    }


def given_sentence(own: Trust) -> str:
    """Say how many answers count, of how many people, and how many are from files without names."""
    people = named_people(own)
    answers, nameless = own.all.answers, own.all.answers - sum(one.answers for one in people)
    if not nameless:
        return f"{count(answers, 'answer')} of {count(len(people), 'person')} that count"
    if not people:
        return f"{count(answers, 'answer')} that count, loaded from files that name nobody"
    were = "was" if nameless == 1 else "were"
    return (
        f"{count(answers, 'answer')} of {count(len(people), 'named person')} that count; {nameless:,} {were} "
        "loaded from files without names"
    )
