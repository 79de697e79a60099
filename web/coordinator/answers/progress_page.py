"""The progress page: the pace of judging, who is judging, when it will end, and what it still needs."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from math import ceil

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from collection.models import Study, Topic
from judging.people import pace
from judging.questions import asking
from panels.models import Budget
from panels.recruitment.standstill import places_out
from prefir import plots
from prefir.formats import defused
from scoring.board import standings
from tournament.remaining_work import RemainingWork, batches_of, left, total
from web.alerts import health
from web.forecast import purchase_section
from web.forecast.judging_cost import Cost, cost_of
from web.forecast.plans import plans_told
from web.forecast.purchase_form import answers, counted
from web.forecast.topic_work import topic_work
from web.live import outcome
from web.shared import waiting_pages
from web.shared.access import for_members, steers
from web.shared.phrases import count, duration
from web.shared.plots import Drawing, ShownPlot, figure
from web.shared.presence import Present, named

DAYS = 28
TOPICS_A_PAGE = 100
# Forecasts of more days than this are not shown.
FAR = 3650
# Until then the pace is given by the hour, since a first day that is not over says little about a day's pace.
FIRST_DAY = timedelta(days=1)


@dataclass(frozen=True)
class TopicNeed:
    """The judgments that one topic still needs, with its share of the hours and the pay of all."""

    left: RemainingWork
    hours: Decimal
    pay: Decimal | None


@dataclass(frozen=True)
class WorkLeft:
    """What all topics still need, and when they will end at the present pace.

    batches: with `failing`, those that are expected to fail. hours, pay: of all these batches.
    """

    least: int
    about: int
    most: int
    batches: int
    failing: int
    hours: float
    pay: str
    end: str

    @property
    def time(self) -> list[str]:
        """The hours as a number and its unit."""
        return duration(self.hours).split()


@for_members
@require_safe
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the progress of judging. The number of queries does not grow with the study."""
    now = timezone.now()
    hours = pace.per_hour(study)
    days = pace.by_day(hours)
    last = pace.last_answer(study)
    speed, hourly = _speed(study, hours, last, now)
    topics, cost, out = left(study), cost_of(study), places_out(study)
    there = named(study, labels=steers(study))
    is_open = study.judging_is_open
    blocks = health.blocks(study, last) if is_open else []
    troubles = [*blocks, *health.answers(study)] if is_open else []
    can_buy = answers(study)
    work = topic_work(study, topics) if can_buy else []
    further = Topic.objects.filter(study=study, opened_at=None).count()
    needs = _each(topics, cost)
    shown = Paginator(topics, TOPICS_A_PAGE).get_page(request.GET.get("page"))
    waiting = asking.open_questions(study).count()
    quiet = idle(last, there) if is_open and waiting else ""
    needed = _needed(study, cost, topics, hours, last, now)
    finished = is_open and bool(days) and not (waiting or topics or further or there)
    undecided = f"which {study.words.run} is best" if finished and outcome.is_open(study) else ""
    context = {
        "study": study,
        "steers": steers(study),
        "health": health.headline(troubles, quiet=quiet, finished=finished, undecided=undecided),
        "undecided": undecided,
        "troubles": troubles,
        "finished": finished,
        "publish": _publish(troubles) if steers(study) else "",
        "ends": needed.end if is_open and not (blocks or quiet) else "",
        "judging": is_open,
        "present": there,
        "today": pace.came_since(study, now - timedelta(days=1)),
        "speed": f"{_rounded(speed)} a day of late"
        if hourly is None
        else f"{_rounded(hourly)} an hour while they judged",
        "hourly": hourly,
        "answers": sum(days.values()),
        "counted": counted(study),
        "budgets": Budget.objects.filter(study=study, cap__gt=0).order_by("rehearsal", "currency"),
        "needed": needed,
        "cost": cost,
        "out": out,
        "out_pay": cost.said(out).removesuffix(f" {cost.currency}"),
        "waiting": waiting,
        "not_open": further,
        "further": batches_of(study, sum(one.judgments for one in work if not one.is_open)),
        "page": shown,
        "lines": needs[shown.start_index() - 1 : shown.end_index()] if needs else [],
        "figure": _shown(study, days, now.date()) if len(days) > 1 else None,
    }
    if finished or not (is_open or study.paused):
        took = pace.taken(study)
        context |= {"took": took, "time": duration(took.hours).split()}
    if can_buy:
        context |= purchase_section.section(request.GET, study, cost, work, out)
    if study.opened_at:
        context |= plans_told(request, study)
    status = 400 if context.get("wrong") else 200
    respond = waiting_pages.looks_again if context.get("waits") else render
    return respond(request, "coordinator/progress.html", context, status=status)


def _publish(troubles: Sequence[health.Trouble]) -> str:
    """Return where the places that would go on can be published; "" if none are wanted."""
    return next((one.address for one in troubles if one.mend == health.PUBLISH), "")


