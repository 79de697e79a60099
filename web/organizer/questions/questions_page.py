"""The page *Challenges*: challenges, and what could not be judged."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collection.models import Study
from web.organizer.questions import cannot_judge, challenge_list
from web.shared.access import for_organizers
from web.shared.phrases import count

NONE = (
    "No challenge is asked. Challenges are questions with a known answer, mixed into batches: they tell "
    "people who pay attention from those who do not."
)


@for_organizers
@require_safe
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """List the challenges, and the questions that somebody could not judge."""
    declined, challenges = cannot_judge.section(request, study), challenge_list.section(request, study)
    told = {"study": study, "declined": declined, "said": _said(declined, challenges)}
    return render(request, "organizer/questions.html", told | challenges)


def _said(declined: dict[str, Any], challenges: dict[str, Any]) -> str:
    """Say what challenges are, how they are answered, and what is to be looked at."""
    asked, number = challenges["page"].paginator.count, declined["page"].paginator.count
    said = " ".join(_challenges_said(asked, challenges)) or NONE
    return f"{said} {count(number, 'question')} could not be judged." if number else said


def _challenges_said(asked: int, challenges: dict[str, Any]) -> Iterator[str]:
    aside, answered, doubtful = (challenges[name] for name in ("aside_n", "answered", "doubtful"))
    if not asked and not aside:
        return
    yield f"{count(asked + aside, 'challenge')}: questions with a known answer, mixed into batches."
    parts = [f"{asked:,} {'is' if asked == 1 else 'are'} asked, {aside:,} set aside"] if aside else []
    wrong = f"{challenges['wrong']:,}" if challenges["wrong"] else "none"
    parts.append(f"{count(answered, 'answer')} so far, {wrong} wrong" if answered else "no answer yet")
    if out := challenges["wrong_out"]:
        which = "all" if out == challenges["wrong"] else f"{out:,} of these"
        parts[-1] += f", {which} by people who are excluded"
    told = "; ".join(parts)
    yield f"{told[0].upper()}{told[1:]}."
    if doubtful:
        yield f"{doubtful:,} {'is' if doubtful == 1 else 'are'} answered wrong by half of the people."
    elif challenges["wrong"]:
        yield "None is answered wrong by half of the people."
