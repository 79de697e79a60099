"""Subscriptions to Prolific's webhooks: made for a workspace, with the secret that signs their events.

Facts: https://docs.prolific.com/documentation/core-concepts/monitoring-study-progress. A workspace has one
secret. A subscription is confirmed with what Prolific's reply to making it has as its header.
"""

from panels.base import WrongAccount
from panels.prolific.client import ERRORS, ask, ask_with_header, rows, unavailable
from panels.prolific.webhooks import EVENTS


def subscribe(address: str, workspace: str = "") -> str:
    """Subscribe an address to the events of a workspace, by default the only one; return the secret.

    Another secret of the workspace is replaced: what else it signs is no longer read. Subscriptions of this
    address are made anew. Raises WrongAccount, Unavailable.
    """
    try:
        there = [str(one["id"]) for one in rows("/workspaces/")]
        if workspace not in there and (workspace or len(there) != 1):
            raise WrongAccount(f"Name one of the account's workspaces: {', '.join(there) or 'it has none'}.")
        own = workspace or there[0]
        for one in rows("/hooks/subscriptions/", workspace_id=own):
            if one.get("target_url") == address:
                ask("DELETE", f"/hooks/subscriptions/{one['id']}/")
        secret = str(ask("POST", "/hooks/secrets/", {"workspace_id": own})["value"])
        for event in EVENTS:
            body = {"event_type": event, "target_url": address, "workspace_id": own}
            made, token = ask_with_header("POST", "/hooks/subscriptions/", body, "X-Hook-Secret")
            (one,) = made.get("results", [made])
            ask("POST", f"/hooks/subscriptions/{one['id']}/", {"secret": token})
    except ERRORS as error:
        raise unavailable(error) from error
    return secret
