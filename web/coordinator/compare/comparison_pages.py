"""The page that compares two runs topic by topic."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collection.models import Run, Study, Topic
from collection.models.study import Words
from scoring.analysis import run_comparison
from scoring.analysis.run_comparison import ComparedRuns, TopicGap
from scoring.board import leaderboard
from scoring.scores.stored_measures import OF_TOP
from web.coordinator import comparison_plots
from web.coordinator.board.chances import latest_duels
from web.coordinator.board.leaderboard import asked_persistence
from web.coordinator.chosen_group import group_query, groups_told
from web.coordinator.compare.deciding_items import deciding_topics
from web.coordinator.significance_sentences import beside_baseline
from web.forecast.needed_topics import needed_sentence
from web.forecast.topic_work import judgments_a_topic
from web.live import leaderboard_headline
from web.live.rank_caution import never_met
from web.shared import measure_names
from web.shared.access import for_viewers
from web.shared.phrases import count, interval, listed, signed
from web.shared.view_choices import choice_of, measure_of, pins_of, whole_of

TOPICS_A_PAGE = 100
# So many topics that decide are named, not counted.
NAMED = 7
# Up to this number of topics that differ, the randomisation test enumerates all signs (`compare_runs`).
EXACT = 16
WIDTH, MIDDLE = 200.0, 100.0


@dataclass(frozen=True)
class TopicGapLine:
    """A topic's line: the topic, both scores, and the bar of their difference, from the middle."""

    gap: TopicGap
    topic: Topic
    start: str
    length: str

    @property
    def said(self) -> str:
        return signed(self.gap.gap)


@for_viewers
@require_safe
def two(request: HttpRequest, study: Study) -> HttpResponse:
    """Compare two runs by one measure: their difference, its significance, and which topics decide it.

    By default these are the two best runs. The number of queries does not grow with topics or runs.
    """
    p, measure = asked_persistence(request, study), measure_of(request.GET, study)
    title, words = measure_names.titled(study)[measure].title, study.words
    runs = {str(run.pk): run for run in Run.objects.filter(study=study).order_by("name")}
    told: dict[str, Any] = {
        "study": study,
        "p": p,
        "measure": measure,
        "measures": measure_names.titled(study),
        "title": title,
        "persistences": measure_names.LIKE_NDCG,
        "runs": list(runs.values()),
    } | groups_told(request, study)
    if len(runs) < 2:
        return render(request, "coordinator/compare.html", told)
    # By default those that are pinned, then those that lead.
    led = [str(row.run_id) for row in leaderboard.board(study, p).rows]
    pinned = map(str, pins_of(request.GET))
    # Runs loaded a moment ago are in no standing yet.
    best = [one for one in dict.fromkeys([*pinned, *led, *(runs.keys() - set(led))]) if one in runs]
    usual = next(one for one in best if one != request.GET.get("b"))
    first = choice_of(request.GET, "a", runs, usual, said=runs[usual].name)
    usual = next(one for one in best if one != first)
    second = choice_of(request.GET, "b", runs, usual, said=runs[usual].name)
    twice = second == first
    second = usual if twice else second
    whole = whole_of(request.GET)
    group = told["group"]
    found = run_comparison.compare(study, int(first), int(second), measure, p, whole, group)
    page = Paginator(found.topics, TOPICS_A_PAGE).get_page(request.GET.get("page"))
    lines = _lines(list(page.object_list), found.topics)
    others = request.GET.copy()
    others.pop("page", None)
    told |= {
        "twice": twice,
        "first": runs[first],
        "second": runs[second],
        "two_runs": (int(first), int(second)),
        "found": found,
        "shown": found.shown,
        "answer": answer(found, runs[first].name, runs[second].name, title, words),
        "met": "" if group else met_sentence(study, runs[first], runs[second]),
        "rest": left_out_sentence(found, words),
        "more": needed_sentence(found, words, judgments_a_topic(study, found.judgments_a_topic)),
        "against": _against_baseline(study, runs[first], runs[second], measure, p, found.whole, group),
        "possible": possible_sentence(found, [runs[first].name, runs[second].name]),
        "tests": tests(found, words),
        "some": len(found.deciding) < len(found.topics),
        "turns": deciding_sentence(found, runs[first].name, runs[second].name, words, lines),
        "deciding": (
            deciding := deciding_topics(
                study, found.topics, runs[first], runs[second], behind=found.shown.difference < 0
            )
        ),
        "shows_items": any(
            item.text or item.picture for one in deciding for item in (*one.first, *one.second)
        ),
        "page": page,
        "lines": lines,
        "figure": comparison_plots.differences_shown(
            study, runs[first], runs[second], found, measure, p, group
        ),
        "others": others.urlencode(),
        "file_query": file_query(measure, p, found.whole, a=first, b=second, **group_query(group)),
    }
    return render(request, "coordinator/compare.html", told)


