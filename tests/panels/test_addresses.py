"""Lists of addresses: how lines are read, every bad one named, and loaded twice they change nothing."""

import pytest

from collection.models import Action
from judging.models import Assessor
from panels import local
from panels.local import addresses, letters
from panels.local.addresses import BadList, Invitee, read
from panels.models import Address
from tests.makers import make_study
from tests.panels.mailing import load

ADA = "ada@example.org"


@pytest.mark.parametrize(
    ("text", "people"),
    [
        (ADA, [Invitee(ADA, "", "")]),
        (
            f"\ufeff{ADA}, seat 4\n\n  bob@example.org\n",
            [Invitee(ADA, "seat 4", "seat 4"), Invitee("bob@example.org", "", "")],
        ),
        (f"Ada Lovelace <{ADA}>", [Invitee(ADA, "Ada Lovelace", "Ada Lovelace")]),
        (f'"Lovelace, Ada" <{ADA}>', [Invitee(ADA, "Lovelace, Ada", "Lovelace, Ada")]),
        (
            f'Name,E-Mail,Label,Phone\n"Lovelace, Ada",{ADA},seat 4,',
            [Invitee(ADA, "Lovelace, Ada", "seat 4")],
        ),
        (f"label;email\nseat 4;{ADA}", [Invitee(ADA, "seat 4", "seat 4")]),
        (f"email\tname\n{ADA}\tAda", [Invitee(ADA, "Ada", "Ada")]),
        (f"email,name,label\n{ADA},,seat 4", [Invitee(ADA, "", "seat 4")]),
    ],
)
def test_lists_are_read_as_people_write_them(text, people):
    assert read(text) == people


def test_every_bad_line_is_named():
    text = f"{ADA}\nno address\n\nADA@example.org\nx@example.org, a, b\n<>\ny@example.org, {'z' * 121}"
    with pytest.raises(BadList) as caught:
        read(text)
    assert [problem.split(":")[0] for problem in caught.value.problems] == [
        f"Line {n}" for n in (2, 4, 5, 6, 7)
    ]
    assert "“no address” is no e-mail address" in caught.value.problems[0]
    assert "the address of line 1 again" in caught.value.problems[1]
    assert "let the first line name the columns" in caught.value.problems[2]


@pytest.mark.parametrize("text", ["", " \n", "email,name\n", "\n".join(f"p{n}@x.org" for n in range(5001))])
def test_lists_that_hold_nobody_or_too_many_are_refused(text):
    with pytest.raises(BadList):
        read(text)


@pytest.mark.django_db
def test_a_list_that_is_loaded_twice_changes_nothing_the_second_time():
    study = make_study()
    first = load(study, f"Ada <{ADA}>", "bob@example.org")
    assert (first.made, first.given, first.known) == (2, 0, 0)
    again = load(study, f"Somebody Else <{ADA.upper()}>", "cleo@example.org")
    assert (again.made, again.given, again.known) == (1, 0, 1)
    assert list(Assessor.objects.order_by("pk").values_list("label", flat=True)) == ["Ada", "", ""]
    assert addresses.opened(Address.objects.order_by("pk").first()) == (ADA, "Ada")
    assert list(Action.objects.filter(what="addresses").order_by("pk").values_list("after", flat=True)) == [
        {"addresses": 2},
        {"addresses": 1},
    ]


@pytest.mark.django_db
def test_a_label_that_one_invited_person_has_gives_them_the_address():
    study = make_study()
    ada, *_ = local.invite(study, ["Ada", "twin", "twin"])
    loaded = load(study, f"{ADA}, Ada", "twin@example.org, twin")
    assert (loaded.made, loaded.given) == (1, 1)
    assert ada.addresses.get().digest
    assert Assessor.objects.count() == 4


@pytest.mark.django_db
def test_a_wrong_address_is_deleted_and_another_takes_its_place():
    study = make_study()
    load(study, f"Ada <{ADA}>")
    addresses.forget(study, Address.objects.all())
    assert load(study, "Ada <countess@example.org>").given == 1
    assert Assessor.objects.count() == 1


@pytest.mark.django_db
def test_the_same_address_is_known_by_another_key_in_another_study():
    first, second = make_study(), make_study()
    load(first, ADA)
    load(second, ADA)
    assert len(set(Address.objects.values_list("digest", flat=True))) == 2


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("subject", "text", "says"),
    [
        ("", "{link}", "Write a subject."),
        ("a\nb", "{link}", "one line"),
        ("{link}", "{link}", "belongs into the text"),
        ("Hello", "Come!", "Without {link}"),
        ("Hello", "{link} {nmae}", "{nmae} would stay as it is"),
        ("Hello {contact}", "{link}", "{contact} is empty"),
    ],
)
def test_letters_that_would_go_wrong_are_refused(subject, text, says):
    study = make_study(contact="")
    assert says in " ".join(letters.problems(study, subject, text).values())


@pytest.mark.django_db
def test_the_usual_letters_are_right_with_and_without_a_contact():
    for study in (make_study(), make_study(contact="")):
        for kind in ("invitation", "reminder"):
            assert letters.problems(study, *letters.usual(study, kind)) == {}


@pytest.mark.django_db
def test_blanks_are_filled_in_once_and_not_with_each_other():
    study = make_study(name="{link} of {name}")
    assert letters.filled("{name}: {study}", study, "{study}", "L") == "{study}: {link} of {name}"
