"""Tests of run preferences against chance and against measures, without Django: for `child_process.call`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prefir.measures import AgreementTest


@dataclass(frozen=True)
class Tested:
    """p of the sign test of each pair of runs, and of each measure how far it agrees with the preferences."""

    signs: Sequence[float]
    agreement: Mapping[str, "AgreementTest"]


def tested(
    counts: Sequence[tuple[int, int]],
    values: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    pages: Sequence[int],
) -> Tested:
    """Test wins against losses, and measures' values of two runs against whose page was preferred.

    counts: (wins, losses) of each pair of runs. values: name -> the values of first and second runs, nan
    where absent. pages: of each topic and pair -1 where the first was preferred, 1 where the second, else 0.
    """
    from prefir.measures import agreement_test, preference_table
    from prefir.measures.significance import sign_test

    return Tested(
        [sign_test(wins, losses) for wins, losses in counts],
        {name: agreement_test(preference_table(*both, pages)) for name, both in values.items()},
    )
