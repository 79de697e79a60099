"""Figures of a finished study, computed before anybody opens the pages that show them."""

from typing import Any

from django.conf import settings
from django.core.cache import cache

from collection.cached_results import CachedResult
from collection.models import Run, Study
from scoring.analysis.doubtful_judgments import DOUBTS, WITHOUT_DOUBTFUL
from scoring.analysis.head_to_head import STRENGTHS
from scoring.analysis.lead_changes import LEAD_CHANGES
from scoring.analysis.leave_one_out import INFLUENCE
from scoring.analysis.measure_comparison import MEASURES
from scoring.analysis.style_control import STYLE
from scoring.analysis.system_maps import MAPS
from scoring.analysis.vote_comparison import VOTES, has_earlier_votes
from scoring.board import standings
from scoring.quality.disagreements import DISAGREEMENTS
from scoring.quality.trust import TRUST
from web.shared import stage

# Whether a study is finished is checked at every 30th standing at most, while standings are written.
STANDINGS = 30
# The distance that the map of systems shows first.
DISTANCE = "rbo"
# So long nobody asks again for the figures of one standing.
DAY = 86400


def is_finished(study: Study) -> bool:
    """Whether judging is over, or everything that was asked is answered and decided."""
    return stage.stage_of(study).name in (stage.OVER, stage.FINISHED)


def shown_first(study: Study) -> list[tuple[CachedResult[Any], tuple[Any, ...]]]:
    """Return the figures that pages of a study show without being asked for others, with their parameters."""
    found: list[tuple[CachedResult[Any], tuple[Any, ...]]] = [(TRUST, ()), (DOUBTS, ()), (DISAGREEMENTS, ())]
    if Run.objects.filter(study=study)[:2].count() > 1:
        found += [
            (WITHOUT_DOUBTFUL, ()),
            (LEAD_CHANGES, ()),
            (INFLUENCE, ()),
            (MEASURES, (None,)),
            (STRENGTHS, (study.persistence,)),
        ]
        found.append((STYLE, ()) if study.case == Study.Case.ANSWERS else (MAPS, (DISTANCE,)))
    if has_earlier_votes(study):
        found.append((VOTES, ()))
    return found


def compute_next(study: Study) -> bool:
    """Compute the first of these figures that is not there yet; False if all are, or are being computed."""
    for kind, params in shown_first(study):
        found = kind.latest(study, *params)
        is_there = found is not None and found.version == kind.version(study)
        if not is_there and kind.refresh(study, *params) is not None:
            return True
    return False


def pause() -> float:
    """Seconds between two looks at a study whose standings are being written."""
    return float(STANDINGS * settings.STANDING_SECONDS)


def is_first_to_ask(study: Study) -> bool:
    """Whether nobody has asked yet for the figures of a study's present standing. One query."""
    number = (standings.latest_stamp(study) or (0,))[0]
    return bool(cache.add(f"figures:{study.pk}:{number}", 1, DAY))
