"""Answers of a study by columns: as the ledger has them, and as they count. Without Django.

A million answers as objects of their own take half a gigabyte, and a loop over them half a minute.
"""

from array import array
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.integer[Any]]

T = TypeVar("T")
# What an answer is about: AGAIN is a question asked once more in a batch that counts, DISCARDED one of a
# batch that does not count.
COUNTS, CHALLENGE, DISCARDED, AGAIN = range(4)
# The meaning of a row that withdraws the answer before it.
WITHDRAWN = -1


class Meaning(NamedTuple):
    """What every answer with the same value, shown the same way, says in a task: of the subjects of its
    question, by their places there.

    scale: of the task. stood: subjects from left to right on the page; empty where a file does not say.
    side: 1 left, 0 tie, -1 right, None for a kind without sides. place: that of the pick, None for others.
    label: the answer in terms of the question, whichever way it stood, to compare with those of others; where
    it `names` a subject, its place. leans: (subject, subject, sign) of each preference that follows; sign
    above 0 prefers the first. strength: of two subjects the lean as it was given, from -2 to 2; None for a
    kind without sides.
    """

    task: int
    scale: str
    stood: tuple[int, ...]
    side: int | None
    place: int | None
    label: float
    names: bool = False
    leans: tuple[tuple[int, int, int], ...] = ()
    strength: int | None = None


_ids = partial(array, "q")
_places = partial(array, "i")
_codes = partial(array, "b")
_seconds: partial["array[float]"] = partial(array, "d", ())


@dataclass
class LedgerRows:
    """The rows of a study's ledger in any order, with what their batches and questions say.

    batch, question: by id. meaning: a place in `meanings`, or WITHDRAWN. about: COUNTS, CHALLENGE, or AGAIN
    for a question that was asked before. seconds: in view, nan where no browser told.
    batches, assessors, counting: ids in order, whose each batch is, and whether it counts. questions, topics,
    ends, subjects, least: ids in order, the topic of each, where its subjects end among all, and the seconds
    below which nobody can have looked, 0 where that is not known.
    """

    row: "array[int]" = field(default_factory=_ids)
    batch: "array[int]" = field(default_factory=_ids)
    question: "array[int]" = field(default_factory=_ids)
    revision: "array[int]" = field(default_factory=_places)
    meaning: "array[int]" = field(default_factory=_places)
    about: "array[int]" = field(default_factory=_codes)
    seconds: "array[float]" = field(default_factory=_seconds)
    batches: "array[int]" = field(default_factory=_ids)
    assessors: "array[int]" = field(default_factory=_ids)
    counting: "array[int]" = field(default_factory=_codes)
    questions: "array[int]" = field(default_factory=_ids)
    topics: "array[int]" = field(default_factory=_ids)
    ends: "array[int]" = field(default_factory=_ids)
    subjects: "array[int]" = field(default_factory=_ids)
    least: "array[float]" = field(default_factory=_seconds)
    meanings: list[Meaning] = field(default_factory=list)


class Leans(NamedTuple):
    """Preferences that follow from answers. answer: a place among these. sign: above 0 prefers the first
    subject. turned: whether the first stood to the right; told: whether that is known.
    """

    answer: "Numbers"
    first: "Numbers"
    second: "Numbers"
    sign: "Numbers"
    turned: "NDArray[np.bool_]"
    told: "NDArray[np.bool_]"


@dataclass(frozen=True)
class Answers:
    """Answers as their assessors left them, batch after batch in the order in which these were opened.

    question: a place among the rows' questions. seconds: in view over all corrections, nan where no browser
    told. third: of the batch in the order of answering, 0 to 2; -1 in batches of one or two. rows: where they
    come from; columns: of its meanings and questions.
    """

    about: "Numbers"
    assessor: "Numbers"
    question: "Numbers"
    meaning: "Numbers"
    seconds: "NDArray[np.float64]"
    third: "Numbers"
    rows: LedgerRows
    columns: "dict[str, NDArray[Any]]"

    def __len__(self) -> int:
        return len(self.about)

    def where(self, chosen: "NDArray[Any] | slice") -> "Answers":
        """Some of them: by a mask, or by their places."""
        own: dict[str, Any] = {name: getattr(self, name)[chosen] for name in OF_ANSWERS}
        return replace(self, **own)

    def joined(self, others: "Answers") -> "Answers":
        """These and others of the same rows."""
        import numpy as np

        if not len(others):
            return self
        both: dict[str, Any] = {
            name: np.concatenate([getattr(self, name), getattr(others, name)]) for name in OF_ANSWERS
        }
        return replace(self, **both)

    def told(self, name: str) -> "NDArray[Any]":
        """What the meaning of each answer says: a name of NUMBERS, or "size", subjects that stood there."""
        return self.columns[name][self.meaning]

    def first(self) -> Meaning | None:
        """The meaning of the first answer; None without any."""
        return self.rows.meanings[int(self.meaning[0])] if len(self) else None

    def topics(self) -> "Numbers":
        """The topic of each answer."""
        return self.columns["topics"][self.question]

    def least(self) -> "NDArray[np.float64]":
        """The seconds of each answer below which nobody can have looked; 0 where that is not known."""
        return self.columns["least"][self.question]

    def labels(self) -> "NDArray[np.float64]":
        """The label of each answer."""
        label, named = self.told("label"), self.told("names")
        label[named] = self._subjects(self.question[named], label[named].astype(int))
        return label

    def leans(self) -> Leans:
        """The preferences that follow from the answers, in their order."""
        import numpy as np

        many = self.told("leans")
        answer = np.repeat(np.arange(len(self), dtype=np.int32), many)
        # The n-th lean of an answer is the n-th of its meaning.
        nth = np.arange(len(answer)) - np.repeat(np.cumsum(many) - many, many)
        first, second, sign, turned = self.columns["lean"][:, self.told("lean_start")[answer] + nth]
        question = self.question[answer]
        subjects = self._subjects(question, first), self._subjects(question, second)
        return Leans(answer, *subjects, sign, turned > 0, self.told("size")[answer] > 0)

    def _subjects(self, question: "Numbers", place: "Numbers") -> "Numbers":
        return self.columns["subjects"][self.columns["starts"][question] + place]


