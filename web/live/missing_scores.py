"""What is missing before a study has scores to report."""

from collection.models import Study
from scoring.board.leaderboard import Board


def missing_for_report(study: Study, board: Board) -> str:
    """Say what to do next where there is nothing to report; "" where there is a report."""
    if not board.rows:
        return f"There is nothing to report yet: the study has no {study.words.runs}. Load them first."
    if not board.judgments and study.opened_at is None:
        return "There is nothing to report yet: judging is not open. Open it by the study's checklist."
    if not board.judgments:
        return "There is nothing to report yet: no judgment counts. Invite people to judge."
    if all(row.means[board.leading].value is None for row in board.rows):
        return "There is nothing to report yet: no mean is known. Scores follow the next judgments."
    return ""
