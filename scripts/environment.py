"""Makes .venv, installs the pinned packages into it, compiles the loops and collects static files, where that
is not done yet.

Usage: python scripts/environment.py run|test. Needs only the standard library; run it with any Python 3.11
or newer. What was installed is remembered by a copy of the file of pins in .venv, and what was compiled by an
empty file that is newer than its source.
"""

import ctypes.util
import filecmp
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = str(VENV / "bin" / "python")
PIP = VENV / "lib" / f"python3.{sys.version_info.minor}" / "site-packages" / "pip"
KERNELS = ROOT / "prefir" / "measures" / "kernels"
COMPILED = VENV / "kernels-compiled"
STATIC = ROOT / "static"
# The code that collects them.
COLLECTING = [ROOT / "config" / name for name in ("bundles.py", "static_files.py")]
# A folder in it for each edition of the static files (`config.static_files`).
COLLECTED = ROOT / "staticfiles"
# What WeasyPrint sets text with: name of the library, and Debian's package.
PANGO = {"pango-1.0": "libpango-1.0-0", "pangoft2-1.0": "libpangoft2-1.0-0"}
PINS = {"run": ["requirements.txt"], "test": ["requirements.txt", "requirements-dev.txt"]}


def made() -> bool:
    """Whether .venv was made, as a whole, and by a Python of this version that is still there."""
    return Path(PYTHON).exists() and PIP.exists()


def installed(name: str) -> bool:
    """Whether .venv holds what a file of pins names."""
    return made() and (VENV / name).exists() and filecmp.cmp(ROOT / name, VENV / name, shallow=False)


def compiled() -> bool:
    """Whether the loops of the measures were compiled since they were last changed."""
    newest = max(path.stat().st_mtime for path in KERNELS.glob("*.py"))
    return COMPILED.exists() and COMPILED.stat().st_mtime >= newest


def collected() -> bool:
    """Whether the static files were collected since they were last changed."""
    made = [path.stat().st_mtime for path in COLLECTED.glob("*/staticfiles.json")]
    sources = (*STATIC.rglob("*"), *COLLECTING)
    return bool(made) and max(made) >= max(path.stat().st_mtime for path in sources)


def collect() -> None:
    """Collect static files of this edition, and remove all but the newest two."""
    collect = [PYTHON, "manage.py", "collectstatic", "--noinput", "--verbosity=0"]
    subprocess.run(collect, cwd=ROOT, check=False)
    for folder in sorted(COLLECTED.glob("*/"), key=lambda path: path.stat().st_mtime)[:-2]:
        shutil.rmtree(folder)


def main(names: list[str]) -> None:
    """Bring .venv up to date. Raises SystemExit with what to do where that fails."""
    if not all(map(installed, names)):
        install(names)
    if not compiled():
        # Once, here: what is not compiled would be so by the first process that scores a topic.
        print("Compiling the loops of the measures ...", flush=True)
        if not subprocess.run([PYTHON, "-m", "prefir.measures.warm"], cwd=ROOT, check=False).returncode:
            COMPILED.touch()
    if not collected():
        collect()


def install(names: list[str]) -> None:
    """Install what files of pins name. Raises SystemExit with what to do where that fails."""
    COMPILED.unlink(missing_ok=True)
    if not made():
        print("Making .venv ...", flush=True)
        make = [sys.executable, "-m", "venv", "--clear", str(VENV)]
        done = subprocess.run(make, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(
                f"{sys.executable} cannot make a virtual environment: {(done.stdout + done.stderr).strip()}\n"
                "On Debian and Ubuntu that needs the package python3-venv."
            )
    print("Installing the pinned packages ...", flush=True)
    pip = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "-qq"]
    if subprocess.run([*pip, *(f"-r{ROOT / name}" for name in names)], check=False).returncode:
        sys.exit("pip could not install the packages; its reason stands above. Is the network reachable?")
    install_pango()
    for name in names:
        shutil.copy(ROOT / name, VENV)


def install_pango() -> None:
    """Install the library for PDFs: through apt when root, else say what is missing; only PDFs need it."""
    missing = [package for library, package in PANGO.items() if not ctypes.util.find_library(library)]
    if not missing:
        return
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"Installing Debian's {' '.join(missing)} ...", flush=True)
        env = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        install = ["apt-get", "-qq", "install", "-y", "--no-install-recommends", *missing]
        commands = ["apt-get", "-qq", "update"], install
        if all(not subprocess.run(command, env=env, check=False).returncode for command in commands):
            return
    print(f"Without {' and '.join(missing)} reports are not there as PDF, only as page and Markdown.")
    print(f"On Debian and Ubuntu, run: sudo apt-get install {' '.join(missing)}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in PINS:
        sys.exit("Usage: scripts/environment.py run|test")
    main(PINS[sys.argv[1]])
