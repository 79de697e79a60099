"""The figure of a leaderboard's history: the means of some runs as judgments come in."""

from collections import Counter
from collections.abc import Mapping, Sequence

from django.db.models import Max
from django.http import QueryDict

from collection.models import Study
from judging.models import Decision
from prefir import plots
from scoring.board import history, leaderboard, standings
from scoring.board.leaderboard import Board
from scoring.models import Standing
from scoring.scores.stored_measures import chosen
from scoring.scores.topic_scores import PERSISTENCES
from web.coordinator.comparison_plots import titled
from web.shared.phrases import count
from web.shared.plots import Drawing, ShownPlot, figure
from web.shared.view_choices import measure_of, pins_of, whole_of

# How many runs are drawn by default.
RACING = 5


def racing_of(asked: QueryDict, board: Board) -> list[int]:
    """Return the ids of the runs to draw: those asked for, in this order, so that pins keep their colours;
    else the best.
    """
    known = [row.run_id for row in board.rows]
    racing = [run for run in pins_of(asked) if run in known] or known[:RACING]
    return racing[: plots.MOST_RACERS]


def pairs(racing: Sequence[int], measure: str, p: float, every: bool) -> list[tuple[str, object]]:
    """Return the query parameters of the history page and its figure."""
    said: list[tuple[str, object]] = [("run", run) for run in racing]
    return [*said, ("measure", measure), ("p", p), ("topics", "all" if every else "whole")]


def race_shown(
    study: Study,
    now: Board,
    racing: Sequence[int],
    measure: str,
    p: float,
    every: bool,
    kept: Sequence[int],
    *,
    steered: bool,
) -> ShownPlot:
    names = [row.name for row in now.rows if row.run_id in set(racing)]
    title = _titled(study, measure, p)
    caption = (
        f"Each line is the mean {title} of a {study.words.run} after so many judgments; the bands, or the "
        "bars at the right end, are 95 % intervals. Look at the right end: lines that stay level and apart "
        "are settled, those that still cross are open. Early values may leave the scale."
    )
    if steered:
        caption += " At a dotted line somebody's judgments were excluded or let back in."
    alt = (
        f"Lines of mean {title} of {count(len(names), 'run')} over {count(len(kept), 'standing')}; "
        "the numbers of each are in the replay below."
    )
    return ShownPlot(study, "race", alt, caption, pairs(racing, measure, p, every))


def race_beside(study: Study, asked: QueryDict, p: float, every: bool) -> ShownPlot:
    """The race of the pinned runs, or of the best, beside the leaderboard. No query."""
    measure = chosen(study.measures)[0]
    title = _titled(study, measure, p)
    racing = pins_of(asked)
    of = f"the pinned {study.words.runs}" if racing else f"the first {study.words.runs}"
    said = f"Mean {title} of {of} as judgments came in"
    alt = f"Lines: {said}; the page History has the numbers of each standing."
    look = f"{said}, with 95 % intervals. The ranks say which leads are sure."
    return ShownPlot(study, "race", alt, look, pairs(racing, measure, p, every), full=True)


def _titled(study: Study, measure: str, p: float) -> str:
    """The measure's title in a sentence."""
    return titled(study, measure, p).replace(", p", " at p")


def _version(study: Study) -> str:
    """Return the version of the figure: the last standing, and the last decision about an assessor."""
    number = Standing.objects.filter(study=study).aggregate(n=Max("number"))["n"]
    decided = Decision.objects.filter(assessor__study=study).aggregate(n=Max("pk"))["n"]
    return f"{number} {decided}"


@figure("race", asks=("run", "measure", "p", "topics"), version=_version, wide=420, narrow=360)
def race(asked: QueryDict, study: Study) -> Drawing:
    """Draw the means of some runs at each kept standing, or at a sample of them (`history.drawn`)."""
    p = next((p for p in PERSISTENCES if str(p) == asked.get("p")), max(PERSISTENCES))
    measure, every = measure_of(asked, study), whole_of(asked) is False
    latest = standings.latest(study)
    if latest is None:
        return Drawing(plots.nothing, {"title": "History", "said": "Nothing is judged yet."})
    now = leaderboard.board_of(latest, p, every=every)
    racing = racing_of(asked, now)
    wanted = history.drawn(history.numbers(study), len(now.rows))
    moments = history.by_added(history.moments(study, wanted, measure, p, every=every))
    named = {row.run_id: row.name for row in now.rows}
    given = {
        "steps": list(moments),
        "racers": {
            named[run]: [moment.means.get(run, (None, None, None)) for moment in moments.values()]
            for run in racing
        },
        "across": "Judgments added so far",
        "measure": f"Mean {_titled(study, measure, p)}",
        "marks": marks(history.steered(study), moments),
    }
    return Drawing(plots.race, given)


def marks(
    steered: Sequence[history.Steered], moments: Mapping[int, history.Moment]
) -> list[tuple[float, str]]:
    """Return marks for the plot: decisions between two standings, counted at the later one.

    moments: by the number of judgments added up to each, rising.
    """
    found: dict[int, Counter[bool]] = {}
    for decision in steered:
        step = next((s for s, moment in moments.items() if moment.at >= decision.at), max(moments))
        found.setdefault(step, Counter())[decision.excluded] += 1
    return [(step, _decided(counts)) for step, counts in sorted(found.items())]


def _decided(counts: Counter[bool]) -> str:
    words = ((True, "excluded"), (False, "let back in"))
    return ", ".join(f"{counts[what]:,} {word}" for what, word in words if counts[what])
