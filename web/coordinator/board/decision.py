"""The decision on the leaderboard: whether to change from the baseline, and what would settle it."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from collection import audit_log
from collection.models import Run, Study, Topic
from scoring.analysis import baseline_decision
from scoring.analysis.baseline_decision import BaselineDecision, BaselineState
from web.forecast.judging_cost import cost_of
from web.shared import measure_names, waiting_pages
from web.shared.access import May, for_organizers, for_viewers, may, steers
from web.shared.phrases import count, signed

WIDTH = 240.0
# More topics than these are no plan.
MOST_TOPICS = 100_000


@dataclass(frozen=True)
class DrawnDifference:
    """The interval of a difference on a scale around 0, from 0 to WIDTH: its start, length and middle, and
    the band of differences that do not matter.
    """

    low: str
    length: str
    mark: str
    band: str
    band_length: str


@for_viewers
@require_safe
def decision(request: HttpRequest, study: Study) -> HttpResponse:
    """Render the decision; 304 if it has not changed."""
    return waiting_pages.changed_part(request, "coordinator/_decision.html", decision_told(request, study))


@for_organizers
@require_POST
def set_baseline(request: HttpRequest, study: Study) -> HttpResponse:
    """Name the baseline and the least difference that matters, or none."""
    form = BaselineForm(request.POST, study=study)
    if not form.is_valid():
        messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
        return redirect("leaderboard", study.slug)
    before = {"baseline": study.baseline, "least difference": study.least_difference}
    study.baseline, study.least_difference = form.cleaned_data["baseline"], form.cleaned_data["least"]
    study.save(update_fields=["baseline", "least_difference"])
    after = {"baseline": study.baseline, "least difference": study.least_difference}
    audit_log.note(study.pk, audit_log.What.SETTINGS, before=before, after=after)
    return redirect("leaderboard", study.slug)


class BaselineForm(forms.Form):
    """The baseline, by the name of its run, and the least difference that matters."""

    baseline = forms.CharField(required=False)
    least = forms.FloatField(
        min_value=0.0001,
        max_value=0.9999,
        error_messages={
            "required": "Say the least difference that matters, such as 0.02.",
            "invalid": "The least difference is a number, such as 0.02.",
            "min_value": "The least difference is at least 0.0001.",
            "max_value": "The least difference is below 1.",
        },
    )

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.study = study

    def clean_baseline(self) -> str:
        """Return the name; refuse one that no run of the study has."""
        name = self.cleaned_data["baseline"]
        if name and not Run.objects.filter(study=self.study, name=name).exists():
            raise forms.ValidationError(f"There is no run {name}.")
        return name


def decision_told(request: HttpRequest, study: Study) -> dict[str, Any]:
    """Return the context of `_decision.html`. No query without a baseline."""
    found = baseline_decision.decide(study) if study.baseline else None
    told: dict[str, Any] = {
        "study": study,
        "decision": found,
    }
    if found is None:
        return told
    names = dict(Run.objects.filter(pk__in=[found.baseline, found.candidate]).values_list("pk", "name"))
    candidate, base = names.get(found.candidate, ""), names.get(found.baseline, "")
    told |= {
        "candidate": candidate,
        "said": said(found, candidate, base),
        "interval": f"{signed(found.low)} to {signed(found.high)}",
        "over": f"mean {measure_names.within(found.measure)} over {count(found.topics, study.words.topic)}",
        "drawn": _drawn(found),
        "settles": settles(study, found) if may(request.user, study, May.WATCH) else "",
        "wave": _wave(study) if found.state == BaselineState.OPEN and steers(study) else None,
    }
    return told


def said(found: BaselineDecision, candidate: str, base: str) -> tuple[str, str]:
    """Return in two texts whether to change from the baseline, and by how much the candidate differs."""
    gap = f"by {abs(found.difference):.3f}"
    if found.state == BaselineState.BETTER:
        return f"{candidate} is better than {base}.", f"It is ahead {gap}, significantly."
    if found.state == BaselineState.WORSE:
        behind = f"The best other, {candidate}, is behind {gap}, significantly."
        return f"Nothing is better than {base}.", behind
    where = "ahead" if found.difference > 0 else "behind"
    but = f"It is {where} {gap}, not significantly."
    if found.state == BaselineState.NOT_WORSE:
        return f"{candidate} is not worse than {base} by {found.least:g}.", but
    return f"Open: whether {candidate} is better than {base} is not known.", but


def settles(study: Study, found: BaselineDecision) -> str:
    """Return in a sentence what would settle an open decision: topics, judgments, hours and money."""
    if found.state != BaselineState.OPEN:
        return ""
    if not found.needed:
        return "Fewer than six topics settle nothing, whatever the tests say."
    if found.needed > MOST_TOPICS:
        return f"No study could be large enough to settle a difference of {found.least:g}."
    cost = cost_of(study)
    pay = cost.pay(found.judgments)
    more = f"Some {count(found.needed, study.words.topic)} more would settle it to {found.least:g} either way"
    hours = f"about {cost.hours(found.judgments):,.0f} hours of assessors"
    return f"{more}: {count(found.judgments, 'judgment')}, {hours}{f', {pay} in rewards' if pay else ''}."


def _wave(study: Study) -> tuple[str, str]:
    """Return what to press for further topics, and where it leads."""
    further = Topic.objects.filter(study=study, opened_at=None).count() if study.opened_at else 0
    if further:
        said = f"Open {count(further, 'further ' + study.words.topic)}"
        return said, reverse("tournament-start", args=[study.slug])
    return f"Load further {study.words.topics}", reverse("files", args=[study.slug])


def _drawn(found: BaselineDecision) -> DrawnDifference:
    most = max(abs(found.low), abs(found.high), 1.5 * found.least)

    def place(value: float) -> float:
        return WIDTH * (value + most) / (2 * most)

    return DrawnDifference(
        f"{place(found.low):.1f}",
        f"{max(1.0, place(found.high) - place(found.low)):.1f}",
        f"{place(found.difference):.1f}",
        f"{place(-found.least):.1f}",
        f"{place(found.least) - place(-found.least):.1f}",
    )
