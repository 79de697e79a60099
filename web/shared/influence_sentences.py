"""What would change on the board without one person's judgments, in sentences."""

from collection.models import Run, Study
from collection.models.study import Words
from scoring.analysis.leave_one_out import INFLUENCE, Without
from scoring.compute.influence import Effect
from web.shared.phrases import count, number, signed
from web.shared.waiting_pages import recent_result

# Said of a lead that turns round.
OTHER = "another leads"
# What the board would be without a person is computed anew this often at most.
EFFECT_SECONDS = 600


def effect_of_person(study: Study, person: int) -> str:
    """Say what would change on the board without a person; "" while a job computes it, or without runs."""
    left_out = without_person(study, person)
    return without(left_out, study.words) if left_out else ""


def without_person(study: Study, person: int) -> Without | None:
    """Return what would change on the board without a person; None while a job computes it, or without runs.

    As on the page of trust where that has it, else of this person alone, ten minutes old at most.
    """
    if not Run.objects.filter(study=study).exists():
        return None
    everybody = INFLUENCE.latest(study)
    own = [one for one in everybody.value.people if one.pk == person] if everybody else []
    if not own and (alone := recent_result(INFLUENCE, study, person, rest=EFFECT_SECONDS)):
        own = alone.value.people
    return own[0]._replace(name="them") if own else None


def other_leads(one: Without) -> bool:
    """Return True if another run would be first."""
    first = [
        ranks.index(1) if 1 in ranks else -1 for ranks in (one.effect.ranks_before, one.effect.ranks_after)
    ]
    return first[0] != first[1]


def without(one: Without, words: Words) -> str:
    """Return in a sentence what would change without one assessor."""
    moved = one.effect.moved
    if not one.judgments:
        return f"{one.name} has no judgment that counts on these {words.topics}."
    if one.effect.is_lost:
        nobody_else = f"nobody else judged these {words.topics}"
        return f"Without {one.name}, no {words.run} would have a score: {nobody_else}."
    lead = _lead(one.effect)
    if not moved:
        first = f", and the first would lead {lead}" if lead else ""
        return f"Without {one.name}, every {words.run} would keep its rank{first}."
    tau = "" if one.effect.tau is None else f" (Kendall’s τ {number(one.effect.tau, 3)})"
    same = f"The same {words.run} would lead{lead and f', {lead}'}."
    leads = f"Another {words.run} would lead." if other_leads(one) else same
    return f"Without {one.name}, {count(moved, words.run)} would have another rank{tau}. {leads}"


def _lead(effect: Effect) -> str:
    """Say by how much the run that is first would lead; "" if that cannot be said."""
    if effect.leads is None:
        return ""
    now, then = (f"{lead:.3f}" for lead in effect.leads)
    return f"by {then} as now" if then == now else f"by {then} instead of {now}"


def lead_said(lead: tuple[float, float] | None) -> str:
    """Say how a lead changes; "" if that was not computed."""
    if lead is None:
        return ""
    return OTHER if lead[1] < 0 else signed(lead[1] - lead[0])
