"""Amounts of money: the cent, and rounding up to it."""

from decimal import ROUND_UP, Decimal

CENT = Decimal("0.01")


def cents_up(amount: Decimal) -> Decimal:
    """An amount rounded up to the cent, as fees are."""
    return amount.quantize(CENT, rounding=ROUND_UP)
