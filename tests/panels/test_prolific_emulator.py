"""The Prolific emulator's API and site, asked by an HTTP client as it comes: what it checks, lists, pays."""

import pytest

from simulation.emulators.prolific.tables import PROJECT, WORKSPACE
from tests.panels.at_prolific import Refused, Site, client, pid
from tests.panels.emulated import prolific

STUDY = {
    "name": "Which is better?",
    "internal_name": "v1-1",
    "description": "Compare two answers.",
    "external_study_url": "http://127.0.0.1:9/p/x/?PROLIFIC_PID={{%PROLIFIC_PID%}}&SESSION_ID={{%SESSION_ID%}}",
    "prolific_id_option": "url_parameters",
    "completion_codes": [
        {
            "code": "FINISHED12",
            "code_type": "COMPLETED",
            "actor": "participant",
            "actions": [{"action": "MANUALLY_REVIEW"}],
        }
    ],
    "total_available_places": 2,
    "estimated_completion_time": 10,
    "maximum_allowed_time": 60,
    "reward": 200,
}


@pytest.fixture(scope="module")
def market(tmp_path_factory):
    with prolific(tmp_path_factory.mktemp("prolific") / "state") as running:
        yield running


@pytest.fixture
def api(market):
    with client(market) as asked:
        yield asked


def make(api, publish=True, **changed) -> str:
    """A study; its id."""
    made = api.post("/studies/", json=STUDY | changed)
    assert made.status_code == 201, made.text
    if publish:
        act(api, made.json()["id"], "PUBLISH")
    return made.json()["id"]


def make_group(api) -> str:
    """A group of participants; its id."""
    made = api.post("/participant-groups/", json={"name": "kept out", "workspace_id": WORKSPACE})
    assert made.status_code == 201, made.text
    return made.json()["id"]


def act(api, study, action):
    reply = api.post(f"/studies/{study}/transition/", json={"action": action})
    assert reply.status_code == 200, reply.text
    return reply.json()


def done(market, api, study, number) -> str:
    """Somebody takes part and comes back with the code; the submission."""
    site = Site(market, pid(number))
    taken = site.take(study)
    site.complete("FINISHED12")
    return taken["submission"]


@pytest.mark.parametrize("header", ["", "Bearer of-a-test", "Token", "Token "])
def test_without_a_token_nothing_is_served(market, api, header):
    reply = api.get("/studies/", headers={"Authorization": header.strip() or "none"})
    assert reply.status_code == 401
    assert reply.json()["error"]["status"] == 401


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"reward": 2.0}, "reward"),
        ({"total_available_places": 0}, "total_available_places"),
        ({"name": ""}, "name"),
        ({"completion_code": "OLD"}, "completion_code"),
        ({"external_study_url": "javascript:1"}, "external_study_url"),
        ({"completion_codes": [{"code": "X", "code_type": "DONE", "actions": []}]}, "completion_codes"),
    ],
)
def test_a_study_that_is_not_whole_is_refused_by_field(api, changed, field):
    reply = api.post("/studies/", json=STUDY | changed)
    assert reply.status_code == 400
    assert field in reply.json()["error"]["detail"]


def test_a_study_is_drafted_published_filled_and_over(market, api):
    study = make(api, publish=False)
    site = Site(market, pid(1))
    assert study not in site.offers()
    assert act(api, study, "PUBLISH")["status"] == "ACTIVE"
    assert api.post(f"/studies/{study}/transition/", json={"action": "PUBLISH"}).status_code == 400
    first = site.take(study)
    assert (
        first["address"] == f"http://127.0.0.1:9/p/x/?PROLIFIC_PID={pid(1)}&SESSION_ID={first['submission']}"
    )
    with pytest.raises(Refused):
        site.take(study)
    second = Site(market, pid(2)).take(study)
    assert api.get(f"/studies/{study}/").json()["status"] == "AWAITING REVIEW"
    assert study not in Site(market, pid(3)).offers()
    Site(market, pid(2)).give_back(second["submission"])
    assert api.get(f"/studies/{study}/").json()["status"] == "ACTIVE"
    assert act(api, study, "STOP")["status"] == "AWAITING REVIEW"
    assert study not in Site(market, pid(3)).offers()
    # Anyone who has it finishes.
    assert site.complete("FINISHED12")["status"] == "AWAITING REVIEW"


def test_what_is_published_can_only_grow(api):
    study = make(api)
    grown = api.patch(f"/studies/{study}/", json={"total_available_places": 5})
    assert grown.json()["total_available_places"] == 5
    assert api.patch(f"/studies/{study}/", json={"total_available_places": 4}).status_code == 400
    assert api.patch(f"/studies/{study}/", json={"reward": 300}).status_code == 400


