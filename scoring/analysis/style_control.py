"""Strengths of models under control for the length and Markdown of their answers. Cached."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db.models import Count, Max

from collection.cached_results import CachedResult, Progress
from collection.models import Import, Placement, Study
from scoring.analysis import head_to_head
from scoring.compute import child_process
from scoring.scores.stored_measures import CUTS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from prefir.measures import StyleControl

# Texts that are in memory at once.
CHUNK = 200


class AnswerStyles(NamedTuple):
    """The style of each answer: arrays and lists of equal length. counts: (answers, STYLES)."""

    topics: list[int]
    runs: list[int]
    docnos: list[str]
    counts: "NDArray[np.int32]"


@dataclass(frozen=True)
class StyleReport:
    """Strengths of models before and after control for style.

    runs: ids, in the order of the strengths. medians: of each run's answers, (runs, STYLES). pairs: how many
    pairs of answers were judged.
    """

    runs: list[int]
    control: "StyleControl"
    medians: "NDArray[np.float64]"
    pairs: int


def _of_texts(study: Study) -> str:
    """A stamp that changes with the runs that meet, and whenever a file was loaded."""
    done = study.imports.filter(state=Import.State.DONE).aggregate(n=Count("pk"), last=Max("pk"))
    return f"{head_to_head.runs_of(study)}.{done['n']}.{done['last']}.{study.markup}"


def _read_texts(study: Study, _: Progress) -> AnswerStyles:
    """Count the style of each answer, from its text. One query; memory for CHUNK texts and all counts."""
    import numpy as np

    from prefir.measures import STYLES, styles_of

    placed = Placement.objects.filter(run__in=head_to_head.runs_of(study)).order_by("topic_id", "run_id")
    rows = placed.values_list("topic_id", "run_id", "item__docno", "item__text").iterator(CHUNK)
    found = AnswerStyles([], [], [], np.empty((0, len(STYLES)), np.int32))
    counts = [found.counts]
    for piece in _pieces(rows):
        topics, runs, docnos, texts = zip(*piece, strict=True)
        found.topics.extend(topics)
        found.runs.extend(runs)
        found.docnos.extend(docnos)
        counts.append(child_process.call(styles_of, list(texts), study.markup).astype(np.int32))
    return found._replace(counts=np.concatenate(counts))


def _pieces(rows: Iterator[Any]) -> Iterator[list[Any]]:
    while piece := list(islice(rows, CHUNK)):
        yield piece


# The texts are read again only where they changed, not with each judgment.
ANSWER_STYLES = CachedResult(
    "answer-styles", version=_of_texts, compute=_read_texts, is_small=head_to_head.is_small
)


def _compute(study: Study, progress: Progress) -> StyleReport:
    """Compute the strengths. Time grows with judged pairs, and with the texts where they changed."""
    import numpy as np

    from prefir.measures import STYLES, control_style, duels_of_items, style_differences

    runs = head_to_head.runs_of(study)
    styles = ANSWER_STYLES.now(study)
    place = {key: i for i, key in enumerate(zip(styles.topics, styles.docnos, strict=True))}
    duels, differences = [np.empty((0, 6))], [np.empty((0, len(STYLES)))]
    for judged in head_to_head.judged_topics(study, runs, CUTS[study.persistence], progress):
        found = child_process.call(duels_of_items, judged.rows, judged.graph)
        if not len(found):
            continue
        nodes = [place.get((judged.topic, docno), -1) for docno in judged.graph.nodes]
        own, theirs = (styles.counts[np.array(nodes)[found[:, side].astype(int)]] for side in (5, 6))
        duels.append(np.column_stack([np.full(len(found), judged.topic), found[:, :5]]))
        differences.append(style_differences(own, theirs))
    rows = np.concatenate(duels)
    control = child_process.call(control_style, rows, np.concatenate(differences), len(runs))
    of_run = np.array(styles.runs)
    medians = np.full((len(runs), len(STYLES)), np.nan)
    for i, run in enumerate(runs):
        if (of_run == run).any():
            medians[i] = np.median(styles.counts[of_run == run], axis=0)
    return StyleReport(runs, control, medians, len(rows))


def _version(study: Study) -> str:
    return f"{_of_texts(study)}.{head_to_head.version(study)}"


STYLE = CachedResult("style", version=_version, compute=_compute, is_small=head_to_head.is_small)
