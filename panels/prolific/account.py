"""The researcher's account at Prolific: its workspaces, their projects, currencies, balances and fees.

Facts: https://docs.prolific.com/api-reference/workspaces/get-workspaces and .../get-workspace-balance;
projects are listed by workspace (.../projects/get-projects); a participant group belongs to a workspace
(.../participant-groups/create-participant-group); the total with VAT and fees of the account, in cents
(.../studies/calculate-study-cost).
"""

from decimal import Decimal
from typing import Any, NamedTuple

from panels.amounts import CENT
from panels.base import WrongAccount
from panels.models import Campaign
from panels.prolific.client import ERRORS, ask, rows, unavailable


class Workspace(NamedTuple):
    """A workspace of the account, and the project in it for a campaign's study, "" for its usual one."""

    id: str
    project: str


def workspace_of(campaign: Campaign) -> Workspace:
    """Return the workspace of a campaign's group and study: the one in its settings, or the only one.

    Raises WrongAccount if the account lacks it, or has several and the settings name none; and one of ERRORS.
    """
    wanted, project = (str(campaign.terms.get(name) or "").strip() for name in ("workspace", "project"))
    there = list(rows("/workspaces/"))
    fitting = [one for one in there if wanted in ("", one.get("id"))]
    # A study without a project goes to the account's usual one, which may be in another workspace.
    projects = {one["id"]: _projects(one) for one in fitting} if project or len(there) > 1 else {}
    if project and not wanted and len(fitting) > 1:
        fitting = [one for one in fitting if project in projects[one["id"]]]
    if not fitting:
        missing = f"workspace {wanted}" if wanted else f"workspace with the project {project}"
        raise WrongAccount(f"The account at Prolific has no {missing}. It has {_listed(there)}.")
    if len(fitting) > 1:
        raise WrongAccount(
            f"The account at Prolific has {len(there)} workspaces: {_listed(there)}. Put the id of one "
            "into the campaign's settings."
        )
    workspace = str(fitting[0]["id"])
    own = projects.get(workspace, [])
    if project and project not in own:
        raise WrongAccount(f"The workspace {workspace} has no project {project}. It has {', '.join(own)}.")
    if not project and len(there) > 1:
        if len(own) != 1:
            raise WrongAccount(
                f"The account at Prolific has {len(there)} workspaces. Put the id of a project of "
                f"{workspace} into the campaign's settings{': ' + ', '.join(own) if own else ''}."
            )
        project = own[0]
    return Workspace(workspace, project)


def _projects(workspace: dict[str, Any]) -> list[str]:
    """Return the ids of a workspace's projects. Raises one of ERRORS."""
    return [str(one["id"]) for one in rows(f"/workspaces/{workspace['id']}/projects/")]


def _listed(workspaces: list[dict[str, Any]]) -> str:
    return (
        ", ".join(f"{one.get('title') or 'without a title'} ({one.get('id')})" for one in workspaces)
        or "none"
    )


def balance(campaign: Campaign) -> Decimal | None:
    """Return what the campaign's workspace can still spend; None if Prolific does not tell.

    Raises WrongAccount as `workspace_of` does, and for another currency than the campaign's; Unavailable.
    """
    try:
        found = ask("GET", f"/workspaces/{workspace_of(campaign).id}/balance/")
    except ERRORS as error:
        raise unavailable(error) from error
    currency, left = found.get("currency_code"), found.get("available_balance")
    if currency and currency != campaign.currency:
        raise WrongAccount(
            f"The workspace at Prolific pays in {currency}, and this campaign in {campaign.currency}. Make a "
            f"campaign in {currency}."
        )
    return None if left is None else left * CENT


def charge(campaign: Campaign, places: int) -> Decimal | None:
    """Return what the account would be charged for places, with its fee and VAT; None if Prolific does not
    tell. Raises Unavailable.
    """
    asked = {"reward": int(campaign.reward / CENT), "total_available_places": places}
    try:
        found = ask("POST", "/study-cost-calculator/", asked)
    except ERRORS as error:
        raise unavailable(error) from error
    total = found.get("total_cost")
    return None if total is None else Decimal(str(total)) * CENT
