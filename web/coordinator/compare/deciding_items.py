"""What made the difference between two runs: their first items on a topic, and how people judged them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from django.core.cache import cache
from django.db.models.functions import Left
from markupsafe import Markup

from collection.material.pictures import is_picture
from collection.models import Item, Placement, Run, Study, Topic
from judging import ledger
from prefir.formats import plain_turns
from scoring.analysis.run_comparison import TopicGap
from scoring.board import standings
from web.coordinator.placements import EXCERPT
from web.shared import tokens
from web.shared.phrases import count, cut_docno, parted, signed
from web.shared.typesetting import typeset

# How many topics are shown in full, how many items of each run, and among how many of its first items
# judged pairs are looked for.
TOPICS, ITEMS, DEPTH = 3, 3, 10
# How many topics of the run behind are shown after them: a difference is seldom all on one side.
AGAINST = 1
BELOW = DEPTH + 1
# How many judged pairs are said, those with the most judgments first.
PAIRS = 6
# Letters by which an item is named.
LETTERS = 50
KEPT_SECONDS = 3600


@dataclass(frozen=True)
class RankedItem:
    """An item at its rank in a run, in full. other: its rank in the other run, 0 if it is below DEPTH."""

    rank: int
    pk: int
    docno: str
    text: Markup
    picture: str
    other: int

    @property
    def short(self) -> str:
        """Its docno, cut in the middle if it is long."""
        return cut_docno(self.docno)


@dataclass(frozen=True)
class DecidingTopic:
    """A topic with the first items of both runs, and how pairs of theirs were judged, in sentences."""

    topic: Topic
    gap: TopicGap
    first: list[RankedItem]
    second: list[RankedItem]
    judged: list[Markup]
    favours: str

    @property
    def said(self) -> str:
        """The difference, with its sign."""
        return signed(self.gap.gap)


def deciding_topics(
    study: Study, gaps: Sequence[TopicGap], first: Run, second: Run, *, behind: bool
) -> list[DecidingTopic]:
    """Return the topics that favour the leading run most, then the one that favours the other most, with what
    both runs show first.

    behind: whether the first run is behind. The number of queries does not grow with topics or runs.
    """
    rising = sorted(gaps, key=lambda gap: gap.gap)
    for_second = [gap for gap in rising if gap.gap < 0]
    for_first = [gap for gap in reversed(rising) if gap.gap > 0]
    ahead, against = (for_second, for_first) if behind else (for_first, for_second)
    led = [*ahead[:TOPICS], *against[:AGAINST]]
    named = Topic.objects.in_bulk([gap.topic for gap in led])
    rows = Placement.objects.filter(topic__in=named, run__in=(first.pk, second.pk), rank__lte=DEPTH)
    ranked: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
    for topic, run, item, rank in rows.order_by("rank").values_list("topic", "run", "item", "rank"):
        ranked[topic, run][item] = rank
    items = _items(ranked)
    names = _names(ranked)
    judged = _counted(study, list(named)) if named else {}
    # Names that are no words say nothing of items that are not shown.
    depth = DEPTH if any(item.text for item in items.values()) else ITEMS
    ranks_items = study.case != Study.Case.ANSWERS
    found = []
    for gap in led:
        one, other = ranked[gap.topic, first.pk], ranked[gap.topic, second.pk]
        found.append(
            DecidingTopic(
                named[gap.topic],
                gap,
                _shown(study, one, other, items),
                _shown(study, other, one, items),
                _judged(judged[gap.topic], one, other, names if ranks_items else {}, depth, (first, second)),
                first.name if gap.gap > 0 else second.name,
            )
        )
    return found


def _items(ranked: dict[tuple[int, int], dict[int, int]]) -> dict[int, Item]:
    wanted = {item for ranks in ranked.values() for item, rank in ranks.items() if rank <= ITEMS}
    return Item.objects.in_bulk(wanted)


def _shown(
    study: Study, ranks: dict[int, int], others: dict[int, int], items: dict[int, Item]
) -> list[RankedItem]:
    return [
        RankedItem(
            rank,
            pk,
            items[pk].docno,
            typeset(items[pk].text, study.set_as),
            tokens.sign_image(pk) if is_picture(items[pk].image.name) else "",
            others.get(pk, 0),
        )
        for pk, rank in ranks.items()
        if rank <= ITEMS
    ]


def _names(ranked: dict[tuple[int, int], dict[int, int]]) -> dict[int, Markup]:
    """Return words by which items of a topic differ, or their docnos cut in the middle, by id; each titled by
    its docno.
    """
    wanted = {item for ranks in ranked.values() for item in ranks}
    rows = Item.objects.filter(pk__in=wanted).annotate(start=Left("text", EXCERPT)).order_by("topic_id", "pk")
    told = Markup('<bdi title="{}">{}</bdi>')
    found = {}
    for _, own in groupby(rows.values_list("topic_id", "pk", "docno", "start"), key=itemgetter(0)):
        items = [(pk, docno, plain_turns(start)) for _, pk, docno, start in own]
        words = iter(parted([text for *_, text in items if text], LETTERS))
        for pk, docno, text in items:
            found[pk] = told.format(docno, f"“{next(words)}”" if text else cut_docno(docno))
    return found


class Votes(NamedTuple):
    """How often an item was preferred to another, the other to it, and neither."""

    won: int
    lost: int
    ties: int


def _counted(study: Study, topics: Sequence[int]) -> dict[int, dict[tuple[int, int], Votes]]:
    """The votes on each judged pair of some topics; cached while no score changes."""
    version = standings.version(study)
    keys = {topic: f"votes-by-pair:{topic}:{version}" for topic in topics}
    known = cache.get_many(keys.values())
    found: dict[int, dict[tuple[int, int], Votes]] = {}
    for topic, key in keys.items():
        own = known.get(key)
        if own is None:
            pairs = ledger.by_pair(ledger.counting(topic))
            own = {pair: _votes(leans) for pair, leans in pairs.items()}
            cache.set(key, own, KEPT_SECONDS)
        found[topic] = own
    return found


def _votes(leans: Sequence[int]) -> Votes:
    won, lost = sum(lean > 0 for lean in leans), sum(lean < 0 for lean in leans)
    return Votes(won, lost, len(leans) - won - lost)


def _judged(
    pairs: dict[tuple[int, int], Votes],
    one: dict[int, int],
    other: dict[int, int],
    names: dict[int, Markup],
    depth: int,
    runs: tuple[Run, Run],
) -> list[Markup]:
    """Say how pairs were judged that the two runs order differently; ranks below DEPTH count as equal.

    names: of items; those without one are called by their run. depth: among how many first items of both.
    """
    seen = {item for ranks in (one, other) for item, rank in ranks.items() if rank <= depth}
    wanted = []
    for (a, b), (won, lost, ties) in pairs.items():
        for mine, theirs, votes in ((a, b, Votes(won, lost, ties)), (b, a, Votes(lost, won, ties))):
            ahead = one.get(mine, BELOW) < one.get(theirs, BELOW)
            turned = other.get(theirs, BELOW) < other.get(mine, BELOW)
            if ahead and turned and {mine, theirs} <= seen:
                wanted.append((mine, theirs, votes))
    wanted.sort(key=lambda pair: (-sum(pair[2]), one[pair[0]], other[pair[1]]))
    first, second = runs
    return [
        _sentence(
            _placed(names.get(mine), first, one[mine]),
            _placed(names.get(theirs), second, other[theirs]),
            votes,
        )
        for mine, theirs, votes in wanted[:PAIRS]
    ]


def _placed(name: Markup | None, run: Run, rank: int) -> Markup:
    """An item by its name and its place in a run; by the run alone if it has no name."""
    if name is None:
        return Markup("<bdi>{}</bdi>").format(run.name)
    return Markup("{} (<bdi>{}</bdi> {})").format(name, run.name, rank)


def _sentence(mine: Markup, theirs: Markup, votes: Votes) -> Markup:
    won, lost, ties = votes
    tied = f", {count(ties, 'tie')}" if ties else ""
    if won == lost and won:
        said = Markup("{} and {} are each preferred {}{}.")
        return said.format(mine, theirs, count(won, "time"), tied)
    judgments = count(sum(votes), "judgment")
    if won == lost:
        return Markup("{} and {} are judged equal, in {}.").format(mine, theirs, judgments)
    better, worse, most = (mine, theirs, won) if won > lost else (theirs, mine, lost)
    return Markup("{} is preferred to {}, {} of {}{}.").format(better, worse, most, judgments, tied)
