"""Unknown topics: lines of a file about topics that the study does not have, skipped if the organizer wants.

Rankings and grades often cover a whole track while a study has some of its topics. Without that word such a
file is refused, since a misspelt topic would be lost unseen.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from collection.upload.kinds.base import CannotLoad, Finish
from prefir.formats import Known

# The name of the choice in an import's options, on forms and in the command.
OPTION = "leave_out"
SHOWN = 3


class Every(set[str]):
    """A set of topics that contains every name, and lists those that it was made of."""

    def __contains__(self, topic: object) -> bool:
        return True


@dataclass(frozen=True)
class Kept:
    """Records about topics that a study has. left: the other topics of their file, in its order."""

    records: Sequence[Any]
    left: Sequence[str] = ()

    def __str__(self) -> str:
        """Say what was left out; empty where nothing was."""
        if not self.left:
            return ""
        named = ", ".join(self.left[:SHOWN]) + (", ..." if len(self.left) > SHOWN else "")
        are = "topic that is" if len(self.left) == 1 else "topics that are"
        return f"{len(self.left):,} {are} not loaded left out: {named}"

    def said_after(self, finish: Finish) -> Finish:
        """Wrap what makes the records seen, so that its summary says what was left out."""
        return (lambda: f"{finish()}; {self}") if self.left else finish


def read(known: Known, options: Mapping[str, str], reader: Callable[[Known], Sequence[Any]]) -> Kept:
    """Read a file's records, which have a topic or rankings by topic; leave out others where options say so.

    Raises BadFile as the reader does, and CannotLoad if nothing is left.
    """
    if not options.get(OPTION):
        return Kept(reader(known))
    kept = _only(reader(replace(known, topics=Every())), known.topics)
    if not kept.records:
        raise CannotLoad("None of the topics in this file is loaded. Load the topics first.")
    return kept


def _only(records: Sequence[Any], topics: Container[str]) -> Kept:
    left: dict[str, None] = {}
    found = []
    for record in records:
        if (rankings := getattr(record, "rankings", None)) is not None:
            left |= dict.fromkeys(topic for topic in rankings if topic not in topics)
            ours = {topic: places for topic, places in rankings.items() if topic in topics}
            if ours:
                found.append(record._replace(rankings=ours))
        elif record.topic in topics:
            found.append(record)
        else:
            left[record.topic] = None
    return Kept(found, list(left))
