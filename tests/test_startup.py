"""Starting: what a web process has imported before, and after, it has shown every page of nothing."""

import os
import subprocess
import sys
from types import SimpleNamespace

from scripts import environment
from tests.ground import ROOT, clean_environment

HEAVY = {
    "PIL", "boto3", "llvmlite", "matplotlib", "networkx", "numba", "numpy", "pandas", "scipy", "sklearn",
    "weasyprint",
}  # fmt: skip
LOADED = """
import sys
import config.wsgi
from django.urls import get_resolver
def visit(patterns):
    for pattern in patterns:
        visit(getattr(pattern, "url_patterns", []))
visit(get_resolver().url_patterns)
print(*sorted({name.split(".")[0] for name in sys.modules}))
"""


def loaded(tmp_path, **settings: str) -> set[str]:
    """Top packages that a fresh process has imported once it knows every page."""
    environment = clean_environment() | {"FACEOFF_DATA": str(tmp_path)} | settings
    done = subprocess.run(
        [sys.executable, "-c", LOADED], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_a_web_process_over_services_starts_without_what_computes(tmp_path):
    found = loaded(tmp_path, REDIS_URL="redis://127.0.0.1:1/0")
    assert found & HEAVY == set()
    assert {"web", "scoring", "tournament"} <= found


def test_the_one_process_of_make_run_starts_without_it_and_without_redis(tmp_path):
    assert loaded(tmp_path) & (HEAVY | {"redis"}) == set()


def test_loops_are_compiled_at_set_up_once_and_again_when_they_have_changed(tmp_path, monkeypatch):
    """Seen by commands that only would be run."""
    ran: list[list[str]] = []

    def run(command: list[str], **_: object) -> SimpleNamespace:
        ran.append(command[1:])
        return SimpleNamespace(returncode=0)

    loops = tmp_path / "loops.py"
    loops.touch()
    monkeypatch.setattr(environment, "KERNELS", tmp_path)
    monkeypatch.setattr(environment, "COMPILED", tmp_path / "compiled")
    monkeypatch.setattr(environment, "installed", lambda name: True)
    monkeypatch.setattr(environment, "collected", lambda: True)
    monkeypatch.setattr(environment.subprocess, "run", run)
    for _ in range(2):
        environment.main(["requirements.txt"])
    assert ran == [["-m", "prefir.measures.warm"]]
    later = (tmp_path / "compiled").stat().st_mtime + 1
    os.utime(loops, (later, later))
    environment.main(["requirements.txt"])
    assert len(ran) == 2


def test_static_files_are_collected_once_for_each_edition_and_two_are_kept(tmp_path, monkeypatch):
    """Seen by a command that makes what the real one would."""
    static, editions = tmp_path / "static", tmp_path / "staticfiles"
    static.mkdir()
    ran: list[list[str]] = []

    def run(command: list[str], **_: object) -> SimpleNamespace:
        ran.append(command[1:3])
        made = editions / f"edition{len(ran)}" / "staticfiles.json"
        made.parent.mkdir(parents=True)
        made.touch()
        for path in (made, made.parent):
            os.utime(path, (2 * len(ran), 2 * len(ran)))
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(environment, "STATIC", static)
    monkeypatch.setattr(environment, "COLLECTED", editions)
    monkeypatch.setattr(environment, "COLLECTING", [])
    monkeypatch.setattr(environment, "installed", lambda name: True)
    monkeypatch.setattr(environment, "compiled", lambda: True)
    monkeypatch.setattr(environment.subprocess, "run", run)
    (static / "page.css").touch()
    for edition in (1, 2, 3):
        os.utime(static / "page.css", (2 * edition - 1, 2 * edition - 1))
        for _ in range(2):
            environment.main(["requirements.txt"])
        assert ran == edition * [["manage.py", "collectstatic"]]
    assert sorted(path.name for path in editions.iterdir()) == ["edition2", "edition3"]


def installing(monkeypatch, root: bool, answer: int) -> list[list[str]]:
    """The commands that would install Pango on a Debian that has none; each would end with `answer`."""
    ran: list[list[str]] = []

    def run(command: list[str], **_: object) -> SimpleNamespace:
        ran.append(command)
        return SimpleNamespace(returncode=answer)

    monkeypatch.setattr(environment.ctypes.util, "find_library", lambda name: None)
    monkeypatch.setattr(environment.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(environment.os, "geteuid", lambda: 0 if root else 1000)
    monkeypatch.setattr(environment.subprocess, "run", run)
    environment.install_pango()
    return ran


def test_the_library_for_pdfs_is_installed_by_root(monkeypatch, capsys):
    ran = installing(monkeypatch, root=True, answer=0)
    assert [command[2] for command in ran] == ["update", "install"]
    assert ran[1][-2:] == ["libpango-1.0-0", "libpangoft2-1.0-0"]
    assert "Without" not in capsys.readouterr().out


def test_the_library_for_pdfs_is_named_where_it_cannot_be_installed(monkeypatch, capsys):
    for root in (False, True):
        ran = installing(monkeypatch, root, answer=100)
        assert len(ran) == root
        assert "sudo apt-get install libpango-1.0-0 libpangoft2-1.0-0" in capsys.readouterr().out
