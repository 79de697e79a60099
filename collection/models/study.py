"""Studies: kind, seed and state."""

import re
import secrets
from typing import NamedTuple

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone


def link_token() -> str:
    """128 random bits for a secret address."""
    return secrets.token_urlsafe(16)


def study_seed() -> str:
    """A new seed, stored with the study so that every draw can be repeated."""
    return secrets.token_hex(8)


class Words(NamedTuple):
    """Nouns for topics, runs and items."""

    topic: str
    topics: str
    run: str
    runs: str
    item: str
    items: str

    def count_topics(self, number: int) -> str:
        """Return a number with the noun for topics: "1 topic", "60 prompts"."""
        return f"{number:,} {self.topic if number == 1 else self.topics}"

    def put_in(self, text: str) -> str:
        """Return a sentence of the product, which speaks of topics, runs and items, with these nouns.

        Not for texts of people: it replaces whole words.
        """
        if self is WORDS["rankings"]:
            return text
        nouns = dict(zip(WORDS["rankings"], self, strict=True))

        def noun(found: re.Match[str]) -> str:
            own = nouns[found[0].lower()]
            return own.capitalize() if found[0][0].isupper() else own

        return re.sub(rf"\b({'|'.join(nouns)})\b", noun, text, flags=re.IGNORECASE)

    def counted_in(self, summary: str) -> str:
        """Return a summary of a loaded file, which counts topics, runs and items, by these nouns."""
        for usual, own in zip(WORDS["rankings"], self, strict=True):
            summary = re.sub(rf"(?<=\d ){usual}\b", own, summary)
        return summary


WORDS = {
    "rankings": Words("topic", "topics", "run", "runs", "item", "items"),
    "answers": Words("prompt", "prompts", "model", "models", "answer", "answers"),
}
# A study at this address would hide behind the page that has it already.
RESERVED = {"new"}


# Markdown in which a single line break is one, as models write it and chats show it.
MARKDOWN_LINES = "markdown lines"