def _against_baseline(
    study: Study, first: Run, second: Run, measure: str, p: float, whole: bool, group: str
) -> str:
    """Return what the tests against the baseline say of two runs if it is one of them; "" else."""
    other = {first.name: second, second.name: first}.get(study.baseline)
    if other is None or group:
        return ""
    said, why = beside_baseline(study, other, measure, p, whole)
    return f"{other.name}: {said} {why}" if why else ""


def _lines(shown: list[TopicGap], every: list[TopicGap]) -> list[TopicGapLine]:
    named = Topic.objects.in_bulk([line.topic for line in shown])
    widest = max((abs(line.gap) for line in every), default=0.0) or 1.0
    lines = []
    for line in shown:
        length = MIDDLE * abs(line.gap) / widest
        start = MIDDLE if line.gap >= 0 else MIDDLE - length
        lines.append(TopicGapLine(line, named[line.topic], f"{start:.1f}", f"{length:.1f}"))
    return lines


def answer(
    found: ComparedRuns, first: str, second: str, title: str, words: Words
) -> leaderboard_headline.Verdict:
    """Return in two sentences which run is ahead, and how significantly."""
    shown = found.shown
    if not shown.topics:
        none = f"No {words.topic} has a score of both."
        return leaderboard_headline.Verdict("They cannot be compared yet.", none)
    better, worse = (first, second) if shown.difference >= 0 else (second, first)
    wins, losses = (shown.wins, shown.losses) if better == first else (shown.losses, shown.wins)
    ties = f", equal on {shown.ties:,}" if shown.ties else ""
    topics = f"It is higher on {wins:,} of {count(shown.topics, words.topic)}{ties}, lower on {losses:,}."
    if shown.wins == shown.losses == 0:
        return leaderboard_headline.Verdict(f"{first} and {second} are equal on every {words.topic}.", "")
    mean = f"mean {title if title.isupper() else title.lower()}"
    by = f"by {abs(shown.difference):.3f} in {mean}"
    # Each mean on the leaderboard is over topics of its own then, and their difference another.
    by += f" on the {count(shown.topics, words.topic)} that both have" * found.alone
    if shown.t_p != shown.t_p:
        return leaderboard_headline.Verdict(
            f"{better} is ahead of {worse} {by} on one {words.topic}.", f"One {words.topic} shows nothing."
        )
    ends = sorted((shown.low, shown.high) if better == first else (-shown.high, -shown.low))
    but = f"{topics} The 95 % interval of these two alone is {interval(*ends)}."
    if found.runs > 2:
        but = f"{but} The verdict is corrected for all pairs of {count(found.runs, words.run)} (Holm)."
    if found.sure:
        return leaderboard_headline.Verdict(f"{better} is better than {worse}, {by}.", but)
    if not float(f"{shown.difference:.3f}"):
        level = f"{better} and {worse} are level, 0.000 apart in {mean}."
        return leaderboard_headline.Verdict(level, but.replace("It is", f"{better} is", 1))
    return leaderboard_headline.Verdict(f"{better} is ahead of {worse} {by}, but not significantly.", but)


def met_sentence(study: Study, first: Run, second: Run) -> str:
    """Return in a sentence whether two models' answers met, and how often each was preferred.

    "" for rankings, whose items many judgments are between, and before the numbers are computed.
    """
    return never_met(study, first.pk, second.pk) or tally_sentence(study, first, second)


def tally_sentence(study: Study, first: Run, second: Run) -> str:
    """Return in a sentence how often each of two models' answers was preferred to the other's, or ""."""
    computed = latest_duels(study)[0] if study.case == Study.Case.ANSWERS else None
    if computed is None or not {first.pk, second.pk} <= set(computed.value.runs):
        return ""
    won, lost, tied = computed.value.tally(first.pk, second.pk)
    if not won + lost + tied:
        return ""  # they met after it was computed
    ties = f", and {count(tied, 'time')} neither" if tied else ""
    return (
        f"Where people judged the two directly, {first.name} was preferred {count(won, 'time')} and "
        f"{second.name} {count(lost, 'time')}{ties}."
    )


