"""Assessors and their batches, and the ledger of their answers."""

from functools import cached_property
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Case, Exists, OuterRef, Q, When
from django.utils.translation import gettext_noop

from collection.models import Study, Topic
from judging.models.questions import Question, Task
from judging.tasks.aspects import LONGEST_REMARK, SALT

# The panel of people whose judgments were loaded from files.
FROM_FILES = "import"


class Assessor(models.Model):
    """A person who judges for one study, known only by their panel's reference.

    For invited people `reference` is the secret of their link. For imported judgments it names the file
    and a number in it, and `label` is the assessor's label in that file (200 characters at most).
    user: the account of somebody who logs in to judge, whether or not they have a personal link as well.
    `excluded_at` and `excluded_why` are a cache of the last decision to exclude the person or let them in;
    so is `paused_at` of the last to give them no new batch for a while, or to go on.
    """

    study = models.ForeignKey(Study, models.PROTECT, related_name="assessors", db_index=False)
    panel = models.CharField(max_length=20)
    reference = models.CharField(max_length=200)
    label = models.CharField(max_length=220, blank=True)
    # Joined by the study's open link, as anybody may who has it.
    by_link = models.BooleanField(default=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="assessors",
        db_index=False,
    )
    created_at = models.DateTimeField(auto_now_add=True)
    excluded_at = models.DateTimeField(null=True, blank=True)
    excluded_why = models.CharField(max_length=200, blank=True)
    paused_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "panel", "reference"], name="assessor_once"),
            models.UniqueConstraint(
                fields=["user", "study"], condition=Q(user__isnull=False), name="assessor_once_by_account"
            ),
        ]
        indexes = [models.Index(fields=["panel", "reference"], name="assessor_by_reference")]

    @cached_property
    def tasks(self) -> list[Task]:
        """The tasks of the study, in their order. One query, none after `statements.person`."""
        return list(Task.objects.filter(study=self.study_id).order_by("position"))

    @cached_property
    def latest(self) -> "Assignment | None":
        """Their open batch, else the one they took last, as it was when this was first asked.

        One query, none after `statements.person`.
        """
        own = Assignment.objects.select_related("task").filter(assessor=self)
        return own.order_by(Case(When(state__in=OPEN, then=0), default=1), "-pk").first()


