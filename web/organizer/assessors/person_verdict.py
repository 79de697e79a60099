"""The verdict on one person's answers in a sentence, and their figures beside those of everybody."""

from typing import NamedTuple

from collection.models import Study
from judging.models import FROM_FILES, Assessor, Judgment
from judging.people import roster
from scoring.analysis.doubtful_judgments import DOUBTS
from scoring.compute.answer_stats import AnswerFigures
from scoring.compute.doubtful_judgments import fails_challenges
from scoring.compute.trust_figures import PersonTrust, Trust
from scoring.quality.trust import TRUST
from web.organizer.assessors.answers import AnswerSummary
from web.shared.key_figures import KeyFigure
from web.shared.latest_trust import PAUSE_SECONDS, widest_agreement
from web.shared.objections import objections_to_people
from web.shared.phrases import count, percent
from web.shared.waiting_pages import recent_result


class PersonFigures(NamedTuple):
    """What is known of a person. right, met: challenges answered rightly, and all that were answered.

    own, person: their answers that count, and trust: everybody's, at most a minute old; None where they are
    in none, or while that is computed for the first time. against: what speaks against them.
    doubtful: how many of their judgments are.
    """

    told: AnswerSummary
    right: int
    met: int
    own: AnswerFigures | None
    person: PersonTrust | None
    trust: Trust | None
    against: list[str]
    doubtful: int = 0

    @property
    def wrong(self) -> int:
        return self.met - self.right

    @property
    def agreement(self) -> float | None:
        return self.own.agreement if self.own else None

    @property
    def of_all(self) -> float | None:
        """How often two people say the same of a question, in the whole study."""
        widest = widest_agreement(self.trust) if self.trust else None
        return widest[0].raw if widest else None


def figures_of(study: Study, assessor: Assessor, told: AnswerSummary) -> PersonFigures:
    """Look up what is known of a person: three queries at most where the figures of trust are cached."""
    right, met, _ = roster.facts("challenges", [assessor.pk]).get(assessor.pk, (0, 0, 0))
    found = recent_result(TRUST, study, rest=PAUSE_SECONDS)
    trust = found.value.trust if found else None
    people = {one.pk: one for one in trust.people} if trust else {}
    own = found.value.answers.people.get(assessor.pk) if found else None
    against = objections_to_people(study, found.value).get(assessor.pk, []) if found else []
    doubtful = _doubtful(study, assessor)
    return PersonFigures(told, int(right), int(met), own, people.get(assessor.pk), trust, against, doubtful)


def _doubtful(study: Study, assessor: Assessor) -> int:
    """Count a person's doubtful judgments, as the page of trust has them; 0 until that is known."""
    found = recent_result(DOUBTS, study, rest=PAUSE_SECONDS)
    doubtful = {pk for of_topic in found.value.ids.values() for pk in of_topic} if found else set()
    if not doubtful:
        return 0
    own = Judgment.objects.filter(assignment__assessor=assessor).values_list("pk", flat=True)
    return len(doubtful.intersection(own))


def verdict(assessor: Assessor, found: PersonFigures) -> tuple[str, bool]:
    """Say in a sentence what a person's answers are worth, and whether somebody has to look at them."""
    if assessor.excluded_at:
        return "Excluded: none of their answers counts.", False
    if not found.told.answers and not found.own:
        return "No answers given on these pages yet.", False
    if found.trust is None:
        return "How they answer is being counted.", False
    if found.against:
        return f"To look at: {', and '.join(found.against[:2])}.", True
    if not found.met and found.agreement is None:
        return "Nothing is known for or against these answers.", False
    if found.doubtful:
        return "Nothing speaks against these answers as a whole.", False
    return "Nothing speaks against these answers.", False


def key_figures(assessor: Assessor, found: PersonFigures) -> list[KeyFigure]:
    """Return a person's figures, each beside that of everybody; [] of anybody who never answered."""
    told, own, trust = found.told, found.own, found.trust
    answers = told.answers or (own.answers if own else 0)
    if not answers:
        return []
    recorded = assessor.panel == FROM_FILES
    counting = f"{own.answers:,} count in scores" if own else "none counts" if trust else ""
    shown = [KeyFigure("Answers", f"{answers:,}", "from a file" if recorded else counting)]
    if found.met:
        everybody = f"everybody {percent(1 - (trust.challenges.share or 0))}" if trust else ""
        bad = fails_challenges(found.wrong, found.met)
        shown.append(KeyFigure("Challenges right", f"{found.right:,} of {found.met:,}", everybody, bad))
    if own and found.agreement is not None:
        said = f"on {count(own.shared, 'question')}, everybody {percent(found.of_all)}"
        shown.append(KeyFigure("Same as others", percent(found.agreement), said))
    seconds = own.middle if own and own.middle is not None else told.seconds
    if seconds is not None:
        median = f"everybody {trust.all.middle:.1f} s" if trust and trust.all.middle is not None else ""
        shown.append(KeyFigure("Median time in view", f"{seconds:.1f} s", median))
    fast, timed = (own.fast.some, own.fast.every) if own else (told.fast, told.timed)
    if timed:
        beside = _everybody(trust, "fast")
        shown.append(KeyFigure("Too fast to read", f"{fast:,} of {timed:,}", beside, fast > 0))
    if found.person and found.person.left is not None:
        left, beside = percent(found.person.left), _everybody(trust, "left")
        shown.append(KeyFigure("Left, of sides", left, beside, found.person.flagged))
        shown.append(KeyFigure("Ties", percent(found.person.ties), _everybody(trust, "ties")))
    return shown


def _everybody(trust: Trust | None, name: str) -> str:
    share = getattr(trust.all, name).share if trust else None
    return "" if share is None else f"everybody {percent(share)}"
