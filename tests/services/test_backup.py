"""Backups made while people judge, restored elsewhere: nothing from before is missing, the end is the same.

The people are those of `manage.py replay`, whose answers depend on the pair and the seed alone: a study that
is restored and judged to its end must end as the one that it was copied from.
"""

import json
import os
import re
import signal
import stat
import subprocess

import pytest

from tests.servers import find, postgres, wait_until
from tests.stack import Stack

pytestmark = pytest.mark.services

MAKE = """
import json, random
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from collection.models import Item
from tests.makers import add_run, make_study, open_study
from web.shared import tokens
study = make_study(items=8, batch_pairs=5, slug="kept", seed="kept", k=3, final_size=5, pairings=2)
docnos = {t.name: sorted(t.items.values_list("docno", flat=True)) for t in study.topics.all()}
for name in ("one", "two"):
    add_run(study, name, {t: random.Random(name + t).sample(docnos[t], 8) for t in docnos})
item = Item.objects.first()
item.image = default_storage.save("small.gif", ContentFile(b"GIF89a, a picture"))
item.save()
open_study(study)
print(json.dumps(f"/image/{tokens.sign_image(item.pk)}/"))
"""
LEDGER = "SELECT id, assignment_id, question_id, revision, value, shown FROM judging_judgment ORDER BY id"


def judged_in_part(stack: Stack) -> None:
    """Let people begin to judge, and stop them wherever they are, with connections open."""
    stack.begin("replay", "kept")
    wait_until(lambda: len(stack.query(LEDGER)) > 8, seconds=90, what="some judgments are stored")
    stack.processes["command"].send_signal(signal.SIGSTOP)
    assert stack.processes["command"].poll() is None, stack.log("command")


def end_of(stack: Stack) -> str:
    """Let people judge to the end; the fingerprint of rounds, places and answers."""
    process = stack.processes["command"]
    process.send_signal(signal.SIGCONT)
    wait_until(lambda: process.poll() is not None, seconds=180, what="the replay ends")
    assert process.returncode == 0, stack.log("command")
    return fingerprint(stack.log("command"))


def fingerprint(said: str) -> str:
    return re.findall(r"Result (\w+)\.", said)[-1]


def assert_restored(original: Stack, restored: Stack, before: list, picture: str) -> None:
    """What was stored is there, with all that follows from it; judging goes on to the same end."""
    assert restored.query(LEDGER) == before
    assert restored.manage("rebuild", "kept").startswith("0 states and counters were wrong")
    restored.start()
    # Signed with the key of the original, and its file is there.
    assert restored.get(picture) == (200, "GIF89a, a picture")
    assert fingerprint(restored.manage("replay", "kept")) == end_of(original)
    assert original.query(LEDGER)[: len(before)] == before


def test_a_folder_that_was_copied_while_people_judged_serves_as_the_original(tmp_path):
    original = Stack.embedded(tmp_path / "original")
    restored = Stack(tmp_path / "restored", database="", redis=None, workers=0, server=postgres)
    picture = json.loads(original.python(MAKE))
    try:
        judged_in_part(original)
        before = original.query(LEDGER)
        copy = tmp_path / "restored" / "data"
        said = original.manage("backup", str(copy))
        assert said.startswith(f"{copy} holds a copy of ")
        assert [stat.S_IMODE(path.stat().st_mode) & 0o077 for path in (copy, copy / "secret-key")] == [0, 0]
        assert_restored(original, restored, before, picture)
        with pytest.raises(RuntimeError, match="is there already"):
            original.manage("backup", str(copy))
    finally:
        original.stop()
        restored.stop()


def test_a_dump_of_postgresql_made_while_people_judged_serves_as_the_original(tmp_path, migrated_database):
    """With pg_dump and pg_restore as docs/operators.md has them, and the folder with pictures and key."""
    programs = ["/usr/lib/postgresql/*/bin"]
    name, new = f"dumped_{os.getpid()}", f"restored_{os.getpid()}"
    postgres.create(name, migrated_database)
    postgres.create(new)
    original = Stack(tmp_path / "original", database=name, redis=None, workers=0, server=postgres)
    restored = Stack(tmp_path / "restored", database=new, redis=None, workers=0, server=postgres)
    picture = json.loads(original.python(MAKE))
    try:
        judged_in_part(original)
        before = original.query(LEDGER)
        where = [f"--host={postgres.folder}", f"--username={postgres.USER}"]
        dump = tmp_path / "faceoff.dump"
        made = [find("pg_dump", programs), *where, "--format=custom", f"--file={dump}", name]
        subprocess.run(made, check=True, capture_output=True)
        options = ["--exit-on-error", "--single-transaction", f"--dbname={new}"]
        subprocess.run([find("pg_restore", programs), *where, *options, str(dump)], check=True)
        folder = tmp_path / "restored" / "data"
        subprocess.run(["cp", "--archive", str(tmp_path / "original" / "data"), str(folder)], check=True)
        assert_restored(original, restored, before, picture)
        with pytest.raises(RuntimeError, match="For PostgreSQL use pg_dump"):
            original.manage("backup", str(tmp_path / "other"))
    finally:
        original.stop()
        restored.stop()