class Assignment(models.Model):
    """A batch of one task for one assessor: its deadline, its state.

    `state` is a cache of the decisions about the batch and its assessor. A panel that confirms sittings
    by itself leaves a batch submitted until it has done so. `withdrawn` counts its questions with a row of
    `Withdrawal` or of `Decline`: where it is not 0, answers take the plain way.
    A batch whose time ran out is kept for what was answered, and `submitted_at` stays empty.
    patience: minutes without an answer that its longest question takes to read twice, 0 where these are few.
    Of a batch that was reopened, `first_deadline` and `first_submitted_at` are what was sealed of it.
    """

    class State(models.TextChoices):
        WORKING = "working", "being judged"
        # What has no answer yet was given to others; coming back goes on with what is still free.
        IDLE = "idle", "away"
        SUBMITTED = "submitted", "submitted, not confirmed"
        KEPT = "kept", "kept"
        DISCARDED = "discarded", "discarded"
        LAPSED = "lapsed", "not finished in time"
        # Of recorded judgments until their file is loaded whole, and for ever if it never is.
        LOADING = "loading", "being loaded"

    assessor = models.ForeignKey(Assessor, models.PROTECT, related_name="assignments")
    task = models.ForeignKey(Task, models.PROTECT, related_name="+", db_index=False)
    state = models.CharField(max_length=12, choices=State, default=State.WORKING)
    opened_at = models.DateTimeField()
    consented_at = models.DateTimeField(null=True, blank=True)
    deadline = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True, blank=True)
    first_deadline = models.DateTimeField(null=True, blank=True)
    first_submitted_at = models.DateTimeField(null=True, blank=True)
    challenges_wrong = models.PositiveSmallIntegerField(null=True, blank=True)
    withdrawn = models.PositiveSmallIntegerField(default=0, db_default=0)
    # Raised when a panel's address is opened anew: forms of an older page are refused. 0 where all are taken.
    visit = models.PositiveIntegerField(default=0, db_default=0)
    patience = models.PositiveSmallIntegerField(default=0, db_default=0)
    # Of the task's texts, as its assessor saw them; empty for batches from before versions were kept, and
    # for imported judgments.
    version = models.PositiveSmallIntegerField(null=True, blank=True)
    # The file that recorded judgments came from.
    source = models.CharField(max_length=200, blank=True, default="", db_default="")
    # A number that was sealed with batches of older versions, and means nothing any more.
    sealed_slot = models.BigIntegerField(null=True, blank=True, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assessor"],
                condition=Q(state__in=["working", "idle"]),
                name="assignment_one_open_per_assessor",
            ),
            models.CheckConstraint(
                condition=~Q(state="submitted") | Q(submitted_at__isnull=False),
                name="assignment_submitted_at_a_time",
            ),
        ]
        indexes = [
            # The batches of a day are counted where a study limits them.
            models.Index(fields=["opened_at"], condition=Q(source=""), name="assignment_of_a_day"),
            models.Index(
                fields=["deadline"], condition=Q(state__in=["working", "idle"]), name="assignment_overdue"
            ),
            # Few, however large the ledger: what is provisional is counted from these.
            models.Index(
                fields=["assessor"],
                condition=Q(state__in=["working", "idle", "submitted"]),
                name="assignment_undecided",
            ),
        ]

    @property
    def idle_minutes(self) -> int:
        """Minutes without an answer after which questions go to others."""
        return max(self.task.idle_minutes, self.patience)


# States of batches that take answers until their deadline; an answer to an idle one resumes it.
OPEN = (Assignment.State.WORKING, Assignment.State.IDLE)
# States of batches that wait for their verdict: their answers may yet be discarded.
UNDECIDED = (*OPEN, Assignment.State.SUBMITTED)
# States whose answers count: for the leaderboard at once, for tournaments when the batch is kept.
COUNTING = (*UNDECIDED, Assignment.State.KEPT)


class QuestionRole(models.TextChoices):
    """What a question is in a batch for: only answers to questions that count reach scores and tournaments.

    The values stand in written SQL too.
    """

    COUNTS = "counts", "counts"
    CHALLENGE = "challenge", "has a known answer"
    REPEAT = "repeat", "asked again, to see if the answer is the same"


class BatchQuestion(models.Model):
    """A question's position in a batch, and the order in which its subjects are shown there."""

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="batch", db_index=False)
    assessor = models.ForeignKey(Assessor, models.PROTECT, related_name="+", db_index=False)
    question = models.ForeignKey(Question, models.PROTECT, related_name="batches")
    position = models.PositiveSmallIntegerField()
    # Positions of the subjects as they stand on the page, from left to right: "10" shows the second one left.
    shown = models.CharField(max_length=9)
    role = models.CharField(max_length=9, choices=QuestionRole)
    # A challenge's known answer when the batch was drawn: a verdict does not change with it.
    expected = models.JSONField(null=True, blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["assignment", "position"], name="batch_position_once"),
            # No question is asked of the same assessor twice, in whatever batch.
            models.UniqueConstraint(fields=["assessor", "question"], name="batch_never_asked_twice"),
            models.CheckConstraint(condition=Q(role__in=QuestionRole.values), name="batch_role_is_known"),
            # A challenge has a known answer, and nothing else has one.
            models.CheckConstraint(
                condition=Q(role=QuestionRole.CHALLENGE, expected__isnull=False)
                | (~Q(role=QuestionRole.CHALLENGE) & Q(expected__isnull=True)),
                name="batch_challenge_has_an_answer",
            ),
        ]


