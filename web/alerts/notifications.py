"""Notifications to members: find events, word messages, send them."""

import logging
from decimal import Decimal
from typing import Any
from zlib import crc32

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import Exists, OuterRef
from django.urls import reverse

from collection import notices, webhooks
from collection.models import Delivery, Event, Study, Watch
from config.task_queue import sweep_each
from judging.people import judging_alerts
from judging.questions.asking import open_questions
from panels.local import mails
from panels.local.mail_delivery import MailRefusal, Post, Unreached
from panels.models import Budget, Campaign, Payment
from tournament.models import Round, Tournament
from web.forecast.needs import short_of_places
from web.shared import stage
from web.shared.phrases import count, listed

logger = logging.getLogger(__name__)
Kind, State = Event.Kind, Delivery.State
# A cap is nearly reached from this share spent or set aside.
NEARLY = Decimal("0.9")


def look_for_ended_topics(study: Study) -> int:
    """Note the topics whose tournament has ended; return how many are new."""
    rounds = Round.objects.filter(tournament=OuterRef("pk"))
    ended = Tournament.objects.filter(Exists(rounds), topic__study=study, finished=True, seen__gte=0)
    rows = ended.order_by("topic__name").values_list("topic_id", "topic__name")
    return notices.record(study, Kind.TOPIC, {str(pk): {"name": name} for pk, name in rows})


def look_for_stall(study: Study) -> int:
    """Note that judging stalls, once for each stall."""
    stall = judging_alerts.stall(study, stall_hours())
    if stall is None:
        return 0
    about = {"since": stall.since.isoformat(), "questions": stall.questions}
    return notices.record(study, Kind.STALL, {f"{stall.since.timestamp():.3f}": about})


def look_for_failing_challenges(study: Study) -> int:
    """Note challenges that fail often, each once."""
    failing = judging_alerts.failing_challenges(study)
    about = {
        str(one.question): {"name": one.topic, "wrong": one.rate.wrong, "answers": one.rate.answers}
        for one in failing
    }
    return notices.record(study, Kind.CHALLENGE, about)


def look_for_finish(study: Study) -> int:
    """Note that everything is decided; once more if further topics were opened since."""
    now = stage.stage_of(study)
    if now.name != stage.FINISHED:
        return 0
    return notices.record(study, Kind.FINISHED, {str(now.decided): {"topics": now.decided}})


def look_for_money(study: Study) -> int:
    """Note what stops paid judging, or soon will: each once, and a cap once for each sum it is set to.

    A cap nearly reached, a campaign that publishes no more or has no place left while questions wait, and
    payments that wait for an organizer.
    """
    found = {}
    for budget in Budget.objects.filter(study=study, cap__gt=0):
        if budget.committed >= NEARLY * budget.cap:
            said = f"{budget.left} of the cap of {budget.cap} {budget.currency} is left"
            found[f"cap {budget.pk} {budget.cap}"] = {"said": f"{said}{' in rehearsals' * budget.rehearsal}"}
    for campaign in Campaign.objects.filter(study=study).exclude(troubled=""):
        why = f"{campaign.name} publishes nothing more ({campaign.troubled.rstrip('.')})"
        found[f"stopped {campaign.pk} {crc32(campaign.troubled.encode())}"] = {"said": why}
    if open_questions(study).exists():
        for campaign, taken in short_of_places(study):
            if not campaign.topped_up:
                said = f"{campaign.name} has no free place, and questions wait"
                found[f"places {campaign.pk} {taken}"] = {"said": said}
    for payment in Payment.objects.filter(campaign__study=study, state=Payment.State.REVIEW).select_related(
        "campaign"
    ):
        sum_of = f"{payment.amount} {payment.campaign.currency}"
        found[f"payment {payment.pk}"] = {"said": f"a payment of {sum_of} waits to be looked at"}
    return notices.record(study, Kind.MONEY, found)


def stall_hours() -> float:
    """Hours without an answer after which judging stalls; a server setting."""
    return float(settings.NOTICE_STALL_HOURS)


LOOKS = {
    Kind.TOPIC: look_for_ended_topics,
    Kind.STALL: look_for_stall,
    Kind.CHALLENGE: look_for_failing_challenges,
    Kind.FINISHED: look_for_finish,
    Kind.MONEY: look_for_money,
}


def look(study: Study) -> None:
    """Note the events of a study that somebody subscribes to, and make their messages."""
    wanted = {kind for watch in notices.told_people(study) for kind in watch.kinds}
    for kind in sorted(wanted):
        LOOKS[Kind(kind)](study)
    notices.gather(study)


def watch(study: Study, user_id: int, **wanted: Any) -> Watch:
    """Store somebody's subscription (see `notices.set_watch`)."""
    # Whatever has happened so far is noted first, and so is told to nobody who asks only now.
    for look_for in LOOKS.values():
        look_for(study)
    return notices.set_watch(study, user_id, **wanted)


def send_due() -> int:
    """Send the due messages; return how many were tried. A failure does not delay the others."""
    return sweep_each("sending notice", notices.due(), send)


