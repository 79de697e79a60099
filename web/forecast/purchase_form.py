"""What more money, judgments or hours would buy in a study: the form that asks, and what answers it."""

from dataclasses import dataclass, replace
from decimal import Decimal

from django import forms
from django.http import QueryDict

from collection.models import Run, Study
from panels.models import Budget, Campaign
from panels.recruitment.cost_estimate import passing
from panels.recruitment.standstill import places_out
from scoring.analysis import baseline_decision, run_comparison
from scoring.analysis.baseline_decision import BaselineDecision, BaselineState
from scoring.analysis.further_topics import RunDifference, chance_apart
from scoring.board import leaderboard, standings
from tournament import services
from web.forecast.judging_cost import Cost
from web.forecast.needed_topics import MOST_FURTHER, out_of_reach
from web.forecast.purchase import (
    ENOUGH,
    HOURS,
    JUDGMENTS,
    MONEY,
    Outcome,
    Purchase,
    batches_for,
    outcome,
    purchase,
)
from web.forecast.topic_work import TopicWork, judgments_a_topic
from web.shared.form_words import Worded
from web.shared.number_fields import NumberField
from web.shared.phrases import count, duration, interval, listed, signed, the

# What the form begins with, where it is not known what finishing takes.
USUAL = "200"
MOST = Decimal(10**7)
THEN = "then"
JUDGMENT, MINUTE = "judgment", "minute"


class MoreForm(Worded, forms.Form):
    """An amount of money, judgments or hours; and a price, where no campaign has one."""

    more = NumberField(
        min_value=Decimal("0.01"),
        max_value=MOST,
        label="How much more",
        error_messages={
            "required": "Enter a number, such as 200.",
            "invalid": "Enter a number, such as 200.",
        },
    )
    of = forms.ChoiceField(label="Of what")
    price = NumberField(required=False, min_value=Decimal("0.0001"), max_value=MOST, label="Price")
    per = forms.ChoiceField(
        required=False, choices=[(JUDGMENT, "a judgment"), (MINUTE, "a minute")], label="For"
    )
    use_required_attribute = False

    def __init__(
        self, asked: QueryDict, cost: Cost, *, money: str = USUAL, judgments: str = USUAL, usual: str = ""
    ) -> None:
        """money, judgments: how much it begins with. usual: the price of a judgment that it begins with where
        no campaign has one.
        """
        # Without a price the page could only ask for one.
        unit = JUDGMENTS if cost.price is None and not asked.get("price") and not usual else MONEY
        known = {"more": money if unit == MONEY else judgments, "of": unit, "per": JUDGMENT}
        if "more" not in asked and cost.price is None:
            known["price"] = usual
        given = {name: asked.get(name) or known.get(name, "") for name in ("more", "of", "price", "per")}
        super().__init__(given)
        self.cost = cost
        self.fields["more"].widget = forms.TextInput(attrs={"inputmode": "decimal", "size": 8})
        self.fields["price"].widget = forms.TextInput(attrs={"inputmode": "decimal", "size": 8})
        units = [(MONEY, cost.currency), (JUDGMENTS, "judgments"), (HOURS, "hours of people")]
        of = self.fields["of"]
        assert isinstance(of, forms.ChoiceField)
        of.choices = units
        self.fields["price"].label = f"Price, in {cost.currency}"
        if cost.price is not None and not given["price"]:
            del self.fields["price"], self.fields["per"]

    @property
    def priced(self) -> Cost:
        """The cost with the price that the form gives, if it gives one. Only of a valid form."""
        price = self.cleaned_data.get("price")
        if not price:
            return self.cost
        times = float(self.cost.task.batch_size)
        if self.cleaned_data.get("per") == MINUTE:
            times = self.cost.batch_hours * 60
        return replace(self.cost, price=round(price * Decimal(times), 4), campaign=None)

    @property
    def lacks_price(self) -> bool:
        """Whether it asks what money buys, and no price is known. Only of a valid form."""
        return self.cleaned_data["of"] == MONEY and not self.priced.price

    @property
    def bought(self) -> int:
        """How many batches are bought. Only of a valid form."""
        return batches_for(self.cleaned_data["more"], self.cleaned_data["of"], self.priced)


@dataclass(frozen=True)
class More:
    """What an amount buys: the answer, what is left over, then how it is reckoned. now: the difference in
    question, None without one; after: with the topics that the amount adds, None without any.
    """

    now: RunDifference | None
    bought: Purchase
    cost: Cost
    heading: str
    rest: str
    told: list[str]
    after: "After | None"


