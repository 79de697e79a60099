"""The page of scores by topic: a cell for each topic and run, and one topic in a drawer."""

from collections.abc import Callable, Mapping, Sequence
from math import ceil, floor
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import Truncator
from django.views.decorators.http import require_safe

from collection.models import Run, Study, Topic
from scoring.analysis import topic_stats
from scoring.analysis.topic_filter import topics_in
from scoring.analysis.topic_stats import TopicStats
from scoring.board import leaderboard
from scoring.board.leaderboard import TopicLine
from scoring.scores.stored_measures import AT_MOST
from scoring.scores.topic_weights import is_whole
from web.coordinator.board.leaderboard import asked_persistence, by_rank
from web.coordinator.chosen_group import groups_told
from web.coordinator.topic.drawer import drawer_told
from web.shared import measure_names
from web.shared.access import for_viewers
from web.shared.phrases import count, isolated, listed, number, percent, searched, signed
from web.shared.rail import Pinned, pinned
from web.shared.view_choices import choice_of, measure_of

# Topics on a page; fewer if there are many runs, since rendering time grows with the cells.
TOPICS_A_PAGE, FEWEST_A_PAGE, CELLS_A_PAGE = 100, 20, 8_000
# How many topics a sentence names, and with how many of their first words.
NAMED, WORDS = 3, 6
STEPS = 10
# The scale of colour ends at parts of 1.
TWENTY = 20
# The topic in the drawer, and the run whose cell opened it.
OPENED = ("topic", "of")
# Orders of topics besides one run's scores: the key, and whether the largest comes first.
SORTS: dict[str, tuple[Callable[[TopicStats], float | None], bool]] = {
    "hard": (lambda figures: figures.reached, False),
    "apart": (lambda figures: figures.spread, True),
    "gap": (lambda figures: None if figures.gap is None else abs(figures.gap), True),
    "against": (lambda figures: figures.agreement, False),
}
# The orders that can be chosen, each with its words; the last for lack of figures too.
ORDERS = (
    ("gap", "first two farthest apart"),
    ("hard", "hardest first"),
    ("apart", "largest spread first"),
    ("against", "least agreement first"),
    ("name", "by name"),
)


