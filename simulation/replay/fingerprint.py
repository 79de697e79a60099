"""Fingerprints a study's result, so that two replays can be compared."""

from collections import Counter
from hashlib import sha256

from collection.models import Item, Study, Topic
from judging import ledger
from judging.models import Judgment
from tournament.models import Pairing

# How the fingerprint spells an answer; it has been the same since the first replays.
SPELT = {0: 0, 1: 1, -1: 2}


def digest(study: Study) -> str:
    """Digest a study's rounds, top ranks and settled answers, by docno: equal results, equal text.

    Reads everything; time grows with the judgments.
    """
    topics = dict(Topic.objects.filter(study=study).values_list("pk", "name"))
    docnos = dict(Item.objects.filter(topic__study=study).values_list("pk", "docno"))
    lines: list[str] = []
    pairings = Pairing.objects.filter(round__tournament__topic__study=study)
    for topic, number, key in pairings.values_list("question__topic_id", "round__number", "question__key"):
        asked = " ".join(docnos[int(pk)] for pk in key.split())
        lines.append(f"round {topics[topic]} {number} {asked}")
    placed = Item.objects.filter(topic__study=study, top_rank__isnull=False)
    for topic, rank, docno in placed.values_list("topic_id", "top_rank", "docno"):
        lines.append(f"place {topics[topic]} {rank} {docno}")
    answers: Counter[tuple[str, str, str, int]] = Counter()
    for found in ledger.derived(Judgment.objects.settled().filter(topic__study=study)):
        sign = (found.lean > 0) - (found.lean < 0)
        answers[topics[found.topic], docnos[found.first], docnos[found.second], SPELT[sign]] += 1
    lines += [f"answer {key} {times}" for key, times in answers.items()]
    return sha256("\n".join(sorted(lines)).encode()).hexdigest()[:16]
