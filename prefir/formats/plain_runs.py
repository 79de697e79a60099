"""Runs in plain files, read as arrays: their rankings, or the places of their items in given lists."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from .columns import Columns, Keys, keys_of, mixed
from .ids import MAX_ID, TIE, Known, topic_problem
from .lines import is_comment

Lines = NDArray[np.int64]


class PlainRun(NamedTuple):
    """A run as columns. topics: in file order; topic: the number of each line's topic among them.

    words: docnos (`Columns.words`). keys: a number for each line's topic and docno, the least first; lines:
    the lines that they are of.
    """

    tag: str
    topics: list[str]
    topic: Lines
    scores: NDArray[np.float64]
    columns: Columns
    words: Keys
    keys: Keys
    lines: Lines

    @classmethod
    def of(cls, columns: Columns, known: Known) -> Self | None:
        """Read a run; None if any line may be bad, which reading line by line then finds."""
        if max(columns.longest(2), columns.longest(0), columns.longest(5)) > MAX_ID and not known.free:
            return None
        if not all(columns.fits(column) for column in (0, 2, 3, 4, 5)):
            return None
        tags, _ = columns.blocks(5)
        scores = columns.numbers(4)
        if len(tags) > 1 or scores is None or not columns.are_whole(3):
            return None
        names, lengths = columns.blocks(0)
        number = {name: at for at, name in enumerate(dict.fromkeys(names))}
        if any(topic_problem(name, known) or (known.free and is_comment(name)) for name in number):
            return None
        topics = list(number)
        topic = np.fromiter(map(number.__getitem__, names), np.int64, len(names)).repeat(lengths)
        words = columns.words(2)
        docnos = keys_of(words)
        keys = mixed(docnos + salts(topics)[topic])
        lines = keys.argsort()
        keys = keys[lines]
        # One docno twice in a topic, in all likelihood.
        if (keys[1:] == keys[:-1]).any():
            return None
        if not known.free and (docnos == keys_of(Columns.of_cells([TIE]).words(0))).any():
            return None
        return cls(tags[0], topics, topic, scores, columns, words, keys, lines)

    def rankings(self, ties: str) -> dict[str, list[str]]:
        """Docnos by topic, best first."""
        order = self._order(ties)
        docnos = self.columns.texts(2)
        if order is not None:
            docnos = list(map(docnos.__getitem__, order.tolist()))
        return {topic: docnos[start:end] for topic, start, end in self._parts()}

    def places(self, ties: str, lists: "ItemLists") -> dict[str, NDArray[np.int32]]:
        """Places of a topic's items in its list, best first; -1 for items that it has not."""
        order = self._order(ties)
        found = lists.find(self)
        if order is not None:
            found = found[order]
        return {topic: found[start:end] for topic, start, end in self._parts()}

    def _parts(self) -> Iterator[tuple[str, int, int]]:
        """The topics, and where the lines of each begin and end once they are in order."""
        ends = np.bincount(self.topic).cumsum().tolist()
        return zip(self.topics, [0, *ends[:-1]], ends, strict=True)

    def _order(self, ties: str) -> Lines | None:
        """Lines by topic, falling score and, where scores are equal, by `ties`; None if they stand so."""
        topic, scores = self.topic, self.scores
        after = np.diff(topic)
        if not ((after > 0) | ((after == 0) & (scores[1:] < scores[:-1]))).all():
            order = np.lexsort((-scores, topic))
            scores, topic = scores[order], topic[order]
            equal = (scores[1:] == scores[:-1]) & (topic[1:] == topic[:-1])
            tied = np.append(equal, False) | np.append(False, equal)
            if tied.any():
                lines, group = order[tied], np.append(0, (~equal).cumsum())[tied]
                # The first characters of a word are its last bits.
                words = [word.byteswap() for word in self.words[:, lines]]
                docnos = [word if ties == "ascending" else ~word for word in words]
                ranks = [self._ranks()[lines]] if ties == "rank" else []
                order[tied] = lines[np.lexsort((*docnos[::-1], *ranks, group))]
            return order
        return None

    def _ranks(self) -> NDArray[np.float64]:
        ranks = self.columns.numbers(3)
        assert ranks is not None
        return ranks


class ItemLists:
    """Lists of items by topic, in which the lines of a run are found all at once.

    Only topics that a run asks for are taken up.
    """

    def __init__(self, items: Mapping[str, Collection[str]]) -> None:
        self._items = items
        self._taken: set[str] = set()
        self._keys = np.empty(0, np.uint64)
        self._words = np.empty((0, 0), np.uint64)
        self._place = np.empty(0, np.int32)

    def find(self, run: PlainRun) -> NDArray[np.int32]:
        """Find each line's docno in the list of its topic: its place, int32 (lines,), or -1."""
        new = [topic for topic in run.topics if topic not in self._taken]
        if new:
            self._take([topic for topic in new if topic in self._items])
            self._taken.update(new)
        at = run.keys.searchsorted(self._keys)
        at[at == len(run.keys)] = 0
        own = np.flatnonzero(run.keys[at] == self._keys)
        lines = run.lines[at[own]]
        # Equal keys are all but certain to mean equal docnos. This makes it certain.
        ours, theirs = _as_wide(self._words[:, own], run.words[:, lines])
        same = (ours == theirs).all(axis=0)
        found = np.full(len(run.keys), -1, np.int32)
        found[lines[same]] = self._place[own[same]]
        return found

    def find_all(self, topic: str, docnos: Sequence[str]) -> NDArray[np.int32]:
        """Find these items of one topic: as `find`."""
        place = {docno: at for at, docno in enumerate(self._items.get(topic, ()))}
        return np.fromiter((place.get(docno, -1) for docno in docnos), np.int32, len(docnos))

    def _take(self, topics: list[str]) -> None:
        lists = [list(self._items[topic]) for topic in topics]
        lengths = [len(each) for each in lists]
        words = Columns.of_cells([docno for each in lists for docno in each]).words(0)
        keys = mixed(keys_of(words) + salts(topics).repeat(lengths))
        places = np.concatenate([np.arange(length, dtype=np.int32) for length in (0, *lengths)])
        order = np.append(self._keys, keys).argsort()
        self._keys = np.append(self._keys, keys)[order]
        self._words = np.concatenate(_as_wide(self._words, words), axis=1)[:, order]
        self._place = np.append(self._place, places)[order]


def salts(topics: list[str]) -> Keys:
    """What makes the keys of one docno differ from topic to topic."""
    return mixed(keys_of(Columns.of_cells(topics).words(0)))


def _as_wide(one: Keys, other: Keys) -> tuple[Keys, Keys]:
    """The two tables of words, the narrower one filled up with 0."""
    wide = max(len(one), len(other))
    first, second = (np.pad(each, ((0, wide - len(each)), (0, 0))) for each in (one, other))
    return first, second
