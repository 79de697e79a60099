"""Forms of campaigns: what is offered and paid, the panel's own settings, and the cap."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms

from panels import money
from panels.amounts import cents_up
from panels.base import PANELS, Marketplace, Panel
from panels.models import Campaign
from panels.payments import payouts
from web.shared.form_words import Worded
from web.shared.phrases import count

GENERAL = ("name", "reward", "hourly", "currency", "minutes", "floor", "places", "topped_up")


class NewForm(Worded, forms.Form):
    """The panel, or service on a panel, of a new campaign."""

    panel = forms.ChoiceField(
        widget=forms.RadioSelect,
        label="People come from",
        error_messages={"required": "Choose where people come from."},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["panel"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [choice for name, panel in PANELS.items() for choice in _offers(name, panel)]


def _offers(name: str, panel: Panel) -> list[tuple[str, str]]:
    """Return the choices of a panel: first one for each service that it has a preset for, then its own."""
    presets = panel.presets if isinstance(panel, Marketplace) else {}
    known = [(f"{name}/{preset}", f"{title}, by a link") for preset, title in presets.items()]
    return [*known, (name, panel.offer)] if panel.offer else []


class TermsForm(Worded, forms.ModelForm):
    """The terms of a campaign. The panel's own settings are added as fields, named as in `Campaign.terms`.

    fixed: disable reward, currency and the panel's own settings, since places are published.
    """

    class Meta:
        model = Campaign
        fields = GENERAL
        labels = {
            "name": "Name",
            "reward": "A place pays",
            "hourly": "An hour pays",
            "currency": "Currency",
            "minutes": "Minutes that a place is expected to take",
            "floor": "Pay of an hour below which you are warned",
            "places": "Places in all",
            "topped_up": "Publish further places by itself while questions are open",
        }
        help_texts = {
            "hourly": "By the time that questions were in view, measured batch by batch.",
            "minutes": "Until five people have finished; then the measured time counts.",
            "floor": "Below it, this page warns you, and people can be topped up.",
            "places": "Each is one batch of one person. They are published in waves: 10, 50, the rest.",
            "topped_up": "Begins once the first wave has come back, so that you can look at it. Then places "
            "are published for all questions that are open, those of failed batches among them, up to the "
            "number and the cap.",
        }
        error_messages = {"name": {"required": "Give the campaign a name."}}

    def __init__(self, *args: Any, fixed: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        panel = PANELS[self.instance.panel]
        market = isinstance(panel, Marketplace)
        for name in ("hourly",) if market else ("reward", "places", "topped_up", "minutes"):
            del self.fields[name]
        if self.instance.panel == "prolific" or self.instance.terms.get("service", "").startswith("Prolific"):
            self.fields["floor"].help_text = "Prolific asks for 8 USD at least, and recommends 12."
        self.own: Mapping[str, Any] = panel.defaults if isinstance(panel, Marketplace) else {}
        if isinstance(panel, Marketplace):
            choices = [(one, one) for one in panel.currencies]
            self.fields["currency"] = forms.ChoiceField(choices=choices, label="Currency")
            for name, default in self.own.items():
                value = self.instance.terms.get(name, default)
                self.fields[name] = _field(panel, name, default, value)
        own_currency = self.instance.currency
        if own_currency == self.instance.study.currency:
            del self.fields["currency"]  # chosen once, under Settings
        for name in {"reward", "hourly"} & self.fields.keys():
            self.fields[name].label = f"{self.fields[name].label}, in {own_currency}"
        if market:
            fair = cents_up(self.instance.floor * self.instance.minutes / 60)
            self.fields[
                "reward"
            ].help_text = (
                f"{count(self.instance.minutes, 'minute')} at {self.instance.floor} an hour are {fair}."
            )
        if fixed:
            for name in ("reward", "currency", *self.own):
                if name in self.fields:
                    self.fields[name].disabled = True

    @property
    def general(self) -> list[forms.BoundField]:
        """The fields that campaigns of every panel have."""
        return [self[name] for name in self.fields if name not in self.own]

    @property
    def of_panel(self) -> list[forms.BoundField]:
        """The panel's own settings."""
        return [self[name] for name in self.own]

    @property
    def own_is_wrong(self) -> bool:
        """Whether one of the panel's own settings has an error."""
        return not self.own.keys().isdisjoint(self.errors)

    def clean(self) -> dict[str, Any]:
        """Check the panel's own settings by the panel's rules; put each problem beside its field."""
        super().clean()
        panel = PANELS[self.instance.panel]
        if isinstance(panel, Marketplace) and not self.own.keys() - self.cleaned_data.keys():
            for name, problem in panel.check_terms({**self.own, **self._terms}).items():
                self.add_error(name, problem)
        return self.cleaned_data

    @property
    def given(self) -> dict[str, Any]:
        """The values as arguments of `panels.recruitment.campaigns.change`."""
        said = {name: self.cleaned_data[name] for name in GENERAL if name in self.fields}
        return said | ({"terms": self._terms} if self.own else {})

    @property
    def _terms(self) -> dict[str, Any]:
        """The panel's own settings, each cleaned; lists are split at commas."""
        own = {name: self.cleaned_data[name] for name in self.own}
        return {
            name: [one.strip() for one in value.split(",") if one.strip()]
            if isinstance(self.own[name], list)
            else value
            for name, value in own.items()
        }


