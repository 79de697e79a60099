"""Cached figures of trust, for every page that shows some of them."""

from collection.cached_results import Computed
from collection.models import Study
from judging.assessor_names import is_nameless
from judging.models import Assessor
from scoring.compute.answer_stats import AnswerFigures
from scoring.compute.trust_figures import Agreement, OfTask, PersonTrust, Trust
from scoring.quality.automation_signs import SIGNS
from scoring.quality.trust import TRUST, TrustFigures
from web.shared import waiting_pages
from web.shared.phrases import number, percent

# Figures of judgments that keep coming are computed anew this often at most.
PAUSE_SECONDS = 60
# Agreement on fewer questions is shown, and nothing concluded from it.
FEW = 30
# Thresholds of alpha in Krippendorff, Content Analysis (2004), 11.4: reliable data, tentative conclusions.
RELIABLE, TENTATIVE = 0.8, 0.667
# From this share on it is said how many answers came too fast.
HASTY = 0.1


def latest_trust(study: Study) -> tuple[Computed[TrustFigures] | None, bool]:
    """The cached figures, and whether judgments have changed since."""
    return waiting_pages.latest_result(TRUST, study, rest=PAUSE_SECONDS)


def named_people(own: Trust) -> list[PersonTrust]:
    """The people among the assessors: not those that stand for files without names."""
    return [one for one in own.people if not is_nameless(one.name)]


def widest_agreement(own: Trust) -> tuple[Agreement, OfTask] | None:
    """Return the agreement on most questions, with its task: strong and weak preference taken together."""
    told = [(one.merged or one.given, one) for one in own.agreements]
    return max(told, key=lambda line: line[0].questions, default=None)


def agreed(own: Trust | None) -> Agreement | None:
    """Return the agreement that says something; None where too few questions have two answers."""
    best = widest_agreement(own) if own else None
    told = best is not None and (best[0].all_same or best[0].alpha is not None) and best[0].questions >= FEW
    return best[0] if best and told else None


def percent_told(own: Agreement) -> str:
    """The share of cases in which two say the same, with its 95 % interval: "62 % (54 to 70)"."""
    if own.raw_ends is None:
        return percent(own.raw)
    low, high = own.raw_ends
    return f"{percent(own.raw)} ({100 * low:.0f} to {100 * high:.0f})"


def alpha_told(own: Agreement) -> str:
    """Krippendorff's α with its 95 % interval: "0.243 (0.06 to 0.37)"."""
    if own.alpha_ends is None:
        return number(own.alpha, 3)
    return f"{number(own.alpha, 3)} ({' to '.join(number(end) for end in own.alpha_ends)})"


def people_like_programs(study: Study) -> set[int]:
    """Return the ids of people, but for those excluded, whose answers show signs of a program; none until
    that is known.
    """
    found = waiting_pages.recent_result(SIGNS, study, rest=PAUSE_SECONDS)
    showing = [one.person for one in found.value if one.signs] if found else []
    if not showing:
        return set()
    return set(Assessor.objects.filter(pk__in=showing, excluded_at=None).values_list("pk", flat=True))


def hasty(own: AnswerFigures) -> str:
    """The share of answers too fast to have been read, in words; "" if it is small."""
    told = own.fast.share is not None and own.fast.every >= FEW and own.fast.share >= HASTY
    return percent(own.fast.share) if told else ""
