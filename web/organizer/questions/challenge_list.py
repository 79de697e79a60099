"""A study's challenges, a part of the page *Challenges*: how often each is answered wrong; set one aside."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse

from collection.models import Study
from judging.models import Decision, Judgment, Question, QuestionRole
from judging.people import person_names
from judging.tasks import KINDS
from judging.verdicts import question_set_aside
from judging.verdicts.challenge_failures import (
    Rate,
    ahead_of_all,
    better,
    rates,
    rates_of_excluded,
    with_shown,
)
from web.organizer.confirmation import Confirmation, confirm
from web.organizer.forms import ReasonForm
from web.organizer.questions.question_preview import PreviewSide, subjects
from web.shared.access import for_organizers
from web.shared.phrases import count, cut_docno, parted
from web.shared.view_choices import choice_of

A_PAGE = 20
# What the list can be narrowed to.
WRONG, OPEN = "wrong", "open"
WHICH = {WRONG: "Answered wrong", OPEN: "Not answered"}
# How many answers to the challenges of a page are read, the latest.
MOST_ANSWERS = 1000
# How many challenges set aside are listed, latest first.
MOST_ASIDE = 50
# Letters of a side in a line.
LETTERS = 90


class GivenAnswer(NamedTuple):
    """An answer to a challenge. said: the docnos that it prefers, else its word; seconds: in view."""

    person: int
    name: str
    said: str
    right: bool
    seconds: float | None
    excluded: bool


@dataclass(frozen=True)
class ChallengeCard:
    """A challenge as the page shows it. known: its answer, if no side can be marked as better, else "".
    given: the answers to it, the latest first, where the page lists them.
    """

    question: Question
    sides: list[PreviewSide]
    rate: Rate
    known: str
    given: Sequence[GivenAnswer] = ()

    @property
    def answers(self) -> list[tuple[str, list[GivenAnswer]]]:
        """The wrong answers and the right ones, each with their title."""
        parts = [("Wrong", False), ("Right", True)]
        told = [(title, [one for one in self.given if one.right == right]) for title, right in parts]
        return [(title, answers) for title, answers in told if answers]

    @property
    def first(self) -> list[PreviewSide]:
        """The better one of its sides and another, which a line names."""
        return sorted(self.sides, key=lambda side: not side.better)[:2]

    @property
    def lines(self) -> list[tuple[PreviewSide, str]]:
        """The sides that a line names, each with the words in which it differs from the other."""
        words = parted([str(side.text.striptags()) for side in self.first], LETTERS)
        return [(side, own or cut_docno(side.name)) for side, own in zip(self.first, words, strict=True)]

    @property
    def more(self) -> int:
        """How many sides a line does not name."""
        return len(self.sides) - len(self.first)


def section(request: HttpRequest, study: Study) -> dict[str, Any]:
    """Return the challenges of all tasks, those with the largest share of wrong answers first.

    All ids are read and sorted, but only the challenges of one page are rendered; the number of queries does
    not grow with them.
    """
    found = rates(study)
    own = Question.objects.filter(study=study, expected__isnull=False)
    ids = list(own.filter(set_aside_at=None).order_by("pk").values_list("pk", flat=True))
    of = {
        WRONG: [pk for pk in ids if found.get(pk, Rate()).wrong],
        OPEN: [pk for pk in ids if not found.get(pk, Rate()).answers],
    }
    which = choice_of(request.GET, "which", WHICH)
    order = sorted(of.get(which, ids), key=lambda pk: _last_first(found.get(pk, Rate())))
    page = Paginator(order, A_PAGE).get_page(request.GET.get("page"))
    challenges_aside = {"question__study": study, "question__expected__isnull": False}
    aside = Decision.objects.filter(**challenges_aside, what=Decision.What.SET_ASIDE)
    latest = list(aside.select_related("by", "question__topic").order_by("-pk")[:MOST_ASIDE])
    asked = list(page.object_list)
    shown = cards(study, asked + [one.question_id for one in latest if one.question_id], found)
    given = _given(study, shown[: len(asked)])
    listed = [replace(card, given=given.get(card.question.pk, ())) for card in shown[: len(asked)]]
    set_aside = shown[len(asked) :]
    return {
        "page": page,
        "asked_n": len(ids),
        "which": which,
        "chips": [(key, title, len(of[key])) for key, title in WHICH.items() if 0 < len(of[key]) < len(ids)],
        "cards": listed,
        "shown": len({card.rate.shown for card in listed}) > 1
        and any(card.rate.shown != card.rate.answers for card in listed),
        "aside": list(zip(latest, set_aside, strict=True)),
        "aside_n": aside.count() if len(latest) == MOST_ASIDE else len(latest),
        "every": _added_up(found.values()),
        "out": _added_up(rates_of_excluded(study).values()),
        "answered": any(rate.answers for rate in found.values()),
        "doubtful": [rate for pk in ids if (rate := found.get(pk)) and rate.is_high],
    }


def _given(study: Study, cards: Sequence[ChallengeCard]) -> dict[int, list[GivenAnswer]]:
    """Return the answers to these challenges, the latest first, by question. Two queries."""
    about = {card.question.pk: card for card in cards}
    # Judgments are found by their topic: there is no index by question.
    topics = {card.question.topic_id for card in cards}
    own = Judgment.objects.filter(topic__in=topics, question__in=about, role=QuestionRole.CHALLENGE)
    given = own.last_given().select_related("assignment__assessor").order_by("-pk")[:MOST_ANSWERS]
    people = {one.assignment.assessor_id for one in given}
    names = person_names.names(study, people, labels=True)
    found: dict[int, list[GivenAnswer]] = defaultdict(list)
    for one in given:
        card, person = about[one.question_id], one.assignment.assessor
        way = KINDS[card.question.task.kind]
        preferred = [
            cut_docno(card.sides[at].name) for at in sorted(ahead_of_all(way.leans(one.value, one.shown)))
        ]
        found[one.question_id].append(
            GivenAnswer(
                person.pk,
                names[person.pk],
                ", ".join(preferred) or way.word(one.value),
                way.is_right(one.value, one.shown, card.question.expected),
                one.seconds,
                person.excluded_at is not None,
            )
        )
    return found


def _added_up(found: Iterable[Rate]) -> Rate:
    told = list(found)
    return Rate(answers=sum(one.answers for one in told), wrong=sum(one.wrong for one in told))


def _last_first(rate: Rate) -> tuple[float, int, bool]:
    return (-rate.share, -rate.wrong, not rate.answers)


def cards(study: Study, ids: list[int], found: dict[int, Rate]) -> list[ChallengeCard]:
    """Return cards of the challenges with these ids, in this order, each as assessors see it."""
    found = with_shown(found, ids)
    rows = Question.objects.filter(pk__in=ids).select_related("topic", "task")
    questions = {question.pk: question for question in rows}
    shown = subjects(study, questions.values())
    return [_card(questions[pk], shown, found[pk]) for pk in ids]


def _card(question: Question, shown: dict[int, list[PreviewSide]], rate: Rate) -> ChallengeCard:
    ahead = better(question.task.kind, question.expected)
    sides = [replace(side, better=position in ahead) for position, side in enumerate(shown[question.pk])]
    return ChallengeCard(question, sides, rate, "" if ahead else _known(question.expected))


def _known(expected: Any) -> str:
    """Say a known answer that prefers no side: a grade, or that neither is better."""
    if isinstance(expected, dict) and "grade" in expected:
        return f"grade {expected['grade']:g}"
    return "neither is better" if expected == 0 else str(expected)


@for_organizers
def set_aside(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Say what setting a challenge aside does; on POST set it aside."""
    challenges_of = Question.objects.filter(study=study, expected__isnull=False)
    question = get_object_or_404(challenges_of.select_related("topic", "task"), pk=pk)
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and question.set_aside_at is None:
        people, batches = question_set_aside.would_restore(pk)
        question_set_aside.set_aside(pk, form.cleaned_data["why"], by=request.user)
        told = f"The challenge is set aside: it is not asked again. {_restored(people, batches)}"
        messages.success(request, told)
        return redirect("challenges", study.slug)
    people, batches = question_set_aside.would_restore(pk) if question.set_aside_at is None else (0, 0)
    decided = question.decisions.filter(what=Decision.What.SET_ASIDE).select_related("by").last()
    does = "This challenge is not asked again, and counts in no batch."
    if question.wanted:
        does += " The tournament of its topic asks this pair too, and goes on without it."
    if people or batches:
        does += (
            f" {count(people, 'person')} would be let back in, and {count(batches, 'batch')} kept again: "
            "those who failed by it alone. Their answers count from then on, also where others were asked "
            "meanwhile."
        )
    else:
        does += " Nobody failed by it alone, so nothing else changes."
    asked = Confirmation(
        heading="A challenge that is set aside" if decided else "Set this challenge aside?",
        says=(does, "People whom an organizer excluded stay excluded. You cannot undo this."),
        back=("Challenges", reverse("challenges", args=[study.slug])),
        button="" if decided else "Set it aside",
        about="organizer/_challenge_card.html",
        since=set_aside_by(decided) if decided else None,
    )
    return confirm(request, study, asked, form, card=cards(study, [pk], rates(study))[0])


def set_aside_by(decided: Decision) -> tuple[str, datetime, str]:
    """Who set a question aside, when and why."""
    return (
        f"Set aside by {decided.by.get_username() if decided.by else 'a rule'},",
        decided.created_at,
        decided.why,
    )


def _restored(people: int, batches: int) -> str:
    if not people and not batches:
        return "Nobody had failed by it alone."
    return f"{count(people, 'person')} let back in, {count(batches, 'batch')} kept again."
