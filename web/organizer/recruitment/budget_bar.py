"""A budget drawn on one axis: spent, set aside and still needed, from 0 to a round end beyond the cap."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

from panels.amounts import CENT
from panels.models import Budget

# Distances of two ticks, times a power of ten, and how many of them an axis may have: long numbers need room.
STEPS = (Decimal(1), Decimal(2), Decimal("2.5"), Decimal(5), Decimal(10))
PARTS, PARTS_OF_LONG, LONG = 5, 2, 10_000
# A part of the bar is drawn with edges, but not at all without a length.
LEAST = 0.01


@dataclass(frozen=True)
class BudgetPart:
    """A part of the bar, in percent of the axis. name: its class."""

    name: str
    start: str
    length: str


@dataclass(frozen=True)
class DrawnBudget:
    """A budget, what is needed beyond it, and both as a bar. cap: where the cap lies, in percent."""

    budget: Budget
    needed: Decimal
    parts: list[BudgetPart]
    ticks: list[tuple[str, str]]
    cap: str

    @property
    def cap_is_right(self) -> bool:
        """Whether the label of the cap has to stand left of it."""
        return float(self.cap) > 50


def axis_end(most: Decimal) -> tuple[Decimal, Decimal]:
    """Return the round end of an axis from 0 that holds an amount, and the distance of its ticks."""
    if most <= 0:
        return Decimal(1), Decimal(1)
    parts = PARTS if most < LONG else PARTS_OF_LONG
    power = Decimal(10) ** (most / parts).adjusted()
    step = max(CENT, next(power * one for one in STEPS if power * one * parts >= most))
    return step * (most / step).to_integral_value(ROUND_CEILING), step


def drawn_budget(budget: Budget, needed: Decimal = Decimal(0)) -> DrawnBudget:
    """Draw a budget. needed: what finishing costs beyond what is committed."""
    end, step = axis_end(max(budget.cap, budget.committed + needed))

    def at(amount: Decimal) -> str:
        return f"{100 * amount / end:.2f}"

    amounts = [("spent", budget.spent), ("held", budget.reserved), ("needed", needed)]
    parts, upto = [], Decimal(0)
    for name, amount in amounts:
        if amount:
            parts.append(BudgetPart(name, at(upto), f"{max(LEAST, float(at(amount)))}"))
        upto += amount
    places = 0 if step % 1 == 0 else 2
    ticks = [(at(n * step), f"{n * step:,.{places}f}") for n in range(int(end / step) + 1)]
    return DrawnBudget(budget, needed, parts, ticks, at(budget.cap))
