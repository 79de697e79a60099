"""Answers of one person, for organizers: the answers of a batch, and a summary of all.

`judging.questions.reading_time` defines which answers are faster than anybody can read.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from collection.models import Item, Study
from judging.models import AnswerNote, Assessor, Assignment, BatchQuestion, Decline, Judgment, QuestionRole
from judging.people.answer_notes import notes_of
from judging.questions.reading_time import least_of, least_seconds, sizes
from judging.tasks import KINDS
from judging.tasks.aspects import PLACES, WORDS, claims_in, text_of
from judging.verdicts.challenge_failures import ahead_of_all, better
from web.organizer.assessors.answer_log import anchor
from web.organizer.questions.question_preview import PreviewSide, subjects

# How many answers of a person are summed up, newest first.
MOST = 20_000
# Named in full, since "62 % right" reads as correct.
SIDES = {"left": "for the left-hand side", "right": "for the right-hand side"}
# Of a sentence that cites.
MARKS = {1: "supported", 0: "cannot tell", -1: "not supported", None: "skipped or not answered"}


@dataclass(frozen=True)
class AnswerRow:
    """A question of a batch as it was answered.

    place: as in `answer_log.LoggedAnswer`. sides: as they were shown, from left to right. said: the answer in
    the form's word, "" for none. seconds, away: in view and with the page hidden, summed over all
    corrections; None if the browser sent none. fast: faster than anybody can read. aside: a challenge that is
    set aside. known: the answer of a challenge, if no side can be marked as better. cannot, note: why they
    declined it, "" if they did not. withdrawn: whether the answer was taken back by that, so that it counts
    for a challenge alone. seen: the percent of each passage, picture or page, in the order shown, that had
    come into view at the current answer; [] if all had, or the browser did not say. aspects: what was said of
    each, and of sentences that cite. sentence: as it was written, unless it was erased. heard: seconds that
    each recording was played, corrections included. own: what they noted at it since.
    """

    position: int
    place: str
    topic: str
    sides: list[PreviewSide]
    said: str
    seconds: float | None
    away: float | None
    corrections: int
    fast: bool
    challenge: bool
    again: bool
    wrong: bool
    aside: bool
    known: str
    cannot: str
    note: str
    withdrawn: bool
    seen: list[int]
    aspects: list[tuple[str, str]]
    reasons: list[str]
    sentence: str
    heard: list[float]
    own: AnswerNote | None


@dataclass(frozen=True)
class AnswerSummary:
    """Statistics of a person's answers.

    shares: share of each answer in percent, most frequent first. seconds: median seconds in view of the
    `timed` answers. fast: how many of these were faster than anybody can read. declined: questions that they
    could not judge. told: answers for which the browser said how much had come into view. unseen: how many
    of these were given before all of a text, picture or page had.
    """

    answers: int
    shares: list[tuple[str, int]]
    seconds: float | None
    timed: int
    fast: int
    declined: int
    told: int
    unseen: int

    @property
    def untimed(self) -> int:
        """Answers without times: from a browser or page without scripts, or a program that sent none."""
        return self.answers - self.timed


def summary(study: Study, assessor: Assessor) -> AnswerSummary:
    """Sum up the newest 20,000 answers that a person gave on our pages, not in files, and did not withdraw.

    Cost grows with these answers; only the lengths of texts are read.
    """
    rows = Judgment.objects.filter(assignment__assessor=assessor, assignment__source="").order_by("-pk")
    fields = (
        "assignment_id",
        "question_id",
        "question__key",
        "question__task__kind",
        "value",
        "seconds",
        "seen",
    )
    said: dict[tuple[int, int], str] = {}
    seconds: dict[tuple[int, int], list[float | None]] = defaultdict(list)
    keys: dict[int, list[int]] = {}
    told: dict[tuple[int, int], bool] = {}
    for batch, question, key, kind, value, took, seen in reversed(rows.values_list(*fields)[:MOST]):
        if value is None:
            for of_answers in (said, seconds, told):
                of_answers.pop((batch, question), None)
            continue
        said[batch, question] = KINDS[kind].word(value)
        seconds[batch, question].append(took)
        if seen:
            told[batch, question] = bool(_unseen(seen))
        if KINDS[kind].about == "item":
            keys[question] = [int(subject) for subject in key.split()]
    least = _least(study, keys)
    timed = {place: total for place, took in seconds.items() if (total := _total(took)) is not None}
    fast = sum(total < least.get(question, 0) for (_, question), total in timed.items())
    declined = Decline.objects.filter(assignment__assessor=assessor)
    return AnswerSummary(
        answers=len(said),
        shares=[
            (SIDES.get(word, word), round(100 * n / len(said)))
            for word, n in Counter(said.values()).most_common()
        ],
        seconds=round(median(timed.values()), 1) if timed else None,
        timed=len(timed),
        fast=fast,
        declined=declined.order_by().values("question").distinct().count(),
        told=len(told),
        unseen=sum(told.values()),
    )


def _least(study: Study, keys: dict[int, list[int]]) -> dict[int, float]:
    """Return the least plausible seconds for each question, from the sizes of its items."""
    known = sizes(study, Item.objects.filter(pk__in={item for key in keys.values() for item in key}))
    return {question: least_of(key, known) for question, key in keys.items()}


def _unseen(seen: str | None) -> list[int]:
    """Return the percents that a browser sent; [] if all are 100 or there are none."""
    shares = [int(share) for share in (seen or "").split()]
    return shares if any(share < 100 for share in shares) else []


def _total(took: Iterable[float | None]) -> float | None:
    told = [seconds for seconds in took if seconds is not None]
    return sum(told) if told else None


def answers(study: Study, batch: Assignment) -> list[AnswerRow]:
    """Return every question of a batch with its answer: wrong challenges first, then in the batch's order."""
    places = list(
        BatchQuestion.objects.filter(assignment=batch)
        .select_related("question__topic", "question__task")
        .order_by("position")
    )
    given: dict[int, list[Judgment]] = defaultdict(list)
    for judgment in Judgment.objects.filter(assignment=batch).order_by("revision"):
        given[judgment.question_id].append(judgment)
    declined = {row.question_id: row for row in Decline.objects.filter(assignment=batch).order_by("pk")}
    shown = subjects(study, [place.question for place in places])
    notes = notes_of(batch.assessor_id, [place.question_id for place in places])
    found = [
        _answer(place, given[place.question_id], declined.get(place.question_id), shown, notes)
        for place in places
    ]
    return sorted(found, key=lambda answer: (not answer.wrong, answer.position))


