"""What a topic's page says first: which run is best there, and how far its judging is."""

from collections.abc import Sequence

from collection.models import Run, Study, Topic
from scoring.board import leaderboard
from scoring.scores.stored_measures import chosen
from web.coordinator.topic.detail import Detail
from web.live.leaderboard_headline import Verdict
from web.shared.measure_names import within
from web.shared.phrases import count, listed, number


def verdict(study: Study, topic: Topic, runs: Sequence[Run], told: Detail, p: float) -> Verdict:
    """Return which run has the highest score on a topic by the measure that ranks the runs, and its state."""
    measure = chosen(study.measures)[0]
    [line] = leaderboard.topic_lines([topic.pk], runs, p, measure=measure)
    # Stable: equal ones stay in the order of the leaderboard.
    scored = sorted(
        (
            (number(value, 3), run.name)
            for run, value in zip(runs, line.values, strict=True)
            if value is not None
        ),
        key=lambda one: -float(one[0]),
    )
    if not scored:
        return Verdict(f"No {study.words.run} has a score here yet.", _state(told))
    most = scored[0][0]
    best = [name for value, name in scored if value == most]
    early = bool(told.asked and not told.top)
    so_far = " so far" if early else ""
    if len(best) > 1:
        shared = f"{listed(best, 3)} share the highest {within(measure)} here{so_far}, {most}."
        return Verdict(shared, _state(told))
    after = f"{scored[1][1]} has {scored[1][0]}. " if len(scored) > 1 else ""
    ahead = "is ahead so far" if early else "is best here"
    return Verdict(f"{best[0]} {ahead}, {within(measure)} {most}.", f"{after}{_state(told)}")


def _state(told: Detail) -> str:
    if not told.asked and told.answered:
        return ""  # loaded from files, as the line below says
    if 0 < len(told.top) < told.plan.k:
        return f"The top is known: {count(len(told.top), 'item')}, fewer than {told.plan.k}, reached its end."
    return f"The top {told.plan.k} {'is known' if told.top else 'is not known yet'}."
