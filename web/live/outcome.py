"""The outcome of a study: whether the best run is known."""

from collection.models import Study
from scoring.analysis import baseline_decision
from scoring.analysis.baseline_decision import BaselineState
from scoring.board import standings
from scoring.board.leaderboard import board_of
from scoring.scores.topic_scores import PERSISTENCES


def shown_persistence(study: Study) -> float:
    """The persistence of a study if its boards are stored by it, else the deepest."""
    return study.persistence if study.persistence in PERSISTENCES else max(PERSISTENCES)


def is_open(study: Study) -> bool:
    """Whether the best run is not known: beside the baseline if one is named, else among all."""
    if study.baseline:
        found = baseline_decision.decide(study)
        return found is None or found.state == BaselineState.OPEN
    standing = standings.latest(study)
    if standing is None:
        return False
    board = board_of(standing, shown_persistence(study))
    return len(board.rows) > 1 and not board.leader_is_sure
