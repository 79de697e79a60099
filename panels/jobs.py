"""Celery jobs of panels; each only calls a service."""

from celery import shared_task
from django.conf import settings
from django.db import OperationalError

from config.task_queue import began, nudge, sweep_each
from panels import reconciliation
from panels.local import mails, more_wishes
from panels.models import Campaign
from panels.participants import id_erasure, panel_exclusions, participations, retention


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def make_calls(campaigns: list[int]) -> None:
    """Make the due calls of these campaigns in small batches, so that other jobs get their turn."""
    for campaign_id in campaigns:
        if reconciliation.make_calls(campaign_id) == reconciliation.AT_ONCE:
            nudge(make_calls, [campaign_id])


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def sweep_calls() -> None:
    """Make all due calls, also those whose job was lost."""
    reconciliation.make_calls()


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def reconcile() -> None:
    """Reconcile every campaign that is still in progress, and exclusions with those that are closed."""

    def one(campaign: Campaign) -> None:
        _reconcile(campaign, survey=reconciliation.is_survey_due(campaign))

    sweep_each("campaigns", reconciliation.going_on(), one)
    panel_exclusions.tell_closed()


def _reconcile(campaign: Campaign, *, survey: bool) -> None:
    for problem in reconciliation.reconcile(campaign, survey=survey).problems:
        reconciliation.logger.warning("Campaign %s: %s", campaign.pk, problem)


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def collect_now(campaign_id: int) -> None:
    """Reconcile a campaign whose panel says that something has changed there."""
    began(collect_now, campaign_id)
    for campaign in reconciliation.going_on().filter(pk=campaign_id):
        _reconcile(campaign, survey=True)


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def send_mails(mailing_id: int) -> None:
    """Send the mails of a mailing in small batches, so that other jobs get their turn."""
    while mails.send_due(mailing_id) == mails.AT_ONCE:
        if not settings.CELERY_TASK_ALWAYS_EAGER:
            nudge(send_mails, mailing_id)
            return


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def sweep_mails() -> None:
    """Send all due mails, also those whose job was lost."""
    mails.send_due()


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def sweep_wishes() -> None:
    """Write to people who asked for it, for whom there is more to judge now."""
    more_wishes.write_due()
    mails.send_due()


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def forget_ids() -> None:
    """Destroy the panels' ids of people that are no longer needed."""
    id_erasure.destroy_due()


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def dispose() -> None:
    """Dispose of places at panels that are over and paid."""
    retention.dispose_due()


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def compare(campaigns: list[int]) -> None:
    """Compare campaigns with the lists of their panels, for somebody who waits for it on a page."""
    for campaign in Campaign.objects.filter(pk__in=campaigns).select_related("study").order_by("pk"):
        participations.answer(campaign)
        reconciliation.reconcile(campaign, survey=False)
