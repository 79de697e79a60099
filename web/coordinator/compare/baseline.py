"""The page of all runs against a baseline: by how much each is above or below it, and how significantly."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collection.models import Run, Study
from scoring.analysis import run_comparison
from scoring.analysis.run_comparison import ToBaseline
from scoring.board import leaderboard
from scoring.board.leaderboard import Board, Mean
from scoring.scores.stored_measures import AT_MOST
from web.coordinator.board.leaderboard import asked_persistence
from web.coordinator.chosen_group import group_query, groups_told
from web.coordinator.compare.comparison_pages import chance, file_query
from web.coordinator.difference_axis import DifferenceAxis
from web.coordinator.significance_sentences import how_tested
from web.live.leaderboard_headline import RIVALS, per_cent_of_possible
from web.live.rank_caution import two_questions
from web.shared import measure_names
from web.shared.access import for_viewers
from web.shared.phrases import count, interval, listed, number, possible_ends, signed
from web.shared.view_choices import choice_of, measure_of, pins_of, whole_of


@dataclass(frozen=True)
class BaselineLine:
    """A run's line: its comparison with the baseline, and its difference on the axis of the page.

    said, ends, holm, mean: difference, interval, p and mean, formatted. possible: how much the mean has
    of what is possible, "" if that is 1. start, length, mark: interval and difference, in percent of the
    axis.
    """

    run: Run
    found: ToBaseline
    said: str
    ends: str
    holm: str
    start: str
    length: str
    mark: str
    mean: str
    possible: str


@for_viewers
@require_safe
def compare_with_baseline(request: HttpRequest, study: Study) -> HttpResponse:
    """Show every run against a baseline, by one measure.

    The baseline is the run that `?base=` names; else the study's; else the first pin; else the leader.
    Twelve queries at most, more if scores have changed since
    this process read them last.
    """
    p, measure = asked_persistence(request, study), measure_of(request.GET, study)
    runs = {run.pk: run for run in Run.objects.filter(study=study).order_by("name")}
    told: dict[str, object] = {
        "study": study,
        "p": p,
        "measure": measure,
        "measures": measure_names.titled(study),
        "title": measure_names.within(measure),
        "persistences": measure_names.LIKE_NDCG,
        "every": list(runs.values()),
    } | groups_told(request, study)
    group = str(told["group"])
    if len(runs) < 2:
        return render(request, "coordinator/baseline.html", told)
    asked = choice_of(request.GET, "base", {str(pk) for pk in runs}, said="the usual one")
    known = {str(pk): pk for pk in runs}
    whole = whole_of(request.GET)
    base, why, led = known.get(asked), "", None
    if base is None:
        base, why, led = _usual(study, runs, pins_of(request.GET), p)
    whole, found = run_comparison.to_baseline(study, base, measure, p, whole, group)
    names = {pk: run.name for pk, run in runs.items()}
    said = answer(found, names, base, measure_names.within(measure), study.words.run, study.least_difference)
    open_lead = _beside_leader(led, names, base, found, study) if led and not group else None
    told |= {
        "base": runs[base],
        "why": "" if open_lead else why,
        "found": {"whole": whole},
        "answer": open_lead or said,
        "two_questions": two_questions(
            sum(line.holm_p_value is not None for line in found),
            # One that leads was named by nobody.
            "a baseline" if led else runs[base].name,
            study.words,
        ),
        "tested": how_tested(study.words),
        "axis": (axis := _axis(found)),
        "band": axis.bar(-study.least_difference, study.least_difference),
        "parts": _parts(lines := _lines(found, runs, axis, measure in AT_MOST), base, study.least_difference),
        "limited": any(line.possible for line in lines),
        "compared": len(lines) - 1,
        "file_query": file_query(measure, p, whole, base=base, **group_query(group)),
    }
    return render(request, "coordinator/baseline.html", told)


def _usual(
    study: Study, runs: Mapping[int, Run], pins: Sequence[int], p: float
) -> tuple[int, str, Board | None]:
    """Return the baseline to use where the address names none, why it is that run, and the board it leads."""
    own = next((pk for pk, run in runs.items() if run.name == study.baseline), None)
    if own is not None:
        return own, "the baseline of this study", None
    unset = "; no baseline is set for this study"
    pin = next((pin for pin in pins if pin in runs), None)
    if pin is not None:
        return pin, f"the {study.words.run} pinned first{unset}", None
    board = leaderboard.board(study, p)
    led = next((row.run_id for row in board.rows if row.run_id in runs), next(iter(runs)))
    return led, f"the first of the leaderboard{unset}", board


def _beside_leader(
    board: Board, names: Mapping[int, str], leader: int, found: Sequence[ToBaseline], study: Study
) -> tuple[str, str] | None:
    """Return the answer where nobody named a baseline and several may come first; None if the lead is sure.

    Beside a run that was chosen because it leads, others look worse than they are.
    """
    words = study.words
    ranks = {row.run_id: row.means[board.leading].ranks for row in board.rows}
    first = [pk for pk, place in ranks.items() if place is not None and place[0] == 1]
    if len(first) < 2:
        return None
    worse = {line.run for line in found if line.sure}
    equal = [names[line.run] for line in found if line.run not in worse and line.run != leader]
    if not equal:
        return None
    them = listed(equal) if len(equal) <= RIVALS else f"{len(equal):,} {words.runs}"
    name = names[leader]
    rest = f"; {len(worse):,} {'is' if len(worse) == 1 else 'are'} significantly worse" if worse else ""
    return (
        f"{them} {'is' if len(equal) == 1 else 'are'} not told from {name}, the leader{rest}.",
        f"No baseline is named: {name} stands here because it leads, which is kind to it. Choose the "
        f"{words.run} in use today instead.",
    )


def answer(
    found: list[ToBaseline],
    names: Mapping[int, str],
    baseline: int,
    title: str,
    run: str = "run",
    least: float = 0.0,
) -> tuple[str, str]:
    """Return in two texts how many runs are significantly better or worse than the baseline, or neither.

    run: what the study calls one. least: the least difference that matters.
    """
    base = names[baseline]
    found = [line for line in found if line.run != baseline]
    untested = [names[line.run] for line in found if line.holm_p_value is None]
    without = f"{listed(untested)} cannot be held against it: two topics with scores of both are needed."
    said, rest = _tested(found, base, title, run, least)
    return said, " ".join(filter(None, (rest, without if 0 < len(untested) < len(found) else "")))


def _is_as_good(line: ToBaseline, least: float) -> bool:
    """Whether a run that is not told apart from the baseline is worse by less than matters at most."""
    if line.sure or line.low is None or run_comparison.too_few(line.topics):
        return False
    return -least < line.low


def _tested(found: list[ToBaseline], base: str, title: str, run: str, least: float) -> tuple[str, str]:
    tested = [line for line in found if line.holm_p_value is not None]
    if not tested:
        return f"No {run} can be held against {base} yet.", "Two topics with scores of both are needed."
    better = sum(line.sure and (line.difference or 0) > 0 for line in tested)
    worse = sum(line.sure and (line.difference or 0) < 0 for line in tested)
    as_good = sum(_is_as_good(line, least) for line in tested)
    rest = len(tested) - better - worse - as_good
    if len(found) == 1:
        said = (
            "is significantly better than"
            if better
            else "is significantly worse than"
            if worse
            else "cannot be told from"
        )
        return f"The other {run} {said} {base} by mean {title}.", ""
    said = f"{better:,} of {count(len(tested), run)}" if better else f"None of {count(len(tested), run)}"
    said += f" {'are' if better > 1 else 'is'} significantly better than {base}"
    parts = ((as_good, f"at least as good within {least:g}"), (worse, "significantly worse"), (rest, "open"))
    said += "".join(f", {n:,} {'is' if n == 1 else 'are'} {how}" for n, how in parts if n)
    open_ones = f"Open: mean {title} does not tell {'it' if rest == 1 else 'them'} from {base}."
    return f"{said}.", open_ones if rest else ""


def _parts(lines: list[BaselineLine], base: int, least: float) -> list[tuple[str, list[BaselineLine]]]:
    """Return the lines by how sure they are, each part with its heading and the largest difference first.

    least: the least difference that matters.

    Runs without a test stand last. The baseline itself has no line.
    """
    better, worse, neither, untested = "Significantly better", "Significantly worse", "Open", "Not tested"
    as_good = f"At least as good, within {least:g}"
    parts: dict[str, list[BaselineLine]] = {better: [], as_good: [], neither: [], worse: [], untested: []}
    for line in sorted(lines, key=lambda line: -(line.found.difference or 0.0)):
        if line.run.pk == base:
            continue
        if line.found.holm_p_value is None:
            parts[untested].append(line)
        elif not line.found.sure:
            parts[as_good if _is_as_good(line.found, least) else neither].append(line)
        else:
            parts[better if (line.found.difference or 0.0) > 0 else worse].append(line)
    return [(name, own) for name, own in parts.items() if own]


def _axis(found: Sequence[ToBaseline]) -> DifferenceAxis:
    ends = [
        end
        for line in found
        if line.low is not None and line.high is not None
        for end in possible_ends(line.low, line.high)
    ]
    return DifferenceAxis.of(ends)


def _lines(
    found: list[ToBaseline], runs: dict[int, Run], axis: DifferenceAxis, at_most: bool
) -> list[BaselineLine]:
    lines = []
    for one in found:
        start, length, mark, between = "", "", "", ""
        if one.low is not None and one.high is not None and one.difference is not None:
            between = interval(one.low, one.high)
            start, length = axis.bar(one.low, one.high)
            mark = axis.mark(one.difference)
        lines.append(
            BaselineLine(
                runs[one.run],
                one,
                signed(one.difference) if one.difference is not None else "–",
                between,
                chance(one.holm_p_value) if one.holm_p_value is not None else "–",
                start,
                length,
                mark,
                number(one.mean, 3),
                per_cent_of_possible(Mean(one.mean, None, None, one.topics, None, one.ceiling, at_most)),
            )
        )
    return lines
