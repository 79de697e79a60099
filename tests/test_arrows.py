"""Which room may know which: imports, foreign keys, and who writes the ledger, read from the code itself."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from django.apps import apps

from tests.ground import ROOT

ROOMS = ("prefir", "config", "judging", "tournament", "scoring", "demo")
# What a room's files may import of ours besides the room itself.
MAY_IMPORT = {
    "prefir": (),
    "judging": ("prefir", "config.queueing"),
    "tournament": ("prefir", "config.queueing", "judging"),
    "scoring": ("prefir", "config.queueing", "judging"),
    "demo": ("prefir", "judging", "tournament", "scoring"),  # it plays an organizer and assessors
    "config": ("prefir", "judging", "tournament", "scoring"),  # `catchup` calls every room's sweep
}
# Folders that are read, tested and timed without a database: they import nothing of ours, nor Django.
PURE = ("prefir/measures", "prefir/rules", "prefir/formats")
# The ledger's two doors: answers that people give, and files that are loaded.
LEDGER_WRITERS = {"judging/answering.py", "judging/collection.py"}
WRITING = {"create", "bulk_create", "get_or_create", "update_or_create", "update", "bulk_update", "delete"}


class Import(NamedTuple):
    """`import module` or `from module import name`, in a file."""

    module: str
    name: str


def sources() -> dict[str, str]:
    """Every Python file of the product by its path from the root; migrations are made, not written."""
    files = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
    return {str(p.relative_to(ROOT)): p.read_text() for p in files if p.parent.name != "migrations"}


def imports(path: str, source: str) -> Iterator[Import]:
    """Every import of a file, also those inside functions; relative ones spelt out."""
    package = Path(path).parent.parts
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            yield from (Import(module, alias.name) for alias in node.names)


def within(module: str, places: tuple[str, ...]) -> bool:
    """Whether a module is one of these or lies in one of them."""
    return any(module == place or module.startswith(f"{place}.") for place in places)


def room_offences(path: str, source: str) -> list[str]:
    """Imports of another room that this file's room may not know, or of its private names."""
    room = path.split("/")[0]
    allowed = MAY_IMPORT[room]
    found = []
    for module, name in imports(path, source):
        target = f"{module}.{name}" if name else module
        if module.split(".")[0] not in ROOMS or within(module, (room,)):
            continue
        if not within(module, allowed) and not within(target, allowed):
            found.append(f"{path} imports {target}")
        elif any(part.startswith("_") for part in target.split(".")):
            found.append(f"{path} imports the private {target}")
    return found


def purity_offences(path: str, source: str) -> list[str]:
    """Imports in a pure folder of Django, or of anything of ours outside that folder."""
    folder = next(pure for pure in PURE if path.startswith(f"{pure}/")).replace("/", ".")
    return [
        f"{path} imports {module}"
        for module, _ in imports(path, source)
        if module.split(".")[0] in (*ROOMS, "django", "celery") and not within(module, (folder,))
    ]


