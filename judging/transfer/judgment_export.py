"""Exports of the ledger, line by line: judgments as they can be loaded, and the sealed rows with seals."""

import json
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC
from functools import lru_cache
from typing import Any

from django.db.models import Exists, OuterRef, Q

from collection.material.claims import Claim, claims_of
from collection.models import Item, Run, Study, Topic
from judging import ledger
from judging.aspect_answers import AspectAnswer, aspect_answers
from judging.assessor_names import Namer
from judging.audit import hash_chain_lines, verification
from judging.models import BatchQuestion, Decline, Judgment, QuestionRole, Subject
from judging.questions import grading, result_pages
from judging.questions import texts as versions
from judging.tasks.aspects import text_of
from judging.tasks.pair import Pair
from prefir.formats import (
    GradeRecord,
    PreferenceRecord,
    SerpPreferenceRecord,
    defused,
    write_preferences,
    write_qrels,
    write_xie_serp_preferences,
)
from prefir.formats.xie import ENGINES

SUPPORTED = {1: "yes", 0: "cannot tell", -1: "no", None: None}


def judgments(study: Study, *, names: Namer | None = None) -> Iterator[str]:
    """Yield judgments as lines `topic a b winner`, ties as the word `tie`, in the order of the ledger.

    Only settled ones, from batches that were kept: others may yet be corrected or discarded, and challenges
    are questions about the assessor. `names` (those of a release) adds a fifth column that tells people
    apart, and where anybody answered definitely a sixth with the strength of each answer: 2, else 1, and 0
    for a tie. Without them a definite answer is a line like any other.
    """
    topics = dict(Topic.objects.filter(study=study).values_list("pk", "name"))
    docnos = dict(Item.objects.filter(topic__study=study).values_list("pk", "docno"))
    settled = Judgment.objects.settled().filter(topic__study=study)
    graded = (
        names is not None
        and settled.filter(Q(value=2) | Q(value=-2), assignment__task__kind=Pair.name).exists()
    )
    rows = ledger.derived_with(
        settled,
        "assignment__assessor__panel",
        "assignment__assessor__label",
        "assignment__assessor_id",
    )
    return write_preferences(
        PreferenceRecord(
            topic=topics[found.topic],
            a=docnos[found.first],
            b=docnos[found.second],
            winner=docnos[found.first if found.lean > 0 else found.second] if found.lean else None,
            assessor=names(*person) if names else None,
            strength=abs(found.lean) if graded else None,
        )
        for found, person in rows
    )


def aspects(study: Study, names: Namer, *, sentences: bool = False) -> Iterator[str]:
    """Yield lines of JSON: each settled answer that says something of aspects or reasons, in the order of the
    ledger.

    aspects: of each that was answered the winner, null where neither is better. claims, where any was
    answered: of each item the sentences that cite, the numbers of their sources, and whether these support
    them: "yes", "no", "cannot tell", or null where it was skipped or not answered, which the ledger does
    not tell apart. sentences: adds those that were written and are not erased; for organizers.
    """
    topics = dict(Topic.objects.filter(study=study).values_list("pk", "name"))
    docnos = dict(Item.objects.filter(topic__study=study).values_list("pk", "docno"))
    settled = Judgment.objects.settled().filter(topic__study=study, details__isnull=False)
    fields = ("details", "remark", *(f"assignment__assessor{name}" for name in ("__panel", "__label", "_id")))
    claims = lru_cache(maxsize=1000)(_claims)

    def told_claims(found: AspectAnswer) -> dict[str, list[dict[str, Any]]]:
        told = {}
        for item, said in zip((found.preference.first, found.preference.second), found.claims, strict=True):
            both = zip(claims(study, item), said, strict=False)
            told[docnos[item]] = [
                {"sentence": claim.words, "cites": claim.cites, "supported": SUPPORTED[support]}
                for claim, support in both
            ]
        return told

    for found, (details, remark, *person) in aspect_answers(settled, *fields):
        if not set(details) - {"heard"}:
            continue
        a, b = docnos[found.preference.first], docnos[found.preference.second]

        def winner(lean: int, a: str = a, b: str = b) -> str | None:
            return (a if lean > 0 else b) if lean else None

        line = {
            "topic": topics[found.preference.topic],
            "a": a,
            "b": b,
            "winner": winner(found.preference.lean),
            "strength": abs(found.preference.lean),
            "assessor": names(*person),
            "aspects": {name: winner(lean) for name, lean in found.aspects.items()},
            "reasons": list(found.reasons),
            **({"claims": told_claims(found)} if found.claims else {}),
            **({"sentence": text_of(remark)} if sentences else {}),
        }
        yield json.dumps(line, ensure_ascii=False) + "\n"


def _claims(study: Study, item: int) -> list[Claim]:
    one = Item.every.get(pk=item)
    return claims_of(one.text, study.markup, len(one.sources or ()))