class Withdrawal(models.Model):
    """A question of a batch that others were given while its assessor was away: it is asked of them no more.

    Rows are only ever added (a trigger enforces it), before the batch is closed.
    """

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="gone", db_index=False)
    question = models.ForeignKey(Question, models.PROTECT, related_name="+", db_index=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "question"], name="withdrawn_once"),
        ]


class Decline(models.Model):
    """A question of a batch that its assessor said they cannot judge, and why.

    The question then needs no answer, and is held no more. It can be answered after all while the batch is
    open and nobody else has the question; the answer counts then, and this row stays. Another reason is
    another row, and the last one stands. Rows are only ever added (a trigger enforces it), before the batch
    is closed.
    revision: of the judgment that withdraws the answer that the question had; 0 if it had none.
    """

    class Reason(models.TextChoices):
        BROKEN = "broken", gettext_noop("It is broken, or cannot be read")
        OFFENSIVE = "offensive", gettext_noop("It is offensive")
        LANGUAGE = "language", gettext_noop("It is in a language that I do not read")
        ALIKE = "alike", gettext_noop("They are too much alike")
        UNKNOWN = "unknown", gettext_noop("I know nothing of the subject")
        OTHER = "other", gettext_noop("Something else")

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="declined", db_index=False)
    question = models.ForeignKey(Question, models.PROTECT, related_name="declined")
    reason = models.CharField(max_length=12, choices=Reason)
    note = models.CharField(max_length=300, blank=True)
    revision = models.PositiveSmallIntegerField(default=0, db_default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [
            models.Index(fields=["assignment", "question"], name="declined_of_a_batch"),
        ]


def is_first() -> Q:
    """Condition of the first rows of answers that stand: one for each answer, and no correction is looked
    for.
    """
    later = Judgment.objects.filter(
        assignment=OuterRef("assignment"), question=OuterRef("question"), revision__gt=OuterRef("revision")
    )
    withdrawn = Judgment.objects.filter(
        ~Exists(later), assignment=OuterRef("assignment"), question=OuterRef("question"), value__isnull=True
    )
    return Q(revision=0) & ~Q(Exists(withdrawn))


class JudgmentQuerySet(models.QuerySet["Judgment"]):
    """Selections of the ledger's rows that count; every derived number starts from one of them."""

    def current(self) -> "JudgmentQuerySet":
        """Leave out answers that their assessor corrected or withdrew before submitting."""
        later = Judgment.objects.filter(
            assignment=OuterRef("assignment"),
            question=OuterRef("question"),
            revision__gt=OuterRef("revision"),
        )
        return self.filter(~Exists(later), value__isnull=False)

    def last_given(self) -> "JudgmentQuerySet":
        """The last answer to each question, withdrawn since or not: challenges are checked by it."""
        later = Judgment.objects.filter(
            assignment=OuterRef("assignment"),
            question=OuterRef("question"),
            revision__gt=OuterRef("revision"),
            value__isnull=False,
        )
        return self.filter(~Exists(later), value__isnull=False)

    def first_rows(self) -> "JudgmentQuerySet":
        """First rows of the answers that `current` selects: as many, and no correction is looked for."""
        return self.filter(is_first())

    def counting(self) -> "JudgmentQuerySet":
        """Answers that scores are made from: of batches kept or still being judged; no challenges."""
        return self.current().filter(
            role=QuestionRole.COUNTS, assignment__state__in=COUNTING, assignment__assessor__excluded_at=None
        )

    def counting_first(self) -> "JudgmentQuerySet":
        """First rows of the answers that `counting` selects: as many, and no correction is looked for."""
        return self.first_rows().filter(
            role=QuestionRole.COUNTS, assignment__state__in=COUNTING, assignment__assessor__excluded_at=None
        )

    def provisional(self) -> "JudgmentQuerySet":
        """Rows of batches that wait for their verdict, corrected and withdrawn answers too; no challenges.

        While a topic's revision stays the same, rows are only added to these: whatever else happens to a
        batch or its assessor raises it.
        """
        return self.filter(
            role=QuestionRole.COUNTS, assignment__state__in=UNDECIDED, assignment__assessor__excluded_at=None
        )

    def settled(self) -> "JudgmentQuerySet":
        """Answers that decide tournaments: of batches that were submitted and kept."""
        return self.counting().filter(assignment__state=Assignment.State.KEPT)

    def settled_first(self) -> "JudgmentQuerySet":
        """First rows of the answers that `settled` selects: as many, and no correction is looked for."""
        return self.counting_first().filter(assignment__state=Assignment.State.KEPT)


class Judgment(models.Model):
    """One answer as it was given: a row of the ledger, only ever added (a trigger enforces it).

    value: what the assessor answered, in terms of the order on the page; the task's kind checks and reads it.
    details: in terms of that order too.
    seconds, away: since the question's earlier answer, if there is one: a correction's are its own.
    shown: that order, as in the batch; empty if a file does not give it, and the value is then in terms of
    the subjects. role: as in the batch.
    A correction is another row with the next revision; the highest revision is the answer. A row without a
    value withdraws the answer before it: its assessor cannot judge the question (`Decline` has the reason).
    """

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="judgments", db_index=False)
    question = models.ForeignKey(Question, models.PROTECT, related_name="judgments", db_index=False)
    topic = models.ForeignKey(Topic, models.PROTECT, related_name="+")
    revision = models.PositiveSmallIntegerField(default=0)
    value: "models.JSONField[Any, Any]" = models.JSONField(null=True, blank=True)
    shown = models.CharField(max_length=9, blank=True)
    role = models.CharField(max_length=9, choices=QuestionRole, default=QuestionRole.COUNTS)
    seconds = models.FloatField(null=True, blank=True)  # in view
    away = models.FloatField(null=True, blank=True)  # seconds with the page hidden
    # Of each passage or picture, in the order of the page, the percent that came into view; None: not told.
    seen = models.CharField(max_length=40, null=True, blank=True)
    nonce = models.CharField(max_length=40, null=True, blank=True)
    # How it was given (`judging.paradata`); None: not told.
    paradata = models.JSONField(null=True, blank=True)
    # What the answer says of aspects and reasons (`judging.tasks.aspects`), and the hash of `remark`.
    details = models.JSONField(null=True, blank=True)
    # A sentence, behind some random letters. Alone of all columns it can be erased.
    remark = models.CharField(max_length=SALT + LONGEST_REMARK, null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = JudgmentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "question", "revision"], name="judgment_revision_once"
            ),
            models.UniqueConstraint(fields=["assignment", "nonce"], name="judgment_nonce_once"),
            models.CheckConstraint(condition=Q(role__in=QuestionRole.values), name="judgment_role_is_known"),
            models.CheckConstraint(
                condition=(Q(seconds=None) | Q(seconds__gte=0)) & (Q(away=None) | Q(away__gte=0)),
                name="judgment_seconds_not_negative",
            ),
            # Its hash stands in `details`.
            models.CheckConstraint(
                condition=Q(remark=None) | Q(details__isnull=False), name="judgment_remark_is_sealed"
            ),
            # Only an answer is withdrawn, and the row that does it says nothing else.
            models.CheckConstraint(
                condition=Q(value__isnull=False)
                | Q(revision__gt=0, seconds=None, seen=None, paradata__isnull=True, details__isnull=True),
                name="judgment_withdraws_an_answer",
            ),
        ]
        indexes = [
            # Few: looked for wherever answers are counted by their first rows.
            models.Index(
                fields=["assignment", "question"],
                condition=Q(value__isnull=True),
                name="judgment_withdrawn",
            ),
        ]
