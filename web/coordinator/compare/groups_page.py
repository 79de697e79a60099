"""The page of means by group of topics: a category, a language, a type of query."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from statistics import fmean

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collection.models import Run, Study, Topic
from collection.models.study import Words
from scoring.analysis import topic_filter, topic_groups
from scoring.analysis.topic_groups import GroupMeans
from scoring.board.leaderboard import Mean
from scoring.compute.group_figures import GroupTrust
from scoring.compute.trust_figures import Agreement
from scoring.quality.group_trust import GROUP_TRUST
from scoring.scores.stored_measures import AT_MOST
from web.coordinator.board.leaderboard import asked_persistence
from web.coordinator.group_sentences import answer, name_of
from web.live.axis import Axis, axis_of
from web.live.leaderboard_headline import best_possible
from web.shared import measure_names, waiting_pages
from web.shared.access import for_viewers, steers
from web.shared.latest_trust import FEW, alpha_told, percent_told
from web.shared.phrases import listed, number
from web.shared.view_choices import choice_of, measure_of

# What the page shows as an example of a table of groups.
SAMPLED = ("medicine,en", "travel,en", "medicine,de")
# Columns that stand for no group, or for many: nothing is compared over their topics alone.
UNNAMED = ("all", "", topic_groups.OTHERS)


@dataclass(frozen=True)
class GroupCell:
    """A run's mean in a group: as written, its interval, and whether it leads there.

    mark, start, length: of mean and interval, in percent of the page's axis; "" without.
    step: how much better (up to 3) or worse (down to -3) it does there beside the other runs than over all
    topics; 0 for the same.
    """

    said: str
    ends: str
    leads: bool = False
    group: str = ""
    mark: str = ""
    start: str = ""
    length: str = ""
    step: int = 0

    @property
    def tint(self) -> str:
        """The class of its colour."""
        return f"c{5 + self.step}" if self.step else ""


@for_viewers
@require_safe
def groups(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the means of all runs by the groups of `?by=`, beside those over all topics."""
    p, measure = asked_persistence(request, study), measure_of(request.GET, study)
    columns = topic_filter.group_columns(study)
    by = choice_of(request.GET, "by", columns, next(iter(columns), ""))
    told: dict[str, object] = {
        "study": study,
        "p": p,
        "measure": measure,
        "measures": measure_names.titled(study),
        "title": measure_names.within(measure),
        "persistences": measure_names.LIKE_NDCG,
        "columns": columns,
        "steers": steers(study),
        "by": by,
        "sample": sample(study) if steers(study) else "",
    }
    found = topic_groups.compare_groups(study, by, measure, p) if by else None
    if found is not None:
        names = dict(Run.objects.filter(study=study).values_list("pk", "name"))
        runs = [names[run] for run in found.runs]
        shown = [one for one in (found.all, *found.groups) if one.leader is not None]
        axis = axis_of([mean for one in shown for mean in _means(one)])
        told |= {
            "found": found,
            "heads": [
                (
                    name_of(one, study.words),
                    one.topics,
                    "" if one.name in UNNAMED else f"{by}:{one.name}",
                    possible(one, measure),
                )
                for one in shown
            ],
            "answer": answer(found, runs, study.words),
            "scoreless": listed([name_of(one, study.words) for one in found.groups if one.leader is None]),
            "axis": axis,
            "lines": _lines(shown, [(pk, names[pk]) for pk in found.runs], axis, study.words),
        }
        trust = waiting_pages.result(GROUP_TRUST, study, by)
        if trust is None:
            told["waiting"] = waiting_pages.waiting(GROUP_TRUST, study, by)
            return waiting_pages.looks_again(request, "coordinator/groups.html", told)
        lines = trust_lines(shown, *trust)
        names_of_groups = [name_of(one, study.words) for one in shown]
        told["trust"] = [
            (title, list(zip(names_of_groups, cells, strict=True)))
            for title, cells in lines
            if {*cells} != {"–"}
        ]
        told["unknown"] = listed([title for title, cells in lines if {*cells} == {"–"}])
    return render(request, "coordinator/groups.html", told)


