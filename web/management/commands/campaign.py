"""`manage.py campaign STUDY what`: campaigns from draft to closed, from the command line."""

import json
from argparse import ArgumentParser
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.db.models import Count, QuerySet

from collection.models import Study
from panels import money, reconciliation
from panels.base import PANELS, Marketplace, Unavailable, marketplace
from panels.models import Call, Campaign, Entry, Payment
from panels.money import OverCap
from panels.recruitment import campaigns, closure, cost_estimate
from panels.recruitment.campaigns import CannotCampaign
from web.forecast.judging_cost import cost_by_hour
from web.forecast.needs import needed

WHATS = (
    "new",
    "set",
    "estimate",
    "arm",
    "publish",
    "collect",
    "reconcile",
    "status",
    "stop",
    "close",
    "go-on",
)


def amount(text: str) -> Decimal:
    """An amount of money from the command line. Raises CommandError."""
    try:
        value = Decimal(text)
        if not value.is_finite() or value != value.quantize(Decimal("0.01")) or value < 0:
            raise InvalidOperation
    except InvalidOperation as error:
        raise CommandError(f"{text!r} is no amount: write it as 2.00.") from error
    return value


class Command(BaseCommand):
    help = (
        "Offer a study's questions on a panel for pay: make, estimate, arm, publish, watch, stop and close."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="short name of the study")
        parser.add_argument("what", choices=WHATS)
        parser.add_argument("--number", type=int, help="which campaign, where there are several")
        parser.add_argument("--json", action="store_true", help="say it as JSON, for programs")
        parser.add_argument("--panel", choices=sorted(PANELS), help="new: where people come from")
        named = ", ".join(marketplace("link").presets)
        parser.add_argument("--preset", default="", help=f"new, with --panel link: a service ({named})")
        parser.add_argument("--environment", default="", help="new: which world of the panel is meant")
        parser.add_argument("--name", help="its name on pages")
        parser.add_argument("--reward", metavar="AMOUNT", help="what a place pays, such as 2.00")
        parser.add_argument("--hourly", metavar="AMOUNT", help="of invited people: what an hour pays")
        parser.add_argument("--currency")
        parser.add_argument("--floor", metavar="AMOUNT", help="pay of an hour below which you are warned")
        parser.add_argument("--minutes", type=int, help="how long a place is expected to take")
        parser.add_argument("--places", type=int, help="new, set: planned in all. publish: how many now")
        parser.add_argument("--cap", metavar="AMOUNT", help="what the study may spend in this currency")
        parser.add_argument(
            "--top-up", choices=["on", "off"], help="publish further places by itself as questions are open"
        )
        parser.add_argument(
            "--term", action="append", default=[], metavar="NAME=VALUE", help="a setting of the panel's own"
        )
        parser.add_argument("--hash", default="", help="arm: of the estimate that you have read")
        parser.add_argument("--typed", default="", metavar="NAME", help="arm for production: its name")
        parser.add_argument(
            "--acknowledge", action="store_true", help="arm for production: real people, real money"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(slug=options["slug"]).first()
        if study is None:
            raise CommandError(f"There is no study {options['slug']!r}.")
        do = getattr(self, "_" + options["what"].replace("-", "_"))
        try:
            said = do(study, options)
        except (CannotCampaign, OverCap, Unavailable) as error:
            raise CommandError(str(error)) from error
        self._say(said, options)

    def _say(self, said: dict[str, Any], options: dict[str, Any]) -> None:
        if options["json"]:
            self.stdout.write(json.dumps(said, indent=2, default=str))
            return
        for name, value in said.items():
            for line in value if isinstance(value, list) else [value]:
                self.stdout.write(f"{name}: {line}")

    def _campaign(self, study: Study, options: dict[str, Any]) -> Campaign:
        found = list(Campaign.objects.filter(study=study).select_related("study").order_by("number"))
        if options["number"] is not None:
            found = [one for one in found if one.number == options["number"]]
        if not found:
            raise CommandError("There is no such campaign. Make one with `new`.")
        if options["number"] is None:
            # The last one where all are closed: its status may be asked for.
            found = [one for one in found if one.state != Campaign.State.CLOSED] or found[-1:]
        if len(found) > 1:
            numbers = ", ".join(f"{one.number} ({one.name}, {one.state})" for one in found)
            raise CommandError(f"Say with --number which campaign is meant: {numbers}.")
        return found[0]

    def _given(self, options: dict[str, Any]) -> dict[str, Any]:
        given: dict[str, Any] = {
            name: amount(options[name]) for name in ("reward", "hourly", "floor") if options[name] is not None
        }
        given |= {
            name: options[name]
            for name in ("name", "currency", "minutes", "places")
            if options[name] is not None
        }
        if options["top_up"]:
            given["topped_up"] = options["top_up"] == "on"
        terms = {}
        for one in options["term"]:
            name, equals, value = one.partition("=")
            if not equals:
                raise CommandError(f"--term {one!r}: write NAME=VALUE.")
            terms[name] = value
        return given | ({"terms": terms} if terms else {})

    def _typed_terms(self, panel: str, given: dict[str, Any]) -> dict[str, Any]:
        """Terms as the panel's own defaults have them: numbers, yes and no, and lists from JSON."""
        own = PANELS[panel]
        if not isinstance(own, Marketplace) or "terms" not in given:
            return given
        for name, value in given["terms"].items():
            default = own.defaults.get(name, "")
            if not isinstance(default, str):
                try:
                    given["terms"][name] = json.loads(value)
                except ValueError as error:
                    raise CommandError(
                        f"--term {name}: {value!r} is not JSON, such as {json.dumps(default)}."
                    ) from error
        return given

    @transaction.atomic
    def _new(self, study: Study, options: dict[str, Any]) -> dict[str, Any]:
        if not options["panel"]:
            raise CommandError("Say with --panel where people come from.")
        given = self._typed_terms(options["panel"], self._given(options))
        world, preset = options["environment"], options["preset"]
        made = campaigns.new(study, options["panel"], environment=world, preset=preset, **given)
        if options["cap"] is not None:
            money.set_cap(made, amount(options["cap"]))
        return {"campaign": made.number, "panel": made.panel, "environment": made.environment}

    @transaction.atomic
    def _set(self, study: Study, options: dict[str, Any]) -> dict[str, Any]:
        campaign = self._campaign(study, options)
        campaigns.change(campaign.pk, **self._typed_terms(campaign.panel, self._given(options)))
        if options["cap"] is not None:
            money.set_cap(campaign, amount(options["cap"]))
        return {"campaign": campaign.number, "changed": True}

    def _estimate(self, study: Study, options: dict[str, Any]) -> dict[str, Any]:
        campaign = self._campaign(study, options)
        needs = needed(study)
        found = cost_estimate.estimate(campaign, needs.batches, checked=needs.checked)
        said: dict[str, Any] = {
            "places": found.places,
            "sittings that the study is expected to need": found.needed,
            "of these in topics that are open": needs.open,
            "of these in topics that are not open yet": needs.further,
            "with those that fail and are asked again": found.with_repeats,
            "a place": f"{found.each} {campaign.currency} (reward {found.reward}, fee {found.fee})",
            "all places": f"{found.total} {campaign.currency}",
            "cap": found.cap,
            "left below the cap": found.left,
            "places that fit": found.fits,
            "pay of an hour": found.pay.hourly_of_slow if found.pay else found.assumed,
            "floor": found.floor,
            "hash": found.hash,
        }
        if campaign.hourly:
            hours, pay = cost_by_hour(campaign, needs.with_failing)
            said = {
                "sittings that the study is expected to need": found.needed,
                "hours, with those that fail": round(hours, 1),
                "all hours": f"{pay} {campaign.currency}",
                **{name: said[name] for name in ("cap", "left below the cap", "pay of an hour", "hash")},
            }
        warnings = [] if needs.checked else ["No paid answer is checked: batches hold no challenges."]
        if found.underpays:
            warnings.append("More than a quarter of people would earn less than the floor. Raise the reward.")
        if warnings:
            said["warning"] = " ".join(warnings)
        return said

    def _arm(self, study: Study, options: dict[str, Any]) -> dict[str, Any]:
        campaign = self._campaign(study, options)
        if not options["hash"]:
            raise CommandError("Read the estimate first, and say its hash with --hash.")
        campaigns.arm(
            campaign.pk, options["hash"], typed=options["typed"], acknowledged=options["acknowledge"]
        )
        return {"campaign": campaign.number, "armed": True}

    def _publish(self, study: Study, options: dict[str, Any]) -> dict[str, Any]:
        campaign = self._campaign(study, options)
        number = options["places"]
        if number is None and not (number := campaigns.next_wave(campaign)):
            raise CommandError(f"All {campaign.places} places that are planned are published.")
        campaigns.refuse_beyond_balance(campaign, number)
        places = campaigns.publish(campaign.pk, number)
        made = self._calls(campaign)
        campaign.refresh_from_db()
        if campaign.troubled:
            raise CommandError(
                f"{campaign.troubled} {len(places)} places are set aside and not all published."
            )
        left = Call.objects.filter(campaign=campaign, state__in=["waiting", "calling", "doubt"]).count()
        return {"reserved": len(places), "calls made": made, "calls that wait": left}

    def _calls(self, campaign: Campaign) -> int:
        """Make what calls are due, until none is."""
        made = 0
        while tried := reconciliation.make_calls(campaign.pk):
            made += tried
        return made

    def _collect(self, study: Study, options: dict[str, Any]) -> dict[str, Any]:
        from panels.participants import participations

        campaign = self._campaign(study, options)
        if not isinstance(PANELS[campaign.panel], Marketplace):
            raise CommandError("Invited people are not listed anywhere else: there is nothing to collect.")
        changed = participations.collect(campaign)
        return {"changed": changed, "calls made": self._calls(campaign)}

    def _reconcile(self, study: Study, options: dict[str, Any]) -> dict[str, Any]:
        campaign = self._campaign(study, options)
        report = reconciliation.reconcile(campaign)
        made = self._calls(campaign)
        problems = [*report.problems, *reconciliation.compare_books(campaign)]
        said: dict[str, Any] = {**report.done, "calls made": made, "to look at": problems}
        if problems:
            # Said before the status that tells programs of it.
            self._say(said, options)
            raise CommandError("Not everything is right: see what there is to look at.")
        return said

    def _status(self, study: Study, options: dict[str, Any]) -> dict[str, Any]:
        campaign = self._campaign(study, options)
        budget, sums = money.budget_of(campaign), money.sums(campaign)
        return {
            "campaign": campaign.number,
            "name": campaign.name,
            "panel": campaign.panel,
            "environment": campaign.environment,
            "state": campaign.state,
            "troubled": campaign.troubled,
            "places": counted(campaign.slots.all()),
            "people": counted(Entry.objects.filter(campaign=campaign)),
            "payments": counted(Payment.objects.filter(campaign=campaign)),
            "calls": counted(Call.objects.filter(campaign=campaign)),
            "set aside": sums.reserved,
            "spent": sums.spent,
            "cap": budget.cap,
            "left below the cap": budget.cap - budget.committed,
            "before it can be closed": closure.unfinished(campaign),
        }

    def _stop(self, study: Study, options: dict[str, Any]) -> dict[str, Any]:
        campaign = self._campaign(study, options)
        withdrawn = closure.stop(campaign.pk)
        return {"stopped": True, "places withdrawn": withdrawn, "calls made": self._calls(campaign)}

    def _close(self, study: Study, options: dict[str, Any]) -> dict[str, Any]:
        campaign = closure.close(self._campaign(study, options).pk)
        return {"closed": True, "spent": money.sums(campaign).spent}

    def _go_on(self, study: Study, options: dict[str, Any]) -> dict[str, Any]:
        campaign = self._campaign(study, options)
        campaigns.go_on(campaign.pk)
        return {"campaign": campaign.number, "calls made": self._calls(campaign)}


def counted(rows: QuerySet[Any]) -> dict[str, int]:
    """How many of these rows are in each state."""
    return dict(rows.order_by("state").values_list("state").annotate(n=Count("pk")))