def send(delivery_id: int) -> None:
    """Claim a due message, send it, and store the result."""
    delivery = notices.claim(delivery_id)
    if delivery is None:
        return
    events = notices.events_of(delivery)
    way = _by_mail if delivery.way == Delivery.Way.MAIL else _by_webhook
    way(delivery, events)


def _by_webhook(delivery: Delivery, events: list[Event]) -> None:
    watch = delivery.watch
    try:
        said = webhooks.post(
            watch.webhook, body(delivery, events), secret=notices.secret_of(watch), number=delivery.pk
        )
    except webhooks.Forbidden as error:
        notices.settle(delivery, State.FAILED, str(error))
    except webhooks.WebhookFailed as error:
        if error.for_good:
            notices.settle(delivery, State.FAILED, str(error))
        else:
            notices.later(delivery, str(error))
    else:
        notices.settle(delivery, State.SENT, said)


def _by_mail(delivery: Delivery, events: list[Event]) -> None:
    watch = delivery.watch
    if not watch.user.email:
        return notices.settle(delivery, State.FAILED, "The account has no e-mail address.")
    if mails.by_smtp() and not settings.DEFAULT_FROM_EMAIL:
        return notices.settle(delivery, State.FAILED, "The server has no sender: set DEFAULT_FROM_EMAIL.")
    text = f"{sentence(delivery, events)}\n\n{link(delivery)}\n\n--\n"
    text += f"You asked for this in Faceoff: {_address('notices', watch.study)}\n"
    message = EmailMessage(
        subject(delivery, events),
        text,
        settings.DEFAULT_FROM_EMAIL or "faceoff@localhost",
        [watch.user.email],
        headers={"Auto-Submitted": "auto-generated"},
    )
    try:
        with Post() as post:
            post.send(message, lambda: None)
    except Unreached:
        return notices.later(delivery, "The mail server could not be reached.")
    except MailRefusal as error:
        said = f"The mail server answered {error}".replace(watch.user.email, "the address")
        if error.for_good:
            return notices.settle(delivery, State.FAILED, said)
        return notices.later(delivery, said)
    except Exception as error:  # whatever it is, the mail may have gone out
        logger.warning("Notice %s was perhaps not mailed: %s", delivery.pk, type(error).__name__)
        return notices.settle(delivery, State.DOUBT, f"The mail server hung up ({type(error).__name__}).")
    if not mails.by_smtp():
        return notices.settle(delivery, State.FAILED, mails.NO_SERVER)
    return notices.settle(delivery, State.SENT, "taken by the mail server")


def body(delivery: Delivery, events: list[Event]) -> dict[str, Any]:
    """JSON body of a webhook: study, event, a sentence, a link, and each event's details."""
    study = delivery.watch.study
    return {
        "delivery": delivery.pk,
        "study": study.slug,
        "event": delivery.kind,
        "text": f"{study.name}: {sentence(delivery, events)} {link(delivery)}",
        "link": link(delivery),
        "events": [{"at": event.created_at.isoformat(), **event.about} for event in events],
    }


def subject(delivery: Delivery, events: list[Event]) -> str:
    """Subject of a mail: the study and the event, in one line."""
    said = {
        notices.TEST: "a test",
        Kind.TOPIC: f"{count(len(events), 'topic')} ended",
        Kind.STALL: "judging stalls",
        Kind.CHALLENGE: f"{count(len(events), 'challenge')} failed often",
        Kind.FINISHED: "finished",
        Kind.MONEY: "money or places run out",
    }
    return " ".join(f"{delivery.watch.study.name}: {said[delivery.kind]}".split())


def sentence(delivery: Delivery, events: list[Event]) -> str:
    """What happened, and what to do about it."""
    if delivery.kind == notices.TEST:
        return "This is a test: messages about this study reach you here."
    if delivery.kind == Kind.TOPIC:
        names = listed([event.about["name"] for event in events], 20)
        return f"{count(len(events), 'topic')} ended: {names}."
    if delivery.kind == Kind.STALL:
        about = events[-1].about
        return (
            f"Nobody has judged since {about['since'][:16].replace('T', ' ')} UTC, and "
            f"{count(about['questions'], 'question')} wait for an assessor. Remind people, or invite more."
        )
    if delivery.kind == Kind.FINISHED:
        topics = count(events[-1].about["topics"], "topic")
        return f"All is answered, and {topics} are decided. Judging can be ended, and the release taken."
    if delivery.kind == Kind.MONEY:
        told = listed([event.about["said"] for event in events], 20)
        return f"{told[:1].upper()}{told[1:]}."
    said = [f"in {e.about['name']} {e.about['wrong']} of {e.about['answers']}" for e in events]
    return (
        f"{count(len(events), 'challenge')} failed often: {listed(said, 20)} answered wrongly. "
        "Look whether the known answer is right; one that is not can be set aside."
    )


def link(delivery: Delivery) -> str:
    """Address of the page with the details."""
    study = delivery.watch.study
    page = {Kind.TOPIC: "topics", Kind.FINISHED: "progress", Kind.MONEY: "campaigns"}
    if delivery.kind == notices.TEST:
        return _address("notices", study)
    return _address(page.get(Kind(delivery.kind), "study"), study)


def _address(name: str, study: Study) -> str:
    return str(settings.PUBLIC_URL).rstrip("/") + reverse(name, args=[study.slug])
