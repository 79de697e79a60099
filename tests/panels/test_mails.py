"""Mails to invited people, sent to real mail servers on this machine: once each, whatever happens."""

import logging
import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from collection.models import Action
from collection.study import lifecycle
from judging.batches import answering
from judging.verdicts import decisions
from panels.local import addresses, mails
from panels.local.mail_delivery import Post
from panels.models import Address, Mail, Mailing
from tests.makers import invite
from tests.panels.mailing import SITE, free_port, load, mail_server, mail_to, reached_at, states

pytestmark = pytest.mark.django_db
ADA, BOB, CLEO = "ada@example.org", "bob@example.net", "cleo@example.com"
State, Kind = Mail.State, Mailing.Kind


def make_due():
    """Let the time pass that mails wait, and that those wait whose sender died."""
    then = timezone.now() - timedelta(seconds=1)
    Mail.objects.update(not_before=then)
    Mail.objects.filter(claimed_until__isnull=False).update(claimed_until=then)


def test_each_is_greeted_by_name_and_gets_their_own_link_from_whom_to_write_to(study, office):
    load(study, f"Ada Lovelace <{ADA}>", BOB)
    mail_to(study)
    assert mails.send_due() == 2
    (to, letter), (other, second) = office.mails
    assert (to, other) == (ADA, BOB)
    text = letter.get_payload(decode=True).decode().replace("\r\n", "\n")
    person = study.assessors.get(label="Ada Lovelace")
    assert text.startswith("Hello Ada Lovelace,\n")
    assert second.get_payload(decode=True).decode().startswith("Hello,\r\n")
    assert f"\n{SITE}/i/{person.reference}/\n" in text
    assert (letter["From"], letter["Reply-To"]) == ("Garden Lab <lab@example.org>", "lab@example.org")
    assert study.name in letter["Subject"]
    assert letter["To"] == ADA


def test_pressed_twice_or_swept_twice_it_is_sent_once(study, office):
    load(study, ADA, BOB)
    mail_to(study, number=1)
    with pytest.raises(mails.CannotMail, match="since this page was opened"):
        mail_to(study, number=1)
    with pytest.raises(mails.CannotMail, match="nobody"):
        mail_to(study)
    mails.send_due()
    mails.send_due()
    make_due()
    mails.send_due()
    assert office.to == [ADA, BOB]


def test_those_who_are_refused_are_told_apart_and_are_in_nobodys_way(study, office):
    load(study, ADA, BOB, CLEO)
    office.refused[ADA] = f"550 5.1.1 <{ADA}> no such user"
    office.refused[BOB] = "450 4.2.1 come back later"
    mail_to(study)
    mails.send_due()
    assert office.to == [CLEO]
    assert states() == {ADA: State.REFUSED, BOB: State.WAITING, CLEO: State.SENT}
    refused, later, _ = Mail.objects.order_by("pk")
    assert refused.error == "550 5.1.1 <the address> no such user"
    assert "come back later" in later.error
    assert later.not_before > timezone.now()
    office.refused.clear()
    mails.send_due()
    assert office.to == [CLEO]
    make_due()
    mails.send_due()
    assert office.to == [CLEO, BOB]
    assert mails.send_again(study, refused.pk)
    mails.send_due()
    assert office.to == [CLEO, BOB, ADA]
    assert set(states().values()) == {State.SENT}


def test_a_server_that_refuses_the_mail_itself_has_not_taken_it(study, office):
    load(study, ADA, BOB)
    office.spoils = {ADA: "554 5.7.1 looks like spam", BOB: "451 try again"}
    mail_to(study)
    mails.send_due()
    assert states() == {ADA: State.REFUSED, BOB: State.WAITING}


def test_a_server_that_dies_after_the_mail_leaves_a_doubt_that_nobody_sends_unasked(study, office):
    load(study, ADA, BOB)
    office.dies_after.add(ADA)
    mail_to(study)
    mails.send_due()
    assert states() == {ADA: State.DOUBT, BOB: State.SENT}
    office.dies_after.clear()
    make_due()
    mails.send_due()
    assert office.to == [ADA, BOB]
    doubted = Mail.objects.get(state=State.DOUBT)
    assert mails.send_again(study, doubted.pk)
    assert not mails.send_again(study, doubted.pk)
    mails.send_due()
    assert office.to == [ADA, BOB, ADA]


