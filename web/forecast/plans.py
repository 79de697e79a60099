"""Plans of a tournament side by side: what each would cost and find, by simulation."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, QueryDict

from collection.models import Study
from judging.questions import expected_time
from judging.questions.asking import task_of
from prefir import plots
from prefir.rules import STRATEGIES, Crowd, SettingsError
from tournament import planning, services
from tournament.planning import CAREFUL, CHEAP, OWN, PLANS, USUAL, Changes, PlanFigures, Simulated
from tournament.plans import plan_of
from web.forecast.overview import challenges_in_batch
from web.shared import view_choices, waiting_pages
from web.shared.form_words import Worded
from web.shared.phrases import count
from web.shared.plots import Drawing, ShownPlot, figure

TITLES = {CHEAP: "Cheap", USUAL: "Usual", CAREFUL: "Careful", OWN: "Own"}
ACCURACY = 85
TRIED = ("final_size", "pairings", "judgments_per_pair")


def _tried(name: str, label: str) -> forms.IntegerField:
    least, most = Crowd.limits[name]
    return forms.IntegerField(min_value=least, max_value=most, label=label, required=False)


class PlanningForm(Worded, forms.Form):
    """Assumed accuracy and pay of assessors, and own settings to try."""

    accuracy = forms.IntegerField(
        min_value=50,
        max_value=100,
        label="Of 100 answers, prefer the better item",
        help_text="50: they guess. Crowds that pass challenges are often between 75 and 90.",
    )
    pay = forms.DecimalField(
        min_value=Decimal(0),
        max_value=Decimal(1000),
        decimal_places=2,
        required=False,
        label="Pay of an hour",
    )
    final_size = _tried("final_size", "Size of the final (F)")
    pairings = _tried("pairings", "Pairings in a round (P)")
    judgments_per_pair = _tried("judgments_per_pair", "Judgments of each pair")
    use_required_attribute = False

    def __init__(self, *args: Any, currency: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["pay"].label = f"Pay of an hour, in {currency}"


@dataclass(frozen=True)
class PlanLine:
    """A plan's line in the table; all figures as text."""

    name: str
    title: str
    settings: str
    each: str
    total: str
    hours: str
    cost: str
    best: str
    top: str
    rounds: str
    chosen: bool


def plans_told(request: HttpRequest, study: Study) -> dict[str, Any]:
    """Return what the part of a page needs that shows plans side by side: those of the query, if it asks.

    `waits`: they are being computed. `wrong`: the form cannot be answered.
    """
    asked = "accuracy" in request.GET
    form = PlanningForm(_given(request.GET), currency=study.currency)
    task = task_of(study)
    told: dict[str, Any] = {"form_plans": form, "asks": task.kind, "kept": view_choices.kept(request.GET)}
    if not asked:
        return told
    if (tried := _tried_out(form, study)) is None:
        return told | {"wrong": True}
    found = waiting_pages.result(PLANS, study, *tried)
    if found is None:
        return told | {"waits": True, "plans_waiting": waiting_pages.waiting(PLANS, study, *tried)}
    plan = plan_of(study)
    seconds = expected_time.forecast_seconds(task, study, plan.settings.get("grid_size", 0))
    each, pay = challenges_in_batch(study, task), form.cleaned_data["pay"]
    return told | {
        "found": found,
        "k": plan.k,
        "plan_lines": [
            _line(study, found, one, expected_time.hours(task, _total(found, one), seconds, each), pay)
            for one in found.figures
        ],
        "seconds": round(seconds),
        "measured": task.average_seconds is not None,
        "answer": study.words.put_in(answer(found)),
        "plans_figure": _shown(study, form, found) if found.played else None,
    }


def _tried_out(form: "PlanningForm", study: Study) -> tuple[float, Changes] | None:
    """Return noise and settings to try; None, with the error in the form, if they are none."""
    if not form.is_valid():
        return None
    noise, changes = _assumed(form)
    try:
        planning.checked(plan_of(study), changes)
    except SettingsError as error:
        form.add_error(error.field if error.field in form.fields else None, str(error))
        return None
    return noise, tuple(sorted(changes.items()))


def use(request: HttpRequest, study: Study) -> bool:
    """Make a simulated plan the study's, and say so; False if it is not simulated yet."""
    tried = _tried_out(PlanningForm(_given(request.GET), currency=study.currency), study)
    if tried is None:
        raise Http404("There is no such plan.")
    found = waiting_pages.result(PLANS, study, *tried)
    if found is None:
        return False
    chosen = next((one for one in found.figures if one.name == request.POST.get("use")), None)
    if chosen is None:
        raise Http404("There is no such plan.")
    try:
        services.set_plan(study.pk, chosen.strategy, chosen.settings)
    except services.CannotStart as error:
        messages.error(request, str(error))
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, f"The tournament is now: {said(chosen).lower()}.")
    return True


