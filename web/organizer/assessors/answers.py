"""One person's answers, batch by batch, and how they answer in general.

`judging.questions.reading_time` says which answers are too fast to have been read.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from collection.models import Item, Study
from judging.models import Assessor, Assignment, BatchQuestion, Decline, Judgment, QuestionRole
from judging.questions.reading_time import least_of, least_seconds, sizes
from judging.tasks import KINDS
from judging.verdicts.challenge_failures import ahead_of_all, better
from web.organizer.questions.question_preview import PreviewSide, subjects

# Of one person, the newest.
MOST = 20_000


@dataclass(frozen=True)
class AnswerRow:
    """A place of a batch as it was answered. sides: as they stood, from left to right.

    cannot, note: why they said that they cannot judge it, "" if they did not.
    said: the answer in the form's word, "" for none. seconds, away: in view and hidden, over all corrections;
    None where no browser told. known: of a challenge, its answer, where no side can be marked as better.
    seen: of each passage, picture or page, in their order there, the percent that came into view until the
    answer that stands; empty where all of it did, or no browser told.
    """

    position: int
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
    seen: list[int]


@dataclass(frozen=True)
class AnswerSummary:
    """How a person answers: shares of each answer in percent, most frequent first; the median seconds in view
    of the `timed` answers, and how many of these were faster than a reader could be. `declined` counts
    the questions that they could not judge. Of `told` answers the browser said how much had come into view,
    and `unseen` were given before the end of a text or page was.
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
        """Answers without times: from pages without scripts, or from a program that sent none."""
        return self.answers - self.timed


def summary(study: Study, assessor: Assessor) -> AnswerSummary:
    """Sum up a person's latest 20,000 answers on our pages.

    Cost grows with these answers; of texts only the lengths are read.
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
        said[batch, question] = KINDS[kind].word(value)
        seconds[batch, question].append(took)
        if seen:
            told[batch, question] = bool(_unseen(seen))
        if KINDS[kind].about == "item":
            keys[question] = [int(subject) for subject in key.split()]
    least = _least(study, keys)
    timed = {place: total for place, took in seconds.items() if (total := _total(took)) is not None}
    fast = sum(total < least.get(question, 0) for (_, question), total in timed.items())
    return AnswerSummary(
        answers=len(said),
        shares=[(word, round(100 * n / len(said))) for word, n in Counter(said.values()).most_common()],
        seconds=round(median(timed.values()), 1) if timed else None,
        timed=len(timed),
        fast=fast,
        declined=Decline.objects.filter(assignment__assessor=assessor).count(),
        told=len(told),
        unseen=sum(told.values()),
    )


def _least(study: Study, keys: dict[int, list[int]]) -> dict[int, float]:
    """Least reading seconds of each question, from its items."""
    known = sizes(study, Item.objects.filter(pk__in={item for key in keys.values() for item in key}))
    return {question: least_of(key, known) for question, key in keys.items()}


def _unseen(seen: str | None) -> list[int]:
    """The percentages in view that the browser sent, if one is below 100."""
    shares = [int(share) for share in (seen or "").split()]
    return shares if any(share < 100 for share in shares) else []


def _total(took: Iterable[float | None]) -> float | None:
    told = [seconds for seconds in took if seconds is not None]
    return sum(told) if told else None


def answers(study: Study, batch: Assignment) -> list[AnswerRow]:
    """The questions of a batch: wrong challenges first, then in batch order."""
    places = list(
        BatchQuestion.objects.filter(assignment=batch)
        .select_related("question__topic", "question__task")
        .order_by("position")
    )
    given: dict[int, list[Judgment]] = defaultdict(list)
    for judgment in Judgment.objects.filter(assignment=batch).order_by("revision"):
        given[judgment.question_id].append(judgment)
    declined = {row.question_id: row for row in Decline.objects.filter(assignment=batch)}
    shown = subjects(study, [place.question for place in places])
    found = [
        _answer(place, given[place.question_id], declined.get(place.question_id), shown) for place in places
    ]
    return sorted(found, key=lambda answer: (not answer.wrong, answer.position))


def _answer(
    place: BatchQuestion,
    given: Sequence[Judgment],
    declined: Decline | None,
    shown: dict[int, list[PreviewSide]],
) -> AnswerRow:
    question, way = place.question, place.question.task.way
    last = given[-1] if given else None
    again = place.role == QuestionRole.REPEAT
    challenge = place.role == QuestionRole.CHALLENGE
    ahead = better(way.name, place.expected) if challenge else set()
    # The preferences of an answer name subjects by their own order, in which a known answer does too.
    chosen = ahead_of_all(way.leans(last.value, last.shown) if last else ())
    sides = [
        replace(
            shown[question.pk][position],
            better=position in ahead,
            chosen=position in chosen,
        )
        for position in map(int, place.shown)
    ]
    seconds = _total(judgment.seconds for judgment in given)
    least = least_seconds(sum(side.letters for side in sides), sum(bool(side.picture) for side in sides))
    return AnswerRow(
        position=place.position,
        topic=question.topic.text or question.topic.name,
        sides=sides,
        said=way.word(last.value) if last else "",
        seconds=seconds,
        away=_total(judgment.away for judgment in given),
        corrections=max(0, len(given) - 1),
        fast=seconds is not None and seconds < least,
        challenge=challenge,
        again=again,
        wrong=last is not None and challenge and not way.is_right(last.value, last.shown, place.expected),
        aside=challenge and question.set_aside_at is not None,
        known="" if ahead or not challenge else str(place.expected),
        cannot=declined.get_reason_display() if declined else "",
        note=declined.note if declined else "",
        seen=_unseen(last.seen) if last else [],
    )
