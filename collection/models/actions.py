"""Actions: what was done to steer a study, by whom and when."""

from django.conf import settings
from django.db import models

from collection.models.study import Study


class Action(models.Model):
    """One action that steered a study: only ever added (a trigger enforces it). The rows are its trail.

    by: the account that acted; empty for the command line. actor: its name at the time, or the command
    line's. about: whom or what it concerned, if not the study itself. before, after: what it changed, as
    names and values; null where there is nothing to tell.
    """

    class What(models.TextChoices):
        MADE = "made", "made the study"
        COPIED = "copied", "copied the study from another"
        ARCHIVED = "archived", "archived the study"
        UNARCHIVED = "unarchived", "took the study out of the archive"
        SETTINGS = "settings", "changed settings"
        TEXTS = "texts", "changed what assessors read"
        LOADED = "loaded", "loaded a file"
        OPENED = "opened", "opened judging"
        GRADED = "graded", "took collected grades as the study's"
        PAUSED = "paused", "paused judging"
        CLOSED = "closed", "ended judging"
        REOPENED = "reopened", "opened judging again"
        CUT_SHORT = "cut short", "closed open batches"
        RELEASED = "released", "released open batches"
        TAKEN_BACK = "taken back", "took a release back"
        HELD = "held", "paused an assessor"
        LET_ON = "let on", "let a paused assessor go on"
        LINK_ON = "link on", "turned the open link on"
        LINK_OFF = "link off", "turned the open link off"
        INVITED = "invited", "made personal links"
        SAW_LINKS = "saw links", "was shown personal links"
        TOOK_LINKS = "took links", "downloaded all personal links"
        ADDRESSES = "addresses", "loaded e-mail addresses"
        SAW_MAILS = "saw mails", "was shown e-mail addresses"
        FORGOT = "forgot", "deleted e-mail addresses"
        ERASED = "erased", "erased what an assessor wrote"
        MAILED = "mailed", "sent e-mail"
        EXCLUDED = "excluded", "excluded an assessor"
        READMITTED = "readmitted", "let an assessor back in"
        SET_ASIDE = "set aside", "set a question aside"
        ASKED_AGAIN = "asked again", "asked a question again"
        MEMBER = "member", "gave somebody a part in the study"
        MEMBER_OUT = "member out", "took somebody's part in the study away"
        SHARED = "shared", "made a link to the leaderboard"
        UNSHARED = "unshared", "revoked a link to the leaderboard"
        CAMPAIGN = "campaign", "made or changed a campaign"
        CAP = "cap", "set what may be spent"
        ARMED = "armed", "armed a campaign"
        PUBLISHED = "published", "published places"
        STOPPED = "stopped", "stopped a campaign"
        ENDED = "ended", "closed a campaign"
        OWED = "owed", "owed a bonus"
        PAID = "paid", "marked as paid"
        REPLAYED = "replayed", "let simulated assessors judge"
        REBUILT = "rebuilt", "rebuilt what follows from the ledger"

    study = models.ForeignKey(Study, models.PROTECT, related_name="actions")
    what = models.CharField(max_length=12, choices=What)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    actor = models.CharField(max_length=200)
    about = models.CharField(max_length=200, blank=True)
    before = models.JSONField(null=True, blank=True)
    after = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
