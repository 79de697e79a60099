"""Offers: the next batch, described before it begins; reserves nothing."""

from dataclasses import dataclass

from collection.models import Study
from judging.batches import drawing
from judging.models import Assessor, Task
from judging.questions import expected_time
from judging.questions.expected_time import LONG, Expected


@dataclass(frozen=True)
class Offer:
    """The next batch: how many questions, whether some have known answers, and its expected time."""

    questions: int
    challenged: bool
    expected: Expected
    task: Task

    @property
    def minutes(self) -> int:
        """Minutes that the batch is expected to take."""
        return self.expected.minutes

    @property
    def long(self) -> int:
        """Minutes of its longest question; 0 if none is long."""
        return expected_time.minutes(self.expected.longest) if self.expected.longest >= LONG else 0

    @property
    def limit(self) -> int:
        """Minutes until the batch closes."""
        return self.expected.limit(self.task)

    @property
    def idle(self) -> int:
        """Idle minutes after which a batch's questions are reassigned; 0 if its deadline comes first."""
        idle = max(self.task.idle_minutes, self.expected.patience)
        return idle if idle < self.limit else 0


def offer(study: Study, assessor: Assessor | None = None, topic: int | None = None) -> Offer | None:
    """Describe the batch that `answering.arrive` would open now; None if there is none.

    Without an assessor: for somebody new. Reserves nothing, so somebody else may be faster.
    """
    for task in assessor.tasks if assessor else Task.objects.filter(study=study):
        free, challenges = drawing.at_hand(task, assessor, topic)
        if free:
            questions = free + challenges + min(task.repeats, free)
            shown = drawing.shown_waiting(task, study, assessor, topic).values()
            expected = expected_time.batch_from(task, study, shown, questions)
            return Offer(questions, challenges > 0, expected, task)
    return None
