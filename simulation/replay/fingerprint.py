"""A fingerprint of a study's result, by which two replays are compared."""

from collections import Counter
from hashlib import sha256

from collection.models import Study, Topic
from judging.models import Judgment
from tournament.models import Pairing


def digest(study: Study) -> str:
    """A fingerprint of a study's rounds, top places and settled answers, by docno: equal results, equal text.

    Reads everything; time grows with the judgments.
    """
    lines: list[str] = []
    pairings = Pairing.objects.filter(round__tournament__topic__study=study)
    for row in pairings.values_list(
        "round__tournament__topic__name",
        "round__number",
        "question__item_a__docno",
        "question__item_b__docno",
    ):
        lines.append("round " + " ".join(map(str, row)))
    for topic in Topic.objects.filter(study=study).prefetch_related("items"):
        lines += [f"place {topic.name} {i.place} {i.docno}" for i in topic.items.all() if i.place]
    judgments = Judgment.objects.settled().filter(question__topic__study=study)
    answers = Counter(
        judgments.values_list(
            "question__topic__name", "question__item_a__docno", "question__item_b__docno", "choice"
        )
    )
    lines += [f"answer {key} {times}" for key, times in answers.items()]
    return sha256("\n".join(sorted(lines)).encode()).hexdigest()[:16]
