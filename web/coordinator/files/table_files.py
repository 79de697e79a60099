"""Tables of the comparison pages as files: CSV for computing, LaTeX for papers.

A table is a function decorated with `table`. It makes head and rows from the same query parameters as its
page, and describes them in a sentence.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.views.decorators.http import require_safe

from collection.models import Run, Study, Topic
from scoring.analysis import (
    all_pairs,
    measure_comparison,
    run_comparison,
    topic_filter,
    topic_groups,
    topic_stats,
)
from scoring.board import leaderboard
from web.coordinator import comparison_plots
from web.coordinator.tabular import Row, csv_line, latex
from web.shared import measure_names
from web.shared.access import for_viewers
from web.shared.phrases import possible_ends
from web.shared.view_choices import persistence_of, whole_of

# File names of tables whose own name says too little.
FILES = {"topics": "differences", "topic-scores": "scores-by-topic"}


@dataclass(frozen=True)
class TableFile:
    """A table for download: head, rows, and a sentence that describes it."""

    head: Row
    rows: Iterable[Row]
    said: str


Maker = Callable[[QueryDict, Study], TableFile]
TABLES: dict[str, Maker] = {}


def table(name: str) -> Callable[[Maker], Maker]:
    """Register `make(asked, study)` as the table of this name. It may raise Http404."""

    def register(make: Maker) -> Maker:
        TABLES[name] = make
        return make

    return register


@for_viewers
@require_safe
def as_csv(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    """Download a table as CSV, in full precision."""
    made = _made(request, study, name)
    content = "".join(map(csv_line, (made.head, *made.rows)))
    return _file(content, "text/csv", f"{study.slug}-{FILES.get(name, name)}.csv")


@for_viewers
@require_safe
def as_latex(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    """Download a table as a LaTeX tabular to input, which needs no package."""
    made = _made(request, study, name)
    return _file(
        latex(made.head, made.rows, made.said),
        "application/x-tex",
        f"{study.slug}-{FILES.get(name, name)}.tex",
    )


def _made(request: HttpRequest, study: Study, name: str) -> TableFile:
    if name not in TABLES:
        raise Http404(f"There is no table {name}.")
    return TABLES[name](request.GET, study)


def _file(content: str, kind: str, name: str) -> HttpResponse:
    response = HttpResponse(content, content_type=f"{kind}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@table("means")
def means(asked: QueryDict, study: Study) -> TableFile:
    """Return the leaderboard: every run's mean by each measure, with interval and ranks."""
    p = persistence_of(asked, study)
    board, words = leaderboard.board(study, p, every=whole_of(asked) is False), study.words
    parts = ("mean", "low", "high", "best rank", "worst rank", words.topics, "ceiling")
    head = (words.run, *(f"{measure_names.TITLES[name]} {part}" for name in board.measures for part in parts))
    rows = []
    for row in board.rows:
        cells: list[str | int | float | None] = [row.name]
        for name in board.measures:
            mean = row.means[name]
            cells += [
                mean.value,
                mean.low,
                mean.high,
                *(mean.ranks or (None, None)),
                mean.topics,
                mean.ceiling,
            ]
        rows.append(tuple(cells))
    which = "{} with a full round of answers" if board.whole else "all {} that are judged"
    said = f"Leaderboard of {study.name}, p {p}, over {which.format(words.topics)}; 95 % intervals"
    return TableFile(head, rows, f"{said}; ceiling: the best mean that any ranking could have")


def _asked(asked: QueryDict, study: Study) -> tuple[str, float, bool | None]:
    """Return the measure, the persistence and the choice of topics that a query asks for.

    The last is True for whole topics, False for all, None for the leaderboard's own choice.
    """
    titles = measure_names.titled(study)
    measure = asked.get("measure", "")
    chosen = measure if measure in titles else next(iter(titles))
    return chosen, persistence_of(asked, study), whole_of(asked)


