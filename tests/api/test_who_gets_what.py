"""Who gets what of the API: every route of its description, by every role and by nobody."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from collection.credentials import accounts, api_tokens
from collection.models import ApiToken, Import, Membership
from judging.batches import answering
from judging.models import Assessor
from tests.api.programs import ALL, Program, make_assessor, token_of
from tests.judging.organizing import account, logged_in, staff_of
from tests.judging.studies import make_study
from web.api.description import described

pytestmark = pytest.mark.django_db

# A body that each route takes; {} where a route takes none, bytes where it takes a file.
BODIES = {
    "arrive": {"task": 1, "version": 1},
    "answer": {"position": 1, "choice": "left", "nonce": "n"},
    "cannot": {"position": 1, "reason": "broken"},
}
FOR_READERS = {"study", "board", "scores", "topics", "judgments"}
# Pictures, their descriptions and grids are for studies of images, and this one is of texts.
OF_IMAGES = {"load_pictures", "load_descriptions", "load_grid"}
FOR_ORGANIZERS = {
    "load_topics",
    "load_items",
    "load_answers",
    "load_qrels",
    "load_groups",
    "load_sources",
    "load_run",
    "one_import",
} | OF_IMAGES
FOR_ASSESSORS = {"desk", "arrive", "show", "answer", "cannot", "finish"}


def routes() -> dict[str, tuple[str, str, str]]:
    """Every route by its name: its method, its path, the scope that it needs."""
    return {
        told["operationId"]: (method, path, told["tags"][0])
        for path, methods in described()["paths"].items()
        for method, told in methods.items()
    }


ROUTES = routes()


@pytest.fixture(autouse=True)
def _uploads(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture
def study():
    """Alice's, Bob's and Dora's, who judges; the question of each body is in her batch."""
    study = staff_of(make_study())
    study.opened_at = None  # so that files can be loaded
    study.save()
    make_assessor(study, "dora")
    return study


@pytest.fixture
def numbers(study):
    """The keys of rows of the study by what routes call them: an import, and Dora's batch."""
    study.opened_at = timezone.now()
    study.save()
    batch = answering.arrive(Assessor.objects.get(user=account("dora")).pk)
    study.opened_at = None
    study.save()
    row = Import.objects.create(study=study, kind="topics", name="t", state=Import.State.DONE)
    return {"imports": row.pk, "sittings": batch.pk}


def ask(program: Program, name: str, slug: str, numbers: dict[str, int]) -> int:
    """The status with which a route answers about a study and its rows."""
    method, path, scope = ROUTES[name]
    for part, number in numbers.items():
        path = path.replace(f"/{part}/{{number}}", f"/{part}/{number}")
    path = path.removeprefix("/api/v1").replace("{study}", slug)
    if method == "get":
        return program.get(f"/api/v1{path}").status_code
    if scope == "load":
        path += "?run=good" if name == "load_grid" else ""
        return program.load(path, b"t1\tWhich?\n").status_code
    return program.send(path, BODIES.get(name)).status_code


def statuses(program: Program, slug: str, numbers: dict[str, int], names=ROUTES) -> dict[str, int]:
    return {name: ask(program, name, slug, numbers) for name in names}


def table(readers: int, organizers: int, assessors: int) -> dict[str, int]:
    """The statuses of all routes, by whom they are for; the list of studies is everybody's own."""
    found = dict.fromkeys(FOR_READERS, readers) | dict.fromkeys(FOR_ORGANIZERS, organizers)
    return found | dict.fromkeys(FOR_ASSESSORS, assessors) | {"studies": 200}


def test_the_table_names_every_route():
    assert table(0, 0, 0).keys() == ROUTES.keys()


def test_an_organizer_reads_and_loads_and_does_not_judge(study, numbers):
    found = statuses(Program("alice"), study.slug, numbers)
    loads = dict.fromkeys(FOR_ORGANIZERS - {"one_import"}, 202) | dict.fromkeys(OF_IMAGES, 409)
    assert found == table(200, 200, 404) | loads


def test_a_coordinator_reads_and_is_told_what_is_not_for_them(study, numbers):
    assert statuses(Program("bob"), study.slug, numbers) == table(200, 403, 404)


def test_an_assessor_judges_and_sees_nothing_of_how_it_goes(study, numbers):
    study.opened_at = timezone.now()
    study.save()
    found = statuses(Program("dora"), study.slug, numbers)
    # Her batch is not answered yet.
    once = {"arrive": 201, "finish": 409}
    assert found == table(404, 404, 200) | once


def test_a_stranger_finds_nothing(study, numbers):
    other = make_study(slug="other")
    Membership.objects.create(study=other, user=account("charlie"), role=Membership.Role.ORGANIZER)
    make_assessor(study=other, name="erin")
    nothing = table(404, 404, 404)
    for name in ("charlie", "erin"):
        assert statuses(Program(name), study.slug, numbers) == nothing
        assert statuses(Program(name), "no-such-study", numbers) == nothing


