"""The pulse of an open study: one line with how far it is, its pace, and what keeps it from going on."""

import time
from dataclasses import dataclass, field

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from collection.models import Study
from config.task_queue import run_in_background
from judging.models import Assignment
from judging.people import pace
from panels.models import Budget
from scoring.board import standings
from scoring.board.leaderboard import board_of
from web import jobs
from web.alerts import health
from web.alerts.health import Trouble
from web.coordinator.answers.progress_page import judgments_left
from web.coordinator.board.badge import NO_SCORES, leads
from web.live import outcome
from web.shared import finished_figures, stage, waiting_pages
from web.shared.access import for_members
from web.shared.phrases import count
from web.shared.template_tags import pulse_key

# Seconds after which a pulse is computed anew for everybody who watches, and over which a pace is taken.
REST, SPAN = 5, 600
# Seconds for which the list of studies shows the same leader.
LEADER_SECONDS = 30
GOOD, LOOK, DONE, QUIET = "good", "look", "done", "quiet"


@dataclass(frozen=True)
class Pulse:
    """The state of a study in a line.

    state: "good", "look" (something keeps judging from going on), "done" or "quiet" (judging is paused or
    over). done, topics: topics that are decided, and all. parts: short phrases. trouble: what to look at,
    or to do at the end.
    """

    state: str
    done: int
    topics: int
    parts: list[str] = field(default_factory=list)
    trouble: Trouble | None = None

    @property
    def percent(self) -> int:
        """Topics that are decided, in percent; 100 only if all are."""
        return 100 * self.done // self.topics if self.topics else 0

    @property
    def brief(self) -> list[str]:
        """The phrases for the list of studies: after the first, none that counts nothing."""
        return [part for n, part in enumerate(self.parts) if not n or not part.startswith("0 ")]

    @property
    def title(self) -> str:
        """What the title of the browser's tab begins with."""
        return {LOOK: f"! {self.percent} %", DONE: "✓", QUIET: "‖"}.get(self.state, f"● {self.percent} %")


@for_members
@require_safe
def pulse(request: HttpRequest, study: Study) -> HttpResponse:
    """Render a study's pulse; 304 if it has not changed. Computed once for all who watch.

    `?leader` adds who leads, for the list of studies; `?finished` leaves out that all is answered, for pages
    that say so themselves.
    """
    key = pulse_key(study)
    at, found = cache.get(key) or (0.0, None)
    if found is None or not 0 <= time.time() - at < REST:
        found = pulse_of(study)
        over = found.state == QUIET and study.opened_at is not None and not study.paused
        if (over or found.state == DONE) and finished_figures.is_first_to_ask(study):
            run_in_background(jobs.prepare_figures, study.pk)
        cache.set(key, (time.time(), found), SPAN)
    leader = _leader(study) if "leader" in request.GET else ""
    asked = {"listed": "leader" in request.GET, "finished": "finished" in request.GET}
    told = {"study": study, "pulse": found, "leader": leader} | asked
    return waiting_pages.changed_part(
        request, "coordinator/_pulse.html", told, of=reverse("progress", args=[study.slug])
    )


def _leader(study: Study) -> str:
    """Who leads by the latest scores, as the badge says it; "" without scores."""
    key = f"leader:{study.pk}"
    said: str | None = cache.get(key)
    if said is None:
        standing = standings.latest(study)
        said = leads(board_of(standing, outcome.shown_persistence(study)))[0] if standing else ""
        said = "" if said == NO_SCORES else said
        cache.set(key, said, LEADER_SECONDS)
    return said


def pulse_of(study: Study) -> Pulse:
    """Compute a study's pulse. Cost grows with its topics, and with the judgments that came since."""
    now = stage.stage_of(study)
    done = f"{now.decided:,} of {count(now.topics, study.words.topic)} done"
    money = [
        f"{one.spent:,.2f} of {one.cap:,.2f} {one.currency}"
        for one in Budget.objects.filter(study=study, cap__gt=0, rehearsal=False)
    ]
    if now.name in (stage.CLOSED, stage.PAUSED, stage.OVER):
        said = {stage.CLOSED: "Not open yet", stage.PAUSED: "Paused", stage.OVER: "Judging is over"}
        topics = count(now.topics, study.words.topic) if now.name == stage.CLOSED else done
        told = [said[now.name], *([topics] if now.topics else []), *money]
        standing = standings.latest(study) if now.name == stage.CLOSED else None
        loaded = standing.board["judgments"] if standing else 0
        if loaded:
            told = [f"{count(loaded, 'judgment')} loaded", "nobody is asked"]
        ahead = _next_step(study, now) if now.name == stage.CLOSED and not loaded else None
        return Pulse(QUIET, now.decided, now.topics, told, ahead)
    if now.name == stage.FINISHED:
        return Pulse(DONE, now.decided, now.topics, [done, *money], _end(study))
    judging = Assignment.objects.filter(assessor__study=study, state=Assignment.State.WORKING)
    there = judging.filter(deadline__gt=timezone.now()).count()
    last = pace.last_answer(study)
    trouble = next(iter(health.blocks(study, last)), None)
    quiet = health.idle(last, present=there > 0) if now.questions else ""
    answers = sum(pace.per_day(study).values())
    waiting = "Making the first round" if stage.makes_first_rounds(study) else f"{now.questions:,} waiting"
    parts = [done, waiting, quiet or f"{there:,} judging now"]
    if speed := _a_minute(study, answers):
        parts.append(f"{speed:,.0f} a minute" if speed >= 1 else "less than 1 a minute")
    # Where nobody judges, or nothing can be taken, a pace says nothing of the end.
    if there and speed != 0 and not (quiet or trouble) and (end := judgments_left(study, last).end):
        parts.append(f"ends {end}")
    return Pulse(LOOK if trouble else GOOD, now.decided, now.topics, parts + money, trouble)


def _end(study: Study) -> Trouble:
    """Return the next step once all is answered: to end, or to choose while the best run is not settled."""
    if outcome.is_open(study):
        choice = reverse("progress", args=[study.slug])
        return Trouble(
            f"All answered; which {study.words.run} is best is not settled", "Ask more, or end", choice
        )
    close = reverse("study-close", args=[study.slug])
    return Trouble("Finished", "End judging", f"{close}?how=end")


def _next_step(study: Study, now: stage.Stage) -> Trouble:
    """Return the step of a draft that comes next, as its navigation names it."""
    name, page = ("Open", "tournament-start") if now.topics else ("Files", "files")
    return Trouble("", f"Next: {name}", reverse(page, args=[study.slug]))


def _a_minute(study: Study, answers: int) -> float | None:
    """Answers a minute since the oldest pulse of the last ten minutes; None if there was none."""
    key, now = f"pulse-pace:{study.pk}", time.time()
    seen: list[tuple[float, int]] = cache.get(key, [])
    recent = [(at, total) for at, total in seen if now - at < SPAN]
    cache.set(key, [*recent[-200:], (now, answers)], SPAN)
    if not recent or now - recent[0][0] < REST:
        return None
    at, total = recent[0]
    return max(0, answers - total) / ((now - at) / 60)