def _given(asked: QueryDict) -> QueryDict:
    """Return the query parameters, with the default accuracy if they have none."""
    given = asked.copy()
    if "accuracy" not in given or not given.getlist("accuracy"):
        given["accuracy"] = str(ACCURACY)
    return given


def _assumed(form: PlanningForm) -> tuple[float, dict[str, int]]:
    """Return the noise, 2 * (1 - accuracy), and those settings to try that are filled in."""
    values = form.cleaned_data
    changes = {name: values[name] for name in TRIED if values.get(name) is not None}
    return round(2 * (1 - values["accuracy"] / 100), 4), changes


def said(one: PlanFigures) -> str:
    """Return a plan's settings in words."""
    told = one.settings
    per_pair = f"{count(told['judgments_per_pair'], 'judgment')} a pair"
    if one.strategy != Crowd.name:
        return f"{STRATEGIES[one.strategy].title}; {per_pair}"
    return f"Final of {told['final_size']}, {count(told['pairings'], 'pairing')} a round, {per_pair}"


def answer(found: Simulated) -> str:
    """Return the result of the simulation in a sentence."""
    named = {one.name: one for one in found.figures}
    if not found.played:
        return "No topic has two candidates yet: load items first, and grades if there are any."
    usual, careful = named[USUAL], named[CAREFUL]
    times = careful.judgments[0] / usual.judgments[0] if usual.judgments[0] else 1.0
    return (
        f"The usual plan takes about {usual.judgments[0]:,.0f} judgments a topic and finds "
        f"{100 * usual.top[0]:.0f} % of the true top; the careful one {100 * careful.top[0]:.0f} %, "
        f"for {times:.1f} times the work."
    )


def _total(found: Simulated, one: PlanFigures) -> float:
    """Return the expected judgments of a plan over all topics."""
    return one.judgments[0] * found.topics


def _line(study: Study, found: Simulated, one: PlanFigures, hours: float, pay: Decimal | None) -> PlanLine:
    plan = plan_of(study)
    return PlanLine(
        name=one.name,
        title=TITLES[one.name],
        settings=said(one),
        each=f"{one.judgments[0]:,.0f} ± {one.judgments[1]:,.0f}",
        total=f"{_total(found, one):,.0f}",
        hours=f"{hours:,.1f}",
        cost=f"{float(pay) * hours:,.0f}\N{NO-BREAK SPACE}{study.currency}" if pay is not None else "",
        best=_percent(one.best),
        top=_percent(one.top),
        rounds=f"{one.rounds:.1f}",
        chosen=(plan.strategy, plan.settings) == (one.strategy, dict(one.settings)),
    )


def _percent(value: tuple[float, float]) -> str:
    return f"{100 * value[0]:.0f} ± {100 * value[1]:.0f} %".replace(" ", "\N{NO-BREAK SPACE}")


def _shown(study: Study, form: PlanningForm, found: Simulated) -> ShownPlot:
    asked = {name: form.data[name] for name in ("accuracy", *TRIED) if form.data.get(name)}
    points = "; ".join(
        f"{TITLES[one.name]}: {one.judgments[0]:,.0f} judgments a topic, {100 * one.top[0]:.0f} %"
        for one in found.figures
    )
    return ShownPlot(
        study,
        "plans",
        study.words.put_in(f"Share of the true top found, against judgments a topic. {points}."),
        "What each plan finds, against what it costs.",
        asked,
    )


@figure("plans", asks=("accuracy", *TRIED), version=planning.version, wide=260, narrow=240)
def plans(asked: QueryDict, study: Study) -> Drawing:
    """Draw the plans: judgments a topic against the share of the true top that is found."""
    tried = _tried_out(PlanningForm(_given(asked), currency=study.currency), study)
    if tried is None:
        raise Http404("There is no such figure.")
    found = waiting_pages.result(PLANS, study, *tried)
    if found is None:
        raise Http404("The figure is being computed.")
    return Drawing(
        plots.scatter,
        {
            "names": [TITLES[one.name] for one in found.figures],
            "xs": [one.judgments[0] for one in found.figures],
            "ys": [100 * one.top[0] for one in found.figures],
            "x": study.words.put_in("Judgments a topic"),
            "y": "Found of the true top, %",
            "most": 100.0,
        },
    )
