"""Tasks, the questions that can be asked in them, and what each question is about."""

from dataclasses import asdict
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from collection.models import Item, Run, Study, Topic
from judging.tasks import KINDS, TaskKind


class Task(models.Model):
    """One way in which a study asks: the kind of question, its wording and scale, and how batches are made.

    kind: a key of `judging.tasks.KINDS`. scale: one of that kind's scales. Challenges are questions of the
    task with a known answer; a batch with more than `wrong_allowed` of them wrong is discarded.
    failing: whether the first such batch ends their part, or the second, after a warning.
    repeats: how many questions of a batch are asked once more in it, the other way round: their answers tell
    how consistent people are with themselves, and count nowhere else.
    minutes: how long a batch may take in all. idle_minutes: how long without an answer, before what is
    still to be answered goes to others. confirm_hasty: whether an answer that came faster than anyone can
    read is asked about once before it is sent (`judging.questions.reading_time`). tell_agreement: whether
    people read after each batch how often others answered alike.

    version: the number of its texts as they are now; consent_version: since which version what people agree
    to is the same. `judging.questions.texts` keeps both. examples: questions shown with their answer and the
    reason, as `judging.batches.examples` reads them.

    settings: name -> value, declared by the kind. Read them by `settings_of_kind`; `clean` adds missing ones.
    """

    class Failing(models.TextChoices):
        STOP = "stop", "Not asked again at once"
        WARN = "warn", "Warned once, then not asked again"

    study = models.ForeignKey(Study, models.PROTECT, related_name="tasks")
    position = models.PositiveSmallIntegerField(default=1)
    kind = models.CharField(max_length=20, default="pair")
    wording = models.CharField(max_length=300, default="Which one answers the question better?")
    scale = models.CharField(max_length=12, default="3")
    instructions = models.TextField(blank=True)
    consent = models.TextField(blank=True)
    batch_size = models.PositiveSmallIntegerField(
        default=10, validators=[MinValueValidator(1), MaxValueValidator(50)]
    )
    batch_challenges = models.PositiveSmallIntegerField(default=3, validators=[MaxValueValidator(20)])
    wrong_allowed = models.PositiveSmallIntegerField(default=0)
    repeats = models.PositiveSmallIntegerField(default=0, db_default=0, validators=[MaxValueValidator(10)])
    failing = models.CharField(max_length=4, choices=Failing, default=Failing.STOP)
    minutes = models.PositiveSmallIntegerField(
        default=60, validators=[MinValueValidator(5), MaxValueValidator(7 * 24 * 60)]
    )
    idle_minutes = models.PositiveSmallIntegerField(
        default=15, validators=[MinValueValidator(2), MaxValueValidator(240)]
    )
    confirm_hasty = models.BooleanField(default=False, db_default=False)
    tell_agreement = models.BooleanField(default=False, db_default=False)
    settings = models.JSONField(default=dict, blank=True)
    examples = models.JSONField(default=list, blank=True)
    version = models.PositiveSmallIntegerField(default=1, db_default=1)
    consent_version = models.PositiveSmallIntegerField(default=1, db_default=1)
    # Derived from the answers, short ones and all: `judging.questions.expected_time`.
    measured_seconds = models.FloatField(null=True, blank=True, editable=False)
    average_seconds = models.FloatField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["study", "position"], name="task_position_once"),
            models.CheckConstraint(condition=Q(batch_size__gte=1), name="task_batch_has_questions"),
            # Otherwise every batch would pass. Without challenges nothing can be wrong.
            models.CheckConstraint(
                condition=Q(batch_challenges=0) | Q(wrong_allowed__lt=F("batch_challenges")),
                name="task_challenges_can_fail",
            ),
        ]

    @property
    def way(self) -> TaskKind:
        """The `TaskKind` of this kind."""
        return KINDS[self.kind]

    @property
    def settings_of_kind(self) -> Any:
        """Its settings as its kind declares them, such as a `judging.tasks.grade.GradeSettings`."""
        return self.way.settings.read(self.settings)

    @property
    def allows_ties(self) -> bool:
        """Whether an assessor may say that neither is better."""
        return self.way.allows_tie(self.scale)

    def clean(self) -> None:
        """Check the kind and its settings, and those that depend on each other; fill in what is left out."""
        if self.kind not in KINDS:
            raise ValidationError({"kind": f"There is no kind of task {self.kind!r}."})
        if self.scale not in self.way.scales:
            raise ValidationError({"scale": f"A task of the kind {self.kind} has no scale {self.scale!r}."})
        self.settings = asdict(self.way.checked(self.settings, self.scale))
        if self.repeats and not self.way.repeatable:
            raise ValidationError({"repeats": "Grades are not asked again. Choose 0."})
        if self.repeats and self.batch_size and self.repeats > self.batch_size:
            raise ValidationError(
                {
                    "repeats": f"Of {self.batch_size} questions in a batch, {self.repeats} cannot be asked "
                    "again. Choose fewer, or larger batches."
                }
            )
        if self.minutes and self.idle_minutes and self.idle_minutes > self.minutes:
            raise ValidationError(
                {
                    "idle_minutes": f"A batch ends after {self.minutes} minutes, so it cannot wait "
                    f"{self.idle_minutes} minutes for an answer. Choose at most {self.minutes}."
                }
            )
        challenges, wrong = self.batch_challenges, self.wrong_allowed
        if challenges and wrong is not None and wrong >= challenges:
            raise ValidationError(
                {
                    "wrong_allowed": f"If {wrong} of {challenges} challenges may be wrong, "
                    "every batch passes. Allow fewer."
                }
            )


