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
from judging.people import person_names
from scoring.analysis import leave_one_out
from scoring.analysis.leave_one_out import Influence, Without
from web.coordinator.comparison_plots import titled
from web.shared import waiting_pages
from web.shared.access import for_members, steers
from web.shared.influence_sentences import OTHER, lead_said, without
from web.shared.phrases import count, signed


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
    place = "without" if query["person"] else "people"
    return redirect(f"{reverse('trust', args=[study.slug])}?{query.urlencode()}#{place}")


def section(request: HttpRequest, study: Study) -> dict[str, Any]:
    """Return what the page of trust shows of the cached influence of assessors: `influence`, everybody's, and
    with `?person=ID` the effect of that person, `left_out`.

    Where `?person=` asks for it and nothing is cached, a job computes it.
    """
    asked = request.GET.get("person", "")
    known = asked.isdecimal() and len(asked) < 10
    person = get_object_or_404(Assessor, study=study, pk=int(asked)) if known else None
    if person and is_nameless(assessor_name(person.panel, person.label, person.pk)):
        person = None
    told: dict[str, Any] = {"asked": person.pk if person else 0, "influence": None}
    if not Run.objects.filter(study=study).exists():
        return told | {"nothing_to_compare": "person" in request.GET}
    latest = leave_one_out.INFLUENCE.latest(study)
    found = _found(study, person) if "person" in request.GET else _named(latest.value) if latest else None
    if found is None and "person" not in request.GET:
        return told
    if found is None:
        kind = leave_one_out.INFLUENCE
        waiting = waiting_pages.waiting(kind, study)
        if person and not waiting.has_begun:
            waiting = waiting_pages.waiting(kind, study, person.pk)
        return told | {"influence_waiting": waiting}
    one = next((each for each in found.people if person and each.pk == person.pk), None)
    if one:
        one = one._replace(name=person_names.names(study, [one.pk], labels=steers(study))[one.pk])
    return told | {
        "influence": found,
        "measure_title": titled(study, found.measure, found.p),
        "influence_answer": headline(found.people, study.words),
        "left_out": one,
        "left_out_said": without(one, study.words) if one else "",
        "influence_rows": _rows(found, one) if one else [],
    }


def _found(study: Study, person: Assessor | None) -> Influence | None:
    """Return the effects of the most active assessors and of `person`; None if not computed yet."""
    computed = waiting_pages.result(leave_one_out.INFLUENCE, study)
    found = None if computed is None else _named(computed)
    if found is None or person is None or any(one.pk == person.pk for one in found.people):
        return found
    own = waiting_pages.result(leave_one_out.INFLUENCE, study, person.pk)
    return None if own is None else leave_one_out.joined(found, own)


def _named(found: Influence) -> Influence:
    return found._replace(people=[one for one in found.people if not is_nameless(one.name)])


def headline(people: Sequence[Without], words: Words) -> str:
    """Return in a sentence what would change most without one of these; "" for nobody."""
    if not people:
        return ""
    lost = sum(one.effect.is_lost for one in people)
    if lost:
        return f"Without {lost:,} of {count(len(people), 'person')} no {words.run} would have a score."
    others = sum(lead_said(one.effect.leads) == OTHER for one in people)
    moving, most = sum(bool(one.effect.moved) for one in people), max(one.effect.moved for one in people)
    if others:
        return f"Without {others:,} of {count(len(people), 'person')} another {words.run} would lead."
    if not moving:
        return f"Without any one of {count(len(people), 'person')} every {words.run} would keep its rank."
    return (
        f"Without any one of {count(len(people), 'person')} the same {words.run} would lead; "
        f"{count(most, words.run)} at most would have another rank."
    )


def _rows(found: Influence, one: Without) -> list[InfluenceRow]:
    columns = (one.effect.before, one.effect.after, one.effect.ranks_before, one.effect.ranks_after)
    rows = [InfluenceRow(*line) for line in zip(found.runs, *columns, strict=True)]
    return sorted(rows, key=lambda row: (row.rank is None, row.rank or 0, row.name))
