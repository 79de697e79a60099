"""One topic in brief, beside the table of scores: its question, state, scores, graph and rounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from collection.models import Run, Study, Topic
from scoring.analysis import explanation
from scoring.board import leaderboard
from scoring.scores.stored_measures import AT_MOST
from web.coordinator.topic import preference_graph
from web.coordinator.topic.detail import detail
from web.shared import measure_names
from web.shared.access import May, may
from web.shared.phrases import listed, parted
from web.shared.rail import Pinned

# Of 100, so that a line at the end of the axis is seen.
WIDTH = 99.0
# Up to so many runs, all are listed.
FEW_RUNS = 6
# Letters of an item's text.
LINE = 44


@dataclass(frozen=True)
class ScoreLine:
    """A run's score on the topic. place: its rank there; at: where it is drawn, in hundredths of the axis;
    asked: whether its cell was pressed.
    """

    run: Run
    pin: Pinned | None
    value: float | None
    place: int
    of_possible: float | None
    at: str
    asked: bool


def drawer_told(
    request: HttpRequest,
    study: Study,
    topic: Topic,
    ranked: Sequence[Run],
    pins: Mapping[Run, Pinned],
    measure: str,
    p: float,
) -> dict[str, Any]:
    """Return the context of the drawer: the scores of few runs, of those pinned, or of the first two, after
    that of the run whose cell was pressed.

    ranked: all runs in the order of the leaderboard.
    """
    [line] = leaderboard.topic_lines([topic.pk], ranked, p, measure=measure)
    scores = dict(zip(ranked, line.values, strict=True))
    there = sorted((value for value in line.values if value is not None), reverse=True)
    top = max([*there, line.ceiling or 0.0], default=0.0) or 1.0
    limited = leaderboard.shows_ceiling(line.ceiling)
    picture = explanation.graph_picture(study, topic)

    def place(value: float) -> str:
        return f"{WIDTH * value / top:.1f}"

    own = list(pins) or list(ranked[:2])
    if len(ranked) <= FEW_RUNS:
        own = [*pins, *(run for run in ranked if run not in pins)]
    asked = [run for run in ranked if str(run.pk) == request.GET.get("of")]
    own = [*asked, *(run for run in own if run not in asked)]
    lines = [
        ScoreLine(
            run,
            pins.get(run),
            value := scores[run],
            0 if value is None else 1 + sum(other > value for other in there),
            100 * value / line.ceiling if value is not None and limited and line.ceiling else None,
            "" if value is None else place(value),
            run in asked,
        )
        for run in own
    ]
    found = detail(study, topic, [])
    marked = sorted((line.value, line.run.name) for line in lines if line.value is not None)
    return {
        "topic": topic,
        "title": measure_names.within(measure),
        "watches": may(request.user, study, May.WATCH),
        "detail": found,
        "top": list(zip(found.top, parted([item.text for item in found.top], LINE), strict=True)),
        "pinned_runs": len(own) == len(pins),
        "score_lines": lines,
        "marked": listed([name for _, name in marked]),
        "scored": len(there),
        "dots": [place(value) for value in there],
        "axis_end": f"{top:.2f}",
        "ceiling": line.ceiling if limited else None,
        "ceiling_at": place(line.ceiling) if limited and line.ceiling else "",
        "is_bound": measure in AT_MOST,
        "graph_answer": preference_graph.answer(picture),
        "figure": preference_graph.graph_shown(study, topic, picture, pins, narrow=True)
        if picture.items
        else None,
    }
