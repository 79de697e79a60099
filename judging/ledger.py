"""Reading the ledger: the answers from which other rooms make rounds and scores."""

from collections import defaultdict

from judging.models import Choice, Judgment


def answers(topic_id: int) -> dict[tuple[int, int], list[Choice]]:
    """Settled answers of a topic by pair (smaller item id first), each list in ledger order. One query."""
    found: dict[tuple[int, int], list[Choice]] = defaultdict(list)
    rows = Judgment.objects.settled().filter(question__topic_id=topic_id).order_by("pk")
    for a, b, choice in rows.values_list("question__item_a_id", "question__item_b_id", "choice"):
        found[a, b].append(Choice(choice))
    return dict(found)


def preferences(topic_id: int) -> list[tuple[str, str, Choice]]:
    """Counting answers of a topic as (docno a, docno b, choice), in ledger order. One query."""
    rows = Judgment.objects.counting().filter(question__topic_id=topic_id).order_by("pk")
    return [
        (a, b, Choice(choice))
        for a, b, choice in rows.values_list("question__item_a__docno", "question__item_b__docno", "choice")
    ]
