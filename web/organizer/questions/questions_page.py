"""The page *Challenges*: challenges, and what could not be judged."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collection.models import Study
from judging.verdicts.challenge_failures import LEAST, Rate
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
    asked, number = challenges["asked_n"], declined["page"].paginator.count
    rest = list(_challenges_said(asked, challenges)) or list(NONE)
    if number:
        rest.append(f"{count(number, 'question')} could not be judged.")
    return _answered(asked + challenges["aside_n"], challenges["every"], challenges["out"]), " ".join(rest)


def _answered(challenges: int, every: Rate, out: Rate) -> str:
    """Say how many answers are wrong, as the list counts them.

    every: of all answers; out: of those of people who are excluded.
    """
    if not challenges:
        return "No challenge is asked."
    if not every.answers:
        return "No challenge is answered yet."
    if every.wrong:
        verb = "is" if every.wrong == 1 else "are"
        said = f"{every.wrong:,} of {count(every.answers, 'answer')} to challenges {verb} wrong"
        excluded = "an excluded person" if every.wrong == 1 else "excluded people"
        by = f"by {excluded}" if out.wrong == every.wrong else f"{out.wrong:,} of them by excluded people"
        return f"{said}, {by}." if out.wrong else f"{said}."
    return (
        f"All {every.answers:,} answers to challenges are right."
        if every.answers > 1
        else "The only answer is right."
    )


def _challenges_said(asked: int, challenges: dict[str, Any]) -> Iterator[str]:
    aside, out, doubtful = (challenges[name] for name in ("aside_n", "out", "doubtful"))
    if not asked and not aside:
        return
    if out.answers:
        yield f"{count(out.answers, 'answer')} {'is' if out.answers == 1 else 'are'} of excluded people."
    if doubtful:
        one = len(doubtful) == 1
        was, its, answer = ("was", "its", "answer") if one else ("were", "their", "answers")
        said = f"{count(len(doubtful), 'challenge')} {was} answered wrong by half of {its} people or more"
        yield f"{said}, of {LEAST} or more: check {its} known {answer}."
    elif challenges["every"].wrong:
        few = "fewer say little of a known answer"
        yield f"None was answered wrong by half of its people, of {LEAST} or more: {few}."
    parts = f", {asked:,} asked and {aside:,} set aside" if aside else ""
    yield f"{count(asked + aside, 'challenge')}{parts}: {ARE}."
