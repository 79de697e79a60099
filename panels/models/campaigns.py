"""Campaigns (offers of paid places on a panel) and their places."""

from decimal import Decimal

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q

from collection.models import Study
from collection.models.study import link_token


class Campaign(models.Model):
    """An offer of places of a study on one panel, in one of its environments.

    environment: such as sandbox; never changed. reward: the pay of a place in `currency`; a local campaign
    pays `hourly` for measured time instead. floor: the hourly pay below which pages warn. minutes: how long a
    place is expected to take. places: how many are planned in total. topped_up: whether further places are
    published automatically, up to that number, while there are open questions without a live place. terms:
    the panel's own settings, as its `check_terms` takes them. terms_hash: of the estimate that it was armed
    on. outside: the panel's id of the whole offer (a HIT type, a Prolific study). refs: further ids at the
    panel, by name. comparing_since: when somebody asked to compare it with the panel's list, while that runs.
    compared_read: how many rows of the list have been read. compared_said: the result of the last comparison,
    a sentence. epoch: a part of the keys of preparing calls. troubled: why publishing has stopped, "" if it
    has not.
    """

    class State(models.TextChoices):
        DRAFT = "draft", "draft"
        ARMED = "armed", "armed"
        RUNNING = "running", "running"
        STOPPING = "stopping", "stopping"
        CLOSED = "closed", "closed"

    study = models.ForeignKey(Study, models.PROTECT, related_name="campaigns", db_index=False)
    panel = models.CharField(max_length=20)
    environment = models.CharField(max_length=12)
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=100)
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT)
    troubled = models.CharField(max_length=300, blank=True)
    reward = models.DecimalField(
        max_digits=8, decimal_places=2, default=Decimal(0), validators=[MinValueValidator(Decimal(0))]
    )
    hourly = models.DecimalField(
        max_digits=8, decimal_places=2, default=Decimal(0), validators=[MinValueValidator(Decimal(0))]
    )
    currency = models.CharField(max_length=3, default="USD")
    floor = models.DecimalField(
        max_digits=8, decimal_places=2, default=Decimal("12.00"), validators=[MinValueValidator(Decimal(0))]
    )
    minutes = models.PositiveSmallIntegerField(default=10, validators=[MinValueValidator(1)])
    places = models.PositiveIntegerField(default=1, validators=[MinValueValidator(1)])
    topped_up = models.BooleanField(default=False)
    terms = models.JSONField(default=dict, blank=True)
    terms_hash = models.CharField(max_length=64, blank=True)
    armed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    armed_at = models.DateTimeField(null=True, blank=True)
    outside = models.CharField(max_length=64, blank=True)
    refs = models.JSONField(default=dict, blank=True)
    token = models.CharField(max_length=32, unique=True, default=link_token)
    epoch = models.PositiveIntegerField(default=1)
    surveyed_at = models.DateTimeField(null=True, blank=True)
    comparing_since = models.DateTimeField(null=True, blank=True)
    compared_read = models.PositiveIntegerField(default=0)
    compared_said = models.CharField(max_length=400, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["number"]
        permissions = [("publish_for_real", "Can publish for real people on Mechanical Turk")]
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="campaign_number_once"),
            models.CheckConstraint(
                condition=Q(reward__gte=0, hourly__gte=0), name="campaign_pays_nothing_less"
            ),
            models.CheckConstraint(
                condition=Q(state="draft") | ~Q(terms_hash=""), name="campaign_armed_on_an_estimate"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.pk})"

    @property
    def is_rehearsal(self) -> bool:
        """Whether the environment has no real money and no real people."""
        return self.environment in ("emulator", "sandbox")


class Place(models.Model):
    """An interchangeable place of a campaign, for one sitting.

    attempt: raised when the last attempt to publish it is proved never to have happened. token: in the link
    that the panel shows. outside: the panel's id of it, such as a HIT; empty if it has none there.
    disposed_at: when the panel was told to delete it. books: the panel's record of what the place had cost
    until then.
    """

    class State(models.TextChoices):
        RESERVED = "reserved", "being published"  # its money is set aside
        LIVE = "live", "open"
        TAKEN = "taken", "begun"
        SUBMITTED = "submitted", "sent"
        SETTLED = "settled", "paid"
        REFUSED = "refused", "refused by the panel"
        EXPIRED = "expired", "withdrawn"

    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="slots", db_index=False)
    number = models.PositiveIntegerField()
    attempt = models.PositiveSmallIntegerField(default=1)
    state = models.CharField(max_length=10, choices=State, default=State.RESERVED)
    token = models.CharField(max_length=32, unique=True, default=link_token)
    outside = models.CharField(max_length=64, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    disposed_at = models.DateTimeField(null=True, blank=True)
    books = models.JSONField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "number"], name="place_number_once"),
            models.UniqueConstraint(
                fields=["campaign", "outside"], condition=~Q(outside=""), name="place_published_once"
            ),
            models.CheckConstraint(
                condition=Q(disposed_at=None) | Q(books__isnull=False), name="place_disposed_with_books"
            ),
        ]
        indexes = [models.Index(fields=["campaign", "state"], name="place_by_state")]
