"""Run preferences beside scores: which run wins, and how far measures agree with assessors."""

from collections.abc import Sequence
from math import nan

from collection.models import Study
from judging.questions.result_pages import PreferenceLine, Preferred
from scoring.compute import child_process
from scoring.compute.preference_tests import Tested, tested
from scoring.scores import score_rows
from scoring.scores.score_rows import TopicScores
from scoring.scores.stored_measures import chosen, options


def compare(study: Study, preferred: Sequence[Preferred], lines: Sequence[PreferenceLine]) -> Tested:
    """Test each pair of runs over topics, and each measure over topics and pairs, at the study's p."""
    scores = score_rows.read({one.compared.topic for one in preferred})
    values: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in chosen(study.measures)}
    for one in preferred:
        topic, runs = one.compared
        for name, both in values.items():
            own = _of_runs(scores.get(topic), (name, options(study.persistence)))
            for side, run in zip(both, runs, strict=True):
                side.append(own.get(run, nan))
    pages = [-one.lean for one in preferred]
    return child_process.call(tested, [(line.wins, line.losses) for line in lines], values, pages)


def _of_runs(scores: TopicScores | None, column: tuple[str, str]) -> dict[int, float]:
    """A topic's values of one measure by run."""
    if scores is None or column not in scores.columns:
        return {}
    return dict(zip(scores.runs, scores.values[scores.columns.index(column)], strict=True))
