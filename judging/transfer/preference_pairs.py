"""Preference pairs for training and for reward models: prompt, chosen, rejected, and how clearly."""

from collections.abc import Iterator
from typing import Any

from collection.models import Item, Study, Topic
from judging import ledger
from prefir.formats import plain_turns

# Column -> what it is, and its type in Croissant's words.
FIELDS = {
    "topic": ("Id of the prompt", "sc:Text"),
    "prompt": ("Text of the prompt, after the turns of a conversation before it, if any", "sc:Text"),
    "chosen": ("Answer that more judgments preferred", "sc:Text"),
    "rejected": ("The other answer", "sc:Text"),
    "chosen_model": ("Id of the chosen answer: the model's name, or the docno", "sc:Text"),
    "rejected_model": ("Id of the rejected answer", "sc:Text"),
    "margin": (
        "Judgments for less judgments against, by all judgments of the pair: above 0, at most 1",
        "sc:Float",
    ),
    "n": ("Number of judgments of the pair, ties too", "sc:Integer"),
}


def preference_pairs(study: Study) -> Iterator[dict[str, Any]]:
    """Yield a row for each pair of texts of which one was preferred by more judgments: `FIELDS`.

    From judgments of kept batches, in the order of loading. Pairs without a majority, and items without a
    text, are left out. A query and two a topic.
    """
    topics = Topic.objects.filter(study=study).order_by("pk")
    for topic in topics.iterator():
        pairs = _pairs(topic.pk)
        texts = dict(Item.objects.filter(topic=topic).exclude(text="").values_list("pk", "text"))
        docnos = dict(Item.objects.filter(pk__in=texts).values_list("pk", "docno"))
        before = f"{plain_turns(topic.earlier)}\n\n" if topic.earlier else ""
        for (first, second), leans in pairs.items():
            won, lost = sum(lean > 0 for lean in leans), sum(lean < 0 for lean in leans)
            if won == lost or first not in texts or second not in texts:
                continue
            chosen, rejected = (first, second) if won > lost else (second, first)
            yield {
                "topic": topic.name,
                "prompt": before + topic.text,
                "chosen": plain_turns(texts[chosen]),
                "rejected": plain_turns(texts[rejected]),
                "chosen_model": docnos[chosen],
                "rejected_model": docnos[rejected],
                "margin": abs(won - lost) / len(leans),
                "n": len(leans),
            }


def _pairs(topic_id: int) -> dict[tuple[int, int], list[int]]:
    """Leans of a topic's settled preferences by pair of items, the smaller id first."""
    found: dict[tuple[int, int], list[int]] = {}
    for preferences in ledger.given(topic_id).settled.values():
        for one in preferences:
            turned = one.first > one.second
            pair = (one.second, one.first) if turned else (one.first, one.second)
            found.setdefault(pair, []).append(-one.lean if turned else one.lean)
    return dict(sorted(found.items()))
