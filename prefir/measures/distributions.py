"""Student's and the binomial distribution: tails and quantiles, without scipy where it is not installed.

By numpy alone they have some 12 digits; scipy takes a tenth of the time of large tables.
"""

from collections.abc import Callable
from math import pi
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Values = NDArray[np.float64]

_STEPS = 20_000
_NEWTON = 50
_CLOSE = 1e-15
_TINY = 1e-300
# From here on Stirling's series has all digits.
_LARGE = 16.0


def student_tail(freedom: ArrayLike, t: ArrayLike) -> Values:
    """Chance that Student's t is below -|t|; freedom: degrees, above 0, else nan.

    Source: the continued fraction of the incomplete beta function, DLMF 8.17.22.
    """
    if special := _scipy():
        found: Values = special.stdtr(freedom, -np.abs(t))
        return found
    degrees, far = (np.asarray(one, np.float64) for one in np.broadcast_arrays(freedom, np.abs(t)))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        squared = far * far
        # The share and its rest, either of which may be next to 0.
        share = np.where(np.isinf(squared), 0.0, degrees / (degrees + squared))
        rest = np.where(np.isinf(squared), 1.0, squared / (degrees + squared))
    valid = (degrees > 0) & (share == share)
    a = np.where(valid, degrees, 1.0) / 2
    tail = _beta_share(a, np.full_like(a, 0.5), np.where(valid, share, 0.5), np.where(valid, rest, 0.5)) / 2
    return np.where(valid, tail, np.nan)


def student_quantile(freedom: ArrayLike, share: ArrayLike) -> Values:
    """The t that Student's t stays below with this chance, above 1/2; freedom: degrees, at least 1."""
    if special := _scipy():
        found: Values = special.stdtrit(freedom, share)
        return found
    degrees, below = (np.asarray(one, np.float64) for one in np.broadcast_arrays(freedom, share))
    normal = np.vectorize(NormalDist().inv_cdf, otypes=[np.float64])
    # In logarithms the tail is concave, so that Newton's steps from beyond the root stay beyond it.
    place = np.log(normal(below))
    for _ in range(_NEWTON):
        t = np.exp(place)
        tail = student_tail(degrees, t)
        total = degrees + t * t
        slope = _beta_weight(degrees / 2, np.full_like(t, 0.5), degrees / total, t * t / total)
        slope = np.maximum(slope, _TINY) / np.maximum(tail, _TINY)
        # A step from far away may be too long.
        step = np.clip((np.log(np.maximum(tail, _TINY)) - np.log(1 - below)) / slope, -1.0, 1.0)
        place = place + step
        if not (np.abs(step) > 1e-15 * np.maximum(np.abs(place), 1.0)).any():
            break
    return np.exp(place)


def binomial_tail(hits: int, trials: int) -> float:
    """Chance of `hits` or more, above 0, among trials that succeed half the time."""
    if special := _scipy():
        return float(special.betainc(hits, trials - hits + 1, 0.5))
    a, b, half = (np.array(float(one)) for one in (hits, trials - hits + 1, 0.5))
    return float(_beta_share(a, b, half, half))


def _scipy() -> Any:
    """scipy.special, or None where scipy is not installed."""
    try:
        from scipy import special
    except ImportError:
        return None
    return special


def find_root(function: Callable[[float], float], low: float, high: float) -> float:
    """Find where an increasing or decreasing function is 0, by halves. It has both signs between the ends."""
    sign = 1.0 if function(high) > 0 else -1.0
    while (middle := low + (high - low) / 2) not in (low, high):
        if sign * function(middle) > 0:
            high = middle
        else:
            low = middle
    return low


def _beta_share(a: Values, b: Values, share: Values, rest: Values) -> Values:
    """The regularized incomplete beta function of a, b > 0 at `share`; rest: 1 - share."""
    turned = share > (a + 1) / (a + b + 2)
    a, b = np.where(turned, b, a), np.where(turned, a, b)
    share, rest = np.where(turned, rest, share), np.where(turned, share, rest)
    weight = _beta_weight(a, b, share, rest)
    found: Values = np.where(weight > 0, weight / a * _fraction(a, b, share), 0.0)
    return np.where(turned, 1 - found, found)


def _fraction(a: Values, b: Values, share: Values) -> Values:
    """Lentz's continued fraction of the incomplete beta function."""
    d = 1 / _apart(1 - (a + b) * share / (a + 1))
    c, found, done = np.ones_like(d), d.copy(), np.isnan(d)
    for m in range(1, _STEPS):
        for part in (
            m * (b - m) * share / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * share / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _apart(1 + part * d)
            c = _apart(1 + part / c)
            change = c * d
            found = found * change
        done |= np.abs(change - 1) < _CLOSE
        if done.all():
            break
    return found


def _apart(values: Values) -> Values:
    """Keep values away from 0, by which the fraction divides."""
    return np.where(np.abs(values) < _TINY, _TINY, values)


def _beta_weight(a: Values, b: Values, share: Values, rest: Values) -> Values:
    """share^a rest^b Γ(a + b) / (Γ(a) Γ(b)), by how far the share is from a / (a + b)."""
    total = a + b
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = share * b - rest * a
        # Far away the logarithms themselves are exact, near by what they are of is next to 1.
        logs = a * np.where(apart < -a / 2, np.log(share * total / a), np.log1p(apart / a))
        logs = logs + b * np.where(apart > b / 2, np.log(rest * total / b), np.log1p(-apart / b))
    logs = logs + _stirling(total) - _stirling(a) - _stirling(b)
    found: Values = np.exp(logs) * np.sqrt(a / total * b / (2 * pi))
    return np.where((share > 0) & (rest > 0), found, 0.0)


def _stirling(z: Any) -> Values:
    """What Stirling's formula leaves out of log Γ(z)."""
    values = np.array(z, np.float64)
    left_out = np.zeros_like(values)
    while (small := values < _LARGE).any():
        step = (values + 0.5) * np.log1p(1 / values) - 1
        left_out = left_out + np.where(small, step, 0.0)
        values = np.where(small, values + 1, values)
    inverse = 1 / values**2
    series = 1 / 12 - inverse * (
        1 / 360 - inverse * (1 / 1260 - inverse * (1 / 1680 - inverse * (1 / 1188 - inverse * 691 / 360360)))
    )
    found: Values = left_out + series / values
    return found
