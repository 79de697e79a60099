"""Which room may know which: imports, foreign keys, and who writes the ledger, read from the code itself.

The arrows stand in pyproject.toml and are checked by import-linter.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.apps import apps
from importlinter.cli import lint_imports

from tests.ground import ROOT
from tests.rooms import LAYERS, ROOMS

# The ledger's two doors: answers that people give, plainly and by statement, and files that are loaded.
LEDGER_WRITERS = {
    *(
        "judging/batches/answering.py",
        "judging/batches/sql_statements/answer.py",
        "judging/transfer/bulk_judgments.py",
    ),
    "judging/transfer/release_import.py",
}
WRITTEN = re.compile(r"(INSERT INTO|UPDATE|DELETE FROM)\s+judging_judgment\b", re.I)
WRITING = {"create", "bulk_create", "get_or_create", "update_or_create", "update", "bulk_update", "delete"}


def sources() -> dict[str, str]:
    """Every Python file of the product by its path from the root; migrations are made, not written."""
    files = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
    return {str(p.relative_to(ROOT)): p.read_text() for p in files if p.parent.name != "migrations"}


def ledger_offences(path: str, source: str) -> list[str]:
    """Places where judgments are made or changed: `Judgment(...)`, `Judgment.objects...create(...)`, SQL."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and WRITTEN.search(str(node.value)):
            found.append(f"{path}:{node.lineno} SQL")
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        of_judgments = called.startswith("Judgment.objects.") or ".judgments." in called
        if called == "Judgment" or (of_judgments and called.rsplit(".", 1)[1] in WRITING):
            found.append(f"{path}:{node.lineno} {called}")
    return found


def private_offences(path: str, source: str) -> list[str]:
    """Private names of another room: imported, or reached through a module that was."""
    room = path.split("/")[0]
    found, foreign = [], set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            owner = node.module.split(".")[0]
            if owner in ROOMS and owner != room:
                names = [*node.module.split("."), *(alias.name for alias in node.names)]
                found += [f"{path} imports the private {name}" for name in names if name.startswith("_")]
                foreign |= {alias.asname or alias.name for alias in node.names}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in foreign:
            private = node.attr.startswith("_") and not node.attr.startswith("__")
            if private and node.attr != "_meta":  # Django's own, and documented
                found.append(f"{path}:{node.lineno} {ast.unparse(node)}")
    return found


def test_rooms_import_only_along_the_arrows(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    assert lint_imports(no_cache=True) == 0, capsys.readouterr().out


AGAINST_AN_ARROW = {
    "judging/questions/asking.py": "import tournament.models",
    "tournament/services.py": "import scoring.scores.topic_scores",
    "collection/upload/loading.py": "def f():\n    import collection.jobs",
    "prefir/rules/crowd.py": "import django.db",
    "prefir/rules/pool.py": "import prefir.measures.rbo",
    "config/task_queue.py": "import collection.models",
}


def test_every_import_against_an_arrow_is_seen(tmp_path):
    """A copy of the product with one bad import for each rule: the check is known to be able to fail."""
    for room in ROOMS:
        for file in (ROOT / room).rglob("*.py"):
            copy = tmp_path / file.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            bad = AGAINST_AN_ARROW.get(str(file.relative_to(ROOT)), "")
            copy.write_text(f"{file.read_text()}\n{bad}\n")
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text())
    program = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    # A process of its own: in this one the rooms are already imported from where they are.
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    for path, line in AGAINST_AN_ARROW.items():
        importer, imported = path.removesuffix(".py").replace("/", "."), line.rpartition("import ")[2]
        broken = re.compile(rf"{importer} -> {imported.split('.')[0]}")
        assert broken.search(done.stdout), f"{path}: {line}"


def test_only_the_two_doors_of_judging_write_judgments():
    writers = {path for path, source in sources().items() if ledger_offences(path, source)}
    assert writers == LEDGER_WRITERS


@pytest.mark.slow
def test_no_room_reaches_for_the_private_names_of_another():
    assert [o for path, source in sources().items() for o in private_offences(path, source)] == []


def test_only_one_file_asks_amazon():
    """The emulator reads botocore's service model, and asks nobody."""

    def importing(name: str) -> set[str]:
        line = re.compile(rf"^\s*(import|from) {name}\b", re.MULTILINE)
        return {path for path, source in sources().items() if line.search(source)}

    assert importing("boto3") == {"panels/mturk/client.py"}
    assert importing("botocore") == {"panels/mturk/client.py", "simulation/emulators/mturk/wire.py"}


def test_foreign_keys_point_the_way_that_imports_may():
    below = {"auth", "contenttypes"}
    for layer in LAYERS:
        for room in layer:
            if not apps.is_installed(room) or not (ROOT / room / "migrations").is_dir():
                continue
            for model in apps.get_app_config(Path(room).name).get_models():
                for field in model._meta.get_fields():
                    # Reverse sides are not concrete: they belong to the room that declares them.
                    if field.concrete and field.related_model is not None:
                        owner = field.related_model._meta.app_label
                        assert owner in below | {room}, f"{model.__name__}.{field.name}"
        below |= set(layer)


@pytest.mark.parametrize(
    ("check", "path", "source"),
    [
        (ledger_offences, "scoring/scores/topic_scores.py", "Judgment(choice=1).save()"),
        (ledger_offences, "scoring/scores/topic_scores.py", "Judgment.objects.filter(pk=1).update(choice=1)"),
        (ledger_offences, "scoring/scores/topic_scores.py", "assignment.judgments.create(choice=1)"),
        (
            ledger_offences,
            "scoring/scores/topic_scores.py",
            "run('INSERT INTO judging_judgment (id) VALUES (1)')",
        ),
        (private_offences, "web/urls.py", "from judging.questions import asking\nasking._locked([])"),
        (private_offences, "scoring/jobs.py", "from judging.batches.answering import _exclude"),
    ],
)
def test_each_check_sees_what_it_is_there_for(check, path, source):
    """Sources that break one rule each: every check above is known to be able to fail."""
    assert check(path, source)


@pytest.mark.parametrize(
    ("check", "path", "source"),
    [
        (ledger_offences, "scoring/scores/topic_scores.py", "Judgment.objects.counting().count()"),
        (private_offences, "web/urls.py", "from judging.models import Question\nQuestion._meta.fields"),
        (private_offences, "judging/questions/asking.py", "from judging import _x\n_x.y"),
    ],
)
def test_each_check_lets_pass_what_is_allowed(check, path, source):
    assert check(path, source) == []