def ledger_offences(path: str, source: str) -> list[str]:
    """Places where judgments are made or changed: `Judgment(...)`, `Judgment.objects...create(...)`."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        of_judgments = called.startswith("Judgment.objects.") or ".judgments." in called
        if called == "Judgment" or (of_judgments and called.rsplit(".", 1)[1] in WRITING):
            found.append(f"{path}:{node.lineno} {called}")
    return found


def private_reach_offences(path: str, source: str) -> list[str]:
    """`services._lock` and the like, where `services` was imported from another room."""
    room = path.split("/")[0]
    foreign = {
        name or module
        for module, name in imports(path, source)
        if module.split(".")[0] in ROOMS and not within(module, (room,))
    }
    return [
        f"{path}:{node.lineno} {ast.unparse(node)}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and node.attr != "_meta"  # Django's own, and documented
        and ast.unparse(node.value) in foreign
    ]


def test_rooms_import_only_along_the_arrows():
    assert [offence for path, source in sources().items() for offence in room_offences(path, source)] == []


def test_pure_folders_import_nothing_of_ours_and_no_django():
    pure = {p: s for p, s in sources().items() if p.startswith(tuple(f"{folder}/" for folder in PURE))}
    assert len(pure) > 10
    assert [offence for path, source in pure.items() for offence in purity_offences(path, source)] == []


def test_only_the_two_doors_of_judging_write_judgments():
    writers = {path for path, source in sources().items() if ledger_offences(path, source)}
    assert writers == LEDGER_WRITERS


def test_no_room_reaches_for_the_private_names_of_another():
    found = [o for path, source in sources().items() for o in private_reach_offences(path, source)]
    assert found == []


def test_at_most_one_file_imports_boto3():
    """None yet; panels that pay will bring one."""
    users = [
        path
        for path, source in sources().items()
        if any(within(module, ("boto3", "botocore")) for module, _ in imports(path, source))
    ]
    assert len(users) <= 1


def test_queueing_knows_no_room():
    source = (ROOT / "config" / "queueing.py").read_text()
    assert not [i for i in imports("config/queueing.py", source) if i.module.split(".")[0] in ROOMS]


def test_foreign_keys_point_the_way_that_imports_may():
    outside = {"auth", "contenttypes"}
    for room in ("judging", "tournament", "scoring", "demo"):
        known = {room, *(place for place in MAY_IMPORT[room] if "." not in place)} | outside
        for model in apps.get_app_config(room).get_models():
            for field in model._meta.get_fields():
                # Reverse sides are not concrete: they belong to the room that declares them.
                if field.concrete and field.related_model is not None:
                    assert field.related_model._meta.app_label in known, f"{model.__name__}.{field.name}"


@pytest.mark.parametrize(
    ("check", "path", "source"),
    [
        (room_offences, "judging/asking.py", "from tournament import rules"),
        (room_offences, "judging/asking.py", "def f():\n    import scoring.services"),
        (room_offences, "judging/asking.py", "from config import settings"),
        (room_offences, "judging/panels/local.py", "from ...scoring import models"),
        (room_offences, "tournament/services.py", "from scoring.services import rescore"),
        (room_offences, "scoring/tasks.py", "import tournament"),
        (room_offences, "scoring/tasks.py", "from judging.answering import _exclude"),
        (room_offences, "judging/asking.py", "import demo.paint"),
        (room_offences, "prefir/cli/planning.py", "from tournament import services"),
        (purity_offences, "prefir/measures/rbo.py", "from django.db import models"),
        (purity_offences, "prefir/measures/rbo.py", "from scoring import models"),
        (purity_offences, "prefir/rules/crowd.py", "from ..models import Round"),
        (ledger_offences, "scoring/services.py", "Judgment(choice=1).save()"),
        (ledger_offences, "scoring/services.py", "Judgment.objects.filter(pk=1).update(choice=1)"),
        (ledger_offences, "scoring/services.py", "assignment.judgments.create(choice=1)"),
        (private_reach_offences, "scoring/views.py", "from judging import asking\nasking._locked([])"),
    ],
)
def test_each_check_sees_what_it_is_there_for(check, path, source):
    """Sources that break one rule each: every check above is known to be able to fail."""
    assert check(path, source)


@pytest.mark.parametrize(
    ("check", "path", "source"),
    [
        (room_offences, "tournament/services.py", "from config.queueing import nudge\nimport judging.asking"),
        (room_offences, "judging/tasks.py", "from config import queueing"),
        (room_offences, "prefir/cli/planning.py", "from prefir.rules import play"),
        (room_offences, "judging/screens/assessor.py", "from . import sitting\nfrom judging import _x"),
        (purity_offences, "prefir/rules/crowd.py", "from .pool import initial_pool\nimport random"),
        (ledger_offences, "scoring/services.py", "Judgment.objects.counting().count()"),
        (private_reach_offences, "scoring/views.py", "from judging.models import Item\nItem._meta.fields"),
    ],
)
def test_each_check_lets_pass_what_is_allowed(check, path, source):
    assert check(path, source) == []
