"""How large prefir is once it is installed, and how long it takes to import: python -m bench.package

Builds the wheel, installs it into an empty environment, and prints megabytes and seconds.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 7
STATEMENTS = (
    "pass",
    "import prefir",
    "import prefir; prefir.read, prefir.evaluate, prefir.rank",
    "from prefir.measures import *",
)
TIMED = "import time; t = time.process_time(); exec({!r}); print(time.process_time() - t)"


def megabytes(folder: Path) -> float:
    """How much the files of a folder hold."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def main() -> None:
    """Print what the wheel and its environment take."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}

    def run(*words: object) -> str:
        told = subprocess.run(
            [str(word) for word in words],
            env=environment,
            cwd=name,
            check=True,
            capture_output=True,
            text=True,
        )
        return told.stdout

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for what in ("prefir", "docs/prefir.md", "pyproject.toml", "LICENSE"):
            (folder / "source" / what).parent.mkdir(parents=True, exist_ok=True)
            run("cp", "-r", ROOT / what, folder / "source" / what)
        run(
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "--wheel-dir",
            name,
            folder / "source",
        )
        (wheel,) = folder.glob("*.whl")
        run(sys.executable, "-m", "venv", folder / "env")
        (packages,) = (folder / "env").glob("lib/python*/site-packages")
        before = {path.name for path in packages.iterdir()}
        run(folder / "env/bin/pip", "install", "--quiet", wheel)
        print(f"wheel: {wheel.stat().st_size / 1e6:.2f} MB")
        added = [path for path in packages.iterdir() if path.is_dir() and path.name not in before]
        for path in sorted(added, key=megabytes, reverse=True)[:6]:
            print(f"{path.name}: {megabytes(path):.1f} MB")
        print(f"together: {sum(map(megabytes, added)):.0f} MB")
        for statement in STATEMENTS:
            python = folder / "env/bin/python"
            seconds = min(float(run(python, "-c", TIMED.format(statement))) for _ in range(ROUNDS))
            print(f"{statement}: {seconds:.3f} s of CPU")


if __name__ == "__main__":
    main()
