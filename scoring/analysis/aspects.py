"""Aspects, claims and reasons of a study: the board by each, agreement, what the answer follows. Cached."""

from collections import defaultdict
from dataclasses import dataclass

from collection.cached_results import CachedResult, Progress
from collection.models import Item, Run, Study
from judging.aspect_answers import AspectAnswer, aspect_answers
from judging.models import Judgment
from judging.questions import asking
from judging.tasks.aspects import AspectSettings
from scoring.analysis import head_to_head
from scoring.compute import child_process
from scoring.compute.aspect_figures import AspectFigures, SaidOfPair, SaidOfTopic, aspect_figures
from scoring.scores import rankings
from scoring.scores.stored_measures import CUTS


@dataclass(frozen=True)
class AspectReport:
    """Figures with the names that they are of; runs: ids."""

    runs: list[int]
    aspects: list[str]
    reasons: list[str]
    figures: AspectFigures


def asked(study: Study) -> AspectSettings:
    """What a study asks besides the answer to a pair. One query."""
    settings = asking.task_of(study).settings_of_kind
    return settings if isinstance(settings, AspectSettings) else AspectSettings()


def _version(study: Study) -> str:
    own = asked(study)
    return f"{head_to_head.version(study)}.{own.aspect_names}.{own.reason_names}.claims"


def _compute(study: Study, progress: Progress) -> AspectReport:
    """Compute all figures. Two queries a topic; memory grows with the answers that say something."""
    import numpy as np

    own, runs = asked(study), head_to_head.runs_of(study)
    aspects, reasons = own.aspect_names, own.reason_names
    dated = dict(Run.objects.filter(pk__in=runs).order_by("pk").values_list("pk", "created_at"))
    by_topic: dict[int, list[tuple[AspectAnswer, int]]] = defaultdict(list)
    rows = Judgment.objects.settled() if study.kept_only else Judgment.objects.counting()
    rows = rows.filter(topic__study=study, details__isnull=False)
    for one, (assessor,) in aspect_answers(rows, "assignment__assessor_id"):
        by_topic[one.preference.topic].append((one, assessor))
    said = []
    for done, (topic, answers) in enumerate(sorted(by_topic.items())):
        progress(done, len(by_topic))
        items = dict(Item.objects.filter(topic=topic).order_by("pk").values_list("pk", "docno"))
        place = {pk: number for number, pk in enumerate(items)}
        ranked = rankings.of_topic(topic, dated)
        tops = [set(ranked[str(run)][: CUTS[study.persistence]]) for run in runs]
        has = [[docno in top for top in tops] for docno in items.values()]
        found = [_said(one, assessor, place, aspects, reasons) for one, assessor in answers]
        said.append(SaidOfTopic(np.array(has, np.bool_).reshape(len(items), len(runs)), found))
    figures = child_process.call(aspect_figures, said, len(aspects), len(reasons), len(runs))
    return AspectReport(runs, aspects, reasons, figures)


def _said(
    one: AspectAnswer, assessor: int, place: dict[int, int], aspects: list[str], reasons: list[str]
) -> SaidOfPair:
    preference = one.preference
    return SaidOfPair(
        place[preference.first],
        place[preference.second],
        assessor,
        (preference.lean, *(one.aspects.get(name) for name in aspects)),
        tuple(reasons.index(name) for name in one.reasons if name in reasons),
        one.claims,
    )


ASPECTS = CachedResult("aspects", version=_version, compute=_compute, is_small=head_to_head.is_small)
