"""The measures written slowly and obviously from their definitions: what the library must agree with."""

from collections import Counter
from collections.abc import Sequence


def rbo(run: Sequence[str], ideal: Sequence[str], p: float, depth: int, normalize: bool) -> float:
    total = weights = 0.0
    for i in range(1, depth + 1):
        total += p ** (i - 1) * len(set(run[:i]) & set(ideal[:i])) / i
        weights += p ** (i - 1)
    return total / weights if normalize else total * (1 - p)


def levels_ideal(run: Sequence[str], levels: dict[str, float]) -> list[str]:
    ideal: list[str] = []
    for level in sorted({level for level in levels.values() if level > 0}, reverse=True):
        here = [docno for docno in sorted(levels) if levels[docno] == level]
        ideal += [docno for docno in run if docno in here]
        ideal += [docno for docno in here if docno not in run]
    return ideal


def graph_ideal(nodes: Sequence[str], edges: Sequence[tuple[str, str]], run: Sequence[str]) -> list[str]:
    """Scan all nodes and all edges again at every step, as the definition reads."""
    order = [node for node in run if node in set(nodes)] + sorted(set(nodes) - set(run))
    left = list(edges)
    head: list[str] = []
    tail: list[str] = []

    def take(node: str) -> None:
        order.remove(node)
        left[:] = [edge for edge in left if node not in edge]

    def lacking(side: int) -> list[str]:
        """Nodes that no edge has on that side: 0, no out-edges; 1, no in-edges."""
        there = {edge[side] for edge in left}
        return [node for node in order if node not in there]

    while order:
        while sinks := lacking(0):
            tail.insert(0, sinks[-1])
            take(sinks[-1])
        while sources := lacking(1):
            head.append(sources[0])
            take(sources[0])
        if order:
            difference = Counter(dict.fromkeys(order, 0))
            difference.update(u for u, _ in left)
            difference.subtract(v for _, v in left)
            best = max(order, key=lambda node: difference[node])  # the first of equals
            head.append(best)
            take(best)
    return head + tail