def _run(study: Study, given: str) -> Run:
    """Return the study's run with this id. Raises Http404 if there is none."""
    key = int(given) if given.isascii() and given.isdigit() and len(given) < 19 else 0
    found = Run.objects.filter(study=study, pk=key).first()
    if found is None:
        raise Http404("There is no such run.")
    return found


def _ends(low: float | None, high: float | None) -> tuple[float | None, float | None]:
    return (low, high) if low is None or high is None else possible_ends(low, high)


@table("baseline")
def baseline(asked: QueryDict, study: Study) -> TableFile:
    """Return every run against the baseline `?base=`."""
    measure, p, whole = _asked(asked, study)
    base = _run(study, asked.get("base", ""))
    _, found = run_comparison.to_baseline(study, base.pk, measure, p, whole, asked.get("group", ""))
    names = dict(Run.objects.filter(study=study).values_list("pk", "name"))
    head = (study.words.run, "mean", "difference", "low", "high", "p Holm", "higher on", "lower on")
    rows = [
        (names[o.run], o.mean, o.difference, *_ends(o.low, o.high), o.holm_p_value, o.wins, o.losses)
        for o in found
    ]
    return TableFile(
        head, rows, f"{measure_names.TITLES[measure]}, p {p}, run less {base.name}; intervals by Holm's steps"
    )


@table("pairs")
def pairs(asked: QueryDict, study: Study) -> TableFile:
    """Return the difference of means of each pair of the best runs, run less other."""
    measure, p, whole = _asked(asked, study)
    runs = dict(Run.objects.filter(study=study).values_list("pk", "name"))
    if len(runs) < 2:
        raise Http404("This page needs at least two runs.")
    found = all_pairs.compare(study, measure, p, whole, asked.get("group", ""))
    head = (study.words.run, "other", "difference", "sure")
    rows = [
        (runs[one], runs[other], found.difference(one, other), "yes" if found.sure(one, other) else "no")
        for one in found.runs
        for other in found.runs
        if one != other
    ]
    title = measure_names.TITLES[measure]
    said = f"{title}, p {p}, run less other; significant by the paired t-test with Holm's correction"
    return TableFile(head, rows, said)


@table("topics")
def topics(asked: QueryDict, study: Study) -> TableFile:
    """Return two runs topic by topic, `a` less `b`."""
    measure, p, whole = _asked(asked, study)
    first, second = _run(study, asked.get("a", "")), _run(study, asked.get("b", ""))
    found = run_comparison.compare(study, first.pk, second.pk, measure, p, whole, asked.get("group", ""))
    named = dict(Topic.objects.filter(study=study).values_list("pk", "name"))
    head = (study.words.topic, first.name, second.name, "difference", "judgments", "decides")
    rows = [
        (named[o.topic], o.first, o.second, o.gap, o.judgments, "yes" if o.decides else "no")
        for o in found.topics
    ]
    return TableFile(head, rows, f"{measure_names.TITLES[measure]}, p {p}, {first.name} less {second.name}")


@table("topic-scores")
def topic_scores(asked: QueryDict, study: Study) -> TableFile:
    """Return every topic's scores by one measure, a column for each run in the order of the leaderboard."""
    measure, p, _ = _asked(asked, study)
    places = {row.run_id: n for n, row in enumerate(leaderboard.board(study, p).rows)}
    runs = sorted(
        Run.objects.filter(study=study), key=lambda run: (places.get(run.pk, len(places)), run.name)
    )
    if not runs:
        raise Http404("There are no runs yet.")
    figures = topic_stats.of_topics(study, measure, p) if len(runs) > 1 else {}
    nothing = topic_stats.TopicStats(None, None, None)
    figured = ("judgments", "mean", "spread", "agrees", "ceiling")
    head = (study.words.topic, *figured, *(run.name for run in runs))
    rows = []
    topics = list(leaderboard.ordered(study, p, measure=measure, by=None))
    for line in leaderboard.topic_lines(topics, runs, p, measure=measure):
        own = figures.get(line.topic.pk, nothing)
        told = (line.topic.name, line.judgments, own.mean, own.spread, own.agreement, line.ceiling)
        rows.append((*told, *line.values))
    said = f"{measure_names.TITLES[measure]}, p {p}"
    return TableFile(head, rows, f"{said}, {study.words.topic} by {study.words.topic}")