def idle(last: datetime | None, there: Sequence[Present]) -> str:
    """Say for how long nobody has judged, of the last answer and the open batches; "" where somebody does."""
    return health.idle(last, present=not all(one.away or one.quiet for one in there))


def _each(topics: Sequence[RemainingWork], cost: Cost) -> list[TopicNeed]:
    """Return what each topic needs; hours and pay add up to those of all."""
    parts = cost.shares([one.about for one in topics])
    return [TopicNeed(one, *part) for one, part in zip(topics, parts, strict=True)]


def _rounded(speed: float) -> str:
    return f"{speed:,.0f}" if speed >= 10 else f"{speed:.1f}"


def judgments_left(study: Study, last: datetime | None) -> WorkLeft:
    """Return what all topics still need, and when they will end. Cost grows with the topics.

    last: time of the last answer.
    """
    return _needed(study, cost_of(study), left(study), pace.per_hour(study), last, timezone.now())


def _speed(
    study: Study, hours: dict[datetime, int], last: datetime | None, now: datetime
) -> tuple[float, float | None]:
    """Return the answers a day of late; in the first day also those an hour."""
    first = pace.first_answer(study)
    hourly = pace.an_hour(hours, first, last) if first and last and now - first < FIRST_DAY else None
    return pace.recent(pace.by_day(hours), now.date()), hourly


def _needed(
    study: Study,
    cost: Cost,
    topics: Sequence[RemainingWork],
    hours: dict[datetime, int],
    last: datetime | None,
    now: datetime,
) -> WorkLeft:
    all_topics = total(topics)
    least, about, most = all_topics.least, all_topics.about, all_topics.most
    # Count only the share of answers that is kept: discarded batches bring the end no nearer.
    kept = pace.share_kept(study)
    speed, hourly = _speed(study, hours, last, now)
    if hourly is None:
        end = _end(least, about, most, speed * kept, now.date())
    else:
        end = _in_hours(about, hourly * kept)
    batches = cost.batches(about)
    failing = batches - cost.kept_batches(about)
    return WorkLeft(least, about, most, batches, failing, batches * cost.batch_hours, cost.pay(about), end)


def _in_hours(about: int, hourly: float) -> str:
    """Return in words how long the judgments take at an hourly pace; "" if that cannot be estimated."""
    if not about or hourly <= 0:
        return ""
    hours = about / hourly
    if hours > FAR * 24:
        return ""
    return f"in about {duration(hours)}"


def _end(least: int, about: int, most: int, speed: float, today: date) -> str:
    """Return in words when the judgments will be done; "" if that cannot be estimated."""
    if not about or speed <= 0 or about / speed > FAR:
        return ""

    def day(judgments: int) -> date:
        return today + timedelta(days=min(FAR, ceil(judgments / speed)))

    early, usual, late = day(least), day(about), day(most)
    said = f"about {usual:%-d %B %Y}"
    return said if early == late else f"{said}, between {early:%-d %B} and {late:%-d %B %Y}"


@for_members
@require_safe
def needed_csv(request: HttpRequest, study: Study) -> HttpResponse:
    """Download what each topic still needs, as CSV."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["topic", "least", "about", "most", "hours", "pay"])
    cost = cost_of(study)
    for need in _each(left(study), cost):
        one = need.left
        pay = "" if need.pay is None else f"{need.pay} {cost.currency}"
        rows.writerow([defused(one.name), one.least, one.about, one.most, need.hours, pay])
    response = HttpResponse(out.getvalue(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-needed.csv"'
    return response


def _shown(study: Study, days: dict[date, int], today: date) -> ShownPlot:
    last = max(days)
    total = count(sum(days.values()), "judgment")
    told = f"{count(days[last], 'judgment')} on {last:%-d %B}, the last day; {total} in all"
    return ShownPlot(
        study,
        "pace",
        f"Judgments a day. {told}.",
        f"Judgments a day, by the clock of UTC: {told}. Challenges and corrections left out.",
    )


@figure(
    "pace",
    version=lambda study: f"{standings.version(study)}:{timezone.now():%Y%m%d%H%M}",
    wide=260,
    narrow=240,
)
def per_day(asked: QueryDict, study: Study) -> Drawing:
    """Draw the judgments on each of the last 28 days, starting with the first day that has any."""
    days, today = pace.per_day(study), timezone.now().date()
    first = max(min(days, default=today), today - timedelta(days=DAYS - 1))
    span = [first + timedelta(days=n) for n in range((today - first).days + 1)]
    given = {
        "days": [f"{day:%-d %b}" for day in span] if days else [],
        "counts": [days.get(day, 0) for day in span],
        "of": "Judgments",
    }
    return Drawing(plots.per_day, given)
