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
    asked, number = challenges["page"].paginator.count, declined["page"].paginator.count
    rest = list(_challenges_said(asked, challenges)) or list(NONE)
    if number:
        rest.append(f"{count(number, 'question')} could not be judged.")
    return _answered(asked + challenges["aside_n"], challenges["every"], challenges["out"]), " ".join(rest)


def _answered(challenges: int, every: Rate, out: Rate) -> str:
    """Say how many answers are wrong, of those of people who are not excluded.

    every: of all answers; out: of those of people who are excluded.
    """
    if not challenges:
        return "No challenge is asked."
    if not every.answers:
        return "No challenge is answered yet."
    answered, wrong = every.answers - out.answers, every.wrong - out.wrong
    if not answered:
        return "Only excluded people have answered challenges."
    if wrong:
        verb = "is" if wrong == 1 else "are"
        return f"{wrong:,} of {count(answered, 'answer')} to challenges {verb} wrong."
    return (
        f"All {answered:,} answers to challenges are right." if answered > 1 else "The only answer is right."
    )


def _challenges_said(asked: int, challenges: dict[str, Any]) -> Iterator[str]:
    aside, out, doubtful = (challenges[name] for name in ("aside_n", "out", "doubtful"))
    if not asked and not aside:
        return
    if out.answers:
        wrong = "all" if out.wrong == out.answers else f"{out.wrong:,}" if out.wrong else "none"
        left_out = count(out.answers, "answer")
        yield f"Not counted: {left_out} of excluded people, {wrong} wrong; the list has them."
    if doubtful:
        whose = "its known answer" if len(doubtful) == 1 else "their known answers"
        yield f"{_wrong_by_half(doubtful)}: check {whose}."
    elif challenges["every"].wrong:
        yield "None was answered wrong by half of its people."
    parts = f", {asked:,} asked and {aside:,} set aside" if aside else ""
    yield f"{count(asked + aside, 'challenge')}{parts}: {ARE}."


def _wrong_by_half(doubtful: list[Rate]) -> str:
    """Say how many challenges half of their people answer wrong; of how many people, where these are few."""
    said = f"{count(len(doubtful), 'challenge')} {'was' if len(doubtful) == 1 else 'were'} answered wrong by"
    most = max(one.answers for one in doubtful)
    if most >= LEAST:
        return f"{said} half of {'its' if len(doubtful) == 1 else 'their'} people or more"
    if len({(one.wrong, one.answers) for one in doubtful}) > 1:
        return f"{said} half or more of {most} people at most"
    return f"{said} {doubtful[0].wrong} of {count(doubtful[0].answers, 'person')}"
