"""What strategies for a few dedicated assessors share: waves of matches, in which a loser may come second."""

from abc import abstractmethod
from collections.abc import Iterable

from .strategy import Forecast, Settings, Strategy


class Waves(Strategy):
    """Strategy of waves: all matches whose two sides are known are played together, none twice."""

    defaults = {"k": 5, "judgments_per_pair": 1}
    limits = {"k": (1, 1000), "judgments_per_pair": (1, 100)}
    # An item that loses a match may still come second.
    eliminates = False

    @abstractmethod
    def most_matches(self, size: int, k: int) -> int:
        """Upper bound of the matches among `size` items, more than one, while no match is a tie."""

    def first_pairs(self, size: int, settings: Settings) -> int:
        """Matches of the first wave: every item meets another, but for one of an odd number."""
        self.complete(settings)
        return size // 2

    def forecast(self, sizes: Iterable[int], settings: Settings) -> Forecast:
        """Forecast `least` as every item but the best loses once, `most` as the bound, `about` midway."""
        full = self.complete(settings)
        pools = [size for size in sizes if size > 1]
        least = sum(size - 1 for size in pools)
        most = sum(self.most_matches(size, full["k"]) for size in pools)
        per_pair = full["judgments_per_pair"]
        return Forecast(least * per_pair, (least + most) // 2 * per_pair, most * per_pair)

    def most_left(
        self, pool_size: int, *, round_size: int | None, answered: int, played: int, settings: Settings
    ) -> int:
        """Most judgments of all waves less those of the matches that have been played."""
        full = self.complete(settings)
        most = self.most_matches(pool_size, full["k"]) if pool_size > 1 else 0
        # Ties may lead to more.
        return max(0, most - played) * full["judgments_per_pair"]

    def meets_again(self, sizes: Iterable[int], settings: Settings) -> bool:
        """Never: no pair is asked twice."""
        self.complete(settings)
        return False