def test_a_server_that_dies_before_the_mail_gets_it_later(study, office):
    load(study, ADA, BOB)
    office.dies_before.add(ADA)
    mail_to(study)
    mails.send_due()
    assert states() == {ADA: State.WAITING, BOB: State.SENT}
    office.dies_before.clear()
    make_due()
    mails.send_due()
    assert office.to == [BOB, ADA]


def test_without_a_server_mails_wait_and_go_out_when_it_is_back(study):
    load(study, ADA, BOB)
    with reached_at(free_port()):
        mail_to(study)
        assert mails.send_due() == 0
    mail = Mail.objects.order_by("pk").first()
    assert (mail.state, mail.attempts) == (State.WAITING, 1)
    assert "ConnectionRefusedError" in mail.error
    make_due()
    with mail_server() as office:
        mails.send_due()
    assert sorted(office.to) == [ADA, BOB]


def test_it_gives_up_in_the_end_and_says_so(study):
    load(study, ADA)
    with reached_at(free_port()):
        mail_to(study)
        for _ in range(mails.MOST_ATTEMPTS):
            make_due()
            mails.send_due()
    assert Mail.objects.get().error.startswith("Given up after 30 attempts: ConnectionRefusedError")
    assert states() == {ADA: State.REFUSED}


class Killed(BaseException):
    """What ends a process: nothing in it catches this."""


@pytest.mark.parametrize(
    ("at", "sent", "state"),
    [("before", [ADA], State.SENT), ("going out", [], State.DOUBT), ("after", [ADA], State.DOUBT)],
)
def test_a_process_that_is_killed_sends_nothing_twice(study, office, monkeypatch, at, sent, state):
    """Before the mail itself the next process sends it; from then on it is perhaps sent."""
    load(study, ADA)
    mail_to(study)

    class Doomed(Post):
        def send(self, message, going_out):
            if at == "before":
                raise Killed
            if at == "going out":
                going_out()
                raise Killed
            super().send(message, going_out)
            raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(mails, "Post", Doomed)
        with pytest.raises(Killed):
            mails.send_due()
    mails.send_due()
    assert office.to == (sent if at == "after" else [])
    make_due()
    mails.send_due()
    mails.send_due()
    assert office.to == sent
    assert states() == {ADA: state}


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_send_each_mail_once_and_hold_no_transaction(study, office, monkeypatch):
    load(study, *[f"p{n}@example.org" for n in range(8)])
    mail_to(study)
    inside = []

    class Watching(Post):
        def send(self, message, going_out):
            inside.append(connection.in_atomic_block)
            super().send(message, going_out)

    monkeypatch.setattr(mails, "Post", Watching)
    begin = threading.Barrier(2)

    def work():
        begin.wait(timeout=60)
        try:
            mails.send_due()
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(office.to) == [f"p{n}@example.org" for n in range(8)]
    assert set(states().values()) == {State.SENT}
    assert inside == [False] * 8


def test_reminders_go_to_those_who_have_not_begun_or_not_finished(study, office):
    load(study, ADA, BOB, CLEO)
    mail_to(study)
    with pytest.raises(mails.CannotMail, match="nobody"):
        mail_to(study, Kind.REMINDER, "not begun")
    mails.send_due()
    answering.arrive(study.assessors.get(addresses__digest=_digest(study, BOB)).pk)
    assert reminded(study, "not begun") == [ADA, CLEO]
    assert reminded(study, "begun") == [BOB]
    assert reminded(study, "not finished") == [ADA, BOB, CLEO]
    mail_to(study, Kind.REMINDER, "not begun")
    decisions.exclude(study.assessors.get(addresses__digest=_digest(study, CLEO)).pk, "asked to")
    answering.arrive(study.assessors.get(addresses__digest=_digest(study, ADA)).pk)
    mails.send_due()
    assert len(office.mails) == 3
    assert sorted(Mail.objects.filter(kind=Kind.REMINDER).values_list("error", flat=True)) == [
        "They are excluded.",
        "They have begun meanwhile.",
    ]
    with pytest.raises(mails.CannotMail, match="is to be reminded"):
        mail_to(study, Kind.REMINDER, "all")