class Study(models.Model):
    """One evaluation: what it compares, and since when judging is open.

    Its tasks (in judging) define how it asks, its plan (in tournament) what it asks next.
    """

    class Kind(models.TextChoices):
        TEXT = "text", "Passages of text"
        IMAGE = "image", "Images"
        SOUND = "sound", "Sound"
        FILM = "film", "Film"

    class Case(models.TextChoices):
        RANKINGS = "rankings", "Rankings"
        ANSWERS = "answers", "Answers of models"

    class Markup(models.TextChoices):
        PLAIN = "plain", "Plain text"
        MARKDOWN = "markdown", "Markdown"
        HTML = "html", "HTML"

    class Ground(models.TextChoices):
        LIGHT = "light", "Light grey"
        WHITE = "white", "White"
        GREY = "grey", "Middle grey: light and dark drawings can both be seen"
        CHECKER = "checker", "Checkerboard: shows where a picture is transparent"

    # Kinds whose items are recordings: they take time to be heard or seen.
    RECORDED = (Kind.SOUND, Kind.FILM)

    name = models.CharField(max_length=120)
    slug = models.SlugField(max_length=60, unique=True)
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.TEXT)
    # What its runs are: rankings of many items, or models that give one answer each. Decides the words and
    # figures of its pages.
    case = models.CharField(max_length=10, choices=Case, default=Case.RANKINGS, db_default=Case.RANKINGS)
    seed = models.CharField(max_length=40, default=study_seed)
    # How the texts of its items are written, and so how pages set them.
    markup = models.CharField(max_length=10, choices=Markup, default=Markup.PLAIN)
    # What lies under and around its pictures, the same for every reader whatever their colour scheme.
    ground = models.CharField(max_length=8, choices=Ground, default=Ground.LIGHT, db_default=Ground.LIGHT)
    # Of sound and film: seconds of each that are played before an answer, or all of a shorter one; and
    # whether the louder one is played as loud as the other.
    play_first = models.PositiveSmallIntegerField(
        default=3, db_default=3, validators=[MaxValueValidator(3600)]
    )
    levelled = models.BooleanField(default=True, db_default=True)

    # The p that the leaderboard shows first: .80, .85, .90, .95 weigh ranks about as nDCG@3, 5, 10, 20 do.
    PERSISTENCES = (0.8, 0.85, 0.9, 0.95)
    persistence = models.FloatField(default=0.95, choices=[(p, f"{p:.2f}") for p in PERSISTENCES])
    # What the leaderboard shows: names of `scoring.scores.stored_measures`, blanks between; empty: the usual
    # ones.
    measures = models.CharField(max_length=200, blank=True, default="")
    # The run that others are held against, by its name, and the least difference in the first measure that
    # matters: by them the leaderboard says whether to change to another run. Empty: none is named.
    baseline = models.CharField(max_length=200, blank=True, default="", db_default="")
    least_difference = models.FloatField(default=0.02, db_default=0.02)
    # Of all its money, but where a panel pays in another alone.
    CURRENCIES = ("USD", "EUR", "GBP", "CHF", "CAD", "AUD", "CNY", "JPY")
    currency = models.CharField(
        max_length=3, choices=[(one, one) for one in CURRENCIES], default="USD", db_default="USD"
    )
    # The open link: anybody who has it may join as a new assessor. Empty: only invited people judge.
    join_token = models.CharField(max_length=32, unique=True, null=True, blank=True)
    # The token of the link that was turned off last, so that its page can say so.
    former_join_token = models.CharField(max_length=32, blank=True, default="", db_default="", editable=False)
    # Scores count kept batches alone, and not those still being judged.
    kept_only = models.BooleanField(default=False)
    # Who asks, and whom to write to, as assessors read it before they agree.
    asked_by = models.CharField(max_length=200, blank=True)
    contact = models.CharField(max_length=200, blank=True)
    # Of the assessor's pages, one of the settings' LANGUAGES; empty: the one that each browser asks for.
    language = models.CharField(max_length=12, blank=True)
    # Limits, empty for none: `judging.batches.limits` says what each counts. No batch is given from closes_at
    # on.
    batches_each = models.PositiveSmallIntegerField(null=True, blank=True, validators=[MinValueValidator(1)])
    batches_a_day = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(1)])
    judgments_most = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(1)])
    closes_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    # Judging may begin: topics, items and grades are locked from then on.
    opened_at = models.DateTimeField(null=True, blank=True)
    # Since when no batches are handed out, and whether that is a pause: assessors are told which.
    closed_at = models.DateTimeField(null=True, blank=True)
    paused = models.BooleanField(default=False)
    # Put away by its organizers: it stands in the lists of nobody who does not ask for the archive.
    archived_at = models.DateTimeField(null=True, blank=True)
    # It is being deleted with all that it has: nobody sees it any more, and there is no way back.
    deleting_since = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "studies"
        constraints = [
            models.CheckConstraint(
                condition=Q(least_difference__gt=0, least_difference__lt=1),
                name="study_least_difference_in_range",
            ),
            models.CheckConstraint(
                condition=Q(persistence__gt=0, persistence__lt=1), name="study_persistence_in_range"
            ),
            models.CheckConstraint(
                condition=Q(paused=False) | Q(closed_at__isnull=False), name="study_paused_since_a_time"
            ),
            models.CheckConstraint(
                condition=Q(archived_at=None, deleting_since=None)
                | Q(opened_at=None)
                | Q(closed_at__isnull=False),
                name="study_put_away_is_not_open",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Refuse a slug that is an address of a page."""
        if self.slug in RESERVED:
            raise ValidationError(
                {"slug": f"The short name {self.slug} is taken by a page. Choose another one."}
            )

    @property
    def compares(self) -> str:
        """What it compares, in words: its kind, or answers of models."""
        return self.get_case_display() if self.case == self.Case.ANSWERS else self.get_kind_display()

    @property
    def words(self) -> Words:
        """The nouns by which pages call its topics, runs and items."""
        return WORDS[self.case]

    @property
    def set_as(self) -> str:
        """How pages set the texts of its items: by `markup`; Markdown of answers keeps its lines."""
        lines = self.case == self.Case.ANSWERS and self.markup == self.Markup.MARKDOWN
        return MARKDOWN_LINES if lines else self.markup

    @property
    def shows(self) -> str:
        """What its items show, in a word."""
        words = {self.Kind.TEXT: "text", self.Kind.IMAGE: "picture", self.Kind.SOUND: "recording"}
        return words.get(self.Kind(self.kind), self.kind)

    def shows_file(self, file: str | None, text: str) -> bool:
        """Whether an item is shown by its file or by its text: by whichever the study is about, or it has."""
        return bool(file) and (self.kind != self.Kind.TEXT or not text)

    @property
    def recorded(self) -> bool:
        """Whether its items are sound or film."""
        return self.kind in self.RECORDED

    @property
    def says_who_asks(self) -> bool:
        """Whether assessors are told who asks and whom to write to."""
        return bool(self.asked_by.strip() and self.contact.strip())

    @property
    def judging_is_open(self) -> bool:
        return self.opened_at is not None and self.closed_at is None and not self.is_past

    @property
    def is_over(self) -> bool:
        """Whether judging has ended, and is not only paused."""
        return not self.paused if self.closed_at else self.opened_at is not None and self.is_past

    @property
    def is_past(self) -> bool:
        """Whether its closing date has passed."""
        return self.closes_at is not None and self.closes_at <= timezone.now()