def test_rows_of_another_study_are_not_found_under_ones_own(study, numbers):
    other = make_study(slug="other")
    Membership.objects.create(study=other, user=account("charlie"), role=Membership.Role.ORGANIZER)
    make_assessor(study=other, name="dora")
    assert ask(Program("charlie"), "one_import", "other", numbers) == 404
    # Dora's own batch, but of the other study; and Erin's, who judges in the same one.
    own = ("show", "answer", "cannot", "finish")
    assert statuses(Program("dora"), "other", numbers, own) == dict.fromkeys(own, 404)
    make_assessor(study=study, name="erin")
    assert statuses(Program("erin"), study.slug, numbers, own) == dict.fromkeys(own, 404)


def test_somebody_who_lost_their_part_judges_no_more(study, numbers):
    Membership.objects.filter(study=study, user=account("dora")).delete()
    found = statuses(Program("dora"), study.slug, numbers, FOR_ASSESSORS)
    assert found == dict.fromkeys(FOR_ASSESSORS, 404)


@pytest.mark.parametrize("lacking", ALL)
def test_a_token_without_the_scope_is_refused_no_matter_whom_it_acts_for(study, numbers, lacking):
    scopes = [scope for scope in ALL if scope != lacking]
    needing = [name for name, (*_, scope) in ROUTES.items() if scope == lacking]
    for name in ("alice", "dora", "charlie"):
        found = statuses(Program(name, *scopes), study.slug, numbers, needing)
        assert found == dict.fromkeys(needing, 403)


def path_of(name: str) -> str:
    return ROUTES[name][1].replace("{study}", "garden").replace("{number}", "1")


def refused(program: Program, study, numbers) -> None:
    assert statuses(program, study.slug, numbers) == dict.fromkeys(ROUTES, 401)


def test_nobody_gets_anything(study, numbers, settings):
    refused(Program(), study, numbers)


@pytest.mark.parametrize(
    "change",
    [
        lambda token: token[:-1] + ("A" if token[-1] != "A" else "B"),
        lambda token: token.replace("faceoff_", "facedown_"),
        lambda token: token.upper(),
        lambda token: token + " ",
        lambda token: "",
    ],
)
def test_a_token_that_is_not_the_one_is_nobodys(study, change):
    token = change(token_of("alice"))
    response = Client().get("/api/v1/studies", HTTP_AUTHORIZATION=f"Bearer {token}")
    assert response.status_code == 401
    assert response["WWW-Authenticate"].startswith("Bearer")


def test_a_token_at_its_end_is_nobodys(study, numbers):
    program = Program("alice")
    ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    refused(program, study, numbers)


def test_a_revoked_token_is_nobodys(study, numbers):
    program = Program("alice")
    [token] = api_tokens.own(account("alice"))
    assert not api_tokens.revoke(account("bob"), token.pk)
    assert len(program.ask("/studies")["studies"]) == 1
    assert api_tokens.revoke(account("alice"), token.pk)
    refused(program, study, numbers)


@pytest.mark.parametrize("end", [accounts.disable, accounts.reset])
def test_tokens_end_with_an_account_that_is_disabled_or_reset_also_if_it_is_enabled_again(study, end):
    program = Program("alice")
    end(account("alice").pk)
    accounts.enable(account("alice").pk)
    assert program.get("/api/v1/studies").status_code == 401


def test_a_login_is_no_token(study, numbers):
    """Cookies would let other sites ask in somebody's name."""
    browser = logged_in("alice")
    found = {name: browser.get(path_of(name)).status_code for name, one in ROUTES.items() if one[0] == "get"}
    assert set(found.values()) == {401}


def test_no_other_site_may_read_an_answer_and_no_cache_keeps_it(study):
    program = Program("alice")
    response = program.get("/api/v1/studies", HTTP_ORIGIN="https://elsewhere.example")
    assert response["Cache-Control"] == "no-store"
    assert [name for name in response.headers if name.startswith("Access-Control")] == []
    assert not response.cookies


def test_everybody_may_read_the_description_and_it_is_of_these_routes(client):
    found = client.get("/api/v1/openapi.json").json()
    assert found["openapi"].startswith("3.1")
    assert found["paths"].keys() == described()["paths"].keys()


@pytest.mark.parametrize(
    "path", ["/api/", "/api/v1/", "/api/v1/nothing", "/api/v2/studies", "/api/v1/studies/"]
)
def test_where_there_is_nothing_the_answer_is_a_problem(client, path):
    response = client.get(f"/api/{path}")
    assert response.status_code == 404
    assert response["Content-Type"] == "application/problem+json"
    assert response.json()["code"] == "not-found"


def test_a_wrong_method_is_told_which_are_right(client):
    response = client.delete("/api/v1/studies")
    assert (response.status_code, response["Allow"], response.json()["code"]) == (405, "GET", "method")


@pytest.mark.parametrize("role", [Membership.Role.VIEWER, Membership.Role.PARTICIPANT])
def test_somebody_who_sees_results_or_their_own_runs_alone_reads_no_judgments_and_loads_nothing(
    study, numbers, role
):
    Membership.objects.create(study=study, user=account("erin"), role=role)
    assert statuses(Program("erin"), study.slug, numbers) == table(403, 403, 404)
