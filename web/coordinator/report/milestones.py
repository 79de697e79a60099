"""Milestones of a report: the race as numbers, at a few moments."""

from collections.abc import Sequence
from dataclasses import dataclass

from collection.models import Study
from scoring.board import history
from scoring.board.leaderboard import Board
from web.shared.phrases import number

MOST_MILESTONES = 6
NONE = (None, None, None)


@dataclass(frozen=True)
class Milestones:
    """Means of some runs, by name, after so many judgments; a line for each moment."""

    names: list[str]
    lines: list[tuple[str, list[str]]]


def milestones(study: Study, board: Board, racing: Sequence[int], kept: Sequence[int]) -> Milestones:
    """Return the means of the racing runs at evenly spread moments, with the first and the last."""
    wanted = history.drawn(kept, len(board.rows))  # those of the figure, which are cached together
    moments = history.moments(study, wanted, board.leading, board.p, every=False)
    steps = history.added([moment.judgments for moment in moments])
    named = {row.run_id: row.name for row in board.rows}
    lines = [
        (step, [number(moment.means.get(run, NONE)[0], 3) for run in racing])
        for step, moment in zip(steps, moments, strict=True)
        if moment.means
    ]
    shown = _spread([step for step, _ in lines])
    return Milestones([named[run] for run in racing], [(f"{lines[n][0]:,}", lines[n][1]) for n in shown])


def _spread(steps: Sequence[int]) -> list[int]:
    """Places of a few steps: the first, the last, and those nearest to even parts between them."""
    if not steps:
        return []
    parts = MOST_MILESTONES - 1
    aims = [steps[0] + (steps[-1] - steps[0]) * part / parts for part in range(parts + 1)]
    places = {min(range(len(steps)), key=lambda n: (abs(steps[n] - aim), -n)) for aim in aims}
    return sorted(places)
