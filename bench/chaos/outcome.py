"""What came of a campaign under fire: what was killed and met, what everything came to, what is wrong."""

from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from bench.load.report import table
from simulation.turkers import Became


@dataclass
class Outcome:
    """What was killed and met, what everything came to, and what is wrong at the end: nothing should be."""

    struck: Counter[str] = field(default_factory=Counter)
    became: Counter[Became] = field(default_factory=Counter)
    seconds: float = 0.0
    pairings: int = 0
    answers: int = 0
    batches: list[tuple[Any, ...]] = field(default_factory=list)
    calls: list[tuple[Any, ...]] = field(default_factory=list)
    doubted: list[tuple[Any, ...]] = field(default_factory=list)
    hits: int = 0
    submitted: int = 0
    spent: Decimal = Decimal(0)
    cap: Decimal = Decimal(0)
    highest: Decimal = Decimal(0)
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        kills = ", ".join(f"{kind} {n}" for kind, n in self.struck.most_common())
        visits = ", ".join(f"{n} {one.value}" for one, n in self.became.most_common())
        doubts: Counter[tuple[str, str]] = Counter()
        for op, state, how, n in self.doubted:
            doubts[op, _how(op, state, how)] += n
        lines = [
            ("killed", f"{self.struck.total()}: {kills}"),
            ("visits to the marketplace", visits),
            ("answers stored", f"{self.answers:,} in {self.seconds:.0f} s"),
            ("pairings of first rounds", f"{self.pairings:,}"),
            ("batches", ", ".join(f"{n} {state}" for state, n in self.batches)),
            ("HITs, submitted", f"{self.hits}, {self.submitted}"),
            ("spent, highest committed, cap", f"{self.spent}, {self.highest}, {self.cap}"),
            ("wrong at the end", "; ".join(self.wrong) or "nothing"),
        ]
        calls = [(op, str(n), str(attempts), str(in_doubt)) for op, n, attempts, in_doubt in self.calls]
        settled = [(op, how, str(n)) for (op, how), n in doubts.items()]
        return "\n\n".join(
            (
                table(("", ""), lines),
                table(("call", "calls", "attempts", "times in doubt"), calls),
                table(("call in doubt", "how it was settled", "calls"), settled),
            )
        )


def _how(op: str, state: str, how: str) -> str:
    """How a call in doubt was settled, in words."""
    if state != "done":
        return how or state
    if how.startswith("found after") or not how:
        return "made again under its token" if op in ("publish", "bonus") else "made again"
    return how
