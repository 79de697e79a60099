"""Makes .venv and installs pinned packages into it, when they are not there yet.

Usage: python scripts/environment.py run|test. Needs only the standard library; run it with any
Python 3.11 or newer. A second call sees by a hash that nothing changed, and returns at once.
"""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
# What each use needs; the files of `test` include those of `run`.
FILES = {"run": ["requirements.txt"], "test": ["requirements.txt", "requirements-dev.txt"]}


def fingerprint(use: str) -> str:
    """Changes whenever the pinned packages or the Python change."""
    digest = hashlib.sha256(f"{sys.version_info[:2]}".encode())
    for name in FILES[use]:
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def stamp(use: str) -> Path:
    """The file that remembers what was installed for a use."""
    return VENV / f"installed-for-{use}"


def installed(use: str) -> bool:
    """Whether .venv holds what a use needs."""
    return stamp(use).exists() and stamp(use).read_text() == fingerprint(use)


def make() -> None:
    """Make .venv, or make it again where it belongs to another Python. Raises SystemExit with what to do."""
    python = VENV / "bin" / "python"
    if python.exists():
        check = "import sys; print(sys.version_info[:2])"
        found = subprocess.run([python, "-c", check], capture_output=True, text=True, check=False)
        if found.stdout.strip() == str(sys.version_info[:2]):
            return
        print("The Python of .venv changed; making it again.", flush=True)
        shutil.rmtree(VENV)
    print("Making .venv ...", flush=True)
    made = subprocess.run([sys.executable, "-m", "venv", VENV], capture_output=True, text=True, check=False)
    if made.returncode:
        shutil.rmtree(VENV, ignore_errors=True)
        sys.exit(
            f"{sys.executable} cannot make a virtual environment: {(made.stdout + made.stderr).strip()}\n"
            "On Debian and Ubuntu the package python3-venv is missing."
        )


def install(use: str) -> None:
    """Install the pinned packages of a use. Raises SystemExit where pip fails."""
    print("Installing the pinned packages ...", flush=True)
    pip = [str(VENV / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "-qq"]
    if subprocess.run([*pip, "install", "-r", str(ROOT / FILES[use][-1])], check=False).returncode:
        sys.exit("pip could not install the packages; its reason stands above. Is the network reachable?")
    for covered in ("run", use):
        stamp(covered).write_text(fingerprint(covered))


def main(use: str) -> None:
    """Bring .venv up to date for a use."""
    if not installed(use):
        make()
        install(use)


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in FILES:
        sys.exit("Usage: scripts/environment.py run|test")
    main(sys.argv[1])
