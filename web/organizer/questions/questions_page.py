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

ARE = "questions with a known answer, mixed into batches"
NONE = (f"Challenges are {ARE}: they tell people who pay attention from those who do not.",)


@for_organizers
@require_safe
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """List the challenges, and the questions that somebody could not judge."""
    declined, challenges = cannot_judge.section(request, study), challenge_list.section(request, study)
    told = {"study": study, "declined": declined, "said": _said(declined, challenges)}
    return render(request, "organizer/questions.html", told | challenges)


def _said(declined: dict[str, Any], challenges: dict[str, Any]) -> tuple[str, str]:
    """Say how challenges are answered, and then what they are and what is to be looked at."""
    asked, number = challenges["page"].paginator.count, declined["page"].paginator.count
    rest = list(_challenges_said(asked, challenges)) or list(NONE)
    if number:
        rest.append(f"{count(number, 'question')} could not be judged.")
    return _answered(asked + challenges["aside_n"], challenges), " ".join(rest)


def _answered(every: int, challenges: dict[str, Any]) -> str:
    answered, wrong = challenges["answered"], challenges["wrong"]
    if not every:
        return "No challenge is asked."
    if not answered:
        return "No challenge is answered yet."
    if wrong:
        verb = "is" if wrong == 1 else "are"
        return f"{wrong:,} of {count(answered, 'answer')} to challenges {verb} wrong."
    return (
        f"All {answered:,} answers to challenges are right." if answered > 1 else "The only answer is right."
    )


def _challenges_said(asked: int, challenges: dict[str, Any]) -> Iterator[str]:
    aside, wrong, doubtful = (challenges[name] for name in ("aside_n", "wrong", "doubtful"))
    if not asked and not aside:
        return
    if out := challenges["wrong_out"]:
        which = "All of the wrong ones" if out == wrong else f"{out:,} of the wrong ones"
        yield f"{which} by people who are excluded."
    if doubtful:
        yield f"{doubtful:,} {'is' if doubtful == 1 else 'are'} answered wrong by half of the people."
    elif wrong:
        yield "None is answered wrong by half of the people."
    parts = f", {asked:,} asked and {aside:,} set aside" if aside else ""
    yield f"{count(asked + aside, 'challenge')}{parts}: {ARE}."