def test_a_submission_is_approved_once_and_not_before_it_is_back(market, api):
    study, site = make(api), Site(market, pid(4))
    taken = site.take(study)["submission"]
    address = f"/submissions/{taken}/transition/"
    assert api.post(address, json={"action": "APPROVE"}).status_code == 400
    site.complete("FINISHED12")
    for _ in range(2):
        assert api.post(address, json={"action": "APPROVE"}).json()["status"] == "APPROVED"
    cost = api.get(f"/studies/{study}/cost/").json()
    assert (cost["rewards"]["rewards"]["amount"], cost["rewards"]["fees"]["amount"]) == (200, 67)


def test_paying_a_bulk_of_bonuses_twice_pays_twice(market, api):
    study = make(api)
    submission = done(market, api, study, 5)
    asked = {"study_id": study, "csv_bonuses": f"{submission},1.05"}
    bulk = api.post("/submissions/bonus-payments/", json=asked).json()
    assert (bulk["amount"], bulk["fees"], bulk["total_amount"]) == (105, 35, 140)
    assert api.get(f"/submissions/{submission}/").json()["bonus_payments"] == []
    for paid in ([105], [105, 105]):
        assert api.post(f"/bulk-bonus-payments/{bulk['id']}/pay/").status_code == 202
        assert api.get(f"/submissions/{submission}/").json()["bonus_payments"] == paid


def test_lists_have_pages_with_the_address_of_the_next(market, api):
    study = make(api, total_available_places=5)
    for number in range(5):
        Site(market, pid(50 + number)).take(study)
    address, seen = f"/studies/{study}/submissions/?limit=2", []
    while address:
        page = api.get(address).json()
        seen += [one["participant_id"] for one in page["results"]]
        address = page["_links"]["next"]["href"]
    assert seen == [pid(50 + number) for number in range(5)]
    assert page["meta"]["count"] == 5


def test_groups_are_made_and_listed_in_a_workspace_only(api):
    """As documented: a group needs the id of a workspace or organisation, a list one to look in."""
    for body in ({"name": "kept out"}, {"name": "kept out", "project_id": PROJECT}):
        refused = api.post("/participant-groups/", json=body)
        assert (refused.status_code, "workspace_id" in refused.text) == (400, True)
    unknown = {"name": "kept out", "workspace_id": "5" * 24}
    assert api.post("/participant-groups/", json=unknown).status_code == 404
    assert api.get("/participant-groups/").status_code == 400
    group = make_group(api)
    for asked in ({"workspace_id": WORKSPACE}, {"project_id": PROJECT}):
        found = api.get("/participant-groups/", params={"limit": 1000, **asked}).json()["results"]
        assert group in [one["id"] for one in found]


def test_a_study_is_in_a_project_that_exists_and_keeps_out_groups_of_its_workspace(api):
    unknown = api.post("/studies/", json=STUDY | {"project": "5" * 24})
    assert (unknown.status_code, "project" in unknown.json()["error"]["detail"]) == (400, True)
    filters = [{"filter_id": "participant_group_blocklist", "selected_values": ["5" * 24]}]
    elsewhere = api.post("/studies/", json=STUDY | {"filters": filters})
    assert (elsewhere.status_code, "filters" in elsewhere.json()["error"]["detail"]) == (400, True)


def test_somebody_who_is_in_the_blocklist_sees_no_study(market, api):
    group = make_group(api)
    filters = [{"filter_id": "participant_group_blocklist", "selected_values": [group]}]
    study, member = make(api, filters=filters), {"participant_ids": [pid(60)]}
    address = f"/participant-groups/{group}/participants/"
    for _ in range(2):
        api.post(address, json=member)
    assert [one["participant_id"] for one in api.get(address).json()["results"]] == [pid(60)]
    assert study not in Site(market, pid(60)).offers()
    for _ in range(2):
        assert api.request("DELETE", address, json=member).status_code == 200
    assert study in Site(market, pid(60)).offers()


def test_by_the_clock_places_time_out_and_submissions_are_approved(tmp_path):
    with prolific(tmp_path / "state") as own, client(own) as api:
        study = make(api)
        left = Site(own, pid(1)).take(study)["submission"]
        sent = done(own, api, study, 2)
        own.advance(61 * 60)
        assert api.get(f"/submissions/{left}/").json()["status"] == "TIMED-OUT"
        own.advance(21 * 24 * 3600)
        assert api.get(f"/submissions/{sent}/").json()["status"] == "APPROVED"


def test_its_state_survives_kill_9_and_a_lost_reply_was_done(tmp_path):
    with prolific(tmp_path / "state") as own:
        own.fault("lose_reply", "create_study", times=1)
        with client(own) as api, pytest.raises(Exception, match="disconnected"):
            api.post("/studies/", json=STUDY)
        own.kill9()
        own.start()
        with client(own) as api:
            [study] = api.get("/studies/").json()["results"]
        assert study["internal_name"] == "v1-1"


def test_each_page_says_what_it_is(market):
    import urllib.request

    for address in ("/prolific/", f"/prolific/{pid(9)}/"):
        with urllib.request.urlopen(market.url + address, timeout=30) as page:
            assert "no real marketplace, no real money" in page.read().decode()
