"""`manage.py invite` and `manage.py openlink`: links, lists, letters, and the outcome of each mail."""

import io
import re

import pytest
from django.core.management import CommandError, call_command

from collection.models import Action
from judging.models import Assessor
from panels.local import addresses
from panels.models import Address, Mail
from tests.formats.workbooks import workbook
from tests.judging.studies import make_study
from tests.judging.visiting import Visitor
from tests.panels.mailing import mail_server

pytestmark = pytest.mark.django_db
PUBLIC = "https://judging.example.org"


@pytest.fixture
def study(settings):
    settings.PUBLIC_URL = PUBLIC
    return make_study(asked_by="Ada", contact="ada@example.org")


def run(command, *words) -> str:
    out = io.StringIO()
    call_command(command, "garden", *words, stdout=out)
    return out.getvalue()


def file(tmp_path, text):
    path = tmp_path / "given.txt"
    path.write_text(text, "utf-8")
    return str(path)


def test_it_makes_links_that_open_and_lists_them(study, tmp_path):
    lines = run("invite", "links", "--labels", file(tmp_path, "seat 1\n=seat 2\n")).splitlines()
    assert [line.split("\t")[0] for line in lines] == ["seat 1", "'=seat 2"]
    assert [line.split("\t")[2] for line in lines] == ["1 · seat 1", "2 · =seat 2"]
    link = lines[0].split("\t")[1]
    assert link.startswith(f"{PUBLIC}/i/")
    assert Visitor().get(link.removeprefix(PUBLIC)).status_code == 200
    assert link in run("invite", "list")
    assert {*Action.objects.values_list("what", flat=True)} >= {"invited", "took links"}
    with pytest.raises(CommandError, match="Say how many"):
        run("invite", "links")


def test_a_list_with_a_bad_line_loads_nothing_and_names_it(study, tmp_path):
    with pytest.raises(CommandError, match=r"Nothing was loaded.\nLine 2: “bob” is no e-mail address"):
        run("invite", "load", file(tmp_path, "ada@example.org\nbob\n"))
    assert not Address.objects.exists()
    with pytest.raises(CommandError, match="No such file"):
        run("invite", "load", "/nowhere/list.txt")


def test_lists_come_in_workbooks_too(study, tmp_path):
    path = tmp_path / "people.xlsx"
    path.write_bytes(workbook(People=[["name", "email"], ["Ada", "ada@example.org"]]))
    assert "1" in run("invite", "load", str(path))
    assert Address.objects.count() == 1
    path.write_bytes(workbook(Seats=[["seat 1"], ["seat 2"]]))
    assert len(run("invite", "links", "--labels", str(path)).splitlines()) == 2


def test_mails_are_shown_first_then_sent_once_and_told_apart(study, tmp_path):
    run("invite", "load", file(tmp_path, "ada@example.org, Ada\nbob@example.org, Bob\n"))
    with mail_server() as office:
        office.refused["bob@example.org"] = "550 No such mailbox"
        shown = run("invite", "letter")
        assert "To: ada@example.org" in shown
        assert f"{PUBLIC}/i/" in shown
        assert "2 people. Nothing was sent." in shown
        assert office.to == []
        with pytest.raises(CommandError, match="Not every mail was sent"):
            run("invite", "send")
        assert office.to == ["ada@example.org"]
        told = run("invite", "status")
        assert "1 not sent" in told
        assert "1 sent" in told
        assert "No such mailbox" in told
        with pytest.raises(CommandError, match="nobody to whom"):
            run("invite", "send")
        office.refused.clear()
        [number] = re.findall(r"mail (\d+):", told)
        assert "2 sent" in run("invite", "again", number)
        assert office.to == ["ada@example.org", "bob@example.org"]
        assert "2 sent" in run("invite", "send", "--remind", "not-begun")
    assert Mail.objects.count() == 4


def test_addresses_are_forgotten_and_links_stay(study, tmp_path):
    run("invite", "load", file(tmp_path, "ada@example.org\nbob@example.org\n"))
    assert run("invite", "forget", "Ada@example.org") == "1 address deleted. Links and answers stay.\n"
    left = Address.objects.get(deleted_at=None)
    assert addresses.opened(left)[0] == "bob@example.org"
    with pytest.raises(CommandError, match="No such address"):
        run("invite", "forget", "ada@example.org")
    run("invite", "forget", "all")
    assert not Address.objects.filter(deleted_at=None).exists()
    assert Assessor.objects.count() == 2


def test_the_open_link_is_turned_on_and_off_for_good(study):
    link = run("openlink", "on").strip()
    assert link.startswith(f"{PUBLIC}/join/")
    assert run("openlink").strip() == link
    assert Visitor().get(link.removeprefix(PUBLIC)).status_code == 200
    assert "off" in run("openlink", "off")
    assert Visitor().get(link.removeprefix(PUBLIC)).status_code == 410
    assert run("openlink", "on").strip() != link


def test_the_open_link_is_refused_while_nobody_says_who_asks(study):
    type(study).objects.update(asked_by="")
    with pytest.raises(CommandError, match="who asks"):
        run("openlink", "on")