def _field(panel: Marketplace, name: str, default: Any, value: Any) -> forms.Field:
    """Return the form field of one of a panel's own settings, by the type of its default."""
    label, hint = panel.labels.get(name, (name.replace("_", " ").capitalize(), ""))
    told: dict[str, Any] = {"label": label, "help_text": hint, "initial": value}
    if isinstance(default, bool):
        return forms.BooleanField(required=False, **told)
    if isinstance(default, int):
        return forms.IntegerField(**told)
    if isinstance(default, list):
        return forms.CharField(required=False, **told | {"initial": ", ".join(value)})
    if name in panel.choices:
        return forms.ChoiceField(choices=panel.choices[name], **told)
    return forms.CharField(required=False, **told)


class CapForm(Worded, forms.Form):
    """The cap on what a study may spend in a campaign's currency."""

    cap = forms.DecimalField(min_value=0, max_digits=10, decimal_places=2, label="Cap")

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        budget = money.budget_of(campaign)
        # A draft begins with what all its places cost.
        whole = budget.committed + payouts.cost(campaign) * campaign.places
        cap = max(budget.cap, whole) if campaign.state == Campaign.State.DRAFT else budget.cap
        super().__init__(*args, **{"initial": {"cap": cap}, **kwargs})
        kind = " of rehearsals" if budget.rehearsal else ""
        self.fields["cap"].label = f"What the study may spend{kind}, in {campaign.currency}"
        self.fields[
            "cap"
        ].help_text = (
            f"{budget.committed} are set aside or spent. Nothing is published that would pass the cap."
        )


class WaveForm(Worded, forms.Form):
    """How many places to publish now."""

    places = forms.IntegerField(min_value=1, label="Places to publish now")
    # How many places there were when the page was rendered, so that a double submit publishes once.
    after = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(
        self, *args: Any, campaign: Campaign, proposed: int, published: int, room: Decimal, **kwargs: Any
    ) -> None:
        """proposed: places that the field begins with; the form tells their cost. room: left of the cap."""
        super().__init__(*args, **{"initial": {"places": proposed, "after": published}, **kwargs})
        left = max(0, campaign.places - published)
        told = [f"{count(left, 'place')} of {campaign.places:,} {'is' if left == 1 else 'are'} left."]
        if each := payouts.cost(campaign):
            rest = room - each * proposed
            then = (
                f"{rest:,.2f} would be left of the cap"
                if rest >= 0
                else f"{-rest:,.2f} more than the cap leaves"
            )
            costs = "costs" if proposed == 1 else "cost"
            at = f" at {each:,.2f}" if proposed > 1 else ""
            sums = f"{each * proposed:,.2f} {campaign.currency}"
            told.insert(0, f"{count(proposed, 'place')}{at} {costs} {sums}: {then}.")
            if left > proposed:
                fits = min(left, max(0, int(room // each)))
                told.append(
                    f"All of them cost {each * left:,.2f} {campaign.currency}; the cap has room for {fits:,}."
                )
        self.fields["places"].help_text = " ".join(told)


class ArmForm(Worded, forms.Form):
    """Confirmation of the estimate shown; for production also the typed name and a tick."""

    hash = forms.CharField(widget=forms.HiddenInput)
    typed = forms.CharField(required=False, label="The campaign's name, typed")
    acknowledged = forms.BooleanField(
        required=False, label="I know that real people will be asked, and paid with real money"
    )

    def __init__(self, *args: Any, production: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not production:
            del self.fields["typed"], self.fields["acknowledged"]
