"""The decision on the leaderboard: whether to change from the baseline, and what would settle it."""

from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from collection import audit_log
from collection.models import Run, Study
from scoring.analysis import baseline_decision
from scoring.analysis.baseline_decision import BaselineDecision, BaselineState
from tournament.remaining_work import left
from web.forecast.judging_cost import cost_of
from web.forecast.needed_topics import MOST_FURTHER, out_of_reach
from web.forecast.purchase import JUDGMENTS, purchase
from web.forecast.topic_work import judgments_a_topic, judgments_until, topic_work
from web.live import live_board
from web.live.rank_caution import never_met, two_questions
from web.shared import measure_names, waiting_pages
from web.shared.access import May, for_viewers, may, steers
from web.shared.form_words import Worded
from web.shared.interval_axis import drawn
from web.shared.number_fields import NumberField
from web.shared.phrases import count, duration, interval


@for_viewers
@require_safe
def decision(request: HttpRequest, study: Study) -> HttpResponse:
    """Render the decision; 304 if it has not changed."""
    return waiting_pages.changed_part(
        request,
        "coordinator/_decision.html",
        decision_told(request, study),
        of=reverse("leaderboard", args=[study.slug]),
    )


def set_baseline(study: Study, form: "BaselineForm") -> None:
    """Name the baseline and the least difference that matters, or none, on record."""
    before = {"baseline": study.baseline, "least difference": study.least_difference}
    study.baseline, study.least_difference = form.cleaned_data["baseline"], float(form.cleaned_data["least"])
    study.save(update_fields=["baseline", "least_difference"])
    after = {"baseline": study.baseline, "least difference": study.least_difference}
    audit_log.note(study.pk, audit_log.What.SETTINGS, before=before, after=after)
    live_board.forget(study.pk)


class BaselineForm(Worded, forms.Form):
    """The baseline, by the name of its run, and the least difference that matters."""

    baseline = forms.CharField(required=False, label="Baseline")
    least = NumberField(
        label="Least difference that matters",
        min_value=Decimal("0.0001"),
        max_value=Decimal("0.9999"),
        error_messages={
            "required": "Enter a number, such as 0.02.",
            "invalid": "Enter a number, such as 0.02.",
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
    now = found.of
    told |= {
        "candidate": candidate,
        "said": said(found, candidate, base),
        "interval": interval(now.low, now.high),
        "over": f"mean {measure_names.within(now.measure)} over {count(now.topics, study.words.topic)}",
        "drawn": drawn([("", now.low, now.high)], found.least),
        "corrected": f"{count(found.comparisons, 'comparison')} with the baseline",
        "never_met": never_met(study, found.candidate, found.baseline),
        "settles": "",
        "two_questions": two_questions(found.comparisons, base, study.words),
    }
    if may(request.user, study, May.WATCH):
        told["settles"], judgments = settles(study, found)
        if judgments and (study.opened_at or steers(study)):
            told["asks"] = _asks(study, judgments)
    return told


def said(found: BaselineDecision, candidate: str, base: str) -> tuple[str, str]:
    """Return in two texts whether to change from the baseline, and by how much the candidate differs."""
    now, gap = found.of, f"by {abs(found.of.difference):.3f}"
    if found.state == BaselineState.BETTER:
        ahead = f"It is ahead {gap}: {_surely('above', now.low, now.high, found.least)}."
        return f"{candidate} is better than the baseline {base}.", ahead
    if found.state == BaselineState.WORSE:
        behind = f"The best other, {candidate}, is behind {gap}: "
        behind += f"{_surely('below', -now.high, -now.low, found.least)}."
        return f"Nothing is better than the baseline {base}.", behind
    where = "ahead" if now.difference > 0 else "behind"
    is_level = not float(f"{now.difference:.3f}")
    where = "The two are level" if is_level else f"It is {where} {gap}"
    but = f"{where}, but the interval reaches 0; less than {found.least:g} does not matter."
    if found.state == BaselineState.NOT_WORSE:
        return f"{candidate} is at least as good as the baseline {base}, within {found.least:g}.", but
    return f"Open: whether {candidate} is better than the baseline {base} is not known.", but


def _surely(side: str, near: float, far: float, least: float) -> str:
    """Say how an interval that leaves 0 out stands to what matters; near and far: its ends, from 0."""
    if near >= least:
        return f"surely {side} 0, and by more than the {least:g} that matters"
    perhaps = "perhaps " if far >= least else ""
    return f"surely {side} 0, but {perhaps}by less than the {least:g} that matters"


def settles(study: Study, found: BaselineDecision) -> tuple[str, int]:
    """Return in a sentence what would settle an open decision (topics, judgments, hours and money), and these
    judgments; 0 where nothing can be asked for.
    """
    if found.state != BaselineState.OPEN:
        return "", 0
    if not found.needed:
        return "Fewer than six topics settle nothing, whatever the tests say.", 0
    if found.needed > MOST_FURTHER:
        return f"To know the difference to within {found.least:g} is {out_of_reach(study.words)}.", 0
    cost, work = cost_of(study), topic_work(study, left(study))
    each = judgments_a_topic(study, found.of.judgments_a_topic)
    judgments = judgments_until(work, found.of, found.needed, each)
    asked = purchase(cost.batches(judgments), cost, work)
    topics = count(found.needed, study.words.topic)
    more = f"To know the difference to within {found.least:g}, however small it is, takes some {topics} more"
    told = [count(judgments, "judgment"), f"about {duration(asked.hours)} of judging", asked.price]
    return f"{more}: {', '.join(filter(None, told))}.", judgments


def _asks(study: Study, judgments: int) -> tuple[str, str]:
    """Return what to press for these judgments, and where it leads."""
    said = "See what it takes" if steers(study) else "What they bring"
    if not study.opened_at:
        return said, reverse("tournament-start", args=[study.slug])
    return (
        said,
        f"{reverse('progress', args=[study.slug])}?{urlencode({'more': judgments, 'of': JUDGMENTS})}#more",
    )
