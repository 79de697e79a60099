"""Builds the wheel of the platform: `python -m scripts.wheel FOLDER`. That of `prefir` is built by pip alone.

The product's tree lies inside the package `faceoff`, with its static files collected, as in the image.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import prefir

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = (
    "collection", "config", "docs", "judging", "locale", "panels", "prefir", "scoring", "simulation",
    "static", "templates", "tournament", "web",
)  # fmt: skip
FILES = ("manage.py", "scripts/__init__.py", "scripts/serve.py")


def build(target: Path) -> Path:
    """Build the wheel into a folder, and return its path. Raises CalledProcessError where a step fails."""
    with TemporaryDirectory() as folder:
        source = Path(folder)
        lay_out(source)
        words = ["wheel", "--quiet", "--no-deps", "--wheel-dir", str(target), folder]
        subprocess.run([sys.executable, "-m", "pip", *words], check=True)
    return target / f"faceoff-{prefir.__version__}-py3-none-any.whl"


def lay_out(source: Path) -> None:
    """Lay out a folder that pip builds: the command, the product's tree under `faceoff/app`, and the pins."""
    compiled = shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc")
    shutil.copytree(ROOT / "package", source, dirs_exist_ok=True, ignore=compiled)
    app = source / "faceoff" / "app"
    for name in FOLDERS:
        shutil.copytree(ROOT / name, app / name, ignore=compiled)
    (app / "scripts").mkdir()
    for name in FILES:
        shutil.copy(ROOT / name, app / name)
    for name in ("LICENSE", "README.md", "requirements.txt"):
        shutil.copy(ROOT / name, source / name)
    (source / "VERSION").write_text(prefir.__version__)
    collect = [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity=0"]
    with TemporaryDirectory() as data:
        own = {"FACEOFF_DATA": data, "DJANGO_SETTINGS_MODULE": "config.settings"}
        environment = os.environ | own | {"PYTHONDONTWRITEBYTECODE": "1"}
        subprocess.run(collect, cwd=app, env=environment, check=True)


if __name__ == "__main__":
    print(build(Path(sys.argv[1])))
