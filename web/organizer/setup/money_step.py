"""The line of a study's checklist about money: what finishing costs, and what campaigns may spend."""

from django.urls import reverse

from collection.models import Study
from panels.models import Budget, Campaign
from panels.recruitment.standstill import standstills
from web.forecast import completion
from web.organizer.setup.checklist_step import DONE, LOOK, OPTIONAL, ChecklistStep
from web.shared.phrases import count


def money_step(study: Study) -> ChecklistStep:
    """Return the step for paid places, which are optional. With a campaign, cost grows with the topics."""
    campaigns = Campaign.objects.filter(study=study).count()
    if not campaigns:
        said = ["Nobody is paid unless you draft a campaign. It costs nothing before you arm it."]
        return ChecklistStep("money", "Money", OPTIONAL, said, link="campaigns", label="Set up paid places")
    found = completion.completion_of(study)
    budgets = list(Budget.objects.filter(study=study).order_by("rehearsal", "currency"))
    said = [completion.headline(found, budgets), completion.room(found, budgets)]
    for one in filter(lambda one: one.cap or one.committed, budgets):
        kind = " in rehearsals" if one.rehearsal else ""
        said.append(
            f"{one.spent:,.2f} {one.currency} spent{kind} and {one.reserved:,.2f} set aside, of a cap of "
            f"{one.cap:,.2f}, by {count(campaigns, 'campaign')}."
        )
    still = [f"{one.campaign.name} stands still: {one.said}" for one in standstills(study)]
    state = LOOK if still else DONE
    address = reverse("campaigns", args=[study.slug])
    return ChecklistStep(
        "money", "Money", state, [one for one in said if one], still, label="See money", address=address
    )
