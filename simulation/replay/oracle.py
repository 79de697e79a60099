"""Oracles decide what simulated assessors answer: by recorded judgments, by grades, or by the seed."""

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from collection.models import Grade, Study, Topic
from judging.models import Question


class Oracle(Protocol):
    """Interface of what answers a question about a pair in place of a person."""

    def answer(self, question: Question) -> int:
        """Return the lean of the answer: above 0 towards the question's first item, 0 for a tie."""


@dataclass
class RecordedAnswers:
    """Oracle that answers from recorded judgments.

    The majority of a pair's judgments decides, or the first of the winners that tie for most. A pair
    without a judgment goes to the item with the higher grade, and to a choice by the seed where grades are
    equal. Start-up time and memory grow with the record and the grades; an answer takes constant time.
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

    def answer(self, question: Question) -> int:
        topic = self.names[question.topic_id]
        a, b = docnos_of(question)
        votes = self.votes.get((topic, frozenset((a, b))))
        if votes:
            return _lean(_majority(votes), a)
        grade_a, grade_b = (self.grades.get(pk, 0.0) for pk in question.subject_ids)
        if grade_a != grade_b:
            return 1 if grade_a > grade_b else -1
        first, second = sorted((a, b))
        chooser = random.Random(f"{self.study.seed}:{topic}:{first}:{second}")
        return _lean(chooser.choice((first, second)), a)


def docnos_of(question: Question) -> list[str]:
    """Return the docnos of a question's items, in the order of its subjects."""
    return [subject.item.docno for subject in question.subjects.all() if subject.item]


def _lean(winner: str | None, first: str) -> int:
    if winner is None:
        return 0
    return 1 if winner == first else -1


def _majority(votes: list[str | None]) -> str | None:
    times = Counter(votes)
    return max(votes, key=lambda winner: times[winner])  # the first of the most frequent
