"""A person has one name on every page of a study, and in every file of these that names people."""

import re

import pytest
from django.contrib.auth.models import Permission
from django.utils import timezone

from collection.models import Import, Study
from collection.study import share_links
from judging.batches import answering, declines
from judging.models import Assessor
from judging.people import person_names
from judging.verdicts import decisions
from panels.models import Campaign, Entry
from panels.participants import people
from scoring import jobs
from tests.judging.organizing import logged_in
from tests.judging.test_access import FOR_STAFF, address
from tests.makers import Choice, invite, sit, whim
from tests.scoring.test_leaderboard_pages import with_runs

pytestmark = pytest.mark.django_db

# What the ledger calls people, as do its exports.
OF_LEDGER = re.compile(r"\b(?:local|account|link|mturk|prolific)-\d+\b")
# Files with that name in a column of its own, by which they are joined with these exports.
JOINED = {"doubtful-csv", "data-item-judgments"}
# Pages that name one of these people at least.
NAMES = {"people", "person", "trust", "challenges", "progress", "topic-judgments", "campaign"}


@pytest.fixture
def study() -> Study:
    """A study with judgments of people with and without labels, an excluded person, and a decline."""
    study = with_runs(topics=1, items=9, runs=2, judgments_per_pair=3)
    campaign = Campaign.objects.create(study=study, panel="link", environment="live", number=1, name="Link 1")
    share_links.share(study, blind=True, days=1)
    Import.objects.create(study=study, kind="topics", name="t.tsv", state=Import.State.DONE, summary="2")
    judged = [
        invite(study),
        *(Assessor.objects.create(study=study, panel="link", reference=f"r{n}") for n in range(3)),
    ]
    for n, one in enumerate(judged):
        sit(one, choose=(lambda question: Choice.A) if n else whim)
    now = timezone.now()
    for n, one in enumerate(judged[1:]):
        person = people.person_for("link", "live", f"THEM{n}")
        about = {"panel": "link", "environment": "live", "outside": f"S{n}", "deadline": now}
        Entry.objects.create(campaign=campaign, person=person, assessor=one, arrived_at=now, **about)
    decisions.exclude(judged[1].pk, "slept")
    last = answering.arrive(Assessor.objects.create(study=study, panel="link", reference="last").pk)
    declines.decline(last.pk, 1, "broken", "torn")
    jobs.sweep()
    return study


def pages(study: Study, name: str) -> dict[str, str]:
    """What each address of a study answers to this member of it."""
    client, found = logged_in(name), {}
    user = study.members.get(user__username=name).user
    user.user_permissions.add(Permission.objects.get(codename="view_raw_ids"))
    for one in FOR_STAFF:
        response = client.get(address(one, study, study))
        if response.status_code == 200:
            found[one] = b"".join(response).decode(errors="replace")
    return found


def test_everybody_has_one_name_on_every_page_and_in_every_file(study):
    everybody = set(study.assessors.values_list("pk", flat=True))
    for reader, labels in (("alice", True), ("bob", False)):
        found = pages(study, reader)
        # The person's own page says once what the ledger calls them.
        if "person" in found:
            found["person"] = re.sub(r"<code>[^<]*</code>", "", found["person"], count=1)
        called = {name for name, page in found.items() if name not in JOINED and OF_LEDGER.search(page)}
        assert {name for name in called if not name.endswith("-export")} == set(), reader
        names = person_names.names(study, everybody, labels=labels).values()
        assert {
            name for name in NAMES & found.keys() if not any(one in found[name] for one in names)
        } == set()
        assert labels or not any("· somebody" in page for page in found.values())
