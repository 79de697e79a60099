"""Cost of judgments: hours of assessors, and rewards."""

from dataclasses import dataclass, replace
from decimal import Decimal
from math import ceil

from collection.models import Study
from judging.models import Task
from judging.questions import challenges, expected_time
from judging.questions.asking import task_of
from panels.models import Campaign


@dataclass(frozen=True)
class Cost:
    """The cost of judgments in hours, including challenges and questions asked again, and in rewards.

    challenges: in each batch. seconds: typical time of an answer. reward: pay of a batch in the study's last
    campaign, without fees, in its currency; None without a campaign.
    """

    task: Task
    challenges: int
    seconds: float
    reward: Decimal | None = None
    currency: str = ""
    campaign: str = ""

    def hours(self, judgments: int) -> float:
        """Return the hours of all assessors together."""
        return round(expected_time.hours(self.task, judgments, self.seconds, self.challenges), 1)

    def pay(self, judgments: int) -> str:
        """Return the rewards of the batches needed, with the currency; "" if the reward is not known."""
        if self.reward is None:
            return ""
        return f"{ceil(judgments / self.task.batch_size) * self.reward:,.2f} {self.currency}"


def cost_of(study: Study) -> Cost:
    """Return the cost of judgments of a study."""
    task = task_of(study)
    each = challenges.in_batch(task, challenges.count(task))
    given = Cost(task, each, expected_time.typical_seconds(task, study))
    last = Campaign.objects.filter(study=study, reward__gt=0).order_by("-number").first()
    if last is None:
        return given
    return replace(given, reward=last.reward, currency=last.currency, campaign=last.name)
