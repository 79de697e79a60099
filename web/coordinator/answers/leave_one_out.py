"""Influence on the page of trust: who changes the ranking most, and every run's mean without them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from collection.models import Run, Study
from collection.models.study import Words
from judging.assessor_names import assessor_name, is_nameless
from judging.models import Assessor
from judging.people import roster
from scoring.analysis import leave_one_out
from scoring.analysis.leave_one_out import Influence, Without
from scoring.compute.influence import Effect
from web.coordinator.comparison_plots import titled
from web.shared import waiting_pages
from web.shared.access import for_members, steers
from web.shared.phrases import count, signed

# People whose leaving out changes most, before the others are folded.
A_PART = 10


@dataclass(frozen=True)
class InfluenceRow:
    """A run's line: its mean and rank with all judgments, and without one person's."""

    name: str
    before: float | None
    after: float | None
    rank: int | None
    rank_after: int | None

    @property
    def change(self) -> float | None:
        return None if self.before is None or self.after is None else self.after - self.before

    @property
    def change_said(self) -> str:
        """The change, formatted."""
        return "–" if self.change is None else signed(self.change)


@for_members
@require_safe
def moved(request: HttpRequest, study: Study) -> HttpResponse:
    """Lead on from the address that the section had as a page of its own."""
    query = request.GET.copy()
    query.setdefault("person", "")
    return redirect(f"{reverse('trust', args=[study.slug])}?{query.urlencode()}#without")


def section(request: HttpRequest, study: Study) -> dict[str, Any]:
    """Return what the page of trust shows of the cached influence of assessors, if `?person=` asks for it.

    Without a cached result, a job computes it. `?person=ID` adds that person to the most active ones.
    """
    if "person" not in request.GET:
        return {"influence_asked": False}
    told: dict[str, Any] = {"influence_asked": True}
    asked = request.GET.get("person", "")
    known = asked.isdecimal() and len(asked) < 10
    person = get_object_or_404(Assessor, study=study, pk=int(asked)) if known else None
    if person and is_nameless(assessor_name(person.panel, person.label, person.pk)):
        person = None
    if not Run.objects.filter(study=study).exists():
        return told
    found = _found(study, person)
    if found is None:
        kind = leave_one_out.INFLUENCE
        waiting = waiting_pages.waiting(kind, study)
        if person and not waiting.has_begun:
            waiting = waiting_pages.waiting(kind, study, person.pk)
        return told | {"influence_waiting": waiting}
    names = known_names(study, [one.pk for one in found.people])
    found = found._replace(people=[one._replace(name=names.get(one.pk, one.name)) for one in found.people])
    one = _one(found, person)
    lines = [(line, lead_said(line.effect.leads)) for line in found.people]
    return told | {
        "influence": found,
        "influence_lines": lines[:A_PART],
        "influence_further": lines[A_PART:],
        "measure_title": titled(study, found.measure, found.p),
        "influence_answer": headline(found.people, study.words),
        "one": one,
        "own": answer(one, study.words) if one else "",
        "influence_rows": _rows(found, one) if one else [],
    }


def _found(study: Study, person: Assessor | None) -> Influence | None:
    """Return the effects of the most active assessors and of `person`; None if not computed yet."""
    found = waiting_pages.result(leave_one_out.INFLUENCE, study)
    if found is not None:
        found = found._replace(people=[one for one in found.people if not is_nameless(one.name)])
    if found is None or person is None or _one(found, person):
        return found
    own = waiting_pages.result(leave_one_out.INFLUENCE, study, person.pk)
    return None if own is None else leave_one_out.joined(found, own)


def _one(found: Influence, person: Assessor | None) -> Without | None:
    if person is None:
        return found.people[0] if found.people else None
    return next((one for one in found.people if one.pk == person.pk), None)


def known_names(study: Study, people: list[int]) -> dict[int, str]:
    """Return for organizers how the list of all people calls those with a label: by number and label."""
    if not steers(study):
        return {}
    labels = dict(Assessor.objects.filter(pk__in=people).values_list("pk", "label"))
    numbers = roster.numbers(study, people)
    said = ((pk, [str(numbers.get(pk, "")), label]) for pk, label in labels.items() if label)
    return {pk: " · ".join(filter(None, parts)) for pk, parts in said}


def headline(people: Sequence[Without], words: Words) -> str:
    """Return in a sentence or two what would change most; "" for nobody. people: largest change first."""
    if not people:
        return ""
    if len(people) > 1 and not any(one.effect.moved for one in people):
        looked_at = f"Without any one of the {len(people)} who were looked at"
        return f"{looked_at}, every {words.run} would keep its rank."
    return f"{answer(people[0], words)} Of those who were looked at, nobody changes the ranking more."


def answer(one: Without, words: Words) -> str:
    """Return in a sentence what would change without one assessor."""
    moved = one.effect.moved
    if not one.judgments:
        return f"{one.name} has no judgment that counts on these {words.topics}."
    if any(value is not None for value in one.effect.before) and not any(
        value is not None for value in one.effect.after
    ):
        nobody_else = f"nobody else judged these {words.topics}"
        return f"Without {one.name}, no {words.run} would have a score: {nobody_else}."
    lead = _lead(one.effect)
    if not moved:
        first = f", and the first would lead {lead}" if lead else ""
        return f"Without {one.name}, every {words.run} would keep its rank{first}."
    tau = "" if one.effect.tau is None else f" (Kendall’s τ {one.effect.tau:.3f})"
    led = [name.index(1) if 1 in name else -1 for name in (one.effect.ranks_before, one.effect.ranks_after)]
    same = f"The same {words.run} would lead{lead and f', {lead}'}."
    leads = f"Another {words.run} would lead." if led[0] != led[1] else same
    return f"Without {one.name}, {count(moved, words.run)} would have another rank{tau}. {leads}"


def _lead(effect: Effect) -> str:
    """Say by how much the run that is first would lead; "" if that cannot be said."""
    if effect.leads is None:
        return ""
    now, then = (f"{lead:.3f}" for lead in effect.leads)
    return f"by {then} as now" if then == now else f"by {then} instead of {now}"


def leads(study: Study) -> dict[int, tuple[float, float]]:
    """The lead of the first run with all judgments and without each person, as far as it was computed."""
    found = leave_one_out.INFLUENCE.latest(study)
    people = found.value.people if found else []
    return {one.pk: one.effect.leads for one in people if one.effect.leads}


def lead_said(lead: tuple[float, float] | None) -> str:
    """Say how a lead changes; "" if that was not computed."""
    if lead is None:
        return ""
    return "another leads" if lead[1] < 0 else signed(lead[1] - lead[0])


def _rows(found: Influence, one: Without) -> list[InfluenceRow]:
    columns = (one.effect.before, one.effect.after, one.effect.ranks_before, one.effect.ranks_after)
    rows = [InfluenceRow(*line) for line in zip(found.runs, *columns, strict=True)]
    return sorted(rows, key=lambda row: (row.rank is None, row.rank or 0, row.name))