def _digest(study, address):
    return Address.objects.get(
        pk__in=[a.pk for a in Address.objects.all() if addresses.opened(a)[0] == address]
    ).digest


def reminded(study, to):
    return [addresses.opened(one)[0] for one in mails.recipients(study, Kind.REMINDER, to)]


def test_nothing_is_sent_once_judging_is_over(study, office):
    load(study, ADA)
    mail_to(study)
    lifecycle.close(study.pk)
    mails.send_due()
    assert (office.to, states()) == ([], {ADA: State.DROPPED})
    load(study, BOB)
    with pytest.raises(mails.CannotMail, match="over"):
        mail_to(study)


def test_deleted_addresses_are_gone_and_get_no_mail(study, office):
    load(study, ADA, BOB)
    mail_to(study)
    assert addresses.forget(study, Address.objects.filter(digest=_digest(study, ADA))) == 1
    mails.send_due()
    assert office.to == [BOB]
    row = Address.objects.order_by("pk").first()
    assert (bytes(row.sealed), row.digest) == (b"", "")
    assert addresses.opened(row) == ("", "")
    assert not mails.send_again(study, Mail.objects.order_by("pk").first().pk)
    assert Action.objects.filter(what="forgot").get().after == {"addresses": 1}


def test_addresses_stand_in_no_table_trail_or_log(study, office, caplog):
    """Looked for in every column of every table that the room has, and in the trail."""
    caplog.set_level(logging.DEBUG)
    load(study, ADA, BOB)
    office.refused[ADA] = f"550 <{ADA}>: unknown"
    office.dies_after.add(BOB)
    mail_to(study)
    mails.send_due()
    rows = [row for model in (Address, Mail, Mailing, Action) for row in model.objects.values()]
    rows += study.assessors.values()
    stored = " ".join(str(bytes(v) if isinstance(v, memoryview) else v) for row in rows for v in row.values())
    assert "unknown" in stored
    assert "ada@" not in stored
    assert "bob@" not in stored
    ours = " ".join(
        one.getMessage() for one in caplog.records if one.name != "mail.log"
    )  # that is the server's
    assert "Mail" in ours
    assert "ada@" not in ours
    assert "bob@" not in ours


def test_who_joined_by_the_open_link_is_written_to_by_nobody(study, office):
    invite(study)
    with pytest.raises(mails.CannotMail, match="nobody"):
        mail_to(study)


def test_without_a_mail_server_each_mail_is_a_file(study, settings, tmp_path):
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path / "mails")
    load(study, ADA, BOB)
    mail_to(study)
    mails.send_due()
    assert not mails.by_smtp()
    written = sorted(path.read_text() for path in (tmp_path / "mails").iterdir())
    assert len(written) == 2
    assert sum(f"To: {ADA}" in one for one in written) == 1
    assert states() == {ADA: State.REFUSED, BOB: State.REFUSED}
    assert all("EMAIL_URL" in mail.error for mail in Mail.objects.all())


def test_all_that_were_not_sent_go_out_at_one_press_once_there_is_a_server(study, office, settings, tmp_path):
    load(study, ADA, BOB)
    mail_to(study)
    smtp = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path / "mails")
    mails.send_due()
    settings.EMAIL_BACKEND = smtp
    assert mails.send_again(study, None) == 2
    mails.send_due()
    assert office.to == [ADA, BOB]
    assert mails.send_again(study, None) == 0


def test_a_server_without_a_sender_sends_nothing(study, office, settings):
    load(study, ADA)
    settings.DEFAULT_FROM_EMAIL = ""
    with pytest.raises(mails.CannotMail, match="DEFAULT_FROM_EMAIL"):
        mail_to(study)
    assert not Mailing.objects.exists()