@dataclass(frozen=True)
class After:
    """The difference of two runs now, and as it is to be expected. one, other: their names.

    told: both with their intervals. result: what that makes of the question. is_enough: whether that settles
    it. least: the difference that matters, 0 without a baseline.
    """

    now: RunDifference
    then: Outcome
    one: str
    other: str
    told: str
    result: str
    is_enough: bool
    least: float

    @property
    def intervals(self) -> list[tuple[str, float, float]]:
        """Both intervals, each with its name."""
        return [("now", self.now.low, self.now.high), (THEN, self.then.low, self.then.high)]


def counted(study: Study) -> int:
    """Return the number of judgments in the last standing; 0 without one."""
    last = standings.latest(study)
    return last.board["judgments"] if last else 0


def answers(study: Study) -> bool:
    """Whether the form is there: judging was opened, or what files brought has scores."""
    return bool(study.opened_at or counted(study))


def state(study: Study) -> str:
    """Return a stamp that changes as soon as topics are opened or a campaign is made."""
    return f"{services.waiting(study.pk)}.{Campaign.objects.filter(study=study).count()}"


def _in_question(study: Study) -> tuple[RunDifference | None, BaselineDecision | None]:
    """Return the difference that the study is about: to its baseline, else of the first two runs."""
    if study.baseline and (decided := baseline_decision.decide(study)) is not None:
        return decided.of, decided
    first = [row.run_id for row in leaderboard.board(study, study.persistence).rows[:2]]
    if len(first) < 2 or Run.objects.filter(pk__in=first).count() < 2:
        return None, None
    return run_comparison.difference_of(study, first[0], first[1]), None


def answer_form(form: MoreForm, study: Study, work: list[TopicWork]) -> More:
    """Answer a valid form that has a price where it needs one. Queries do not grow with the study."""
    cost = form.priced
    now, decided = _in_question(study)
    each = judgments_a_topic(study, now.judgments_a_topic) if now else None
    bought = purchase(form.bought, cost, work, each, out=places_out(study))
    after = _after(study, bought, now, decided) if now else None
    amount = form.cleaned_data["more"] if form.cleaned_data["of"] == MONEY else None
    left = _left_told(study, work)
    heading = _heading(study, bought, cost, work, left) + _certainty(study, bought, now, after)
    said = (_cap_told(cost, bought), _chance(study, bought, after), _rest(study, bought, cost, amount, now))
    rest = " ".join(filter(None, said))
    return More(now, bought, cost, heading, rest, _told(study, bought, cost), after)


def _left_told(study: Study, work: list[TopicWork]) -> str:
    """Say which topics still take judgments; before judging is open, those of files can be asked again."""
    left = count(len(work), study.words.topic)
    if not work:
        return ""
    return f"{left} that {_are_left(study, len(work))}"


def _are_left(study: Study, topics: int) -> str:
    if not study.opened_at:
        return f"{'has' if topics == 1 else 'have'} pairs left to ask"
    return f"{'is' if topics == 1 else 'are'} not done"


def _heading(study: Study, bought: Purchase, cost: Cost, work: list[TopicWork], left: str) -> str:
    """Say how many judgments an amount brings, and which topics they finish: without the full stop.

    left: the topics that still take some, as `_left_told` says them.
    """
    topic = study.words.topic
    if not bought.batches:
        return "That is not enough for one batch"
    if not bought.useful:
        finish = "finishes" if bought.out == 1 else "finish"
        places = f"{the(bought.out, 'place')} already out {finish} all that are not done"
        why = places if left else f"every {topic} has ended"
        return f"{_sum(cost, bought.batches)} would buy nothing in this study: {why}"
    brings = passing(bought.useful, checked=bool(cost.challenges)) * cost.task.batch_size
    if bought.is_all and bought.beyond and bought.usable:
        return _finishing(study, bought, cost, work)
    if not bought.beyond and work:
        # The last batch is rarely full: nothing is bought that cannot be asked.
        brings = min(brings, sum(one.judgments for one in work))
    said = f"About {count(brings, 'judgment')} finish"
    if price := cost.said(bought.useful):
        said = f"{price} buys about {count(brings, 'judgment')} that count, which finish"
    more = f"{count(bought.beyond, topic)} more, which you would load first" if bought.beyond else ""
    if not left:
        return f"{said} {more}"
    if not bought.is_all:
        return f"{said} {len(bought.finished) or 'none'} of the {left}"
    all_of = f"all {left}" if len(bought.finished) > 1 else f"the last {topic}"
    out = f", with {the(bought.out, 'place')} already out" if bought.out else ""
    return " and ".join(filter(None, (f"{said} {all_of}{out}", more)))


