"""The description against the API: schemathesis asks every route for all that its description allows, and for
what it forbids, through the WSGI application that is served.

A few examples of each route here; `API_EXAMPLES=500` tries more. Seeded, so that a failure comes again.
"""

import os
from copy import deepcopy
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis.checks import CheckFunction, load_all_checks, not_a_server_error
from schemathesis.generation import GenerationMode

from config.wsgi import application
from judging.batches import answering
from judging.models import Assessor
from tests.api.programs import make_assessor, token_of
from tests.judging.organizing import account, judge_batch, staff_of
from tests.judging.studies import invite, make_study
from tests.makers import add_run
from web.api.description import described

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
EXAMPLES = int(os.environ.get("API_EXAMPLES", "10"))
load_all_checks()
from schemathesis.specs.openapi import checks  # noqa: E402

CHECKS: list[CheckFunction] = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
]


def without_security() -> dict[str, Any]:
    """The description without its tokens: the test sends them itself, also where all else is wrong."""
    schema = deepcopy(described())
    for route in (route for path in schema["paths"].values() for route in path.values()):
        del route["security"]
    return schema


SCHEMA = schemathesis.openapi.from_dict(without_security())
SCHEMA.app = application
ROUTES = sorted((method, path) for path, methods in described()["paths"].items() for method in methods)


@pytest.fixture
def tokens(settings, tmp_path):
    """Tokens of an organizer and of an assessor of a study that has what routes show, and of a stranger."""
    settings.MEDIA_ROOT, settings.API_REQUESTS_A_MINUTE = tmp_path, 10**9
    study = staff_of(make_study())
    docnos = [f"DOCNO-shade-{plant}" for plant in ("oak", "fern", "moss")]
    add_run(study, "one", {"shade": docnos})
    add_run(study, "two", {"shade": docnos[::-1]})
    judge_batch(invite(study))
    make_assessor(study, "dora")
    answering.arrive(Assessor.objects.get(user=account("dora")).pk)
    return [token_of(name) for name in ("alice", "dora", "charlie")]


@pytest.mark.parametrize(("method", "path"), ROUTES, ids=[f"{method} {path}" for method, path in ROUTES])
def test_whatever_is_asked_the_answer_is_one_that_is_described(method, path, tokens):
    operation = SCHEMA[path][method]
    cases = st.one_of(
        *(
            operation.as_strategy(generation_mode=mode)
            for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
        )
    )

    @seed(11)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    @given(case=cases, token=st.sampled_from(tokens), known=st.booleans(), number=st.integers(1, 3))
    def ask(case, token, known, number):
        if known:
            # Else hardly any example would come so far as to be about something that there is.
            for name, value in {"study": "garden", "number": number}.items():
                if name in case.path_parameters or ():
                    case.path_parameters[name] = value
        case.call_and_validate(headers={"Authorization": f"Bearer {token}"}, checks=CHECKS)

    ask()
