"""Preference pairs for training and for reward models: prompt, chosen, rejected, and how clearly."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from collection.models import Item, Study, Topic
from judging import ledger
from judging.aspect_answers import asks_aspects, aspect_answers
from judging.models import Judgment
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

# Where the study asks aspects.
ASPECTS = {
    "aspects": (
        "JSON: of each aspect the judgments for the chosen answer less those for the other, by all that "
        "answered it",
        "sc:Text",
    ),
}


def fields_of(study: Study) -> dict[str, tuple[str, str]]:
    """Columns of a study's pairs."""
    return FIELDS | (ASPECTS if asks_aspects(study.pk) else {})


def preference_pairs(study: Study) -> Iterator[dict[str, Any]]:
    """Yield a row for each pair of texts of which one was preferred by more judgments: `fields_of`.

    From judgments of kept batches, in the order of loading. Pairs without a majority, and items without a
    text, are left out. Three queries a topic, four with aspects.
    """
    topics = Topic.objects.filter(study=study).order_by("pk")
    asked = "aspects" in fields_of(study)
    for topic in topics.iterator():
        aspects = _aspects(topic) if asked else {}
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
                **({"aspects": _margins(aspects.get((first, second), ()), won > lost)} if asked else {}),
            }


Pair = tuple[int, int]


def _aspects(topic: Topic) -> dict[Pair, list[tuple[str, int]]]:
    """What settled answers of a topic say of aspects, by pair of items, the smaller id first."""
    settled = Judgment.objects.settled().filter(topic=topic, details__isnull=False)
    found: dict[Pair, list[tuple[str, int]]] = defaultdict(list)
    for one, _ in aspect_answers(settled):
        found[one.preference.first, one.preference.second].extend(one.aspects.items())
    return found


def _margins(answered: Iterable[tuple[str, int]], first_won: bool) -> str:
    leans: dict[str, list[int]] = defaultdict(list)
    for name, lean in answered:
        leans[name].append(lean if first_won else -lean)
    margins = {name: round(sum(own) / len(own), 4) for name, own in sorted(leans.items())}
    return json.dumps(margins, ensure_ascii=False)