@table("groups")
def groups(asked: QueryDict, study: Study) -> TableFile:
    """Return the means of all runs by the groups of `?by=`, with intervals."""
    measure, p, _ = _asked(asked, study)
    columns = topic_filter.group_columns(study)
    by = asked.get("by", "")
    by = by if by in columns else next(iter(columns), "")
    found = topic_groups.compare_groups(study, by, measure, p) if by else None
    if found is None:
        raise Http404("There are no groups with scores.")
    names = dict(Run.objects.filter(study=study).values_list("pk", "name"))
    head = (study.words.run, by, study.words.topics, "mean", "low", "high", "leads")
    rows = [
        (
            names[run],
            one.name,
            one.topics,
            one.means[n],
            one.lows[n],
            one.highs[n],
            "yes" if one.leader == n else "no",
        )
        for n, run in enumerate(found.runs)
        for one in (found.all, *found.groups)
    ]
    return TableFile(head, rows, f"{measure_names.TITLES[measure]}, p {p}, by {by}; 95 % intervals")


@table("tests")
def tests(asked: QueryDict, study: Study) -> TableFile:
    """Return the significance of the difference of two runs, `a` less `b`: interval, and p of each test."""
    measure, p, whole = _asked(asked, study)
    first, second = _run(study, asked.get("a", "")), _run(study, asked.get("b", ""))
    found = run_comparison.compare(study, first.pk, second.pk, measure, p, whole, asked.get("group", ""))
    shown = found.shown
    rows: list[tuple[str, float | None]] = [
        (study.words.topics, shown.topics),
        ("difference", shown.difference),
        *zip(("low", "high"), _ends(shown.low, shown.high), strict=True),
        ("p of the paired t-test", shown.t_p),
        ("p of the randomisation test", shown.randomisation_p),
        ("p of the t-test after Holm", found.holm_p),
        ("p of Tukey's HSD", found.tukey_p),
    ]
    known = [(name, None if value is None or value != value else value) for name, value in rows]
    said = f"{measure_names.TITLES[measure]}, p {p}, {first.name} less {second.name}; 95 % interval"
    return TableFile(("figure", "value"), known, said)


def _measures(asked: QueryDict, study: Study) -> tuple[list[str], measure_comparison.Measures]:
    if Run.objects.filter(study=study).count() < 2:
        raise Http404("This page needs at least two runs.")
    found = measure_comparison.MEASURES.now(study, whole_of(asked))
    return [column.title for column in comparison_plots.columns(study, found)], found


@table("sensitivity")
def sensitivity(asked: QueryDict, study: Study) -> TableFile:
    """Return the share of pairs of runs that each measure tells apart."""
    names, found = _measures(asked, study)
    head = ("measure", study.words.topics, "told apart", "Holm", "Bonferroni")
    lines = zip(names, found.figures, strict=True)
    rows = [(name, o.topics, o.share, o.holm, o.bonferroni) for name, o in lines]
    return TableFile(head, rows, f"Share of {found.pairs:,} pairs of {study.words.runs} told apart")


@table("consistency")
def consistency(asked: QueryDict, study: Study) -> TableFile:
    """Return Kendall's tau-b between the orders of runs for each pair of measures."""
    names, found = _measures(asked, study)
    rows = [(name, *row) for name, row in zip(names, found.taus, strict=True)]
    return TableFile(("measure", *names), rows, f"Kendall's tau-b between the orders of {study.words.runs}")