def sample(study: Study) -> str:
    """Return the first lines of a table of groups, with topics of the study."""
    names = Topic.objects.filter(study=study).order_by("pk").values_list("name", flat=True)[: len(SAMPLED)]
    rows = [f"{name},{groups}" for name, groups in zip(names, SAMPLED, strict=False)]
    return "\n".join(["topic,category,language", *rows])


def trust_lines(
    shown: Sequence[GroupMeans], every: GroupTrust, by_group: Mapping[str, GroupTrust]
) -> list[tuple[str, list[str]]]:
    """Return the figures of the judgments of all topics and of each group, a line each, in words."""
    own = [every if one is shown[0] else by_group.get(one.name) for one in shown]
    return [(title, ["–" if one is None else said(one) for one in own]) for title, said in TRUST_LINES]


def _share(value: float | None) -> str:
    return "–" if value is None or isnan(value) else f"{100 * value:.0f} %"


def _if_enough(own: Agreement, told: Callable[[Agreement], str]) -> str:
    return told(own) if own.questions >= FEW else "too few"


TRUST_LINES: tuple[tuple[str, Callable[[GroupTrust], str]], ...] = (
    ("Judgments", lambda one: f"{one.answers:,}"),
    ("Questions of two answers or more", lambda one: f"{one.agreement.questions:,}"),
    ("Raw agreement", lambda one: _if_enough(one.agreement, percent_told)),
    ("Krippendorff’s α", lambda one: _if_enough(one.agreement, alpha_told)),
    ("Transitive triples of items", lambda one: _share(one.triples.share())),
    (
        "Median seconds of a judgment",
        lambda one: "–" if one.seconds is None else f"{one.seconds:.1f}".removesuffix(".0"),
    ),
)


def possible(group: GroupMeans, measure: str) -> str:
    """Return the best possible mean over a group's topics, as `best_possible`."""
    ends = zip(group.means, group.ceilings, strict=True)
    return best_possible(
        Mean(mean, None, None, group.topics, None, most, measure in AT_MOST) for mean, most in ends
    )


def _means(group: GroupMeans) -> list[Mean]:
    """Return the runs' means over a group's topics, with their intervals."""
    ends = zip(group.means, group.lows, group.highs, strict=True)
    return [Mean(mean, low, high, group.topics, None) for mean, low, high in ends]


def _lines(
    shown: Sequence[GroupMeans], runs: Sequence[tuple[int, str]], axis: Axis, words: Words
) -> list[tuple[tuple[int, str], list[GroupCell]]]:
    """Return a line for each run: its id and name, and a cell for each group; the first is of all topics."""
    ahead = [_ahead(one) for one in shown]
    turns = [
        [
            None if all_of is None or own is None else own - all_of
            for own, all_of in zip(one, ahead[0], strict=True)
        ]
        for one in ahead
    ]
    largest = max((abs(turn) for one in turns for turn in one if turn is not None), default=0.0)
    return [
        (
            run,
            [
                replace(
                    _cell(_means(one)[place], turns[n][place], largest, axis),
                    leads=one.leader == place,
                    group=name_of(one, words),
                )
                for n, one in enumerate(shown)
            ],
        )
        for place, run in enumerate(runs)
    ]


def _ahead(group: GroupMeans) -> list[float | None]:
    """Return by how much each run's mean is above the middle of all runs in a group."""
    known = [one for one in group.means if one is not None]
    middle = fmean(known) if known else 0.0
    return [None if one is None else one - middle for one in group.means]


def _cell(mean: Mean, turn: float | None, largest: float, axis: Axis) -> GroupCell:
    """Return a cell; turn: by how much the run stands out there, of the largest such number on the page."""
    if mean.value is None:
        return GroupCell("–", "")
    step = round(3 * turn / largest) if turn and largest else 0
    mark = f"{axis.position(mean.value):.1f}"
    if mean.low is None or mean.high is None:
        return GroupCell(number(mean.value, 3), "", mark=mark, step=step)
    start, end = axis.position(mean.low), axis.position(mean.high)
    return GroupCell(
        number(mean.value, 3),
        f"{number(mean.low, 3)}–{number(mean.high, 3)}",
        mark=mark,
        start=f"{start:.1f}",
        length=f"{end - start:.1f}",
        step=step,
    )