OF_ANSWERS = ("about", "assessor", "question", "meaning", "seconds", "third")
# Of a meaning, whole numbers, or NONE for None.
NUMBERS = ("task", "side", "place", "strength")
NONE = -9


def counted(rows: LedgerRows) -> Answers:
    """Answers as they count now, corrections applied, and withdrawn ones left out but for challenges; also
    left out are those of questions asked again in batches that do not count.
    """
    import numpy as np

    order = np.lexsort((np.asarray(rows.row), np.asarray(rows.batch)))
    batch, question = (
        np.searchsorted(np.asarray(all_of), np.asarray(own)).astype(np.int32)[order]
        for all_of, own in ((rows.batches, rows.batch), (rows.questions, rows.question))
    )
    revision, meaning, about, seconds = (
        np.asarray(own)[order] for own in (rows.revision, rows.meaning, rows.about, rows.seconds)
    )
    del order
    # A question of a batch by the place of its first row.
    first, number = group_rows(batch, question)
    every = np.bincount(number, weights=np.nan_to_num(seconds), minlength=len(first))
    told = np.bincount(number, weights=~np.isnan(seconds), minlength=len(first)) > 0
    # Of several revisions the highest is the answer, wherever its row stands. Challenges are checked by the
    # last answer that was given.
    able = np.flatnonzero((meaning != WITHDRAWN) | (about != CHALLENGE))
    able = able[np.lexsort((revision[able], number[able]))]
    last = np.append(number[able][1:] != number[able][:-1], True)[: len(able)]
    given = np.full(len(first), WITHDRAWN, dtype=np.int32)
    given[number[able][last]] = meaning[able][last]
    batch, question, about = batch[first], question[first], about[first]
    many = np.bincount(batch, minlength=len(rows.batches))
    rank = np.arange(len(first)) - (np.cumsum(many) - many)[batch]
    counts = np.asarray(rows.counting)[batch] > 0
    kept = (given != WITHDRAWN) & ((about != AGAIN) | counts)
    found = Answers(
        np.where((about == COUNTS) & ~counts, np.int8(DISCARDED), about),
        np.asarray(rows.assessors)[batch],
        question,
        given,
        np.where(told, every, np.nan),
        np.where(many[batch] >= 3, rank * 3 // many[batch], -1).astype(np.int8),
        rows,
        columns_of(rows),
    )
    return found.where(kept)


def of_ledger(compute: Callable[..., T], rows: LedgerRows, *args: Any, **options: Any) -> T:
    """What a function of answers returns for those that count in these rows."""
    return compute(counted(rows), *args, **options)


def columns_of(rows: LedgerRows) -> "dict[str, NDArray[Any]]":
    """What `Answers` look up of a meaning or a question."""
    import numpy as np

    own = rows.meanings
    leans = [
        (first, second, sign, first in one.stood and one.stood.index(first) > one.stood.index(second))
        for one in own
        for first, second, sign in one.leans
    ]
    many = np.array([len(one.leans) for one in own], dtype=np.int32)
    told = {name: [getattr(one, name) for one in own] for name in NUMBERS}
    numbers = {
        name: np.array([NONE if one is None else one for one in values], dtype=np.int32)
        for name, values in told.items()
    }
    ends = np.asarray(rows.ends)
    return numbers | {
        "size": np.array([len(one.stood) for one in own], dtype=np.int8),
        # A scale with ties has an odd number of levels.
        "tie_able": np.array([one.side is not None and int(one.scale) % 2 == 1 for one in own], dtype=bool),
        "label": np.array([one.label for one in own], dtype=float),
        "names": np.array([one.names for one in own], dtype=bool),
        "leans": many,
        "lean_start": np.cumsum(many) - many,
        "lean": np.array(leans, dtype=np.int8).reshape(-1, 4).T,
        "topics": np.asarray(rows.topics),
        "least": np.asarray(rows.least),
        "subjects": np.asarray(rows.subjects),
        "starts": np.append(0, ends[:-1]),
    }


def group_rows(*columns: "NDArray[Any]") -> "tuple[Numbers, Numbers]":
    """Group rows that are equal in all columns: the place of the first row of each group, in order, and the
    number of each row's group. Time grows with the rows (times a logarithm).
    """
    import numpy as np

    _, first, number = np.unique(number_rows(*columns), return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[number]


def number_rows(*columns: "NDArray[Any]") -> "Numbers":
    """One number for each row, the same for rows that are equal in all columns of whole numbers."""
    import numpy as np

    code: Numbers = np.zeros(len(columns[0]), dtype=np.int64)
    width = 1
    for column in columns if len(code) else ():
        low = int(column.min())
        size = int(column.max()) - low + 1
        if width * size >= 2**62:
            # Numbered anew, neither is larger than there are rows.
            code, column, low = _ranks(code), _ranks(column), 0
            width, size = int(code.max()) + 1, int(column.max()) + 1
        code *= size
        code += column - low
        width *= size
    return code


def _ranks(column: "NDArray[Any]") -> "Numbers":
    import numpy as np

    return np.unique(column, return_inverse=True)[1]
