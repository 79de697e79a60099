"""Requests to Prolific, and its emulator's replies, beside what Prolific documents (prolific_contract.py)."""

import json
from decimal import Decimal

import pytest

from judging.verdicts import decisions
from panels import reconciliation
from panels.models import Call, Entry
from panels.payments import payouts
from panels.prolific import lists
from panels.recruitment import campaigns
from simulation.emulators.prolific.api import OPERATIONS, ROOT
from simulation.emulators.prolific.tables import PROJECT
from tests.panels.at_prolific import Participant
from tests.panels.at_turk import collect, make_all
from tests.panels.campaigning import armed
from tests.panels.prolific_contract import CONTRACT, differences


def test_the_emulator_serves_what_is_documented_and_no_more():
    served = {name: (method, pattern.pattern) for method, pattern, name, _ in OPERATIONS}
    documented = {
        name: (one.method, ROOT + one.path.replace("ID", "([0-9a-f]{24})")) for name, one in CONTRACT.items()
    }
    assert served == documented


@pytest.mark.services
@pytest.mark.django_db
def test_a_campaign_uses_what_is_documented_and_nothing_else(study, prolific):
    """Each test of the emulator ends with its log held against the contract. Here each operation is in it."""
    begun = len(prolific.log())
    prolific.switch(workspaces=2)
    try:
        campaign = armed(study, "prolific", terms={"project": PROJECT})
        campaigns.refuse_beyond_balance(campaign, 2)
        campaigns.publish(campaign.pk, 1)
        make_all(campaign)
        campaigns.publish(campaign.pk, 1)
        make_all(campaign)
        campaign.refresh_from_db()
        worker = Participant(prolific, campaign, 1)
        worker.do()
        collect(campaign)
        entry = Entry.objects.get()
        payouts.owe_bonus(entry, Decimal("1.05"), "It took longer.", kind="top-up")
        make_all(campaign)
        lists.look(Call.objects.get(op="pay_bonus"))
        for change in (decisions.exclude, decisions.readmit):
            change(entry.assessor_id, "a test")
            collect(campaign)
            make_all(campaign)
        assert reconciliation.compare_books(campaign) == []
    finally:
        prolific.switch(workspaces=1)
    used = {row["operation"] for row in prolific.log()[begun:]} - {"site", "complete"}
    # What tests alone read, and what test_prolific_webhooks.py uses.
    assert used == {
        name for name in CONTRACT if name != "list_members" and "/hooks/" not in CONTRACT[name].path
    }


def test_the_contract_finds_what_differs():
    row = {"operation": "transition_study", "fault": "", "status": 200, "request": '{"action": "PUBLISH"}'}
    reply = {"id": "6", "name": "A study", "status": "ACTIVE", "reward": 200, "completion_codes": []}
    assert differences([{**row, "answer": json.dumps(reply)}]) == []
    for wrong, said in (
        ({"request": "{}"}, "sends no action"),
        ({"request": '{"action": "publish"}'}, "sends action. 'publish'"),
        ({"request": '{"action": "PUBLISH", "at": 1}'}, "sends at, which is unknown"),
        ({"answer": json.dumps({**reply, "reward": "2.00"})}, "replies reward. '2.00'"),
        ({"answer": json.dumps({**reply, "price": 2})}, "replies price, which is unknown"),
        (
            {"answer": json.dumps({**reply, "completion_codes": [{"code": "A"}]})},
            "replies no completion_codes.",
        ),
        ({"operation": "delete_study"}, "delete_study is not in the contract"),
    ):
        assert said in " ".join(differences([{**row, "answer": json.dumps(reply), **wrong}]))
