"""Interface of tournament strategies: their settings, their rules, and how many judgments they ask for.

To add one: write a file with a `Strategy` and name it in `STRATEGIES` of `prefir/rules/__init__.py`.
`tests/rules/test_strategies.py` then checks it like the others.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from .state import State

Settings = Mapping[str, int]
"""Name of a setting -> its value. Names that are left out have the strategy's default."""


class SettingsError(ValueError):
    """Raised for a setting that cannot be used. field: its name; the message is for the organizer."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True)
class Forecast:
    """Judgments that tournaments will need: `least` is certain, `about` a guess, `most` a bound.

    The bound holds while every pair is decided; ties, or a split vote of an even number of judgments,
    may lead to more.
    """

    least: int
    about: int
    most: int


class Strategy(ABC):
    """One way to find the top k of a pool. It holds no state: all methods are functions.

    name: its key, stored with a study. title: what organizers choose it by.
    defaults: its settings in the order of a form, each with its default; no other setting is known.
    limits: setting -> the smallest and the largest value that `check` accepts.
    eliminates: whether items can be out of the tournament before its end.
    asks: "pair" or "pick": what its rounds ask, and what its answers are. Where it asks picks, all that is
    said of pairs here holds for grids.

    Every method that takes settings fills in what is left out, and raises SettingsError for a setting
    that the strategy does not have. Only `check` compares values with the limits.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    defaults: ClassVar[Settings]
    limits: ClassVar[Mapping[str, tuple[int, int]]]
    eliminates: ClassVar[bool]
    asks: ClassVar[str] = "pair"

    def complete(self, settings: Settings) -> dict[str, int]:
        """Fill in the defaults of settings that are left out. Raises SettingsError for an unknown name."""
        for name in settings:
            if name not in self.defaults:
                known = ", ".join(self.defaults)
                raise SettingsError(
                    name, f"A {self.name} tournament has no setting {name!r}; it has {known}."
                )
        return {**self.defaults, **settings}

    def check(self, settings: Settings) -> None:
        """Raise SettingsError for the first setting that is unknown, no whole number or beyond its limits.

        Strategies whose settings can contradict each other extend this.
        """
        for name, value in self.complete(settings).items():
            least, most = self.limits[name]
            if not isinstance(value, int) or isinstance(value, bool):
                raise SettingsError(name, f"{name} is {value!r}; it must be a whole number.")
            if value < least:
                raise SettingsError(name, f"{name} is {value}; it must be at least {least}.")
            if value > most:
                raise SettingsError(name, f"{name} is {value}; it must be at most {most}.")

    @abstractmethod
    def play(
        self,
        pool: Iterable[int],
        answers: Mapping[Any, Sequence[Any]],
        settings: Settings,
        *,
        seed: str,
        aside: Collection[Any] = (),
    ) -> State:
        """Replay the tournament of a pool as far as its answers go.

        pool: items in any order; repeats count once. answers: pair -> its `Choice`s in ledger order; where
        picks are asked grid -> its `Pick`s.
        aside: pairs or grids that nobody can judge: never open, each is decided by what answers it has, else
        a tie.
        Depends on nothing but the arguments, and comes to an end whatever the answers are.
        """

    @abstractmethod
    def first_pairs(self, size: int, settings: Settings) -> int:
        """Pairs that are asked at once when the tournament of a pool of `size` items begins."""

    @abstractmethod
    def forecast(self, sizes: Iterable[int], settings: Settings) -> Forecast:
        """Judgments from the first round to the end, summed over pools of these sizes."""

    @abstractmethod
    def most_left(
        self, pool_size: int, *, round_size: int | None, answered: int, played: int, settings: Settings
    ) -> int:
        """Most judgments that a running tournament can still ask for while every pair is decided.

        pool_size: items in its first pool. round_size: items in its last round, None before the first.
        answered: pairs of that round with all their judgments. played: the same over all rounds.
        """

    @abstractmethod
    def meets_again(self, sizes: Iterable[int], settings: Settings) -> bool:
        """Check whether a later round may ask a pair again, for a pool of any of these sizes."""
