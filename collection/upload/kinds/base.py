"""The interface of a kind of file, and the table in which kinds register."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from collection.models import Import, Study
from collection.upload.staging import remove_hidden

Progress = Callable[[int, int], None]
# What makes all of a file seen at once, in one short transaction; says in a few words what was loaded.
Finish = Callable[[], str]
# The page that loads files shows kinds under these headings, in this order.
GROUPS = ("Collection", "Systems", "Judging", "Xie et al. (2020), in their own formats")
TEXT, IMAGE, SOUND, FILM = map(str, Study.Kind.values)


class CannotLoad(Exception):
    """A file was refused as a whole; the message says why."""


@dataclass(frozen=True)
class Source:
    """A file to load. `name` is what people call it; `options` come from the form or command line.

    row: its import, under which rows are written that nobody is shown yet.
    """

    row: Import
    study: Study
    name: str
    path: Path
    digest: str
    options: dict[str, Any] = field(default_factory=dict)
    # How many topics were open for judging when reading began.
    opened: int = 0
    # Names of files written so far: removed again if the import fails.
    stored: list[str] = field(default_factory=list)
    # What the file leaves open, though it can be loaded.
    doubts: list[str] = field(default_factory=list)
    # What is loaded otherwise than it is written, without a doubt.
    notes: list[str] = field(default_factory=list)

    @property
    def columns(self) -> Mapping[str, str] | None:
        """What the organizer said of the columns of a table; None if nothing."""
        return self.options.get("columns") or None


class Kind(ABC):
    """A kind of file: its name, its format in a sentence, an example, and how it is read and stored.

    key: its name in commands and addresses. group: one of GROUPS. fits: the kinds of study that take it.
    options: names of what the organizer may choose. several: whether the page takes many files at once.
    locked_by_opening: it decides the candidates, so it cannot be loaded once judging is open. of_new_topics:
    it does too, and can then be loaded for topics that are not open yet.
    once: the same file may be loaded only once, since its records would count twice. of_answers: it goes
    with answers of models; the others are folded away on the page of such a study.
    """

    key: ClassVar[str]
    title: ClassVar[str]
    format: ClassVar[str]
    group: ClassVar[str]
    example_name: ClassVar[str]
    fits: ClassVar[tuple[str, ...]] = (TEXT, IMAGE, SOUND, FILM)
    options: ClassVar[tuple[str, ...]] = ()
    several: ClassVar[bool] = False
    locked_by_opening: ClassVar[bool] = True
    of_new_topics: ClassVar[bool] = False
    once: ClassVar[bool] = False
    of_answers: ClassVar[bool] = False

    @abstractmethod
    def example(self) -> bytes:
        """A small file of this kind to start from."""

    def example_of(self, kind: str) -> bytes:
        """The example for a kind of study; the same for all but where the files themselves differ."""
        return self.example()

    @abstractmethod
    def load(self, source: Source, progress: Progress) -> Finish:
        """Read the file to its end, write what nobody is shown yet, and return what makes it seen.

        Called outside of any transaction, which would hold up everybody else; `collection.upload.staging`
        writes in pieces. What is returned is called once, in a transaction, and takes a fraction of a second.
        Raises BadFile naming every bad line, or CannotLoad.
        """

    def undo(self, row: Import) -> None:
        """Remove what an unfinished import of this kind wrote. May be repeated."""
        remove_hidden(row)


KINDS: dict[str, Kind] = {}
# Kinds that no page or command offers: rooms make such imports themselves.
OWN: dict[str, Kind] = {}
K = TypeVar("K", bound=type[Kind])


def register(kind: K) -> K:
    """Class decorator that registers a kind in KINDS, for pages and commands."""
    KINDS[kind.key] = kind()
    return kind


def register_own(kind: K) -> K:
    """Class decorator for a kind of import that is not offered in lists; `kind_of` knows it."""
    OWN[kind.key] = kind()
    return kind


def kind_of(key: str) -> Kind:
    """The kind of an import."""
    return KINDS.get(key) or OWN[key]


def halves(progress: Progress) -> tuple[Progress, Progress]:
    """Split a progress report in two: reading is the first half, writing the second."""
    return (
        lambda done, total: progress(done, 2 * total),
        lambda done, total: progress(total + done, 2 * total),
    )


def text_of(lines: Iterable[str]) -> bytes:
    """Join lines into the content of a text file."""
    return "".join(f"{line}\n" for line in lines).encode()