def _finishing(study: Study, bought: Purchase, cost: Cost, work: list[TopicWork]) -> str:
    """Say which of the batches finish the study's topics, and what the others wait for."""
    topic, usable = study.words.topic, count(bought.usable, "batch")
    finish = "finishes" if bought.usable == 1 else "finish"
    if price := cost.said(bought.usable):
        usable = (
            f"{cost.said(bought.useful)} buys {count(bought.useful, 'batch')}: {bought.usable:,} for {price}"
        )
    out = f", with {the(bought.out, 'place')} already out" if bought.out else ""
    which = (
        f"the {count(len(work), topic)} that {_are_left(study, len(work))}"
        if len(work) > 1
        else f"the last {topic}"
    )
    kept = passing(bought.useful + bought.out, checked=bool(cost.challenges)) * cost.task.batch_size
    other = max(0, kept - sum(one.judgments for one in work))
    need = "needs" if other == 1 else "need"
    return (
        f"{usable} {finish} {which}{out}; the other {count(other, 'judgment')} {need} "
        f"{study.words.topics} that are not loaded yet"
    )


def _certainty(study: Study, bought: Purchase, now: RunDifference | None, after: "After | None") -> str:
    """Go on with why that makes nothing certain of the two runs in question, if it does not."""
    if not bought.useful or now is None or after is not None:
        return "."
    runs = f"the two {study.words.runs} in question"
    why = f"; {runs} are compared on these already" if bought.finished else ""
    return f", and make nothing more certain{why}."


def _chance(study: Study, bought: Purchase, after: "After | None") -> str:
    """Say how much more certain all that is bought makes the order of two runs; "" if no topic is added."""
    if after is None:
        return ""
    alone = outcome(replace(bought, beyond=0), after.now)
    before, then, usable = (
        0 if run_comparison.too_few(topics) else _percent(chance)
        for topics, chance in (
            (after.now.topics, chance_apart(after.now, 0)),
            (after.then.topics, after.then.chance),
            (alone.topics, alone.chance),
        )
    )
    if then <= before:
        return f"The chance to tell {after.one} and {after.other} apart stays at {before} %."
    none = "" if before else f" (no test is made below six {study.words.topics})"
    more = count(bought.beyond, study.words.topic)
    all_of = (
        f"All of it, with {more} more that you load first," if bought.beyond and bought.usable else "That"
    )
    of_usable = (
        f"; {the(bought.usable, 'batch')} that the study can use now, to {usable} %"
        if bought.beyond and bought.usable
        else ""
    )
    return (
        f"{all_of} raises the chance to tell {after.one} and {after.other} apart, by a test of these two "
        f"alone, from {before}{none} to {then} %{of_usable}."
    )


def _percent(chance: float) -> int:
    return max(1, min(99, round(100 * chance)))


def _sum(cost: Cost, batches: int) -> str:
    """Say so many batches as their price; without a price, as the judgments that they bring."""
    kept = passing(batches, checked=bool(cost.challenges)) * cost.task.batch_size
    return cost.said(batches) or f"An order of {count(kept, 'judgment')}"


def _rest(
    study: Study,
    bought: Purchase,
    cost: Cost,
    amount: Decimal | None,
    now: RunDifference | None,
) -> str:
    """Say what is bought by batches that nothing can use now, and what is not known of the two runs yet."""
    over, told = bought.batches - bought.useful, []
    if over and bought.useful:
        money = over * (cost.price or 0) if amount is None else amount - bought.useful * (cost.price or 0)
        rest = f"{money:,.2f} {cost.currency}" if cost.price else count(over, "batch")
        told.append(f"The other {rest} would buy nothing in this study.")
    if now is None and bought.batches:
        told.append(f"No two {study.words.runs} are judged enough yet to say what that makes certain.")
    return " ".join(told)


def _told(study: Study, bought: Purchase, cost: Cost) -> list[str]:
    """Return what is useful of a purchase in sentences: batches, their price, hours, cap, topics."""
    if not bought.batches:
        return [f"A batch costs {cost.said(1)}."] if cost.price else []
    told = []
    if useful := bought.useful:
        told.append(_batches_told(bought, cost, useful))
    return [*told, finished] if (finished := _finished(study, bought)) else told


