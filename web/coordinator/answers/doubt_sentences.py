"""What speaks against a doubtful judgment, in sentences."""

from collections.abc import Iterator, Mapping, Sequence

from collection.models import Item, Study
from scoring.analysis.doubtful_judgments import Doubts
from scoring.compute.doubtful_judgments import Doubt, Reason
from web.shared.phrases import cut_docno
from web.shared.typesetting import start

# Items of a cycle that a line names, and letters of each.
CYCLE, LETTERS = 4, 26


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
            yield f"Closes a cycle: {_cycle([_named(pk, doubt, items, study) for pk in doubt.cycle])}."
        elif reason == Reason.GRADES and doubt.grades:
            own, better = doubt.grades
            yield f"Its grade is {own:g}, the other’s {better:g}."
        elif reason == Reason.FAST:
            yield f"Given in {doubt.seconds:.1f} s; looking at both takes {doubt.least:.1f} s at least."
        elif reason == Reason.FAILED:
            wrong, answered = doubts.failed[doubt.assessor]
            yield f"This person answered {wrong} of {answered} challenges wrongly."


def _named(pk: int, doubt: Doubt, items: Mapping[int, Item], study: Study) -> str:
    if pk in (doubt.preferred, doubt.other):
        return "A" if pk == doubt.preferred else "B"
    # Answers to one prompt often begin alike: they are named by their models.
    by_model = study.case == Study.Case.ANSWERS
    words = "" if by_model else start(items[pk].text, study.markup, LETTERS)
    return f"“{words}”" if words else cut_docno(items[pk].docno)


def _cycle(names: Sequence[str]) -> str:
    """Say what other judgments prefer, from the item that lost here to the one that won."""
    shown = names if len(names) <= CYCLE else [*names[: CYCLE - 1], "…", names[-1]]
    return " beats ".join(shown).replace("beats … beats", "beats …, which beats")
