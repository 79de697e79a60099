"""A topic's preference graph on its page: the figure, and the text and table beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import Http404, QueryDict

from collection.models import Placement, Run, Study, Topic
from prefir import plots
from scoring.analysis import aspects, explanation
from scoring.compute.graph_layout import GraphEdge, Picture
from web.coordinator import placements
from web.coordinator.placements import PlacedItem as Item
from web.shared.phrases import count, listed, parted
from web.shared.plots import Drawing, ShownPlot, figure
from web.shared.rail import Pinned, pinned
from web.shared.view_choices import choice_of, pins_of

# The first items of a pinned run bear its sign.
SIGNED = 5
# Letters of an item's text below its circle.
NAME = 24


@figure("graph", asks=("topic", "part", "pin", "aspect"), wide=520, narrow=640)
def graph(asked: QueryDict, study: Study) -> Drawing:
    """Draw a window of a topic's preference graph."""
    pk = asked.get("topic", "")
    topic = Topic.objects.filter(study=study, pk=pk).first() if pk.isdecimal() and len(pk) < 19 else None
    if topic is None:
        raise Http404("There is no such topic.")
    aspect = asked_aspect(asked, aspects.asked(study).aspect_names)
    found = explanation.graph_picture(study, topic, asked_part(asked), aspect)
    ranks = _ranks_in_pins(asked, study, topic)
    named = placements.named(topic, [one.docno for one in found.items])
    texts = parted([named[one.docno].text for one in found.items], NAME)
    nodes = [
        plots.Node(one.number, text or one.docno, one.column, one.top, ranks.get(one.docno, ()))
        for one, text in zip(found.items, texts, strict=True)
    ]
    edges = [plots.Edge(line.first, line.second, kind(line), counts(line)) for line in found.lines]
    return Drawing(plots.preferences, {"nodes": nodes, "edges": edges, "topic": topic.name})


def _ranks_in_pins(asked: QueryDict, study: Study, topic: Topic) -> dict[str, tuple[tuple[int, int], ...]]:
    """Return in which of the pinned runs items are among the first, by docno: (pin, from 1; rank)."""
    pins = pinned(asked, list(Run.objects.filter(study=study, pk__in=pins_of(asked))))
    rows = Placement.objects.filter(topic=topic, run__in=pins, rank__lte=SIGNED)
    places = {run.pk: pin.place for run, pin in pins.items()}
    found: dict[str, list[tuple[int, int]]] = {}
    for docno, run, rank in rows.values_list("item__docno", "run", "rank"):
        found.setdefault(docno, []).append((places[run], rank))
    return {docno: tuple(sorted(own)) for docno, own in found.items()}


def asked_part(asked: QueryDict) -> int:
    """Return the number of the window that a query asks for, by default 1."""
    part = asked.get("part", "")
    return int(part) if part.isdecimal() and len(part) < 6 else 1


def asked_aspect(asked: QueryDict, names: Sequence[str]) -> str:
    """Return the aspect that a query asks for, if it is one of these; else ""."""
    return choice_of(asked, "aspect", names)


def kind(line: GraphEdge) -> plots.Kind:
    """Return how a pair is drawn. Of several oddities the first counts: contradiction, tie, cycle, order."""
    if line.for_first and line.for_second:
        return "contradicted"
    if not line.for_first:
        return "tie"
    if line.cyclic:
        return "cycle"
    return "against" if line.against else "preferred"


def counts(line: GraphEdge) -> str:
    """Return the label of an edge: judgments for each item, and ties; "" for a single judgment."""
    if line.for_first + line.for_second + line.ties == 1:
        return ""
    ties = f" +{line.ties}=" if line.ties and line.for_first else ""
    if not line.for_first:
        return f"{line.ties}="
    return f"{line.for_first}:{line.for_second}{ties}"


@dataclass(frozen=True)
class PairLine:
    """An edge of the drawing as a table line: its items, its judgments, and what is odd about it."""

    first: Item
    second: Item
    line: GraphEdge
    odd: str


def table(found: Picture, items: Mapping[str, Item]) -> list[PairLine]:
    """Return the edges of a drawing, contradicted and cyclic ones first. items: its items, by docno."""
    numbered = {one.number: items[one.docno] for one in found.items if one.docno in items}
    order = ("contradicted", "cycle", "against", "tie", "preferred")
    lines = sorted(found.lines, key=lambda line: (order.index(kind(line)), line.first, line.second))
    return [
        PairLine(numbered[line.first], numbered[line.second], line, _odd(line))
        for line in lines
        if line.first in numbered and line.second in numbered
    ]


def _odd(line: GraphEdge) -> str:
    odd = {
        "contradicted": line.for_first and line.for_second,
        "on a cycle": line.cyclic,
        "against the order": line.against,
    }
    return ", ".join(words for words, there in odd.items() if there)


def graph_shown(
    study: Study,
    topic: Topic,
    found: Picture,
    pins: Mapping[Run, Pinned],
    *,
    aspect: str = "",
    narrow: bool = False,
) -> ShownPlot:
    """Return the drawing of a window with its caption, by an aspect if one is named.

    narrow: always as for a phone.
    """
    numbers = [one.number for one in found.items]
    part = outside = ""
    if found.parts > 1:
        part = f"Items {numbers[0]:,} to {numbers[-1]:,} of {found.all_items:,} are drawn, the best first. "
    if found.outside:
        are = "is" if found.outside == 1 else "are"
        outside = f"{count(found.outside, 'pair')} with items of other drawings {are} left out. "
    if not found.lines:
        outside += "None of these was judged against another of them. "
    by = f"What people said of {aspect}, whichever they preferred in all. " if aspect else ""
    where = "at the top" if narrow else "at the left, on a phone at the top"
    caption = (
        f"{by}{part}{outside}The best stand {where}; an arrow leads from the item "
        "that was preferred. Where a pair was judged more than once, its line has the judgments for either "
        "item, as 2:1, and its ties, as 1=. Filled circles are the top."
        f"{_signs_said(pins)}"
    )
    drawn = count(len(found.lines), "judged pair")
    alt = f"Preference graph: {count(len(numbers), 'item')} in layers, {drawn}. The lists below have them."
    given: dict[str, object] = {"topic": topic.pk, "part": found.part}
    if aspect:
        given["aspect"] = aspect
    if pins:
        given["pin"] = ",".join(str(run.pk) for run in pins)
    return ShownPlot(study, "graph", alt, caption, given, narrow)


def _signs_said(pins: Mapping[Run, Pinned]) -> str:
    if not pins:
        return ""
    named = listed([f"{pin.glyph} {run.name}" for run, pin in pins.items()])
    return f" Signs above a circle: the item's rank among the first {SIGNED} of {named}."


def answer(found: Picture) -> str:
    """Return in a sentence or two what the whole graph says about the judgments."""
    if not found.all_pairs:
        return "No pair of this topic is judged yet."
    said = f"{count(found.all_pairs, 'pair')} of {count(found.all_items, 'item')} "
    said += "is judged" if found.all_pairs == 1 else "are judged"
    if not found.contradicted and not found.cyclic:
        if found.against:
            goes = "1 goes" if found.against == 1 else f"{found.against:,} go"
            return (
                f"{said}, no two contradict each other; {goes} against the places that the tournament found."
            )
        return f"{said}, and the judgments contradict each other nowhere."
    odd = []
    if found.contradicted:
        odd.append(f"{count(found.contradicted, 'pair')} judged both ways")
    if found.cyclic:
        odd.append(f"{count(found.cyclic, 'pair')} on cycles of three items or more")
    return f"{said}; {' and '.join(odd)}: no ranking agrees with all of them."
