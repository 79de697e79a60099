"""What speaks against a doubtful judgment, in sentences."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from string import ascii_uppercase

from collection.models import Item, Study
from scoring.analysis.doubtful_judgments import Doubts
from scoring.compute.doubtful_judgments import Doubt, Reason
from web.shared.phrases import cut_docno
from web.shared.typesetting import first_words_apart

# Steps of a cycle that a line tells, and letters by which it names an item.
MOST_STEPS, LETTERS = 5, 44


def of_topic(doubts: Doubts, topic: int, study: Study) -> dict[int, str]:
    """Return what speaks against each doubtful judgment of a topic, by its id; "" of those not listed."""
    listed = [one.doubt for one in doubts.listed if one.topic == topic]
    items = Item.objects.in_bulk({pk for doubt in listed for pk in doubt.cycle})
    said = {doubt.judgment: " ".join(sentences(doubt, doubts, items, study)) for doubt in listed}
    return {pk: said.get(pk, "") for pk in doubts.ids.get(topic, ())}


def sentences(doubt: Doubt, doubts: Doubts, items: Mapping[int, Item], study: Study) -> Iterator[str]:
    """Say each thing that speaks against a judgment. A is the item that it prefers, B the other."""
    for reason in doubt.reasons:
        if reason == Reason.AGAINST:
            if doubt.against == doubt.others:
                yield f"All {doubt.others} others say the opposite."
            else:
                yield f"Of {doubt.others} others none agrees, and {doubt.against} say the opposite."
        elif reason == Reason.REPEAT:
            yield "The same person said the opposite when asked about the pair again."
        elif reason == Reason.CYCLE:
            yield _cycle(doubt, items, study)
        elif reason == Reason.GRADES and doubt.grades:
            own, better = doubt.grades
            yield f"Its grade is {own:g}, the other’s {better:g}."
        elif reason == Reason.FAST:
            yield f"Given in {doubt.seconds:.1f} s; looking at both takes {doubt.least:.1f} s at least."
        elif reason == Reason.FAILED:
            wrong, answered = doubts.failed[doubt.assessor]
            yield f"This person answered {wrong} of {answered} challenges wrongly."


def _cycle(doubt: Doubt, items: Mapping[int, Item], study: Study) -> str:
    """Say round which circle judgments prefer: A beats B here, elsewhere B beats C, C beats A; then name all
    but A and B.
    """
    round_it = [doubt.preferred, *doubt.cycle]
    further = doubt.cycle[1:-1]
    letters = dict(zip((doubt.preferred, doubt.other, *further), ascii_uppercase, strict=False))
    steps = [f"{letters.get(one, '…')} beats {letters.get(two, '…')}" for one, two in pairwise(round_it)]
    if len(steps) > MOST_STEPS:
        steps = [*steps[: MOST_STEPS - 1], "and so on", steps[-1]]
        further = further[: MOST_STEPS - 2]
    # Texts often begin alike: they are named by what follows; answers to one prompt by their models.
    together = [items[pk] for pk in (doubt.preferred, doubt.other, *further)]
    words = first_words_apart(together, study, LETTERS)[2:]
    if study.case == Study.Case.ANSWERS:
        words = [cut_docno(items[pk].docno) for pk in further]
    named = "; ".join(f"{letters[pk]} is “{said}”" for pk, said in zip(further, words, strict=True))
    return f"Closes a cycle: here {steps[0]}, elsewhere {', '.join(steps[1:])}." + f" {named}." * bool(named)