def collected_grades(study: Study, *, assessors: bool = False) -> Iterator[str]:
    """Yield collected grades as lines `topic 0 docno grade`, as they can be loaded, of each task in turn.

    `assessors` adds how many gave a grade, as a fifth column. Topics in order of loading, best grade first.
    """
    topics = dict(Topic.objects.filter(study=study).values_list("pk", "name"))
    items = dict(Item.objects.filter(topic__study=study).values_list("pk", "docno"))
    of = dict(Item.objects.filter(topic__study=study).values_list("pk", "topic_id"))
    for task in grading.tasks_of(study):
        found = grading.collected(task)
        order = sorted(found, key=lambda item: (of[item], -found[item].grade, items[item]))
        records = [GradeRecord(topics[of[item]], items[item], found[item].grade) for item in order]
        for line, item in zip(write_qrels(records), order, strict=True):
            yield f"{line[:-1]} {found[item].assessors}\n" if assessors else line


def texts(study: Study, names: Namer) -> Iterator[str]:
    """Yield lines of JSON: each version of what assessors read, then each batch with its version, the day on
    which its assessor agreed, and their name.
    """
    for line in versions.lines(study):
        person = line.pop("person", None)
        yield hash_chain_lines.canonical(line | ({"assessor": names(*person)} if person else {})) + "\n"


DECLINED = ("topic", "kind", "compared", "reason", "challenge", "answered", "assessor", "day", "note")


def declined(study: Study, names: Namer) -> Iterator[str]:
    """Yield what assessors said they cannot judge, oldest first, with the reason that they gave last:
    tab-separated lines under a head that names the columns.

    compared: docnos, or names of runs, with spaces between. challenge, answered: yes or no; answered after
    all, in which case the answer counts. day: in UTC.
    """
    yield "\t".join(DECLINED) + "\n"
    place = {"assignment": OuterRef("assignment"), "question": OuterRef("question")}
    later = Decline.objects.filter(**place, pk__gt=OuterRef("pk"))
    rows = Decline.objects.filter(~Exists(later), question__study=study).annotate(
        answered=Exists(Judgment.objects.current().filter(**place)),
        challenge=Exists(BatchQuestion.objects.filter(**place, role=QuestionRole.CHALLENGE)),
    )
    rows = rows.select_related("question__topic", "question__task", "assignment__assessor")
    compared: dict[int, list[str]] = defaultdict(list)
    subjects = Subject.objects.filter(question__in=rows.order_by().values("question")).order_by("position")
    for question, docno, run in subjects.values_list("question_id", "item__docno", "run__name"):
        compared[question].append(docno or run or "")
    for row in rows.order_by("pk"):
        person = row.assignment.assessor
        yield (
            "\t".join(
                (
                    defused(row.question.topic.name),
                    row.question.task.kind,
                    defused(" ".join(compared[row.question_id])),
                    row.reason,
                    "yes" if row.challenge else "no",
                    "yes" if row.answered else "no",
                    names(person.panel, person.label, person.pk),
                    row.created_at.astimezone(UTC).strftime("%Y-%m-%d"),
                    defused(" ".join(row.note.split())),
                )
            )
            + "\n"
        )


def run_preferences(study: Study, *, names: Namer | None = None) -> Iterator[str]:
    """Yield answers about result pages as lines `topic run run winner`, as `judgments` does of items.

    `names` adds who gave each, and its strength.
    """
    task = result_pages.task_of(study)
    return write_preferences(result_pages.records(task, names=names) if task else ())


def serp_preferences(study: Study) -> Iterator[str]:
    """Yield the run preferences of a study of the runs sogou and baidu as `SERP_level_preference` has them:
    each topic's by the majority of its assessors, in order of loading. Raises ValueError for other runs.
    """
    names: dict[int | None, str] = dict(Run.objects.filter(study=study).values_list("pk", "name"))
    if set(names.values()) != set(ENGINES.values()):
        engines = " and ".join(ENGINES.values())
        raise ValueError(f"that file is about the runs {engines}, and this study has others")
    topics = dict(Topic.objects.filter(study=study).values_list("pk", "name"))
    task = result_pages.task_of(study)
    rows = (
        SerpPreferenceRecord(topics[one.compared.topic], names.get(one.winner))
        for one in (result_pages.collected(task) if task else ())
    )
    return write_xie_serp_preferences(rows)


def sealed_ledger(study: Study) -> Iterator[str]:
    """Yield the sealed rows of a study, block by block, each block closed by the line of its seal.

    `judging.audit.hash_chain_lines` says how the lines are made and hashed, so that anyone who has the file
    can check it without this program. A row that is not there any more has no line. For organizers: reasons
    and the trail are in it.
    """
    for seal, stored in verification.blocks(study.pk):
        for key in verification.listed(seal):
            if key in stored:
                yield stored[key].line + "\n"
        yield hash_chain_lines.canonical({**hash_chain_lines.header(seal), "hash": seal.digest}) + "\n"
