"""What opening a study would ask for, said before it is done."""

from dataclasses import dataclass
from math import ceil

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from collection.models import Study
from config.queueing import run_aside
from tournament import forecast, jobs, services
from tournament.forecast import Forecast
from web.access import for_organizers
from web.organizer import overview
from web.words import count, listed


@dataclass(frozen=True)
class Plan:
    """Numbers of a study that is about to be opened; `pools` are the sizes of those with a pair to ask.

    challenges: that there will be. assessors: how many different people it takes at least, None where
    nobody could get a batch at all.
    """

    topics: int
    pools: list[int]
    first_pairs: int
    first_answers: int
    first_batches: int
    judgments: Forecast
    batches: Forecast
    challenges: int
    assessors: int | None
    warnings: list[str]

    @property
    def candidates(self) -> int:
        """Items in all pools."""
        return sum(self.pools)


def plan(study: Study) -> Plan:
    """Read what a study holds and reckon. Three queries; cost grows with its items."""
    stock = overview.stock(study)
    challenges = overview.challenges(study) or stock.challenges_possible
    pairs = sum(forecast.first_pairs(size, study) for size in stock.playable)
    judgments = forecast.judgments(stock.playable, study)
    batches = Forecast(
        *(ceil(n / study.batch_pairs) for n in (judgments.least, judgments.about, judgments.most))
    )
    return Plan(
        topics=stock.topics,
        pools=sorted(stock.playable),
        first_pairs=pairs,
        first_answers=pairs * study.judgments_per_pair,
        first_batches=ceil(pairs * study.judgments_per_pair / study.batch_pairs),
        judgments=judgments,
        batches=batches,
        challenges=challenges,
        assessors=_assessors(study, stock.playable, challenges, batches.about),
        warnings=_warnings(study, stock, challenges),
    )


def _assessors(study: Study, pools: list[int], challenges: int, batches: int) -> int | None:
    """How many people it takes: nobody meets a pair twice, nor a challenge."""
    # A pair that meets again in a later round is asked of somebody else.
    again = 2 if study.mode == Study.Mode.CROWD and any(size > study.final_size for size in pools) else 1
    needed = study.judgments_per_pair * again
    if challenges and study.batch_challenges:
        each = challenges // study.batch_challenges
        return max(needed, ceil(batches / each)) if each else None
    return needed


def _warnings(study: Study, stock: overview.Stock, challenges: int) -> list[str]:
    """What may go wrong, a sentence each with what to do."""
    warnings = []
    what = "picture" if study.kind == Study.Kind.IMAGE else "text"
    if stock.bare_candidates:
        warnings.append(
            f"{count(stock.bare_candidates, 'candidate')} of {sum(stock.pools):,} "
            f"{'has' if stock.bare_candidates == 1 else 'have'} no {what}: an assessor would see a docno "
            "only. Load what is missing first: items stand still once judging is open."
        )
    if stock.short:
        warnings.append(
            f"{count(len(stock.short), 'topic')} with fewer than two candidates, where nothing will be "
            f"asked: {listed(stock.short)}."
        )
    if not study.batch_challenges:
        warnings.append(
            "The settings ask for no challenges: no answer is checked, and somebody who chooses at random "
            "counts like everybody else."
        )
    elif not challenges:
        warnings.append(
            "There are no challenges, and no topic has both a graded item above 0 and one graded 0 to make "
            "them from: no answer is checked, and somebody who chooses at random counts like everybody "
            "else. Load challenges to change that."
        )
    elif challenges < study.batch_challenges:
        warnings.append(
            f"A batch needs {study.batch_challenges} challenges and there will be {challenges}, so nobody "
            "can get a batch. Load more, or ask for fewer in the settings."
        )
    return warnings


@for_organizers
@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest, study: Study) -> HttpResponse:
    """Say what opening a study will ask for; on POST open it, and ask the first rounds aside."""
    refused = ""
    if request.method == "POST":
        try:
            opened = services.start(study.pk)
        except services.CannotStart as error:
            refused = str(error)
        else:
            run_aside(jobs.sweep)
            messages.success(
                request, f"Judging is open: the first rounds of {count(opened, 'topic')} are being asked now."
            )
            return redirect("topics", study.slug)
    context = {"study": study, "tab": "study", "plan": plan(study), "refused": refused}
    return render(request, "organizer/opening.html", context, status=409 if refused else 200)