def _answer(
    place: BatchQuestion,
    given: Sequence[Judgment],
    declined: Decline | None,
    shown: dict[int, list[PreviewSide]],
    notes: dict[int, AnswerNote],
) -> AnswerRow:
    question, way = place.question, place.question.task.way
    answered = [judgment for judgment in given if judgment.value is not None]
    last = answered[-1] if answered else None
    again = place.role == QuestionRole.REPEAT
    challenge = place.role == QuestionRole.CHALLENGE
    ahead = better(way.name, place.expected) if challenge else set()
    # Both the preferences of an answer and the known answer number the subjects in the question's own order.
    chosen = ahead_of_all(way.leans(last.value, last.shown) if last else ())
    sides = [
        replace(
            shown[question.pk][position],
            better=position in ahead,
            chosen=position in chosen,
        )
        for position in map(int, place.shown)
    ]
    told = (last.details or {}) if last else {}
    aspects = [
        (name, WORDS[value] if value else "same") for name, value in sorted(told.get("aspects", {}).items())
    ]
    for place_name, marks in zip(PLACES, claims_in(told), strict=False):
        if marks:
            said = ", ".join(MARKS[mark] for mark in marks)
            aspects.append((f"Sentences that cite, {place_name}", said))
    seconds = _total(judgment.seconds for judgment in given)
    least = least_seconds(sum(side.letters for side in sides), sum(bool(side.picture) for side in sides))
    return AnswerRow(
        position=place.position,
        place=anchor(question.pk, place.role),
        topic=question.topic.text or question.topic.name,
        sides=sides,
        said=way.word(last.value) if last else "",
        seconds=seconds,
        away=_total(judgment.away for judgment in given),
        corrections=max(0, len(answered) - 1),
        fast=seconds is not None and seconds < least,
        challenge=challenge,
        again=again,
        wrong=last is not None and challenge and not way.is_right(last.value, last.shown, place.expected),
        aside=challenge and question.set_aside_at is not None,
        known="" if ahead or not challenge else str(place.expected),
        cannot=declined.get_reason_display() if declined else "",
        note=declined.note if declined else "",
        withdrawn=bool(given) and given[-1].value is None,
        seen=_unseen(last.seen) if last else [],
        aspects=aspects,
        reasons=told.get("reasons", []),
        sentence=text_of(last.remark) if last else "",
        heard=_heard([judgment.details or {} for judgment in given]),
        own=notes.get(place.question_id),
    )


def _heard(details: Sequence[Mapping[str, Any]]) -> list[float]:
    return [sum(own) for own in zip(*(told["heard"] for told in details if "heard" in told), strict=False)]
