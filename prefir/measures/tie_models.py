"""Models of ties in duels: how likely are a win, a loss and a tie by the difference of two strengths.

Each has a parameter of ties, whose logarithm is -inf where nothing is tied: then both are Bradley and Terry's
model. `chances` are (3, n): of a win of the first, a loss and a tie.
"""

from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Curvature = tuple[Values, Values, Values]
Ties = Literal["davidson", "rao-kupper"]


class TieModel(Protocol):
    """What the likelihood of duels needs to know of a model."""

    def log_chances(self, gaps: Values, log_tie: float) -> Values:
        """Logarithms of the chances (3, n); gaps: the first strength less the second."""

    def slopes(self, chances: Values, log_tie: float) -> tuple[Values, Values]:
        """Slopes of the logarithm of each chance, (3, n): by the gap, and by the parameter of ties."""

    def curvature(self, counts: Values, chances: Values, log_tie: float) -> Curvature:
        """Negative second derivatives (n,) of the log likelihood of counts (n, 3): by the gap twice, by the
        gap and the parameter of ties, by this twice.
        """

    def moved(self, log_tie: float, step: float) -> float:
        """The logarithm after a step of the parameter by which slopes are taken."""

    def share(self, gap: float, tie: float) -> float:
        """Chance of a win of the first, a tie counting as half; tie: the parameter, 0 without ties."""


class Davidson:
    """Between equals a tie is ν times as likely as a win; slopes are by log ν.

    P(win) = π1 / (π1 + π2 + ν sqrt(π1 π2)), P(tie) = ν sqrt(π1 π2) / (the same).
    Source: Davidson, JASA 65(329), 1970.
    """

    def log_chances(self, gaps: Values, log_tie: float) -> Values:
        """As of `TieModel`."""
        logs = np.stack([gaps / 2, -gaps / 2, np.full_like(gaps, log_tie)])
        found: Values = logs - np.logaddexp.reduce(logs, axis=0)
        return found

    def slopes(self, chances: Values, log_tie: float) -> tuple[Values, Values]:
        """As of `TieModel`."""
        of_gap = (np.array([[1.0], [-1.0], [0.0]]) - (chances[0] - chances[1])) / 2
        return of_gap, np.array([[0.0], [0.0], [1.0]]) - chances[2]

    def curvature(self, counts: Values, chances: Values, log_tie: float) -> Curvature:
        """As of `TieModel`."""
        total, lead = counts.sum(axis=1), chances[0] - chances[1]
        # How the chances of a win and a loss vary together.
        spread = total * (chances[0] + chances[1] - lead**2) / 4
        return spread, -total * chances[2] * lead / 2, total * chances[2] * (1 - chances[2])

    def moved(self, log_tie: float, step: float) -> float:
        """As of `TieModel`."""
        return log_tie + step

    def share(self, gap: float, tie: float) -> float:
        """As of `TieModel`."""
        half = np.exp(gap / 2)
        return float((half + tie / 2) / (half + 1 / half + tie))


class RaoKupper:
    """Two are tied where their difference is not seen: it is below η = log θ. Slopes are by η.

    P(win) = π1 / (π1 + θ π2), P(loss) = π2 / (θ π1 + π2), P(tie) = what is left; θ is at least 1.
    Source: Rao & Kupper, JASA 62(317), 1967.
    """

    def log_chances(self, gaps: Values, log_tie: float) -> Values:
        """As of `TieModel`."""
        eta = np.full_like(gaps, np.exp(log_tie))
        with np.errstate(divide="ignore"):
            # sinh η / (cosh η + cosh of the gap), without what overflows.
            tie = np.log(-np.expm1(-2 * eta)) + eta - np.logaddexp.reduce([eta, -eta, gaps, -gaps])
        return np.stack([-np.logaddexp(0, eta - gaps), -np.logaddexp(0, eta + gaps), tie])

    def slopes(self, chances: Values, log_tie: float) -> tuple[Values, Values]:
        """As of `TieModel`."""
        win, loss, tie = chances
        of_gap = np.stack([1 - win, loss - 1, loss - win])
        of_tie = (1 / np.tanh(np.exp(log_tie)) if log_tie > -np.inf else np.inf) - tie
        return of_gap, np.stack([win - 1, loss - 1, of_tie])

    def curvature(self, counts: Values, chances: Values, log_tie: float) -> Curvature:
        """As of `TieModel`."""
        won, lost, tied = counts.T
        win = (won + tied) * chances[0] * (1 - chances[0])
        loss = (lost + tied) * chances[1] * (1 - chances[1])
        with np.errstate(divide="ignore", invalid="ignore"):  # nothing is tied
            of_ties = tied / np.sinh(np.exp(log_tie)) ** 2
        return win + loss, loss - win, win + loss + of_ties

    def moved(self, log_tie: float, step: float) -> float:
        """As of `TieModel`; η stays above 0."""
        eta = np.exp(log_tie)
        return float(np.log(max(eta + step, eta / 2)))

    def share(self, gap: float, tie: float) -> float:
        """As of `TieModel`."""
        return float((1 + 1 / (1 + np.exp(tie - gap)) - 1 / (1 + np.exp(tie + gap))) / 2)


MODELS: dict[Ties, TieModel] = {"davidson": Davidson(), "rao-kupper": RaoKupper()}
