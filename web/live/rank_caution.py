"""What to know before going by ranks: which question they answer, and whether the first two ever met."""

from math import comb

from collection.models import Study
from collection.models.study import Words
from scoring.analysis.head_to_head import have_met
from scoring.board.leaderboard import Board


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


def never_met(study: Study, first: int, second: int, which: str = "these two") -> str:
    """Say that no judgment is between answers of two models; "" where one is, and for rankings.

    which: what the sentence calls the two. One query.
    """
    if study.case != Study.Case.ANSWERS or have_met(study, first, second):
        return ""
    return f"No judgment is between answers of {which}: they are compared by how each did against others."


def first_two_never_met(study: Study, board: Board) -> str:
    """Say the same of the first two of a board, as far as they are known."""
    known = [
        row.run_id for row in board.rows[:2] if row.run_id and row.means[board.leading].value is not None
    ]
    return never_met(study, known[0], known[1], "the first two") if len(known) == 2 else ""
