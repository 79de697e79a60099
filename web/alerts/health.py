"""Health of a study: what blocks judging, each in a sentence with a link to the remedy."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import F
from django.urls import reverse
from django.utils import timezone

from collection.models import Study, Topic
from judging.batches import limits
from judging.models import Assignment
from judging.people import pace
from judging.questions import asking
from judging.verdicts import challenge_failures
from panels.models import Campaign
from panels.recruitment.standstill import Standstill, standstills
from scoring.board import standings
from scoring.quality.trust import TRUST
from tournament.models import Tournament
from web.alerts.notifications import stall_hours
from web.forecast.needs import short_of_places
from web.shared import latest_trust, stage
from web.shared.phrases import count

# After so long without an answer nobody is said to judge: with people in the middle of a batch, and without.
QUIET_AFTER, LEFT_AFTER = timedelta(minutes=10), timedelta(minutes=1)
# Report discarded batches if they are at least the share DISCARDED of BATCHES or more, or all of ALL or more.
BATCHES, DISCARDED, ALL = 10, 0.3, 2
State = Assignment.State
PUBLISH = "Publish more"


@dataclass(frozen=True)
class Trouble:
    """A problem and its remedy.

    mend, address: text and URL of a link to the remedy, "" if no page has one. shared: whether coordinators
    may open that page too; otherwise they are told that an organizer can.
    """

    said: str
    mend: str = ""
    address: str = ""
    shared: bool = False

    @property
    def parts(self) -> tuple[str, str]:
        """What is wrong, and its reason, as sentences; "" without one."""
        first, _, reason = self.said.partition(": ")
        return (f"{first}.", reason[0].upper() + reason[1:]) if reason else (first, "")


def troubles(study: Study, last: datetime | None) -> list[Trouble]:
    """Return the problems of an open study, worst first; [] if all is well. last: time of the last answer.

    Cost grows with the answers to challenges; in a study with few judgments all are read.
    """
    return [*blocks(study, last), *answers(study)]


def blocks(study: Study, last: datetime | None) -> list[Trouble]:
    """Return the problems that keep judging from going on, worst first. Cost does not grow with answers."""
    found = standstills(study)
    still = list(_still(study, found))
    # People were asked for by a campaign; that it goes on comes before inviting others.
    people = _people(study, last, asked=bool(still))
    return [*still, *_workers(study), *_stopped(study, found), *_places(study, found), *people]


def first_block(study: Study) -> Trouble | None:
    """Return the worst problem that keeps judging from going on, as the pulse and the checklist name it."""
    return next(iter(blocks(study, pace.last_answer(study))), None)


def idle(last: datetime | None, *, present: bool) -> str:
    """Say for how long nobody has judged; "" where somebody does, or nobody ever did.

    last: time of the last answer; present: whether somebody is in the middle of a batch.
    """
    if last is None or timezone.now() - last < (QUIET_AFTER if present else LEFT_AFTER):
        return ""
    return f"nobody has judged for {_since(last)}"


def _since(last: datetime) -> str:
    minutes = int((timezone.now() - last).total_seconds() // 60)
    days, hours = minutes // 1440, minutes // 60
    if hours:
        return count(days, "day") if days else count(hours, "hour")
    return count(minutes, "minute")


def _still(study: Study, found: list[Standstill]) -> Iterator[Trouble]:
    for one in found:
        yield Trouble(
            f"{one.campaign.name} stands still: {one.said}",
            one.remedy,
            reverse("campaign", args=[study.slug, one.campaign.pk]) + one.part,
        )


def _workers(study: Study) -> Iterator[Trouble]:
    behind = Tournament.objects.filter(topic__study=study).exclude(seen=F("topic__settled")).count()
    if not behind:
        return
    if stage.is_stalled(study):
        yield Trouble(
            f"The tournaments of {count(behind, study.words.topic)} do not go on: no worker is at it. "
            "Anyone who runs this server starts one (manage.py catchup does the work meanwhile)."
        )


def _stopped(study: Study, still: list[Standstill]) -> Iterator[Trouble]:
    """Yield limits that are reached, and campaigns that publish no more, but for those that stand still."""
    for used in limits.used(study):
        if used.reached:
            yield Trouble(
                f"{used.name}: {used.used:,} of {used.most:,} are used, so no batch is handed out.",
                "Change the limits",
                reverse("study-settings", args=[study.slug]) + "#id_batches_each",
            )
    for campaign in (
        Campaign.objects.filter(study=study)
        .exclude(troubled="")
        .exclude(pk__in=[one.campaign.pk for one in still])
    ):
        yield Trouble(
            f"{campaign.name} publishes nothing more: {campaign.troubled}",
            "See the campaign",
            reverse("campaign", args=[study.slug, campaign.pk]),
        )


def _places(study: Study, still: list[Standstill]) -> Iterator[Trouble]:
    """Yield the running campaigns that have no place left to take, though questions wait and the places that
    are out are not enough; but for those that stand still: nothing can be published there.
    """
    if not (waiting := asking.open_questions(study).count()):
        return
    for campaign, taken in short_of_places(study, [one.campaign.pk for one in still]):
        address = reverse("campaign", args=[study.slug, campaign.pk])
        wait = f"and {count(waiting, 'question')} {'waits' if waiting == 1 else 'wait'}"
        if taken >= campaign.places:
            said = f"All {count(campaign.places, 'place')} of {campaign.name} are taken, {wait}."
            yield Trouble(said, "Make another campaign", reverse("campaigns", args=[study.slug]))
        elif not campaign.topped_up:
            of = f"{taken:,} of {count(campaign.places, 'place')} are published and taken"
            said = f"{campaign.name} has no free place: {of}, {wait}."
            yield Trouble(said, PUBLISH, f"{address}#publish")


def _people(study: Study, last: datetime | None, *, asked: bool) -> Iterator[Trouble]:
    waiting = asking.open_questions(study).count()
    people = reverse("people", args=[study.slug])
    if not waiting:
        # Rounds are being made, so new questions will come without help.
        if stage.stage_of(study).name in (stage.MAKING, stage.STALLED):
            return
        if more := Topic.objects.filter(study=study, opened_at=None).count():
            yield Trouble(
                f"No question waits for an assessor, and {count(more, study.words.topic)} are not open yet.",
                f"Open further {study.words.topics}",
                reverse("tournament-start", args=[study.slug]),
            )
        return
    if asked:
        return
    begun = Assignment.objects.filter(assessor__study=study, state=State.WORKING).exists()
    if last is None and (begun or stage.makes_first_rounds(study)):
        return
    if last is None:
        standing = standings.latest(study)
        loaded = standing.board["judgments"] if standing else 0
        yet = f"here yet: {count(loaded, 'judgment')} came from files" if loaded else "yet"
        yield Trouble(
            f"{count(waiting, 'question')} wait, and nobody has judged {yet}.", "Invite people", people
        )
    elif timezone.now() - last > timedelta(hours=stall_hours()):
        yield Trouble(
            f"{count(waiting, 'question')} wait, and {idle(last, present=False)}.",
            "Invite or remind people",
            people,
        )


def answers(study: Study) -> Iterator[Trouble]:
    """Yield what is wrong with the answers. Cost grows with those to challenges."""
    found = challenge_failures.rates(study)
    often = [rate for rate in found.values() if rate.is_high]
    if often:
        yield Trouble(
            f"{count(len(often), 'challenge')} {'is' if len(often) == 1 else 'are'} answered wrong by half "
            "of the people or more: perhaps the known answer is wrong.",
            "Look at the challenges",
            reverse("challenges", args=[study.slug]),
        )
    if share := _hasty(study):
        yield Trouble(
            f"{share} of the answers came faster than a reader could be.",
            "See whose, and leave them out to see what it changes",
            reverse("trust", args=[study.slug]) + "#people",
            shared=True,
        )
    own = Assignment.objects.filter(assessor__study=study)
    kept, discarded = (own.filter(state=state).count() for state in (State.KEPT, State.DISCARDED))
    many = kept + discarded >= BATCHES and discarded / (kept + discarded) >= DISCARDED
    if many or (not kept and discarded >= ALL):
        yield Trouble(
            f"{discarded:,} of {count(kept + discarded, 'batch')} were discarded.",
            "See who fails",
            reverse("trust", args=[study.slug]) + "#people",
        )


def _hasty(study: Study) -> str:
    """Return the share of hasty answers in words, as last computed; for few judgments, as of now."""
    found = TRUST.latest(study)
    if TRUST.is_small(study):
        found, _ = latest_trust.latest_trust(study)
    return latest_trust.hasty(found.value.answers.all) if found else ""


def headline(
    troubles: list[Trouble], *, quiet: str = "", finished: bool = False, undecided: str = ""
) -> tuple[str, str]:
    """Return the first problem as a headline, and the reason that it leaves out.

    quiet: what `idle` says while questions wait. finished: all that was asked is answered and decided.
    undecided: what is not settled all the same, "which run is best".
    """
    if not troubles and finished and undecided:
        return f"All is answered, but {undecided} is not settled.", "Ask for more, or end judging as it is."
    if not troubles and finished:
        return "Finished: judging can be ended, and the release taken.", ""
    if not troubles:
        return f"{quiet[0].upper()}{quiet[1:]}." if quiet else "All is well.", ""
    return troubles[0].parts