def _batches_told(bought: Purchase, cost: Cost, batches: int) -> str:
    each = f" at {cost.said(1)}" if cost.price else ""
    terms = f", fees included, as in {cost.campaign.name}" if cost.campaign else ""
    checked = bool(cost.challenges)
    said = (
        f"{count(batches, 'batch')}{each}{terms}{f', {cost.said(batches)} in all' if each else ''}: "
        f"about {count(passing(batches, checked=checked) * cost.task.batch_size, 'judgment')} that count, "
        f"{duration(cost.hours(batches * cost.task.batch_size))} of judging, challenges included."
    )
    if passing(batches, checked=checked) < batches:
        said += " One in ten is expected to fail its challenges; its judgments are left out."
    if bought.out:
        out = f"{count(bought.out, 'place')} {'is' if bought.out == 1 else 'are'} out already"
        said += f" {out} and counted: these batches come on top."
    return said


def _cap_told(cost: Cost, bought: Purchase) -> str:
    """Say how many of the useful batches the cap has room for; "" where no cap is set."""
    if cost.campaign is None or cost.price is None or not bought.useful:
        return ""
    about = {"rehearsal": cost.campaign.is_rehearsal, "currency": cost.currency}
    budget = Budget.objects.filter(study=cost.campaign.study_id, cap__gt=0, **about).first()
    if budget is None:
        return ""
    room, left = int(budget.left // cost.price), f"{budget.left:,.2f} {cost.currency}"
    if room >= bought.useful:
        return f"The cap leaves {left}, which is enough."
    enough = f"{room:,} of these {count(bought.useful, 'batch')}" if room else "none of these batches"
    return f"The cap leaves {left}: {enough}. Raise it in {cost.campaign.name} for the rest."


def _finished(study: Study, bought: Purchase) -> str:
    topic, parts = study.words.topic, []
    if bought.begun:
        names = listed([one.name for one in bought.begun], 3)
        parts.append(f"{count(len(bought.begun), 'open ' + topic)} ({names})")
    if bought.to_open:
        names = listed([one.name for one in bought.to_open], 3)
        parts.append(f"{count(len(bought.to_open), 'further ' + topic)} ({names})")
    said = f"Finished: {listed(parts)}." if parts else ""
    if parts and bought.beyond:
        said += f" They take {count(bought.usable, 'batch')}."
    return said


def _after(
    study: Study, bought: Purchase, now: RunDifference, decided: BaselineDecision | None
) -> After | None:
    """Return what a purchase makes of the difference; None if it adds no topic to it."""
    further = bought.further(now)
    if not further:
        return None
    then = outcome(bought, now)
    names = dict(Run.objects.filter(pk__in=[now.first, now.second]).values_list("pk", "name"))
    one, other = names.get(now.first, ""), names.get(now.second, "")
    where = "ahead of" if now.difference >= 0 else "behind"
    topics = count(now.topics, study.words.topic)
    loaded = f", {bought.beyond:,} of them still to be loaded" if bought.beyond else ""
    told = (
        f"{one} is {where} {other} by {abs(now.difference):.3f} over {topics}: the interval is "
        f"{interval(now.low, now.high)}. Over {then.topics:,}{loaded}, with the same "
        f"difference and spread, it would be {interval(then.low, then.high)}."
    )
    is_enough = then.is_enough and not run_comparison.too_few(then.topics)
    if decided is not None and decided.state == BaselineState.OPEN:
        is_enough = further >= decided.needed and not run_comparison.too_few(then.topics)
        takes = f"takes {count(max(1, decided.needed), study.words.topic)} more"
        if decided.needed > MOST_FURTHER:
            takes = f"is {out_of_reach(study.words)}"
        result = (
            f"Expected to settle the decision to {decided.least:g} either way."
            if is_enough
            else f"Not enough to settle it: that {takes}."
        )
    elif decided is not None:
        is_enough = True
        result = (
            f"The decision is made already, to within {decided.least:g}; more makes the interval narrower."
        )
    elif run_comparison.too_few(now.topics):
        is_enough = False
        few = f"{count(now.topics, study.words.topic)} cannot tell"
        result = f"That holds only if the difference stays {signed(now.difference)}, which {few}."
    elif now.low > 0 or now.high < 0:
        is_enough = True
        result = "The two are told apart already; more makes it firmer."
    else:
        result = (
            "Expected to settle which is better."
            if is_enough
            else f"Below {round(100 * ENOUGH)} %, the usual aim: which is better may stay open."
        )
    return After(now, then, one, other, told, result, is_enough, decided.least if decided else 0.0)
