"""Who answers, in which sitting, and the ledger of what they answered."""

from django.db import models
from django.db.models import Exists, OuterRef, Q

from collection.models import Study
from judging.models.asking import Choice, Question


class Assessor(models.Model):
    """A person who judges for one study, known only by what their panel calls them.

    For invited people `reference` is the secret of their link. For imported judgments it names the file
    and a number in it; `label` is the id (of 200 characters at most) that stood there.
    """

    study = models.ForeignKey(Study, models.PROTECT, related_name="assessors")
    panel = models.CharField(max_length=20)
    reference = models.CharField(max_length=200)
    label = models.CharField(max_length=220, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    excluded_at = models.DateTimeField(null=True, blank=True)
    excluded_why = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "panel", "reference"], name="assessor_once"),
        ]
        indexes = [models.Index(fields=["panel", "reference"], name="assessor_by_reference")]


class Slot(models.Model):
    """A place for one sitting, published on a panel. Slots are interchangeable: they hold no questions."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="slots")
    panel = models.CharField(max_length=20)
    source = models.CharField(max_length=200, blank=True)  # the file that imported judgments came from
    created_at = models.DateTimeField(auto_now_add=True)


class Assignment(models.Model):
    """One slot taken by one assessor: their batch, its deadline, its verdict."""

    class State(models.TextChoices):
        WORKING = "working", "being judged"
        KEPT = "kept", "kept"
        DISCARDED = "discarded", "discarded"
        LAPSED = "lapsed", "not finished in time"

    slot = models.ForeignKey(Slot, models.PROTECT, related_name="assignments")
    assessor = models.ForeignKey(Assessor, models.PROTECT, related_name="assignments")
    state = models.CharField(max_length=12, choices=State, default=State.WORKING)
    opened_at = models.DateTimeField()
    consented_at = models.DateTimeField(null=True, blank=True)
    deadline = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True, blank=True)
    challenges_wrong = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            # A slot that was given up may be taken again, but one person at a time holds it.
            models.UniqueConstraint(
                fields=["slot"], condition=~Q(state="lapsed"), name="assignment_slot_held_once"
            ),
            models.UniqueConstraint(
                fields=["assessor"], condition=Q(state="working"), name="assignment_one_open_per_assessor"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["working", "lapsed"]) | Q(submitted_at__isnull=False),
                name="assignment_verdict_after_submission",
            ),
        ]
        indexes = [
            models.Index(fields=["deadline"], condition=Q(state="working"), name="assignment_overdue"),
        ]


class BatchQuestion(models.Model):
    """A question's place in a batch, and which of its items stands left there."""

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="batch")
    assessor = models.ForeignKey(Assessor, models.PROTECT, related_name="+")
    question = models.ForeignKey(Question, models.PROTECT, related_name="batches")
    position = models.PositiveSmallIntegerField()
    a_left = models.BooleanField()
    challenge = models.BooleanField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["assignment", "position"], name="batch_position_once"),
            # No question is asked of the same assessor twice, in whatever batch.
            models.UniqueConstraint(fields=["assessor", "question"], name="batch_never_asked_twice"),
        ]


class JudgmentQuerySet(models.QuerySet["Judgment"]):
    """Which rows of the ledger count. Every derived number starts from one of these."""

    def current(self) -> "JudgmentQuerySet":
        """Leaves out answers that their assessor corrected before submitting."""
        later = Judgment.objects.filter(
            assignment=OuterRef("assignment"),
            question=OuterRef("question"),
            revision__gt=OuterRef("revision"),
        )
        return self.filter(~Exists(later))

    def counting(self) -> "JudgmentQuerySet":
        """What scores are made of: answers of batches kept or still being judged; no challenges."""
        return self.current().filter(
            challenge=False,
            assignment__state__in=[Assignment.State.WORKING, Assignment.State.KEPT],
            assignment__assessor__excluded_at=None,
        )

    def settled(self) -> "JudgmentQuerySet":
        """What tournaments are decided by: answers of batches that were submitted and kept."""
        return self.counting().filter(assignment__state=Assignment.State.KEPT)


class Judgment(models.Model):
    """One answer: a row of the ledger. Rows are added, never changed or removed (a trigger sees to it).

    A correction is another row with the next revision; the highest revision is the answer.
    """

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="judgments")
    question = models.ForeignKey(Question, models.PROTECT, related_name="judgments")
    revision = models.PositiveSmallIntegerField(default=0)
    choice = models.PositiveSmallIntegerField(choices=Choice)
    strength = models.PositiveSmallIntegerField(default=1)  # 2 where the assessor said "definitely"
    a_left = models.BooleanField(null=True)  # unknown for files that do not say
    challenge = models.BooleanField(default=False)
    seconds = models.FloatField(null=True, blank=True)
    nonce = models.CharField(max_length=40, null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = JudgmentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "question", "revision"], name="judgment_revision_once"
            ),
            models.UniqueConstraint(fields=["assignment", "nonce"], name="judgment_nonce_once"),
            models.CheckConstraint(condition=Q(choice__in=[0, 1, 2]), name="judgment_choice_known"),
            models.CheckConstraint(
                condition=Q(seconds=None) | Q(seconds__gte=0), name="judgment_seconds_not_negative"
            ),
        ]
