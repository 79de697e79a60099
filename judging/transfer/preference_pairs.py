"""Preference pairs for training and for reward models: prompt, chosen, rejected, and how clearly."""

from collections.abc import Iterator
from itertools import chain
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
    text, are left out. Three queries a topic.
    """
    topics = Topic.objects.filter(study=study).order_by("pk")
    for topic in topics.iterator():
        pairs = ledger.by_pair(chain.from_iterable(ledger.given(topic.pk).settled.values()))
        rows = Item.objects.filter(topic=topic).exclude(text="").values_list("pk", "docno", "text")
        items = {pk: (docno, plain_turns(text)) for pk, docno, text in rows}
        before = f"{plain_turns(topic.earlier)}\n\n" if topic.earlier else ""
        for (first, second), leans in sorted(pairs.items()):
            won, lost = sum(lean > 0 for lean in leans), sum(lean < 0 for lean in leans)
            if won == lost or first not in items or second not in items:
                continue
            better, worse = (first, second) if won > lost else (second, first)
            chosen_model, chosen = items[better]
            rejected_model, rejected = items[worse]
            yield {
                "topic": topic.name,
                "prompt": before + topic.text,
                "chosen": chosen,
                "rejected": rejected,
                "chosen_model": chosen_model,
                "rejected_model": rejected_model,
                "margin": abs(won - lost) / len(leans),
                "n": len(leans),
            }
