"""Declined questions, a part of the page *Challenges*: why and by how many; set one aside or ask it again."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse

from collection.models import Study
from judging.batches import declines
from judging.models import Assessor, Decline, Question
from judging.people import person_names
from judging.verdicts import question_set_aside
from web.organizer.confirmation import Confirmation, confirm
from web.organizer.forms import ReasonForm
from web.organizer.questions.challenge_list import set_aside_by
from web.organizer.questions.question_preview import PreviewSide, subjects
from web.shared.access import for_organizers

A_PAGE = 20
# How many notes are shown for each question, newest first.
MOST_NOTES = 10
# Pages that lead to setting a question aside, by the names of their URLs.
BACK = {"challenges": "Challenges", "trust": "Can the judgments be trusted?"}


@dataclass(frozen=True)
class DeclinedCard:
    """A declined question as the page shows it.

    people: how many declined it. reasons: how often each reason was given. notes: the newest with a note.
    """

    question: Question
    sides: list[PreviewSide]
    people: int
    reasons: list[tuple[str, int]]  # most frequent first
    notes: list[Decline]


def section(request: HttpRequest, study: Study) -> dict[str, Any]:
    """Return the questions that somebody declined or that are set aside, and who declined most.

    Those declined by most people come first, those set aside last. The number of queries does not grow with
    the questions; their cost grows with the declines.
    """
    found = declines.reasons(study.pk)
    set_aside = dict(Question.objects.filter(study=study, pk__in=found).values_list("pk", "set_aside_at"))
    by_hand = Question.objects.filter(study=study, set_aside_at__isnull=False, expected__isnull=True)
    set_aside |= dict(by_hand.values_list("pk", "set_aside_at"))
    order = sorted(set_aside, key=lambda pk: (set_aside[pk] is not None, -len(found.get(pk, ())), pk))
    shown = Paginator(order, A_PAGE).get_page(request.GET.get("declined"))
    cards = _cards(study, list(shown.object_list), found)
    people = list(declines.mostly(study.pk).order_by("pk"))
    return {
        "page": shown,
        "cards": cards,
        "people": people,
        "names": _names(study, cards, people),
        "enough": declines.ENOUGH,
    }


def _names(study: Study, cards: Iterable[DeclinedCard], people: Iterable[Assessor] = ()) -> dict[int, str]:
    """Return the names of these people and of those whose notes the cards show."""
    noted = {note.assignment.assessor_id for card in cards for note in card.notes}
    return person_names.names(study, noted | {one.pk for one in people}, labels=True)


def _cards(study: Study, ids: list[int], found: dict[int, list[Decline]]) -> list[DeclinedCard]:
    """Return cards of the questions with these ids, in this order."""
    rows = Question.objects.filter(pk__in=ids).select_related("topic", "task")
    questions = {question.pk: question for question in rows}
    shown = subjects(study, questions.values())
    cards = []
    for pk in ids:
        question, said = questions[pk], found.get(pk, [])
        counted = Counter(row.get_reason_display() for row in said)
        notes = [row for row in reversed(said) if row.note][:MOST_NOTES]
        cards.append(DeclinedCard(question, shown[pk], len(said), counted.most_common(), notes))
    return cards


@for_organizers
def one(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Say what setting a question aside or asking it again does; on POST do it.

    Challenges are redirected to their own page, and are never asked again.
    """
    question = get_object_or_404(Question, study=study, pk=pk)
    if question.expected is not None:
        return redirect("set-aside", study.slug, pk)
    form = ReasonForm(request.POST or None)
    again = question.set_aside_at is not None
    back = "trust" if request.GET.get("back") == "trust" else "challenges"
    address = reverse(back, args=[study.slug]) + ("#declined" if back == "challenges" else "")
    if request.method == "POST" and form.is_valid():
        # Do what the page offered, even if somebody else has changed the question since.
        if request.POST.get("do") == "again":
            question_set_aside.ask_again(pk, form.cleaned_data["why"], by=request.user)
            messages.success(request, "The question is asked again.")
        else:
            question_set_aside.set_aside(pk, form.cleaned_data["why"], by=request.user)
            messages.success(request, "The question is set aside: nobody is asked it.")
        return redirect(address)
    decided = question.decisions.select_related("by").order_by("pk").last()
    asked = Confirmation(
        heading=f"{'Ask this question again' if again else 'Set this question aside'}?",
        says=(_does(again=again, tournament=bool(question.wanted) and question.task.kind != "grade"),),
        back=(BACK[back], address),
        button="Ask it again" if again else "Set it aside",
        about="organizer/_declined_card.html",
        since=set_aside_by(decided) if again and decided else None,
        do="again" if again else "aside",
    )
    card = _cards(study, [pk], declines.reasons(study.pk))[0]
    return confirm(request, study, asked, form, card=card, names=_names(study, [card]))


def _does(*, again: bool, tournament: bool) -> str:
    if again:
        told = (
            f"People who have not seen it are asked it from now on, and {declines.ENOUGH} more of them have "
            "to find it impossible before it is set aside again."
        )
        played = (
            " The tournament of its topic is played again: rounds that ended without it may be taken back."
        )
        return told + (played if tournament else "")
    goes_on = (
        " The tournament of its topic goes on without it: the pair is decided by the answers that it has, "
        "and without any it is a tie."
    )
    return (
        f"Nobody is asked it any more. The answers that it has still count.{goes_on if tournament else ''} "
        "You can ask it again later."
    )
