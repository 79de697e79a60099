"""Measures of two result pages by grades: nDCG with two ideals, RBP, compatibility, the best possible."""

from collections.abc import Iterable, Mapping

from .compatibility import compatibility
from .effectiveness import rbp, xie_dcg
from .grid import distances
from .images import Placements
from .page_agreement import Pair
from .rbo import ABSENT, rbo


def graded_page_measures(
    first: Placements,
    second: Placements,
    grades: Mapping[str, float],
    *,
    k: int = 10,
    p: float = 0.95,
    depth: int = 1000,
    max_grade: float = 100,
) -> dict[str, Pair]:
    """Measures of two systems' pages on a topic by its grades: name -> both systems' values.

    first, second: grids as `pmr` has them, read row by row from the top left. grades: docno -> grade; items
    without one count as 0.
    ndcg_own: DCG@k of Xie et al. divided by that of the system's own items in the order of their grades.
    ndcg_both: divided by that of both systems' items. compatibility: with p and depth, without NRBO.
    rbp_.8, rbp_.99: rank-biased precision with relevance grade / max_grade, at these persistences.
    best_possible: RBO of the ideal ranking, by grade and then by docno, with the system's own items in
    that order.
    Values are in [0, 1]; `ABSENT` (nan) where the ideal has no grade above 0. Raises ValueError as `xie_dcg`,
    `compatibility` and `distances` do. Time grows with n log n in the items.
    Sources: Luo, thesis, Waterloo 2021, 5.4.5, figures 5.10 and 5.11; nDCG and RBP: Xie et al., SIGIR 2020,
    figure 5.
    """
    pages = []
    for grid in (first, second):
        seen_at = distances(grid)
        pages.append(sorted(seen_at, key=seen_at.__getitem__))
    merged = _by_grade({*pages[0], *pages[1]}, grades)
    ideal = _by_grade((item for item, grade in grades.items() if grade > 0), grades)
    own = [_by_grade(page, grades) for page in pages]
    values = {
        "ndcg_own": [_share_of(page, best, grades, k) for page, best in zip(pages, own, strict=True)],
        "ndcg_both": [_share_of(page, merged, grades, k) for page in pages],
        "compatibility": [compatibility(page, grades, p=p, depth=depth, nrbo=False) for page in pages],
        "best_possible": [rbo(page, ideal, p=p, depth=depth) if ideal else ABSENT for page in own],
    }
    for persistence in (0.8, 0.99):
        name = f"rbp_{persistence:g}".replace("0.", ".")
        values[name] = [
            rbp(page, grades, p=persistence, max_grade=max_grade) if ideal else ABSENT for page in pages
        ]
    return {name: (one, two) for name, (one, two) in values.items()}


def _by_grade(items: Iterable[str], grades: Mapping[str, float]) -> list[str]:
    """Items by grade, highest first, then by docno."""
    return sorted(items, key=lambda item: (-grades.get(item, 0), item))


def _share_of(page: list[str], best: list[str], grades: Mapping[str, float], k: int) -> float:
    """DCG of a page divided by that of the best order; absent where that is 0."""
    most = xie_dcg(best, grades, k=k)
    return xie_dcg(page, grades, k=k) / most if most else ABSENT
