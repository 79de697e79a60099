"""The page of a leaderboard's history: moves since the last visit, loaded judgments, a race, old boards."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collection.models import Import, Study
from prefir import plots
from scoring.board import history, leaderboard, standings
from scoring.board.leaderboard import Board, Mean
from web.coordinator.board import last_seen
from web.coordinator.board.leaderboard import asked_persistence
from web.coordinator.board.rank_history import pairs, race_shown, racing_of
from web.live import leaderboard_headline
from web.shared import measure_names
from web.shared.access import May, for_viewers, may
from web.shared.phrases import count, listed
from web.shared.view_choices import measure_of, whole_of

# How many moves the sentence names; the table has all.
MOVES_SAID = 4
# How many files of judgments are listed, the latest.
FILES_SHOWN = 20
# The mean in a standing that was written before the study had the measure.
UNKNOWN = Mean(None, None, None, 0, None)


@for_viewers
@require_safe
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the history, and remember in a cookie what was shown."""
    p, measure = asked_persistence(request, study), measure_of(request.GET, study)
    every = whole_of(request.GET) is False
    now_standing = standings.current(study)
    now = leaderboard.board_of(now_standing, p, every=every)
    kept = history.numbers(study)
    racing = racing_of(request.GET, now)
    asked = pairs(racing, measure, p, every)
    told: dict[str, object] = {
        "study": study,
        "p": p,
        "persistences": measure_names.LIKE_NDCG,
        "measures": measure_names.titled(study),
        "leading": measure_names.within(now.leading),
        "measure": measure,
        "title": measure_names.within(measure),
        "every": every,
        "whole": not every,
        "board": now,
        "racing": racing,
        "most": plots.MOST_RACERS,
        "asked": [(key, value) for key, value in asked if key != "run"],
    }
    scored = any(row.means[now.leading].value is not None for row in now.rows)
    if not scored:
        return render(request, "coordinator/history.html", told)
    look = last_seen.read(request, study)
    files = _files(study, p, every)
    marks, since = history.steered(study), history.unchanged_since(study, kept, now, every=every)
    led_since = history.unchanged_since(study, kept, now, every=every, first=1)
    told |= {
        "news": _news(study, look, now, p, every, files, since, led_since),
        "files": files,
        "watches": may(request.user, study, May.WATCH),
        "figure": race_shown(study, now, racing, measure, p, every, kept, steered=bool(marks))
        if history.has_race(study, now_standing.number)
        else None,
        "replay": _replay(request.GET, study, kept, now, measure, p, every, asked),
        "marks": marks,
    }
    response = render(request, "coordinator/history.html", told)
    last_seen.remember(request, response, study, look, now_standing.number)
    return response


@dataclass(frozen=True)
class JudgmentFile:
    """A file of judgments that was loaded: when, its name, what it brought, and who led after it."""

    at: datetime
    name: str
    brought: str
    led: str


def _files(study: Study, p: float, every: bool) -> list[JudgmentFile]:
    """Return the latest files of judgments, oldest first. Three queries at most."""
    loaded = Import.objects.filter(study=study, once=True, state=Import.State.DONE, finished_at__isnull=False)
    rows = list(loaded.order_by("-pk").defer("problems")[:FILES_SHOWN])[::-1]
    boards = history.after(study, [row.finished_at for row in rows if row.finished_at])
    return [
        JudgmentFile(
            row.finished_at,
            row.name,
            row.summary,
            leaderboard_headline.verdict(leaderboard.board_of(standing, p, every=every), study.words).answer,
        )
        for row, standing in zip(rows, boards, strict=False)
        if row.finished_at
    ]


@dataclass(frozen=True)
class News:
    """What moved since the user's last visit, in sentences; since: when that was, None at the first."""

    answer: str
    but: str
    since: datetime | None
    moves: list[history.Move]


def _news(
    study: Study,
    look: last_seen.LastVisit | None,
    now: Board,
    p: float,
    every: bool,
    files: Sequence[JudgmentFile],
    since: int | None,
    led_since: int | None,
) -> News:
    led = leaderboard_headline.verdict(now, study.words)
    loaded = files and not study.opened_at
    came = f"{count(now.judgments, 'judgment')} {'was' if now.judgments == 1 else 'were'} loaded from files."
    if look is None and loaded:
        return News(came, led.answer, None, [])
    still = since is not None and since < now.judgments
    stays = f"The order has not changed since {count(since, 'judgment')}." if still and since else ""
    if look is None:
        later = "The next time this page begins with what moved since you looked."
        best = [row.means[now.leading].value for row in now.rows[:2]]
        if led_since is None or len({*best}) < 2:
            return News(led.answer, " ".join(filter(None, (led.but, stays, later))), None, [])
        answer = f"{now.rows[0].name} has been first since judgment {led_since:,}."
        return News(answer, " ".join(filter(None, (led.answer, stays, later))), None, [])
    before = history.at(study, look.base)
    assert before is not None
    then = leaderboard.board_of(before, p, every=every)
    moves = history.moves(then, now)
    if loaded and not moves:
        return News(came, led.answer, None, [])
    more = now.judgments - then.judgments
    came = count(more, "more judgment") if more > 0 else f"{count(-more, 'judgment')} fewer"
    if not moves:
        answer = f"No {study.words.run} has changed its place since you last looked."
    else:
        answer = f"Since you last looked, {listed([_moved(move) for move in moves], MOVES_SAID)}."
    came += " counts now." if abs(more) == 1 else " count now."
    if not more:
        came = "As many judgments count as then."
    return News(answer, " ".join(filter(None, (came, stays, led.answer))), before.created_at, moves)


def _moved(move: history.Move) -> str:
    if move.before is None:
        return f"{move.name} came in at place {move.after}"
    if move.after is None:
        return f"{move.name} left the leaderboard"
    way = "rose" if move.ranks > 0 else "fell"
    return f"{move.name} {way} from place {move.before} to {move.after}"


@dataclass(frozen=True)
class HistoryRow:
    """A run's line on an old board; place: its place then, now: its present one."""

    run: int
    name: str
    place: int | None
    mean: Mean
    now: int | None


@dataclass(frozen=True)
class Replay:
    """An old standing: its number among those kept, counted from 1, and the addresses of those beside it."""

    step: int
    steps: int
    at: datetime
    board: Board
    rows: list[HistoryRow]
    previous: str
    next: str


def _replay(
    asked: QueryDict,
    study: Study,
    kept: Sequence[int],
    now: Board,
    measure: str,
    p: float,
    every: bool,
    others: Sequence[tuple[str, object]],
) -> Replay:
    """Return the standing at `?step=`, by default the last."""
    wanted = asked.get("step") or ""
    step = int(wanted) if wanted.isdecimal() and len(wanted) < 10 else len(kept)
    step = min(max(step, 1), len(kept))
    standing = history.at(study, kept[step - 1])
    assert standing is not None
    board = leaderboard.board_of(standing, p, every=every)
    then, later = history.places(board), history.places(now)
    rows = [
        HistoryRow(
            row.run_id, row.name, then.get(row.run_id), row.means.get(measure, UNKNOWN), later.get(row.run_id)
        )
        for row in board.rows
    ]

    def link(to: int) -> str:
        if not 1 <= to <= len(kept):
            return ""
        query = QueryDict(mutable=True)
        for key, value in others:
            query.appendlist(key, str(value))
        query["step"] = str(to)
        return f"?{query.urlencode()}#replay"

    return Replay(step, len(kept), standing.created_at, board, rows, link(step - 1), link(step + 1))
