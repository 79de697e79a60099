"""Amounts of money: the smallest unit, and rounding up to it."""

from decimal import ROUND_UP, Decimal

CENT = Decimal("0.01")


def cents_up(amount: Decimal) -> Decimal:
    """Round an amount up to the cent, as panels round fees."""
    return amount.quantize(CENT, rounding=ROUND_UP)
