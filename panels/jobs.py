"""Jobs of panels, the doors through which Celery calls services."""

from celery import shared_task
from django.conf import settings
from django.db import OperationalError

from config.task_queue import nudge, sweep_each
from panels import reconciliation
from panels.local import mails
from panels.models import Campaign
from panels.participants import id_erasure, participations, retention


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def make_calls(campaigns: list[int]) -> None:
    """Make the calls of these campaigns that are due, a piece at a time, so that others have their turn."""
    for campaign_id in campaigns:
        if reconciliation.make_calls(campaign_id) == reconciliation.AT_ONCE:
            nudge(make_calls, [campaign_id])


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def sweep_calls() -> None:
    """Make the calls that are due, whatever happened to the nudges that asked for them."""
    reconciliation.make_calls()


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def reconcile() -> None:
    """Put every campaign that goes on right."""

    def one(campaign: Campaign) -> None:
        for problem in reconciliation.reconcile(campaign).problems:
            reconciliation.logger.warning("Campaign %s: %s", campaign.pk, problem)

    sweep_each("campaigns", reconciliation.going_on(), one)


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def send_mails(mailing_id: int) -> None:
    """Send the mails of a mailing, a piece at a time, so that others have their turn."""
    while mails.send_due(mailing_id) == mails.AT_ONCE:
        if not settings.CELERY_TASK_ALWAYS_EAGER:
            nudge(send_mails, mailing_id)
            return


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def sweep_mails() -> None:
    """Send the mails that are due, whatever happened to the nudges that asked for them."""
    mails.send_due()


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def forget_ids() -> None:
    """Destroy the panels' ids of people that nobody needs any more."""
    id_erasure.destroy_due()


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def dispose() -> None:
    """Have panels forget the places that are over and paid."""
    retention.dispose_due()


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True)
def compare(campaigns: list[int]) -> None:
    """Compare campaigns with what their panels list, for somebody who waits for it on a page."""
    for campaign in Campaign.objects.filter(pk__in=campaigns).select_related("study").order_by("pk"):
        participations.answer(campaign)
        reconciliation.reconcile(campaign, survey=False)
