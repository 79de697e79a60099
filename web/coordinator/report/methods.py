"""Methods paragraph of a report, in plain scientific English, with the works that it cites."""

from collections.abc import Sequence
from dataclasses import dataclass

from collection.models import Study
from config.version import version
from judging.models import FROM_FILES, Task
from judging.tasks.pair import Pair
from scoring.board.leaderboard import Board
from scoring.compute.trust_figures import Agreement
from tournament.models import Plan
from web.coordinator.citations import (
    CLARKE,
    KRIPPENDORFF,
    MOGSTAD,
    OF_MEASURE,
    WILSON,
    Paper,
    faceoff,
)
from web.coordinator.report.sources import Sources
from web.live.leaderboard_headline import Scale
from web.shared.phrases import count, listed, number

SELECTION = {
    "crowd": "Pairs were chosen by an elimination tournament with rounds of random pairings and a final of "
    "all pairs",
    "dedicated": "Pairs were chosen by single elimination and a heap",
    "heap": "Pairs were chosen by a heap in which items that tie share a place",
    "picks": "Grids were chosen place by place, until one item was left for each",
}
MOST_NAMED = 6


@dataclass(frozen=True)
class Methods:
    """A paragraph and the works that it cites, in the order of their first mention."""

    text: str
    papers: list[Paper]


def methods(
    study: Study,
    board: Board,
    scales: Sequence[Scale],
    sources: Sources,
    task: Task,
    plan: Plan,
    agreement: Agreement | None,
) -> Methods:
    """Say how a study was done. scales: of the board."""
    cited: list[Paper] = []

    def cite(*papers: Paper) -> str:
        cited.extend(paper for paper in papers if paper not in cited)
        return f"({'; '.join(paper.said for paper in papers)})"

    words, names = study.words, [row.name for row in board.rows]
    compared = count(len(names), words.run)
    called = f" ({listed(names, MOST_NAMED)})" if names else ""
    said = [
        f"We compared {compared}{called} on {count(board.topics_judged, words.topic)} by preference "
        f"judgments, collected with Faceoff {version()} {cite(faceoff())}.",
    ]
    settings = ", ".join(f"{name.replace('_', ' ')} = {value}" for name, value in plan.settings.items())
    if sources.asked:
        said.append(_asked(task, words.items))
        said.append(f"{SELECTION[plan.strategy]} {cite(CLARKE)}, with {settings}, and seed {plan.seed}.")
        said.append(_people(board, task, sources))
    else:
        said.append(_loaded(board, sources))
    if agreement is not None and agreement.alpha is not None:
        said.append(
            f"Krippendorff's α {cite(KRIPPENDORFF)} over the {count(agreement.questions, 'question')} that "
            f"{'two people or more answered' if sources.people else 'have two answers or more'} was "
            f"{number(agreement.alpha, 3)}{', with each pair counted both ways round' * agreement.sided}."
        )
    defined = [
        f"{scale.title}{f' ({scale.depth})' if scale.depth else ''} {cite(*OF_MEASURE[scale.measure])}"
        for scale in scales
    ]
    further = f"; we also report {listed(defined[1:], len(defined))}" if defined[1:] else ""
    over = f" with a full round of answers ({board.topics_whole:,})" if board.whole else ""
    said.append(
        f"The {words.runs} are ranked by the mean of {defined[0]} over the {words.topics}{over}{further}."
    )
    said.append(
        f"95 % intervals of means are of Wilson's form {cite(WILSON)}, with the variance between "
        f"{words.topics} and quantiles of Student's t. Differences are tested by paired t-tests over six "
        f"{words.topics} or more, corrected for all pairs of {words.runs} by Holm's method at a level of "
        f"0.05; ranks are the ranges that these tests leave open {cite(MOGSTAD)}."
    )
    return Methods(" ".join(part for part in said if part), cited)


def _asked(task: Task, items: str) -> str:
    if task.kind == Pair.name:
        offered = {"2": "one of the two", "3": "one of the two or a tie"}
        how = offered.get(
            task.scale, "one of the two, definitely or slightly" + (", or a tie" if task.scale == "5" else "")
        )
        return (
            f"Two {items} were shown side by side, each equally often on either side, with the question "
            f"“{task.wording}”; people chose {how}."
        )
    return f"People were asked “{task.wording}” (task: {task.kind}, scale: {task.scale})."


def _loaded(board: Board, sources: Sources) -> str:
    by = f" by {count(sources.people, 'person')}" if sources.people else ""
    return f"{count(board.judgments, 'judgment')}{by} were loaded from files{_when(sources)}."


def _when(sources: Sources) -> str:
    first, last = sources.first, sources.last
    if not first:
        return ""
    return f" on {first}" if first == last else f" from {first} to {last}"


def _people(board: Board, task: Task, sources: Sources) -> str:
    own = ["files" if panel == FROM_FILES else panel for panel in sources.panels]
    panels = f" ({listed(own)})" if own else ""
    judgments = count(board.judgments, "judgment")
    given = f"{count(sources.people, 'person')}{panels} gave {judgments}{_when(sources)}."
    if sources.loaded:
        given += " Some of these judgments were loaded from files."
    if not sources.challenges:
        return f"{given} Batches had {count(task.batch_size, 'question')} and no challenges."
    allowed = f"more than {task.wrong_allowed} of them" if task.wrong_allowed else "any of them"
    lost = f"{sources.discarded:,} of {count(sources.kept + sources.discarded, 'batch')} discarded"
    were = "was" if sources.discarded == 1 else "were"
    lost = lost.replace(" discarded", f" {were} discarded")
    out = ""
    if away := sources.excluded:
        out = f", and {count(away, 'person')} {'was' if away == 1 else 'were'} excluded"
    return (
        f"{given} Batches had {count(task.batch_size, 'question')} and "
        f"{count(sources.challenges, 'challenge')} with known answers, and one with {allowed} wrong was "
        f"discarded; {lost}{out}."
    )
