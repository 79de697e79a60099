"""Words for how alike two rankings are, by their distance from 0 to 1."""

# Rankings below the first distance are nearly the same; from the second on they are far apart.
NEARLY_SAME, FAR_APART = 0.2, 0.5


def least_different(distance: float) -> str:
    """Say of the smallest distance that the rankings are not the same by far."""
    return "least different, still far apart" if distance >= FAR_APART else "least different"
