"""What speaks against a doubtful judgment, in sentences."""

from collections.abc import Iterator, Mapping

from collection.models import Item, Study
from scoring.analysis.doubtful_judgments import Doubts
from scoring.compute.doubtful_judgments import Doubt, Reason
from web.shared.phrases import cut_docno
from web.shared.typesetting import first_words_apart

# Items between B and A that a line names, and letters by which it does.
MOST_BETWEEN, LETTERS = 3, 44


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
            yield f"A has the grade {own:g}, B {better:g}."
        elif reason == Reason.FAST:
            yield f"Given in {doubt.seconds:.1f} s; looking at both takes {doubt.least:.1f} s at least."
        elif reason == Reason.FAILED:
            wrong, answered = doubts.failed[doubt.assessor]
            yield f"This person answered {wrong} of {answered} challenges wrongly."


def _cycle(doubt: Doubt, items: Mapping[int, Item], study: Study) -> str:
    """Say by which other pairs B is better than A, naming what lies between."""
    further = doubt.cycle[1:-1][:MOST_BETWEEN]
    # Texts often begin alike: they are named by what follows; answers to one prompt by their models.
    together = [items[pk] for pk in (doubt.preferred, doubt.other, *further)]
    words = first_words_apart(together, study, LETTERS)[2:]
    if study.case == Study.Case.ANSWERS:
        words = [cut_docno(items[pk].docno) for pk in further]
    steps = [f"to “{said}”" for said in words]
    last = "and so on to A" if len(doubt.cycle) - 2 > MOST_BETWEEN else "and that to A" if steps else "to A"
    said = ", ".join([*[step if n == 0 else f"that {step}" for n, step in enumerate(steps)], last])
    return f"Other judgments prefer B {said}: by them B is better."
