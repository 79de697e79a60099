"""What the Prolific emulator charges: rewards, bonuses, the fee on each, the balance, the books. In cents."""

from decimal import ROUND_UP, Decimal
from typing import Any

from simulation.emulators.emulator_base import Emulator
from simulation.emulators.http_server import Request
from simulation.emulators.prolific.api import body_of, operation, refuse
from simulation.emulators.prolific.tables import new_id

PAID = "The bonuses are being paid."


def fee(m: Emulator, amount: int) -> int:
    """The fee on a reward or a bonus, rounded up to the cent."""
    return int((amount * Decimal(m.switch("fee_rate"))).quantize(Decimal(1), rounding=ROUND_UP))


def price(m: Emulator, reward: int) -> int:
    """What a place costs."""
    return reward + fee(m, reward)


def dollars(amount: int) -> str:
    """Cents as a decimal string."""
    return f"{amount // 100}.{amount % 100:02}"


def balance(m: Emulator) -> int:
    """What is left of the balance, without what published places may still cost."""
    spent = sum(one["price"] for one in _rewards(m)) + _sum(m, "SELECT sum(amount + fee) AS n FROM bonus")
    held = 0
    for study in m.rows("SELECT * FROM study WHERE published IS NOT NULL"):
        sql = "SELECT count(*) AS n FROM submission WHERE study = ? AND approved IS NOT NULL"
        done = _sum(m, sql, study["id"])
        held += price(m, study["reward"]) * max(0, study["places"] - done)
    return int(m.switch("balance")) - spent - held


def need_funds(m: Emulator, amount: int) -> None:
    """Refuse what the account cannot pay."""
    if amount > balance(m):
        raise refuse(400, "Not enough funds", "You do not have enough funds in your account.")


def _sum(m: Emulator, sql: str, *parts: Any) -> int:
    return int(m.rows(sql, *parts)[0]["n"] or 0)


def _rewards(m: Emulator) -> list[dict[str, int]]:
    sql = (
        "SELECT study.reward AS reward FROM submission JOIN study ON study.id = submission.study "
        "WHERE submission.approved IS NOT NULL"
    )
    return [{"reward": row["reward"], "price": price(m, row["reward"])} for row in m.rows(sql)]


def cost(m: Emulator, study: dict[str, Any]) -> dict[str, Any]:
    """What a study has cost so far, as the API shows it."""
    sql = "SELECT count(*) AS n FROM submission WHERE study = ? AND approved IS NOT NULL"
    approved = _sum(m, sql, study["id"])
    where = "FROM bonus JOIN submission ON submission.id = bonus.submission WHERE submission.study = ?"
    bonuses = _sum(m, f"SELECT sum(bonus.amount) AS n {where}", study["id"])
    bonus_fees = _sum(m, f"SELECT sum(bonus.fee) AS n {where}", study["id"])
    rewards, fees = approved * study["reward"], approved * fee(m, study["reward"])
    code = m.switch("currency")

    def amount(n: int) -> dict[str, Any]:
        return {"amount": n, "currency": code}

    return {
        "rewards": {"rewards": amount(rewards), "fees": amount(fees), "tax": amount(0)},
        "bonuses": {"rewards": amount(bonuses), "fees": amount(bonus_fees), "tax": amount(0)},
    }


@operation("POST", "/study-cost-calculator/")
def calculate_study_cost(m: Emulator, request: Request) -> Any:
    given = body_of(request)
    for name in ("reward", "total_available_places"):
        number = given.get(name)
        if isinstance(number, bool) or not isinstance(number, int | float) or number < 0:
            raise refuse(400, "Bad request", {name: ["A valid number is required."]})
    return {"total_cost": price(m, int(given["reward"])) * int(given["total_available_places"])}


@operation("POST", "/submissions/bonus-payments/")
def create_bonuses(m: Emulator, request: Request) -> Any:
    given = body_of(request)
    study, lines, total = str(given.get("study_id")), [], 0
    for line in str(given.get("csv_bonuses", "")).splitlines():
        who, _, text = (part.strip() for part in line.partition(","))
        row = m.row(
            "SELECT id, status FROM submission WHERE study = ? AND (id = ? OR participant = ?)",
            *(study, who, who),
        )
        if row is None or row["status"] not in ("AWAITING REVIEW", "APPROVED"):
            raise refuse(400, "Bad request", f"{who} has no submission of this study that can be paid.")
        cents = int(Decimal(text) * 100)
        if cents < 1:
            raise refuse(400, "Bad request", "A bonus is 0.01 at least.")
        lines.append(f"{row['id']},{cents}")
        total += cents
    if not lines:
        raise refuse(400, "Bad request", {"csv_bonuses": ["This field is required."]})
    id, fees = new_id(), sum(fee(m, int(line.partition(",")[2])) for line in lines)
    m.db.execute("INSERT INTO bulk (id, study, lines) VALUES (?, ?, ?)", [id, study, "\n".join(lines)])
    return {
        "id": id, "study": study, "amount": total, "fees": fees, "vat": 0, "total_amount": total + fees,
    }, 201  # fmt: skip


@operation("POST", "/bulk-bonus-payments/ID/pay/")
def pay_bonuses(m: Emulator, request: Request, id: str) -> Any:
    bulk = m.row("SELECT * FROM bulk WHERE id = ?", id)
    if bulk is None:
        raise refuse(404, "Not found", "There is no such bulk of bonuses.")
    if bulk["times"] and not m.switch("pay_repeats"):
        return PAID, 202
    for line in bulk["lines"].splitlines():
        submission, cents = line.split(",")
        charged = fee(m, int(cents))
        need_funds(m, int(cents) + charged)
        m.db.execute(
            "INSERT INTO bonus (bulk, submission, amount, fee, at) VALUES (?, ?, ?, ?, ?)",
            [id, submission, int(cents), charged, m.now],
        )
    m.db.execute("UPDATE bulk SET times = times + 1 WHERE id = ?", [id])
    return PAID, 202


def books(m: Emulator) -> dict[str, Any]:
    """All money that has moved, as decimal strings."""
    rewards = _rewards(m)
    bonuses = m.rows("SELECT amount, fee FROM bonus")
    fees = sum(one["price"] - one["reward"] for one in rewards) + sum(one["fee"] for one in bonuses)
    return {
        "rewards": dollars(sum(one["reward"] for one in rewards)),
        "approved": len(rewards),
        "bonuses": dollars(sum(one["amount"] for one in bonuses)),
        "bonused": len(bonuses),
        "fees": dollars(fees),
        "balance": dollars(max(0, balance(m))),
    }
