"""What a test run stands on: a folder of its own, and no setting that the shell happens to hold.

tests/on_postgres.py and tests/on_sqlite.py call `prepare` before the product's settings are read.
"""

import ast
import atexit
import os
import shutil
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Files that read settings from the environment.
SETTINGS_FILES = tuple(ROOT / "config" / f"{name}.py" for name in ("settings", "gunicorn", "data_folder"))
# The product's hasher is slow on purpose, and no test is about that.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def variables_read() -> set[str]:
    """The environment variables that the product reads: `env.x("NAME")`, `os.environ.get("NAME")`."""
    found = set()
    for path in SETTINGS_FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and ast.unparse(node.func.value) in ("env", "os.environ")
                and node.args
                and isinstance(node.args[0], ast.Constant)
            ):
                found.add(str(node.args[0].value))
    return found


def scratch_folder(purpose: str) -> Path:
    """A new folder, removed when the run ends."""
    folder = Path(tempfile.mkdtemp(prefix=f"faceoff-{purpose}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def clean_environment() -> dict[str, str]:
    """This process's environment without anything that steers the product."""
    ours = variables_read() | {"DJANGO_SETTINGS_MODULE"}
    return {name: value for name, value in os.environ.items() if name not in ours}


def prepare(database_url: str = "") -> None:
    """Let the product's settings be those of a test: data in a scratch folder, and this database.

    Empty: SQLite in that folder.
    """
    for name in variables_read():
        os.environ.pop(name, None)
    os.environ["FACEOFF_DATA"] = str(scratch_folder("data"))
    # Before numpy is loaded. Matrices are small here; threads for them would take the core of the other run.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if database_url:
        os.environ["DATABASE_URL"] = database_url
