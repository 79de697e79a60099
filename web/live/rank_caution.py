"""Which to decide by: ranks, or comparisons with one run."""

from math import comb

from collection.models.study import Words


def two_questions(comparisons: int, base: str, words: Words) -> str:
    """Say which question ranks answer, and which comparisons with one run; "" for two runs.

    comparisons: tests against the baseline, one for each other run.
    """
    if comparisons < 2:
        return ""
    pairs = comb(comparisons + 1, 2)
    return (
        f"To choose the best {words.run}, go by ranks, which hold for all {pairs:,} pairs at once. To see "
        f"whether {base}, named beforehand, is beaten, go by the {comparisons:,} comparisons with it; these "
        "can be significant although ranks overlap."
    )
