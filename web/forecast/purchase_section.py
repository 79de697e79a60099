"""The part of a page that asks, and answers, what more money, judgments or hours would buy."""

from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict

from collection.models import Run, Study
from panels.recruitment.standstill import planned_places
from scoring.analysis import run_comparison
from scoring.analysis.further_topics import RunDifference
from web.forecast.completion import usual_pay, usual_price
from web.forecast.judging_cost import Cost
from web.forecast.needed_topics import needed_rows, needed_sentence, supply_sentence
from web.forecast.purchase_form import THEN, USUAL, MoreForm, answer_form, state
from web.forecast.topic_work import TopicWork, judgments_a_topic
from web.shared import view_choices
from web.shared.interval_axis import drawn


def section(asked: QueryDict, study: Study, cost: Cost, work: list[TopicWork], out: int) -> dict[str, Any]:
    """Return what templates/coordinator/_more.html shows: the form as asked, and its answer.

    Unasked, it answers for what finishing takes. work: what the topics still take; out: places that are out.
    """
    judgments = sum(one.judgments for one in work)
    still = cost.batches(judgments) - out
    price = cost.price or usual_price(cost)
    finishing = f"{still * price:.2f}" if still > 0 else USUAL
    usual = f"{price / cost.task.batch_size:.4f}" if cost.price is None else ""
    form = MoreForm(asked, cost, money=finishing, judgments=str(judgments or USUAL), usual=usual)
    told: dict[str, Any] = {"form_more": form, "kept": view_choices.kept(asked)}
    if usual and form["price"].value() == usual:
        told["usual"] = f"{usual} {cost.currency} a judgment is {usual_pay()} {cost.currency} an hour"
    if not form.is_valid() or form.lacks_price:
        return told
    found = answer_form(form, study, work)
    told |= {"more": found, "upon": state(study), "planned": planned_places(study)}
    if found.after is not None:
        told["axis"] = drawn(
            found.after.intervals, found.after.least, faint="" if found.after.is_enough else THEN
        )
        if not found.after.is_enough:
            told |= _would_settle(study, found.after.now, form.priced)
    elif found.now is not None:
        told |= _would_settle(study, found.now, form.priced)
    return told


def _would_settle(study: Study, now: RunDifference, cost: Cost) -> dict[str, Any]:
    """Return what would make the difference in question certain, with its price, and the address of the page
    of these two runs, which says it in a sentence; rows where a number of topics is known.
    """
    compared = run_comparison.compare(study, now.first, now.second, now.measure, study.persistence, None)
    each = judgments_a_topic(study, now.judgments_a_topic)
    rows = needed_rows(compared, study.words, each)
    names = dict(Run.objects.filter(pk__in=[now.first, now.second]).values_list("pk", "name"))
    said = (
        supply_sentence(compared, study.words, rows[0].topics)
        if rows
        else needed_sentence(compared, study.words, each)
    )
    return {
        "settles": said,
        "settles_rows": [(one, "" if cost.price is None else cost.pay(one.judgments)) for one in rows],
        "settles_of": f"{names.get(now.first, '')} and {names.get(now.second, '')}",
        "settles_priced": cost.price is not None,
        "settles_at": urlencode({"a": now.first, "b": now.second}),
    }
