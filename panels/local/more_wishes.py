"""Letters that invited people asked for: one mail each, once there is more to judge for them."""

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone, translation

from collection.models import Study
from config.task_queue import sweep_each
from judging.batches import drawing, limits
from judging.models import OPEN, Assessor, Assignment
from panels.local import PANEL, letters, mails
from panels.models import Address, Mail, Mailing


def is_wished(assessor: Assessor) -> bool | None:
    """Return whether somebody asked for a letter; None if none can be sent to them.

    One can where they were invited by e-mail, as long as the address is stored and mails leave this server.
    At most one query, none for people who joined by an open link.
    """
    if assessor.panel != PANEL or assessor.by_link or not mails.can_leave():
        return None
    return _addresses(assessor).values_list("more_wished", flat=True).first()


def wish(assessor: Assessor, wanted: bool) -> bool:
    """Store whether somebody asks for a letter; return False if none can be sent to them."""
    return is_wished(assessor) is not None and bool(_addresses(assessor).update(more_wished=wanted))


def _addresses(assessor: Assessor) -> QuerySet[Address]:
    """Return the address of somebody who was written to, as a queryset."""
    reached = Mail.objects.filter(address=OuterRef("pk"), state__in=[Mail.State.SENT, Mail.State.DOUBT])
    return Address.objects.filter(Exists(reached), assessor=assessor, deleted_at=None)


def write_due() -> None:
    """Store a letter for all who asked for one and for whom questions wait; `mails.send_due` sends it.

    Raises SweepFailed where a study failed, after all others.
    """
    wished = Address.objects.filter(more_wished=True, deleted_at=None)
    studies = Study.objects.filter(pk__in=wished.values("study"), closed_at=None)
    sweep_each("letters that were asked for in", [one for one in studies if one.judging_is_open], _write)


def _write(study: Study) -> None:
    """Store the letters of a study, as one mailing: one for each wish."""
    wished = Address.objects.filter(study=study, more_wished=True, deleted_at=None)
    due = [one.pk for one in wished.select_related("assessor") if _waits_for(study, one.assessor)]
    if not due:
        return
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        found = list(wished.filter(pk__in=due).select_for_update(no_key=True))
        if not found:
            return
        wished.filter(pk__in=[one.pk for one in found]).update(more_wished=False)
        site = Mailing.objects.filter(mails__address__in=found).latest("number").site
        with translation.override(study.language or settings.LANGUAGE_CODE):
            subject, text = letters.of_more(study)
        mails.store(study, Mailing.Kind.MORE, "", subject, text, site, found)


def _waits_for(study: Study, assessor: Assessor) -> bool:
    """Tell whether somebody has no open batch and would be given one now."""
    if assessor.excluded_at is not None or limits.reached(study, assessor):
        return False
    now = timezone.now()
    if Assignment.objects.filter(assessor=assessor, state__in=OPEN, deadline__gt=now).exists():
        return False
    return any(drawing.at_hand(task, assessor, None)[0] for task in assessor.tasks)
