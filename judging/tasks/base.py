"""The interface of a task kind (a way of asking), and the table in which kinds register."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any, ClassVar, NamedTuple, TypeVar

from judging.tasks.settings import Settings


class BadAnswer(ValueError):
    """An answer that cannot be given in this task, in a sentence for the assessor."""


class Lean(NamedTuple):
    """A preference between two subjects of a question, by their positions.

    lean: from -2 to 2; above 0 the first is preferred, below 0 the second, at 2 definitely; 0 is a tie.
    """

    first: int
    second: int
    lean: int


class TaskKind(ABC):
    """A way of asking: how its subjects are shown, what an answer may be, and what it implies.

    name: as rows and forms give it. template: the file whose macro `question` shows one question on its page.
    keys: the part of its pages that says which keys answer. about: "item" or "run".
    scales: the names of the scales that a task of this kind may have.
    places: the names of the places on the page, from left to right; a question has a subject for each, if
    its kind does not allow fewer (`check_subjects`).
    repeatable: whether its questions can be asked again within a batch, in the opposite order.
    orders: the orders in which the subjects may be shown; batches use them equally often. Empty where the
    number of subjects varies: `arranged` then chooses.
    turns: in so many turns a challenge's right answer stands at every place equally often.
    settings: the settings that tasks of this kind have besides those of all tasks.

    A question's subjects are given to `judging.questions.asking` in one order, by which their positions count
    and which the kind chooses, so that a question is stored once: for pairs the smaller id first. `shown`
    holds the positions of the subjects in their order on the page, from left to right. It is "" for imported
    judgments of which that is not known: the value is then in terms of the subjects, as if they had stood in
    their own order.
    """

    name: ClassVar[str]
    template: ClassVar[str]
    keys: ClassVar[str]
    scales: ClassVar[Mapping[str, Any]]
    places: ClassVar[Sequence[str]]
    orders: ClassVar[Sequence[str]]
    about: ClassVar[str] = "item"
    repeatable: ClassVar[bool] = True
    settings: ClassVar[type[Settings]] = Settings

    @property
    def turns(self) -> int:
        return len(self.orders)

    def check_subjects(self, subjects: Sequence[int]) -> None:
        """Raise ValueError if no question can be about these ids: too few, too many, or one of them twice."""
        if len(subjects) != len(self.places) or len(set(subjects)) != len(subjects):
            raise ValueError(f"A {self.name} has {len(self.places)} different subjects, not {subjects}.")

    def allows_tie(self, scale: str) -> bool:
        """Whether an answer on this scale may say that nothing is better; pages then explain a tie."""
        return False

    def graded(self, scale: str) -> bool:
        """Whether an answer on this scale says how much better something is; pages then explain it."""
        return False

    @abstractmethod
    def parse(self, form: Mapping[str, Any]) -> Any:
        """Read the value of an answer from the fields of the page's form. Raises BadAnswer."""

    @abstractmethod
    def word(self, value: Any) -> str:
        """Spell a value as the form does, the inverse of `parse`: never empty."""

    @abstractmethod
    def check(self, value: Any, scale: str) -> None:
        """Raise BadAnswer if a value cannot be given on this scale."""

    def checked(self, stored: Mapping[str, Any], scale: str) -> Settings:
        """Read and validate the settings of a task, as `Settings.checked`.

        Kinds override this to check settings against the scale, or against each other.
        """
        return self.settings.checked(stored)

    def scales_for(self, value: Any) -> list[str]:
        """Names of the scales on which a value can be given; none for a value that no answer has."""
        return [scale for scale in self.scales if self._can_be_given(value, scale)]

    def _can_be_given(self, value: Any, scale: str) -> bool:
        try:
            self.check(value, scale)
        except BadAnswer:
            return False
        return True

    @abstractmethod
    def leans(self, value: Any, shown: str) -> Iterable[Lean]:
        """Derive the preferences that an answer implies; `shown` may be "". Cost: a few microseconds."""

    def places_needed(self, value: Any) -> int:
        """How many places a question must have for this value to be given; most kinds have a fixed number."""
        return 0

    def known_leans(self, expected: Any) -> Iterable[Lean]:
        """Derive the preferences that a challenge's known answer implies."""
        return self.leans(expected, "")

    def arranged(self, subjects: int, chooser: Random) -> str:
        """Choose an order of so many subjects; a kind without `orders` says how."""
        return chooser.choice(self.orders)

    @abstractmethod
    def is_right(self, value: Any, shown: str, expected: Any) -> bool:
        """Tell whether an answer to a challenge is the known one."""

    @abstractmethod
    def order_of_challenge(self, expected: Any, turn: int) -> str:
        """Choose the order of a challenge's subjects; the right answer moves with `turn` (< turns)."""


KINDS: dict[str, TaskKind] = {}
K = TypeVar("K", bound=type[TaskKind])


def register(kind: K) -> K:
    """Class decorator that puts a way of asking into KINDS."""
    KINDS[kind.name] = kind()
    return kind
