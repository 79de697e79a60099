"""The answers that simulated assessors give: by record, by grade, or by the seed."""

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from collection.models import Grade, Study, Topic
from judging.models import Choice, Question


class Oracle(Protocol):
    """Knows the answer to every pair."""

    def answer(self, question: Question) -> Choice: ...


@dataclass
class Recorded:
    """Answers by record: the majority of a pair's recorded judgments (the first one where they are
    split evenly); else the higher grade; else the seed decides.

    Memory and start grow with the record and the study's grades; an answer takes constant time.
    """

    study: Study
    record: Iterable[tuple[str, str, str, str | None]]  # topic, a, b, winner (None: tie)
    names: dict[int, str] = field(init=False)
    votes: dict[tuple[str, frozenset[str]], list[str | None]] = field(init=False)
    grades: dict[int, float] = field(init=False)

    def __post_init__(self) -> None:
        self.names = dict(Topic.objects.filter(study=self.study).values_list("pk", "name"))
        self.grades = dict(
            Grade.objects.filter(item__topic__study=self.study).values_list("item_id", "value")
        )
        self.votes = {}
        for topic, a, b, winner in self.record:
            self.votes.setdefault((topic, frozenset((a, b))), []).append(winner)

    def answer(self, question: Question) -> Choice:
        topic = self.names[question.topic_id]
        a, b = question.item_a.docno, question.item_b.docno
        votes = self.votes.get((topic, frozenset((a, b))))
        if votes:
            return self._named(_majority(votes), a)
        grade_a, grade_b = (self.grades.get(pk, 0.0) for pk in (question.item_a_id, question.item_b_id))
        if grade_a != grade_b:
            return Choice.A if grade_a > grade_b else Choice.B
        first, second = sorted((a, b))
        chooser = random.Random(f"{self.study.seed}:{topic}:{first}:{second}")
        return self._named(chooser.choice((first, second)), a)

    def _named(self, winner: str | None, a: str) -> Choice:
        if winner is None:
            return Choice.TIE
        return Choice.A if winner == a else Choice.B


def _majority(votes: list[str | None]) -> str | None:
    times = Counter(votes)
    return max(votes, key=lambda winner: times[winner])  # the first of the most frequent
