"""Batches that a study still needs, for progress, campaigns, opening and the command."""

from collections.abc import Collection
from dataclasses import dataclass

from collection.models import Study
from judging.questions import challenges, grading
from judging.questions.asking import task_of
from panels.models import Campaign
from panels.recruitment.cost_estimate import with_repeats
from panels.recruitment.standstill import places_out, without_places
from tournament.remaining_work import batches_of, left, open_batches, other_batches, total
from web.forecast import concerns
from web.forecast.grading_cost import forecast
from web.forecast.outlook import outlook
from web.shared.phrases import count


@dataclass(frozen=True)
class Needed:
    """Batches that a study is expected to need until all its tasks end.

    open: of open topics. further: of topics that are not open yet. judgments: of all tournaments; others:
    batches of tasks without one. checked: whether batches hold challenges; without them no answer is checked,
    and no batch fails. concerns: about these challenges.
    """

    open: int
    further: int
    judgments: int
    others: int
    checked: bool
    concerns: list[str]

    @property
    def batches(self) -> int:
        """All of them."""
        return self.open + self.further

    @property
    def with_failing(self) -> int:
        """All of them, with those that fail their challenges and are asked again."""
        return with_repeats(self.batches, checked=self.checked)

    def places(self, out: int) -> int:
        """Count the places that a study can still use: with those that fail, without those that are out."""
        return max(0, self.with_failing - out)

    @property
    def said(self) -> str:
        """The parts as a sentence."""
        if not self.further:
            return f"The study is expected to need {count(self.batches, 'batch')} more to the end."
        if not self.open:
            return (
                f"The study is expected to need {count(self.batches, 'batch')}, "
                "all of topics that are not open yet."
            )
        return (
            f"The study is expected to need {count(self.batches, 'batch')} more to the end: {self.open:,} of "
            f"topics that are open, and {self.further:,} of those that are not open yet."
        )


def needed(study: Study) -> Needed:
    """Count the batches that a study still needs. Cost grows with its topics."""
    task = task_of(study)
    further = outlook(study)
    graded = 0 if study.opened_at else sum(forecast(one).batches for one in grading.tasks_of(study))
    known = challenges.count(task) if study.opened_at else further.challenges
    begun, others = total(left(study)).about, other_batches(study)
    return Needed(
        open=batches_of(study, begun) + others,
        further=further.batches.about + graded,
        judgments=begun + further.judgments.about,
        others=others + graded,
        checked=bool(task.batch_challenges and known),
        concerns=concerns.challenges(study, task, known),
    )


def has_enough_places(study: Study) -> bool:
    """Whether places are out that are enough to finish a study, as `needed` says.

    Cost grows with the topics that are open and not done; while the places are enough for these, also with
    those that are not open.
    """
    if not (out := places_out(study)):
        return False
    task = task_of(study)
    checked = bool(task.batch_challenges and challenges.count(task))
    if with_repeats(open_batches(study), checked=checked) > out:
        return False
    return not study.topics.filter(opened_at=None).exists() or not needed(study).places(out)


def short_of_places(study: Study, still: Collection[int] = ()) -> list[tuple[Campaign, int]]:
    """Return the campaigns `without_places`; none while the places that are out are enough to finish."""
    found = without_places(study, still)
    return [] if not found or has_enough_places(study) else found
