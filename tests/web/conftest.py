"""People of the tests of accounts: Olga may make accounts and organizes Garden; Bob is its coordinator."""

import pytest

from collection.credentials import accounts
from collection.credentials.accounts import Rights
from collection.models import Membership, Study
from tests.judging.organizing import account, logged_in
from tests.web.receiving import receiver, to_this_machine  # noqa: F401 - for the tests of notices
from tests.web.visiting import PASSWORD


@pytest.fixture
def garden():
    study = Study.objects.create(name="Garden", slug="garden")
    for name, role in (("olga", "organizer"), ("bob", "coordinator")):
        Membership.objects.create(study=study, user=account(name), role=role)
    return study


@pytest.fixture
def olga(garden):
    accounts.set_rights(account("olga").pk, Rights(make_accounts=True))
    return logged_in("olga")


@pytest.fixture
def bob(garden):
    """Bob's account, with a password."""
    return accounts.set_password(account("bob").pk, PASSWORD)


@pytest.fixture
def root():
    return logged_in("root", is_superuser=True)
