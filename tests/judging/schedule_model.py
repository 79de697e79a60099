"""The plain model of a schedule: who was given what, said what, and is excluded; all else is computed."""

from collections import Counter
from dataclasses import dataclass

from tests.makers import Choice

Pair = tuple[int, int]


@dataclass
class Batch:
    """What one person was given at once, and what became of it."""

    person: int
    pairs: frozenset[Pair]
    state: str = "working"  # then "passed", "failed" or "lapsed"
    run_out: bool = False


class Model:
    """Who was given what, who said what, and who is excluded; everything else is computed from these."""

    def __init__(self) -> None:
        self.batches: dict[int, Batch] = {}
        self.said: dict[tuple[int, Pair], Choice] = {}  # by batch and pair, the latest answer last
        self.excluded: set[int] = set()
        self.wanted: dict[str, dict[Pair, int]] = {}  # by topic, since it was last advanced
        self.ever_wanted: dict[Pair, int] = {}
        self.restored: set[Pair] = set()  # pairs of people who were let back in

    def give(self, number: int, person: int, pairs: set[Pair]) -> None:
        self.batches[number] = Batch(person, frozenset(pairs))

    def say(self, number: int, pair: Pair, choice: Choice) -> None:
        """Store an answer; one that differs from the stored answer replaces it, at the end of the ledger."""
        if self.said.get((number, pair)) != choice:
            self.said.pop((number, pair), None)
            self.said[number, pair] = choice

    def overdue(self) -> list[Batch]:
        """Batches whose time is over and which are still open."""
        return [b for b in self.batches.values() if b.state == "working" and b.run_out]

    def shut(self) -> list[int]:
        """Batches that take no answers any more."""
        return [n for n, b in self.batches.items() if b.state != "working" or b.run_out]

    def lapse(self, person: int | None = None) -> None:
        """End the overdue batches of one person, or of everybody."""
        for batch in self.overdue():
            if person in (None, batch.person):
                batch.state = "lapsed"

    def let_back_in(self, person: int) -> None:
        """What the exclusion took away counts again, although others may have been asked meanwhile."""
        self.excluded.discard(person)
        for batch in self.batches.values():
            if batch.person == person:
                self.restored |= batch.pairs

    def want(self, topic: str, pairs: dict[Pair, int]) -> None:
        self.wanted[topic] = pairs
        for pair, times in pairs.items():
            self.ever_wanted[pair] = max(times, self.ever_wanted.get(pair, 0))

    def working(self, person: int) -> int | None:
        """The batch that a person works at."""
        own = [n for n, b in self.batches.items() if b.person == person and b.state == "working"]
        return own[0] if own else None

    def kept(self, batch: Batch) -> bool:
        return batch.state == "passed" and batch.person not in self.excluded

    def taken(self) -> Counter[Pair]:
        """How often each pair is being judged or kept."""
        held = [b for b in self.batches.values() if b.state == "working" or self.kept(b)]
        return Counter(pair for batch in held for pair in batch.pairs)

    def free_for(self, person: int) -> set[Pair]:
        """The pairs that a person may be given: too few hold them, and the person was never asked them."""
        asked = {pair for b in self.batches.values() if b.person == person for pair in b.pairs}
        taken = self.taken()
        wanted = {pair: n for pairs in self.wanted.values() for pair, n in pairs.items()}
        return {pair for pair, n in wanted.items() if taken[pair] < n} - asked

    def counting(self) -> list[tuple[int, Pair, Choice]]:
        """The answers that scores are made of: (batch, pair, choice) in ledger order."""
        counted = {
            n
            for n, b in self.batches.items()
            if b.state in ("working", "passed") and b.person not in self.excluded
        }
        return [(n, pair, choice) for (n, pair), choice in self.said.items() if n in counted]

    def settled(self) -> dict[Pair, list[Choice]]:
        """The answers that decide tournaments, by pair in ledger order."""
        found: dict[Pair, list[Choice]] = {}
        for (number, pair), choice in self.said.items():
            if self.kept(self.batches[number]):
                found.setdefault(pair, []).append(choice)
        return found