class QuestionManager(models.Manager["Question"]):
    """Questions as tournaments and organizers know them: no rows under which they are asked again."""

    def get_queryset(self) -> models.QuerySet["Question"]:
        return super().get_queryset().filter(again=False)


class Question(models.Model):
    """What an assessor can be asked in a task: its subjects on a topic; a known answer makes it a challenge.

    `key` holds the ids of the subjects in their order, so that one question is stored once and can be
    read without its subjects. `wanted` is how many kept answers the tournament asks for, `taken` how many
    are kept or being judged; a question is handed out while taken < wanted and it is not set aside.
    `least_wanted` is how many an organizer asked for, whatever the tournament does.

    again: a further row for a question (the same topic, task and key), under which batches ask it once more.
    It is wanted by nothing, so `wanted` and `taken` stay 0; `objects` leaves such rows out.
    """

    study = models.ForeignKey(Study, models.PROTECT, related_name="+", db_index=False)
    topic = models.ForeignKey(Topic, models.PROTECT, related_name="questions", db_index=False)
    task = models.ForeignKey(Task, models.PROTECT, related_name="questions", db_index=False)
    key = models.CharField(max_length=200)
    # In terms of the subjects, whatever their order on a page; the task's kind says what it may be.
    expected = models.JSONField(null=True, blank=True)
    # A random number in [0, 1) by which challenges are drawn without reading all of them.
    draw_key = models.FloatField(null=True, blank=True)
    # Since when nobody is asked it any more, and as a challenge it counts for no verdict; a cache of the
    # decision about it.
    set_aside_at = models.DateTimeField(null=True, blank=True)
    wanted = models.PositiveSmallIntegerField(default=0)
    taken = models.PositiveSmallIntegerField(default=0)
    least_wanted = models.PositiveSmallIntegerField(default=0, db_default=0)
    again = models.BooleanField(default=False, db_default=False)

    objects = QuestionManager()
    every = models.Manager["Question"]()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["topic", "task", "key", "again"], name="question_once"),
            models.CheckConstraint(
                condition=Q(expected__isnull=True) | Q(draw_key__isnull=False), name="challenge_can_be_drawn"
            ),
        ]
        indexes = [
            # Drawing a batch reads only open questions, which are few even in a large study.
            models.Index(fields=["task", "id"], condition=Q(taken__lt=F("wanted")), name="question_open"),
            models.Index(
                fields=["task", "draw_key"],
                condition=Q(expected__isnull=False, set_aside_at=None),
                name="question_challenge",
            ),
            models.Index(
                fields=["topic", "draw_key"],
                condition=Q(expected__isnull=False, set_aside_at=None),
                name="question_challenge_of_topic",
            ),
            # Few: those that a topic's tournament goes on without.
            models.Index(
                fields=["topic"], condition=Q(set_aside_at__isnull=False), name="question_set_aside"
            ),
        ]

    @property
    def subject_ids(self) -> tuple[int, ...]:
        """Ids of the items (or runs) it is about, in their order."""
        return tuple(map(int, self.key.split()))


def question_key(subjects: tuple[int, ...]) -> str:
    """Key of the question about these subjects (ids, in the order that the task's kind gives them)."""
    return " ".join(map(str, subjects))


class Subject(models.Model):
    """An item or a run that a question is about, at its position from 0 on."""

    question = models.ForeignKey(Question, models.CASCADE, related_name="subjects", db_index=False)
    position = models.PositiveSmallIntegerField()
    item = models.ForeignKey(Item, models.PROTECT, null=True, blank=True, related_name="+")
    run = models.ForeignKey(Run, models.PROTECT, null=True, blank=True, related_name="+", db_index=False)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["question", "position"], name="subject_position_once"),
            models.CheckConstraint(
                condition=Q(item__isnull=False, run=None) | Q(item=None, run__isnull=False),
                name="subject_is_item_or_run",
            ),
        ]
        indexes = [
            # Looked into when a run is replaced; most questions are about items.
            models.Index(fields=["run"], condition=Q(run__isnull=False), name="subject_run")
        ]
