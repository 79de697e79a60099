"""What the MTurk emulator charges: rewards, bonuses, the fee on each, the balance, the books. In cents."""

import json
from decimal import ROUND_DOWN, ROUND_HALF_UP, ROUND_UP, Decimal
from typing import Any

from simulation.emulators.emulator_base import Emulator
from simulation.emulators.mturk.tables import DAY, page, used
from simulation.emulators.mturk.wire import operation, trouble

ROUNDING = {"up": ROUND_UP, "half_up": ROUND_HALF_UP, "down": ROUND_DOWN}
MASTERS = ("2F1QJWKUDD8XADTFD2Q0G6UTO95ALH", "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6")


def cents(amount: str) -> int:
    """The cents in a CurrencyAmount."""
    return int(Decimal(amount.removesuffix(".") or "0") * 100)


def dollars(amount: int) -> str:
    """A CurrencyAmount of cents."""
    return f"{amount // 100}.{amount % 100:02}"


def fee(m: Emulator, amount: int, places: int = 1, masters: bool = False) -> int:
    """The fee on a reward or a bonus: 20 %, 20 more from ten assignments, 5 for Masters; at least a cent."""
    rate = Decimal("0.20") + (Decimal("0.20") if places >= 10 else 0) + (Decimal("0.05") if masters else 0)
    return max(1, int((amount * rate).quantize(Decimal(1), rounding=ROUNDING[m.switch("fee_rounding")])))


def price(m: Emulator, hit_type: str, places: int) -> tuple[int, int]:
    """The reward and the fee of one assignment of a HIT."""
    kind = m.row("SELECT terms FROM hit_type WHERE id = ?", hit_type)
    terms = json.loads(kind["terms"]) if kind else {}
    asked = {need["QualificationTypeId"] for need in terms.get("QualificationRequirements", [])}
    reward = cents(terms["Reward"])
    return reward, fee(m, reward, places, bool(asked & {*MASTERS}))


def balance(m: Emulator) -> int:
    """What is left of the account."""
    spent = m.row("SELECT COALESCE(SUM(amount), 0) AS spent FROM posting")
    return cents(m.switch("opening_balance")) - (spent["spent"] if spent else 0)


def held(m: Emulator) -> int:
    """What open places and unreviewed assignments may still cost."""
    rows = m.rows(
        "SELECT hit.type, hit.places, hit.expires,"
        " COALESCE(SUM(state IN ('Accepted', 'Submitted')), 0) AS pending,"
        " COALESCE(SUM(state IN ('Approved', 'Rejected')), 0) AS settled"
        " FROM hit LEFT JOIN assignment ON assignment.hit = hit.id"
        " WHERE deleted = 0 AND gone = 0 GROUP BY hit.number"
    )
    prices = {key: sum(price(m, *key)) for key in {(row["type"], row["places"]) for row in rows}}
    return sum(
        prices[row["type"], row["places"]]
        * (row["places"] - row["settled"] if row["expires"] > m.now else row["pending"])
        for row in rows
    )


def need_funds(m: Emulator, amount: int) -> None:
    """Refuse what the account cannot pay."""
    if amount > balance(m):
        raise trouble(
            m,
            "InsufficientFunds",
            "This Requester has insufficient funds in their account to complete this transaction.",
        )


def post(m: Emulator, kind: str, amount: int, hit: str, assignment: str, at: float) -> None:
    """Write an entry of the books."""
    m.db.execute(
        "INSERT INTO posting (kind, amount, hit, assignment, at) VALUES (?, ?, ?, ?, ?)",
        [kind, amount, hit, assignment, at],
    )


@operation
def get_account_balance(m: Emulator, asked: dict[str, Any]) -> dict[str, Any]:
    return {"AvailableBalance": dollars(max(0, balance(m))), "OnHoldBalance": dollars(held(m))}


@operation
def send_bonus(m: Emulator, asked: dict[str, Any]) -> dict[str, Any]:
    amount, token = cents(asked["BonusAmount"]), asked.get("UniqueRequestToken")
    if amount < 1 or len(asked["Reason"]) > 1024:
        raise trouble(m, "AWS.ParameterOutOfRange", "BonusAmount is at least 0.01; Reason has at most 1024")
    if used(m, "SendBonus", token, asked["AssignmentId"]):
        raise trouble(m, "BonusAlreadyExists", f'The idempotency token "{token}" has already been processed.')
    work = m.row("SELECT * FROM assignment WHERE id = ?", asked["AssignmentId"])
    done = ("Submitted", "Approved", "Rejected")
    if not work or work["state"] not in done or work["worker"] != asked["WorkerId"]:
        raise trouble(m, "AssignmentDoesNotExist", f"Assignment {asked['AssignmentId']} does not exist.")
    if work["submitted"] < m.now - 183 * DAY:
        raise trouble(m, "InvalidAssignmentState", "The worker has done nothing for you in six months.")
    need_funds(m, amount + fee(m, amount))
    m.db.execute(
        "INSERT INTO bonus (assignment, hit, worker, amount, reason, at) VALUES (?, ?, ?, ?, ?, ?)",
        [work["id"], work["hit"], work["worker"], amount, asked["Reason"], m.now],
    )
    post(m, "bonus", amount, work["hit"], work["id"], m.now)
    post(m, "bonus_fee", fee(m, amount), work["hit"], work["id"], m.now)
    return {}


@operation
def list_bonus_payments(m: Emulator, asked: dict[str, Any]) -> dict[str, Any]:
    hit, work = asked.get("HITId"), asked.get("AssignmentId")
    if bool(hit) == bool(work):
        raise trouble(m, "InvalidParameterValue", "Either HITId or AssignmentId must be given")
    rows = m.rows("SELECT * FROM bonus WHERE ? IN (hit, assignment) ORDER BY number", hit or work)
    return page(m, asked, "BonusPayments", rows, _bonus)


def _bonus(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "WorkerId": row["worker"],
        "BonusAmount": dollars(row["amount"]),
        "AssignmentId": row["assignment"],
        "Reason": row["reason"],
        "GrantTime": row["at"],
    }


KINDS = {"reward": "rewards", "fee": "fees", "bonus": "bonuses", "bonus_fee": "bonus_fees"}


def books(m: Emulator) -> dict[str, Any]:
    """All money that has moved, in decimal strings: in all, and for each HIT."""
    hits: dict[str, dict[str, Any]] = {}
    for hit in m.rows("SELECT id, annotation FROM hit ORDER BY number"):
        hits[hit["id"]] = {"annotation": hit["annotation"], "approved": 0, **dict.fromkeys(KINDS.values(), 0)}
    total = dict.fromkeys(KINDS.values(), 0)
    for row in m.rows("SELECT * FROM posting"):
        for sums in (total, hits[row["hit"]]):
            sums[KINDS[row["kind"]]] += row["amount"]
        hits[row["hit"]]["approved"] += row["kind"] == "reward"
    for sums in (total, *hits.values()):
        sums.update({name: dollars(sums[name]) for name in KINDS.values()})  # type: ignore[misc]
    left = balance(m)
    opening = cents(m.switch("opening_balance"))
    spent = {"opening": dollars(opening), "spent": dollars(opening - left)}
    return {**total, **spent, "balance": f"{'-' * (left < 0)}{dollars(abs(left))}", "hits": hits}