@for_viewers
@require_safe
def scores(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the scores of every topic, a column for each run, with mean, spread and agreement of the topic.

    `?topic=` opens one of them in a drawer, `?of=` with that run; with `part=drawer` that is all there is.
    The number of queries does not grow with topics or runs.
    """
    p = asked_persistence(request, study)
    measure = measure_of(request.GET, study)
    ranked = by_rank(study, p)
    pins = pinned(request.GET, ranked)
    handed = urlencode([*(("run", run.pk) for run in pins), ("measure", measure), ("p", p)])
    opened = _opened(request, study)
    shown = drawer_told(request, study, opened, ranked, pins, measure, p) if opened else {}
    told = {"study": study, "p": p, "measure": measure, "handed": handed, **shown}
    told["closed"] = _query(request, *OPENED, "part")
    if request.GET.get("part") == "drawer":
        if not opened:
            raise Http404("There is no such topic.")
        return render(request, "coordinator/_drawer.html", told)
    return render(
        request, "coordinator/topic_scores.html", told | _table(request, study, ranked, pins, measure, p)
    )


def _opened(request: HttpRequest, study: Study) -> Topic | None:
    pk = request.GET.get("topic", "")
    return Topic.objects.filter(study=study, pk=pk).first() if pk.isdecimal() and len(pk) < 19 else None


def _query(request: HttpRequest, *without: str) -> str:
    kept = request.GET.copy()
    for name in without:
        kept.pop(name, None)
    return kept.urlencode()


def _table(
    request: HttpRequest, study: Study, ranked: list[Run], pins: Mapping[Run, Pinned], measure: str, p: float
) -> dict[str, Any]:
    """Return the context of the table: its lines, in the order that is asked for, and its sentences."""
    search, grouped = searched(request), groups_told(request, study)
    sort = choice_of(request.GET, "sort", {"name", *SORTS})
    columns = choice_of(request.GET, "columns", ("name", "pins"))
    asked = choice_of(request.GET, "by", {str(run.pk) for run in ranked}) if not sort else ""
    by = next((run for run in ranked if str(run.pk) == asked), None)
    pair = [*pins, *(run for run in ranked if run not in pins)][:2]
    figures = {}
    if len(ranked) > 1:
        of_pair = [run.pk for run in pair]
        figures = topic_stats.of_topics(study, measure, p, grouped["group"], of_pair)
    # Means of win rates are one half on every topic: none is harder.
    differ = measure != "win_rate"
    usual = "gap" if figures else "name"
    sort = sort or ("" if by else usual)
    among = topics_in(study, grouped["group"])
    rows = leaderboard.ordered(study, p, measure=measure, by=by, search=search)
    rows = [topic for topic in rows if among is None or topic in among]
    if sort in SORTS and figures:
        value, down = SORTS[sort]
        rows = sorted(rows, key=lambda topic: _sorted_by(value(figures[topic]), down))
    runs = _columns(ranked, pins, columns)
    a_page = max(FEWEST_A_PAGE, min(TOPICS_A_PAGE, CELLS_A_PAGE // max(1, len(runs))))
    page = Paginator(rows, a_page).get_page(request.GET.get("page"))
    lines = leaderboard.topic_lines(list(page.object_list), runs, p, measure=measure)
    bottom, top = _ends(lines)
    return grouped | {
        "persistences": measure_names.LIKE_NDCG,
        "measures": measure_names.titled(study),
        "title": measure_names.within(measure),
        "measure_name": measure_names.titled(study)[measure].title,
        "search": search,
        # The form sends it also where it is empty.
        "chosen": "q" in request.GET,
        "filters": _query(request, "page", "by", "sort", *OPENED, "part"),
        "paged": _query(request, "page", *OPENED, "part"),
        "here": _query(request, *OPENED, "part"),
        "file_query": urlencode({"measure": measure, "p": p}),
        "by": by,
        "sort": sort,
        "orders": ORDERS if figures else ORDERS[-1:],
        "columns": columns,
        "figures": bool(figures),
        "differ": differ,
        "answer": says_of_topics(study, figures, pair, means=differ) if not search else (),
        "page": page,
        "runs": [(run, pins.get(run)) for run in runs],
        "pins": pins,
        "least": f"{bottom:.2f}",
        "most": f"{top:.2f}",
        "steps": range(STEPS),
        "limited": any(leaderboard.shows_ceiling(line.ceiling) for line in lines),
        "at_most": measure in AT_MOST,
        "absent": any(value is None for line in lines for value in line.values),
        "lines": [
            (line, cells(line, bottom, top), figures.get(line.topic.pk), _in_part(line)) for line in lines
        ],
    }


def _sorted_by(value: float | None, down: bool) -> tuple[bool, float]:
    # None is last in both directions.
    return (value is None, -(value or 0.0) if down else value or 0.0)


def _columns(ranked: list[Run], pins: Mapping[Run, Pinned], order: str) -> list[Run]:
    if order == "name":
        return sorted(ranked, key=lambda run: run.name)
    if order == "pins":
        return [*pins, *(run for run in ranked if run not in pins)]
    return ranked


def _in_part(line: TopicLine) -> bool:
    topic = line.topic
    return bool(line.judgments) and not is_whole(line.judgments, topic.asked, topic.full_rounds)


def says_of_topics(
    study: Study, figures: Mapping[int, TopicStats], pair: Sequence[Run], *, means: bool
) -> tuple[str, str, str]:
    """Return in three texts on which topics the two runs differ most, by how much and which are the hardest,
    and which contradict the others. Hardest is where the runs reach the smallest share of what is possible.

    means: whether their means say how hard they are; of win rates the mean over all runs is one half.
    """
    words = study.words
    hard = sorted((one.reached, topic) for topic, one in figures.items() if one.reached is not None)[:NAMED]
    if len(hard) < 2:
        return "", "", ""
    gaps = [(one.gap, topic) for topic, one in figures.items() if one.gap]
    widest = sorted(gaps, key=lambda one: (-abs(one[0]), one[1]))[:NAMED]
    against = sorted((one.agreement, topic) for topic, one in figures.items() if one.agreement is not None)
    wanted = {topic for _, topic in (*hard, *widest, *against[:1])}
    rows = Topic.objects.filter(pk__in=wanted).values_list("pk", "name", "text")
    named = {
        pk: f"{name} {isolated(f'“{Truncator(text).words(WORDS)}”')}" if text not in ("", name) else name
        for pk, name, text in rows
    }
    apart, by = "", ""
    places = {pk: name for pk, name, _ in rows}
    if widest:
        those = listed([places[topic] for _, topic in widest])
        apart = f"{pair[0].name} and {pair[1].name} differ most on {those}."
        gaps_said = "; ".join(f"{named[topic]} {signed(gap)}" for gap, topic in widest)
        by = f"{gaps_said} (+: {pair[0].name} is ahead)."
    turned = _turned(study, against, named)
    if not means:
        return apart or turned, f"{by} {turned}".strip() if apart else "", ""
    least, most = percent(hard[0][0]), percent(hard[-1][0])
    reached = least if least == most else f"{least} to {most}"
    those = listed([(named if not apart else places)[topic] for _, topic in hard])
    over = f"There the {words.runs} reach {reached} of what is possible."
    if not apart:
        return f"Hardest {words.topics}: {those}.", over, turned
    return apart, f"{by} Hardest {words.topics}: {those}. {over}", turned


def _turned(study: Study, against: Sequence[tuple[float, int]], named: Mapping[int, str]) -> str:
    """Return in a sentence how many topics rank the runs the other way round than the others do."""
    if not against:
        return ""
    words, (least, topic) = study.words, against[0]
    turned = sum(agreement < 0 for agreement, _ in against)
    if not turned:
        return f"None contradicts the others; {named[topic]} agrees with them least, {number(least, 2)}."
    rank = "ranks" if turned == 1 else "rank"
    others = f"{count(turned, words.topic)} {rank} the {words.runs} the other way round than the others do"
    return f"{others}, {named[topic]} most."


def _ends(lines: Sequence[TopicLine]) -> tuple[float, float]:
    """Return the ends of the scale of colour: the lowest and the highest score, to the next twentieth."""
    known = [value for line in lines for value in line.values if value is not None]
    if not known:
        return 0.0, 1.0
    least = floor(min(known) * TWENTY + 1e-9)
    return least / TWENTY, max(least + 1, ceil(max(known) * TWENTY - 1e-9)) / TWENTY


def cells(line: TopicLine, bottom: float, top: float) -> SafeString:
    """HTML cells of a topic's scores: absent is hatched, the highest is framed, heat from 0 to 9 on one scale
    for all topics, from `bottom` to `top`.

    Not rendered by a template, because a page has thousands of cells.
    """
    best = max((value for value in line.values if value is not None), default=0.0)
    return mark_safe("".join(_cell(value, value == best, bottom, top) for value in line.values))  # noqa: S308 - numbers


def _cell(value: float | None, best: bool, bottom: float, top: float) -> str:
    if value is None:
        return '<td class="none"><span class="number">–</span></td>'
    leads = best and value > 0
    said = f"<strong>{number(value, 3)}</strong>" if leads else number(value, 3)
    heat = f"h{min(STEPS - 1, int(STEPS * (value - bottom) / (top - bottom)))}{' best' if leads else ''}"
    return f'<td class="{heat}"><span class="number">{said}</span></td>'
