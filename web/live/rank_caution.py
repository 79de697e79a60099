"""Why ranks can leave open what a comparison with one run tells."""

from math import comb

from collection.models.study import Words


def two_questions(comparisons: int, base: str, words: Words) -> str:
    """Say in a sentence that ranks are more cautious than comparisons with one run; "" for two runs.

    comparisons: tests against the baseline, one for each other run.
    """
    if comparisons < 2:
        return ""
    return (
        f"Ranks hold for all {comb(comparisons + 1, 2):,} pairs at once and are more cautious than "
        f"{comparisons:,} comparisons with {base}: a {words.run} can be significantly better or worse than "
        "it although ranks overlap."
    )
