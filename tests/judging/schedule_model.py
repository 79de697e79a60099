"""The plain model of a schedule: who was given what, said what, and is excluded; all else is computed."""

from collections import Counter
from dataclasses import dataclass, field

from tests.makers import Choice

Pair = tuple[int, int]


@dataclass
class Batch:
    """What one person was given at once, and its outcome."""

    person: int
    pairs: frozenset[Pair]
    state: str = "working"  # or "idle"; then "passed", "failed" or "lapsed"
    run_out: bool = False
    sent: bool = False
    passes: bool | None = None  # what the answer to its challenge says, if there is one
    gone: set[Pair] = field(default_factory=set)  # pairs that went to others while the person was away
    declined: set[Pair] = field(default_factory=set)  # pairs that the person said they cannot judge

    @property
    def open(self) -> bool:
        return self.state in ("working", "idle")

    @property
    def asked(self) -> frozenset[Pair]:
        """The pairs that the person is still to answer, or has answered, or could not judge."""
        return self.pairs - self.gone


class Model:
    """Who was given what, who said what, and who is excluded; everything else is computed from these."""

    def __init__(self, *, warns: bool = False, each: int | None = None) -> None:
        self.warns = warns  # the first failed batch of a person does not exclude them
        self.each = each  # batches that one person may judge
        self.paused: set[int] = set()
        self.batches: dict[int, Batch] = {}
        self.said: dict[tuple[int, Pair], Choice] = {}  # by batch and pair, the latest answer last
        self.excluded: set[int] = set()
        self.wanted: dict[str, dict[Pair, int]] = {}  # by topic, since it was last advanced
        self.ever_wanted: dict[Pair, int] = {}
        self.restored: set[Pair] = set()  # pairs of people who were let back in

    def limited(self, person: int) -> bool:
        """Whether a person gets no new batch: paused, or with as many as one may judge."""
        own = [b for b in self.batches.values() if b.person == person and b.state != "lapsed"]
        return person in self.paused or (self.each is not None and len(own) >= self.each)

    def give(self, number: int, person: int, pairs: set[Pair]) -> None:
        self.batches[number] = Batch(person, frozenset(pairs))

    def say(self, number: int, pair: Pair, choice: Choice) -> None:
        """Store an answer; one that differs from the stored answer replaces it, at the end of the ledger."""
        if self.said.get((number, pair)) != choice:
            self.said.pop((number, pair), None)
            self.said[number, pair] = choice

    def decline(self, number: int, pair: Pair) -> None:
        """Store that a pair cannot be judged, and drop its answer."""
        self.batches[number].declined.add(pair)
        self.said.pop((number, pair), None)

    def overdue(self) -> list[Batch]:
        """Batches whose time is over and which are still open."""
        return [b for b in self.batches.values() if b.open and b.run_out]

    def shut(self) -> list[int]:
        """Batches that take no answers any more."""
        return [n for n, b in self.batches.items() if not b.open or b.run_out]

    def idle(self) -> list[int]:
        """Batches whose people are away, and which they can come back to."""
        return [n for n, b in self.batches.items() if b.state == "idle" and not b.run_out]

    def lost_for_good(self) -> list[int]:
        """Open batches with pairs that went to others."""
        return [n for n, b in self.batches.items() if b.open and not b.run_out and b.gone]

    def wants(self, pair: Pair) -> int:
        """How often a pair is wanted now."""
        return sum(pairs.get(pair, 0) for pairs in self.wanted.values())

    def impossible(self, number: int) -> set[Pair]:
        """The pairs of a batch that its person could not judge, and has not answered since."""
        return self.batches[number].declined - self.answered(number)

    def taken_since(self, number: int, pair: Pair) -> bool:
        """Whether a pair that its person could not judge is with somebody else now."""
        return pair in self.impossible(number) and self.taken()[pair] >= self.wants(pair)

    def answered(self, number: int) -> set[Pair]:
        return {pair for n, pair in self.said if n == number}

    def close(self, person: int | None = None) -> list[int]:
        """Close the overdue batches of one person, or of everybody, by what was answered; return who goes.

        Nothing vouches for answers beside a challenge that was not answered: then the batch lapses.
        """
        failed = []
        for number, batch in self.batches.items():
            if not (batch.open and batch.run_out and person in (None, batch.person)):
                continue
            if batch.passes is False:
                batch.state = "failed"
                if self.goes(batch.person):
                    failed.append(batch.person)
            else:
                batch.state = "passed" if batch.passes and self.answered(number) else "lapsed"
        return failed

    def goes(self, person: int) -> bool:
        """Whether somebody whose batch has just failed is excluded."""
        failed = [b for b in self.batches.values() if b.person == person and b.state == "failed"]
        return len(failed) > (1 if self.warns else 0)

    def go_away(self, *, by_link: set[int]) -> None:
        """Nobody does anything for a while. Who joined by the link and has answered nothing lapses."""
        for number, batch in self.batches.items():
            if batch.state == "working" and not batch.run_out:
                begun = self.answered(number) or batch.declined or batch.passes is not None
                batch.state = "idle" if begun or batch.person not in by_link else "lapsed"

    def lost(self, number: int) -> set[Pair]:
        """The pairs that would be gone if the person came back now."""
        batch, taken = self.batches[number], self.taken()
        wanted = {pair: n for pairs in self.wanted.values() for pair, n in pairs.items()}
        waiting = batch.asked - batch.declined - self.answered(number)
        return (
            {pair for pair in waiting if taken[pair] >= wanted.get(pair, 0)}
            if batch.state == "idle"
            else set()
        )

    def resume(self, number: int) -> None:
        self.batches[number].gone |= self.lost(number)
        self.batches[number].state = "working"

    def reinstate(self, person: int) -> None:
        """What the exclusion took away counts again, although others may have been asked meanwhile."""
        self.excluded.discard(person)
        for batch in self.batches.values():
            if batch.person == person:
                self.restored |= batch.pairs

    def want(self, topic: str, pairs: dict[Pair, int]) -> None:
        self.wanted[topic] = pairs
        for pair, times in pairs.items():
            self.ever_wanted[pair] = max(times, self.ever_wanted.get(pair, 0))

    def open_one(self, person: int) -> int | None:
        """The batch that a person works at, or is away from."""
        own = [n for n, b in self.batches.items() if b.person == person and b.open]
        return own[0] if own else None

    def kept(self, batch: Batch) -> bool:
        return batch.state == "passed" and batch.person not in self.excluded

    def taken(self) -> Counter[Pair]:
        """How often each pair is being judged or kept: all that is asked of anyone who is there, and what was
        answered by others.
        """
        found: Counter[Pair] = Counter()
        for number, batch in self.batches.items():
            if batch.state == "working":
                found.update(batch.asked - self.impossible(number))
            elif batch.state == "idle" or self.kept(batch):
                found.update(self.answered(number))
        return found

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
            if b.state in ("working", "idle", "passed") and b.person not in self.excluded
        }
        return [(n, pair, choice) for (n, pair), choice in self.said.items() if n in counted]

    def settled(self) -> dict[Pair, list[Choice]]:
        """The answers that decide tournaments, by pair in ledger order."""
        found: dict[Pair, list[Choice]] = {}
        for (number, pair), choice in self.said.items():
            if self.kept(self.batches[number]):
                found.setdefault(pair, []).append(choice)
        return found
