"""What speaks against a person's answers, in the same words on every page."""

from collections.abc import Iterable, Sequence
from statistics import median

from collection.models import Study
from scoring.compute.answer_stats import AnswerFigures
from scoring.compute.automation_signs import PersonSigns
from scoring.compute.doubtful_judgments import fails_challenges
from scoring.compute.trust_figures import PersonTrust
from scoring.quality.automation_signs import SIGNS
from scoring.quality.trust import TrustFigures
from web.shared.latest_trust import HASTY, PAUSE_SECONDS, widest_agreement
from web.shared.phrases import count, percent
from web.shared.waiting_pages import recent_result

# Agreement on fewer shared questions is shown, and nothing said against anybody by it.
SHARED = 10
# Who agrees with others less than this often, as others do with each other, stands out.
APART = 0.5
PROGRAM = "signs of a program"


def objections_to_people(study: Study, found: TrustFigures) -> dict[int, list[str]]:
    """Return what speaks against each person whose answers count, in parts of a sentence, the worst first;
    those against whom nothing does are left out. Signs of a program are at most a minute old.
    """
    signs = signs_of_people(study) if found.trust.people else {}
    widest = widest_agreement(found.trust)
    usual = (widest[0].raw if widest else None) or 0.0
    told = {
        one.pk: _objections(one, found.answers.people[one.pk], usual, one.pk in signs)
        for one in found.trust.people
    }
    return {pk: against for pk, against in told.items() if against}


def _objections(one: PersonTrust, own: AnswerFigures, usual: float, signs: bool) -> list[str]:
    """usual: how often two people of the study say the same."""
    against = []
    if fails_challenges(one.failed, one.known):
        against.append(f"{one.failed:,} of {count(one.known, 'challenge')} wrong")
    if own.shared >= SHARED and (own.agreement or 0) < APART * usual:
        asked = count(own.shared, "shared question")
        against.append(f"{percent(own.agreement)} agreement with others on {asked}")
    if own.fast.some and own.fast.some >= HASTY * own.fast.every:
        against.append(
            f"{own.fast.some:,} of {count(own.fast.every, 'answer')} faster than a reader could be"
        )
    if one.flagged:
        against.append(f"{percent(one.left)} for the left, which chance does not explain")
    if signs:
        against.append(PROGRAM)
    return against


def signs_of_people(study: Study) -> dict[int, str]:
    """Return the signs of a program that people's answers show, in a few words beside what is usual here."""
    found = recent_result(SIGNS, study, rest=PAUSE_SECONDS)
    every = found.value if found else []
    return {one.person: _said(one, every) for one in every if one.signs}


def _said(own: PersonSigns, every: Sequence[PersonSigns]) -> str:
    varied = [one.variation for one in every if one.variation is not None]
    usual = f", the middle person’s by {percent(median(varied))}" if len(varied) > 1 else ""
    timed, told = sum(one.timed for one in every), sum(one.inputs.told for one in every)

    def beside(some: Iterable[int], of: int) -> str:
        return f", everybody {percent(sum(some) / of)}" if of else ""

    fast = beside((one.fast for one in every), timed)
    none = beside((one.inputs.none for one in every), told)
    still = beside((one.inputs.still for one in every), told)
    pasted = beside((one.inputs.pasted for one in every), told)
    alike = sum(bool(one.alike) for one in every)
    said = (
        (own.fast, f"{own.fast:,} of {own.timed:,} too fast{fast}"),
        (own.even, f"times that vary by {percent(own.variation)} only{usual}"),
        (
            own.alike,
            f"the same times as {count(own.alike, 'other person')}, as {alike:,} of {len(every):,} have",
        ),
        (own.inputs.none, f"{own.inputs.none:,} of {own.inputs.told:,} without any input{none}"),
        (own.inputs.still, f"{own.inputs.still:,} of {own.inputs.told:,} by a mouse that never moved{still}"),
        (own.inputs.pasted, f"{own.inputs.pasted:,} of {own.inputs.told:,} with pasted text{pasted}"),
    )
    return "; ".join(words for shown, words in said if shown)
