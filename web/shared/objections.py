"""What speaks against a person's answers, in the same words on every page."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from collection.models import Study
from judging.models import Assessor
from judging.people import person_names
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


class DoubtedPerson(NamedTuple):
    """A person to look at. against: what speaks against their answers, signs of a program in full."""

    pk: int
    name: str
    against: str


def doubted_people(study: Study, against: Mapping[int, list[str]], *, labels: bool) -> list[DoubtedPerson]:
    """Return the people of `objections_to_people` who are known and not excluded, most against them first.

    labels: whether the reader may see those that organizers wrote. Two queries, none without anybody.
    """
    if not against:
        return []
    counting = Assessor.objects.filter(pk__in=against, excluded_at=None).values_list("pk", flat=True)
    names, signs = person_names.names(study, list(counting), labels=labels), signs_of_people(study)
    known = [pk for pk, name in names.items() if name != person_names.UNNAMED]
    known.sort(key=lambda pk: (-len(against[pk]), pk))
    full = {pk: f"{PROGRAM} ({own})" for pk, own in signs.items()}
    return [
        DoubtedPerson(pk, names[pk], "; ".join(full[pk] if one == PROGRAM else one for one in against[pk]))
        for pk in known
    ]


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
        (
            own.again,
            f"{count(own.again, 'answer')} after the same seconds as their own before, in the same order",
        ),
        (own.inputs.none, f"{own.inputs.none:,} of {own.inputs.told:,} without any input{none}"),
        (own.inputs.still, f"{own.inputs.still:,} of {own.inputs.told:,} by a mouse that never moved{still}"),
        (own.inputs.pasted, f"{own.inputs.pasted:,} of {own.inputs.told:,} with pasted text{pasted}"),
    )
    return "; ".join(words for shown, words in said if shown)