def possible_sentence(found: ComparedRuns, names: Sequence[str]) -> str:
    """Return how much of what is possible each run has; "" where the best possible is 1 or unknown."""
    shares = [leaderboard_headline.per_cent_of_possible(mean) for mean in found.means]
    if not shares or not all(shares):
        return ""
    told = [f"{name} has {share}" for name, share in zip(names, shares, strict=True)]
    most = leaderboard_headline.best_possible(found.means)
    return f"Of the best mean that is possible here, {most}, {listed(told)}."


def tests(found: ComparedRuns, words: Words) -> list[tuple[str, str, str]]:
    """Return each test's name, its p (formatted), and what it tests."""
    shown = found.shown
    signs = "all signs" if shown.wins + shown.losses <= EXACT else "10,000 random signs"
    said = [
        ("Paired t-test", shown.t_p, f"of these two alone, over {count(shown.topics, words.topic)}"),
        ("Randomisation test", shown.randomisation_p, f"whatever their spread; {signs}"),
    ]
    if found.holm_p is not None:
        where = f"corrected for all pairs of {count(found.runs, words.run)}"
        said.append(("t-test, Holm", found.holm_p, where))
    if found.tukey_p is not None:
        over = count(found.tukey_topics, words.topic)
        where = f"all pairs at once, over {over} on which every {words.run} has a score"
        said.append(("Tukey's HSD", found.tukey_p, where))
    return [(name, chance(p), says) for name, p, says in said]


def chance(p: float) -> str:
    """Format a p value: 0.034, or < 0.001."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def left_out_sentence(found: ComparedRuns, words: Words) -> str:
    """Return in a sentence which topics are compared, and what the others would change."""
    part = found.of_all.topics - found.of_whole.topics
    if found.measure in OF_TOP and part:
        return _of_top(found, part, words)
    if not part:
        return f"All {words.topics} that are judged have a full round of answers."
    are, them = ("is", "it") if part == 1 else ("are", "them")
    if found.whole:
        would = f"with {them} the difference would be {signed(found.of_all.difference)}"
        return f"{count(part, words.topic)} judged in part {are} left out; {would}."
    if not found.of_whole.topics:
        return f"No {words.topic} has a full round of answers yet, so this may still turn."
    would = f"without {them} the difference would be {signed(found.of_whole.difference)}"
    return f"{count(part, words.topic)} of these {are} judged in part; {would}."


def _of_top(found: ComparedRuns, part: int, words: Words) -> str:
    """Return the same for a measure whose ideal ranking is based on the top items."""
    if found.whole:
        left, them = ("is left out", "it") if part == 1 else ("are left out", "them")
        why = f"{count(part, words.topic)} with another kind of ideal, or judged in part, {left}"
        return f"{why}; with {them} the difference would be {signed(found.of_all.difference)}."
    known = f"{words.topics.capitalize()} whose top {words.items} are known"
    mixed = f"{known} are mixed with {words.topics} whose ideal rests on the grades alone"
    if not found.of_whole.topics:
        return f"{mixed}."
    return f"{mixed}; over one kind the difference would be {signed(found.of_whole.difference)}."


def deciding_sentence(
    found: ComparedRuns, first: str, second: str, words: Words, lines: Sequence[TopicGapLine]
) -> tuple[str, ...]:
    """Return in a sentence which topics decide it; () if none do, as when neither run is ahead.

    Where they are some, the sentence has three parts, and the second leads to them; few of the page's lines
    are named.
    """
    deciding = found.deciding
    if not deciding:
        return ()
    behind = second if found.shown.difference > 0 else first
    if len(deciding) == len(found.topics):
        return (f"{behind} is ahead on none of them.",)
    several = f"{len(deciding):,} {words.topics}"
    they = f"the {words.topic if len(deciding) == 1 else several} in bold"
    names = [line.topic.name for line in lines if line.gap.decides]
    if len(names) == len(deciding) <= NAMED:
        they = listed(names, NAMED)
    return "Without", they, f", {behind} would not be behind."


def file_query(measure: str, p: float, whole: bool | None, **more: object) -> str:
    """Return the query string of a table's file, so that it has what the page shows."""
    topics = {} if whole is None else {"topics": "whole" if whole else "all"}
    return urlencode({"measure": measure, "p": p, **topics, **more})
