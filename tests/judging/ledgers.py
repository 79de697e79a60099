"""A sealed ledger for tests, and what is said of it."""

import io

from django.core.management import CommandError, call_command

from collection.models import Study
from judging.audit import hash_chain, verification
from judging.models import Seal
from tests.judging.organizing import staff_of
from tests.makers import invite, make_study, open_study, sit


def two_blocks() -> Study:
    """Two batches: one kept, one failed; sealed in two blocks."""
    study = open_study(staff_of(make_study(topics=3, batch_pairs=4, slug="pilot")))
    sit(invite(study))
    hash_chain.seal()
    sit(invite(study), wrong=99)
    hash_chain.seal()
    return study


def sealed(study: Study) -> list[tuple[str, int]]:
    """Kind and id of every row that a seal of the study has, in order."""
    return [
        key
        for seal in Seal.objects.filter(study=study).order_by("number")
        for key in verification.listed(seal)
    ]


def said(study: Study, **options) -> str:
    """What `manage.py verify` says; its complaint and the code if it does not end with 0."""
    out = io.StringIO()
    try:
        call_command("verify", study.slug, stdout=out, **options)
    except CommandError as error:
        return f"refused, code {error.returncode}: {error}"
    return out.getvalue()
