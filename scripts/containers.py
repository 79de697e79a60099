"""Tries the containers: builds the image, starts all services, judges, kills each service, judges again.

Usage: make containers, or .venv/bin/python -m scripts.containers [--engine podman] [--keep]. As root on
Linux, with Podman or Docker, since it kills processes of containers from outside. It takes minutes. Whatever
comes of it, all that it made is taken down at the end; --keep leaves it running.

It works as people do, by HTTP through the web service's published port: an organizer logs in, loads a study,
opens it and has its leaderboard open; assessors judge by the open link. Of every service it kills the first
process in the middle of a batch, and sees that the engine starts it again, that every answer that was
acknowledged is stored once and none besides, that tournaments and scores catch up, and that the leaderboard
hears of it. Then it makes a backup, deletes everything and restores it. At the end all derived rows are made
anew and must be what they were.
"""

import argparse
import html
import json
import os
import re
import secrets
import signal
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path
from tempfile import TemporaryDirectory

from scripts.engine import ROOT, Failed, Project, chosen_engine, free_ports, wait_until

MATERIAL = ROOT / "simulation" / "demo" / "text"
FILES = {
    "topics": [MATERIAL / "topics.tsv"],
    "items": [MATERIAL / "items.jsonl"],
    "qrels": [MATERIAL / "qrels.txt"],
    "run": sorted((MATERIAL / "runs").iterdir()),
}
STUDY = "trial"
# Long enough for a batch before and after each kill; no challenges, since nobody here knows right answers.
SETTINGS = ["--batch-pairs=10", "--batch-challenges=0", "--wrong-allowed=0", "--judgments-per-pair=5"]
CHOICES = {"left": 1, "tie": 0, "right": -1}
PATIENCE = 120.0  # seconds for which a browser asks again

ASKED = "SELECT 1 FROM judging_question WHERE wanted > 0 LIMIT 1"
ANSWERS = """
SELECT a.reference, b.position, j.value FROM judging_judgment j
JOIN judging_assignment s ON s.id = j.assignment_id JOIN judging_assessor a ON a.id = s.assessor_id
LEFT JOIN judging_batchquestion b ON b.assignment_id = s.id AND b.question_id = j.question_id
"""
KEPT = """
SELECT a.reference FROM judging_assignment s JOIN judging_assessor a ON a.id = s.assessor_id
WHERE s.state = 'kept'
"""
# Topics whose tournament has not seen all verdicts, or whose scores not all judgments.
BEHIND = """
SELECT count(*) FROM collection_topic t JOIN tournament_tournament r ON r.topic_id = t.id
LEFT JOIN scoring_storedscores s ON s.topic_id = t.id
WHERE t.settled > r.seen OR s.revision IS DISTINCT FROM t.revision
"""

# Lines of /proc/1/status in a container without capabilities and without a way to gain them.
NO_RIGHTS = {"CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "NoNewPrivs:\t1"}


class Browser:
    """A browser with its cookies; it asks again while nobody answers, as the judging page does."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.cookies = CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))
        self.at = ""  # the path that the last answer came from, after redirections

    def get(self, path: str) -> str:
        return self._ask(urllib.request.Request(self.address + path))  # noqa: S310 - our own address

    def post(self, path: str, fields: dict[str, str], file: Path | None = None) -> str:
        """Send a form, with the token that pages for people with accounts ask for."""
        known = {cookie.name: cookie.value or "" for cookie in self.cookies}
        if "csrftoken" in known:
            fields = fields | {"csrfmiddlewaretoken": known["csrftoken"]}
        kind, body = "application/x-www-form-urlencoded", urllib.parse.urlencode(fields).encode()
        if file is not None:
            kind, body = _multipart(fields, file)
        request = urllib.request.Request(self.address + path, data=body, headers={"Content-Type": kind})  # noqa: S310
        return self._ask(request)

    def _ask(self, request: urllib.request.Request) -> str:
        until = time.monotonic() + PATIENCE
        while True:
            try:
                with self.opener.open(request, timeout=30) as reply:
                    self.at = urllib.parse.urlsplit(reply.geturl()).path
                    return str(reply.read().decode())
            except urllib.error.HTTPError as error:
                if error.code < 500 or time.monotonic() > until:
                    body = error.read().decode(errors="replace")
                    raise Failed(f"{request.full_url} answers {error.code}: {body[:1000]}") from error
            except OSError as error:
                if time.monotonic() > until:
                    raise Failed(f"{request.full_url} does not answer: {error}") from error
            time.sleep(0.2)


def _multipart(fields: dict[str, str], file: Path) -> tuple[str, bytes]:
    """Content type and body of a form with a file in the field `files`."""
    line = secrets.token_hex(16)
    parts = [
        f'--{line}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    head = f'--{line}\r\nContent-Disposition: form-data; name="files"; filename="{file.name}"\r\n\r\n'
    return (
        f"multipart/form-data; boundary={line}",
        b"".join(parts) + head.encode() + file.read_bytes() + f"\r\n--{line}--\r\n".encode(),
    )


def between(page: str, before: str, after: str) -> str:
    """What stands on a page between two texts. Raises Failed where that is nowhere."""
    found = re.search(re.escape(before) + "(.+?)" + re.escape(after), page, re.DOTALL)
    if found is None:
        raise Failed(f"The page does not say {before}...{after}:\n{page[:3000]}")
    return html.unescape(found[1])


class Assessor:
    """Somebody who came by the open link and judges one batch.

    given: position -> value of every answer that was acknowledged.
    """

    def __init__(self, address: str, link: str) -> None:
        self.browser = Browser(address)
        self.browser.post(link, {})
        self.home = self.browser.at
        self.reference = self.home.strip("/").rpartition("/")[2]
        self.given: dict[int, int] = {}
        page = self.browser.post(self.home, {"action": "begin"})
        self.token = between(page, 'data-token="', '"')
        self.positions = [int(number) for number in re.findall(r'<section[^>]*data-position="(\d+)"', page)]

    def answer(self, positions: list[int]) -> None:
        for position in positions:
            choice = secrets.choice(list(CHOICES))
            form = {"kind": "pair", "token": self.token, "position": str(position), "choice": choice}
            self.browser.post("/answer/", form | {"nonce": f"trial-{position}", "seconds": "1.5"})
            self.given[position] = CHOICES[choice]

    def send(self) -> None:
        self.browser.post("/submit/", {"token": self.token})


class Trial:
    """A study in a project that runs, and everybody who takes part in it."""

    def __init__(self, project: Project, address: str) -> None:
        self.project, self.address = project, address
        self.organizer = Browser(address)
        self.assessors: list[Assessor] = []
        self.link = ""

    def prepare(self) -> None:
        """Make an account and a study; load, link and open it through the pages."""
        password = secrets.token_urlsafe(12)
        self.project.manage("account", "make", "olga", "--password", given=password)
        self.project.manage("study", STUDY, "--organizer=olga", *SETTINGS)
        self.organizer.get("/login/")
        self.organizer.post("/login/", {"username": "olga", "password": password})
        for kind, files in FILES.items():
            for file in files:
                self.organizer.post(f"/studies/{STUDY}/files/", {"kind": kind}, file)
                wait_until(self.imported, 120, f"a worker has loaded {file.name}")
        who = {"asked_by": "The trial of the containers", "contact": "olga@example.org"}
        page = self.organizer.post(f"/studies/{STUDY}/people/open-link/", {"on": "1"} | who)
        self.link = urllib.parse.urlsplit(between(page, '<input readonly value="', '"')).path
        self.organizer.post(f"/studies/{STUDY}/start/", {})
        wait_until(lambda: self.query(ASKED), 60, "a worker has asked the first rounds")

    def imported(self) -> bool:
        """Whether the newest import is done. Raises Failed with its problems where it was refused."""
        newest = "SELECT state, problems FROM collection_import ORDER BY id DESC LIMIT 1"
        state, _, problems = self.query(newest)[0].partition("|")
        if state == "refused":
            raise Failed(f"An import was refused: {problems[:1000]}")
        return state == "done"

    def query(self, sql: str) -> list[str]:
        """Lines that psql prints in the container of the database."""
        said = self.project.execute(
            "db", "psql", "--username=faceoff", "--no-align", "--tuples-only", f"--command={sql}"
        )
        return said.splitlines()

    def batch_around(self, *services: str) -> None:
        """Judge a batch, and kill these services in its middle."""
        assessor = Assessor(self.address, self.link)
        self.assessors.append(assessor)
        middle = len(assessor.positions) // 2
        assessor.answer(assessor.positions[:middle])
        self.project.kill(*services)
        assessor.answer(assessor.positions[middle:])
        assessor.send()
        for service in services:
            self.project.wait_back(service)

    def batch_watched(self) -> None:
        """Have somebody judge a batch while a leaderboard is open, which must hear of it."""
        page = self.organizer.get(f"/studies/{STUDY}/leaderboard/")
        stream, version = between(page, 'data-stream="', '"'), between(page, 'data-version="', '"')
        try:
            with urllib.request.urlopen(stream, timeout=60) as messages:  # noqa: S310 - our own address
                self.batch_around()
                for line in messages:
                    if line.startswith(b"data:") and json.loads(line[5:])["version"] != version:
                        return
        except OSError as error:
            raise Failed(f"The open leaderboard heard nothing of a batch: {error}") from error
        raise Failed("The stream of the open leaderboard ended.")

    def check(self) -> None:
        """See that the ledger holds what was acknowledged, once, and nothing else, and all has caught up."""
        acknowledged = sorted(
            f"{assessor.reference}|{position}|{value}"
            for assessor in self.assessors
            for position, value in assessor.given.items()
        )
        stored = sorted(self.query(ANSWERS))
        if stored != acknowledged:
            lost, more = set(acknowledged) - set(stored), set(stored) - set(acknowledged)
            raise Failed(
                f"{len(acknowledged)} answers taken, {len(stored)} stored: lost {lost}, surplus {more}."
            )
        if sorted(self.query(KEPT)) != sorted(assessor.reference for assessor in self.assessors):
            raise Failed("Not every batch that was sent is kept.")
        wait_until(lambda: self.query(BEHIND) == ["0"], 90, "tournaments and scores have caught up")

    def move(self) -> None:
        """Make a backup, delete everything, restore it, as docs/operators.md has it."""
        project = self.project
        database = ("exec", "--interactive", project.container("db"))
        web = ("exec", project.container("web"))
        once = (
            "run",
            "--rm",
            "--interactive",
            f"--volume={project.name}-data:/data",
            f"localhost/{project.name}",
        )
        dumped = "pg_dump --username=faceoff --format=custom faceoff"
        restored = "pg_restore --username=faceoff --dbname=faceoff --exit-on-error --single-transaction"
        packed = "tar --create --directory=/data --exclude=beat-schedule* ."
        with TemporaryDirectory() as folder:
            dump, data = Path(folder) / "faceoff.dump", Path(folder) / "faceoff-data.tar"
            project.pipe(*database, *dumped.split(), target=dump)
            project.pipe(*web, *packed.split(), target=data)
            project.down()
            project.make_room()
            project.start("db")
            project.pipe(*database, *restored.split(), source=dump)
            project.pipe(*once, "tar", "--extract", "--directory=/data", source=data)
        project.start(*(set(project.services) - {"db"}))

    def rebuild(self) -> None:
        """Make everything derived anew: it must be what it was."""
        before = self.project.manage("export_scores", STUDY)
        said = self.project.manage("rebuild", STUDY)
        if not said.startswith("0 states") or self.project.manage("export_scores", STUDY) != before:
            raise Failed(f"Rebuilding changed something: {said}")


def look_around(project: Project) -> None:
    """Check that no service has or can gain rights, that the key is private, and that migrations have run."""
    ours = [service for service in project.staying() if "build" in project.services[service]]
    for service in ours:
        if project.execute(service, "id", "--user").strip() == "0":
            raise Failed(f"{service} runs as root.")
        status = project.execute(service, "cat", "/proc/1/status")
        if not {*status.splitlines()} >= NO_RIGHTS:
            raise Failed(f"{service} has capabilities, or could gain some:\n{status}")
    modes = project.execute("web", "stat", "--format=%a", "/data", "/data/secret-key").split()
    if modes != ["700", "600"]:
        raise Failed(f"Others may read the data folder or the key: {modes}.")
    project.manage("migrate", "--check")


def run(project: Project, address: str) -> None:
    """The whole trial. Raises Failed."""
    began = time.monotonic()

    def say(what: str) -> None:
        print(f"{time.monotonic() - began:6.0f} s  {what}", flush=True)

    say("building the image")
    project.build()
    say("starting all services in their order")
    project.make_room()
    project.start(*project.services)
    look_around(project)
    trial = Trial(project, address)
    say("all are healthy; loading and opening a study through its pages")
    trial.prepare()
    trial.batch_watched()
    trial.check()
    for services in [*([service] for service in project.staying()), project.staying()]:
        say(f"kill -9: {', '.join(services)}")
        trial.batch_around(*services)
        trial.batch_watched()
        trial.check()
    say("making a backup, deleting everything and restoring it")
    trial.move()
    trial.check()
    look_around(project)
    trial.batch_watched()
    trial.check()
    trial.rebuild()
    answers = sum(len(assessor.given) for assessor in trial.assessors)
    batches = len(trial.assessors)
    say(f"{answers} answers in {batches} batches: each stored once, none besides; a rebuild is equal")
    for service, used in project.memory().items():
        print(f"          {service:<10} {used}")


def main() -> None:
    """Run the trial and take everything down. Raises SystemExit with what went wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--engine", default="", help="docker or podman; without it, what is there")
    parser.add_argument("--keep", action="store_true", help="leave everything running")
    options = parser.parse_args()
    if sys.platform != "linux" or os.geteuid() != 0:
        sys.exit("This kills processes of containers from outside: it must be run as root on Linux.")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    port, live = free_ports(2)
    settings = {
        "POSTGRES_PASSWORD": secrets.token_hex(24),
        "PORT": port,
        "LIVE_PORT": live,
        "LIVE_URL": f":{live}/",
        "ALLOWED_HOSTS": "127.0.0.1",
    }
    try:
        project = Project(chosen_engine(options.engine), f"faceoff-trial-{os.getpid()}", settings)
    except Failed as error:
        sys.exit(str(error))
    try:
        run(project, f"http://127.0.0.1:{port}")
    except Failed as error:
        sys.exit(f"Failed: {error}")
    finally:
        if options.keep:
            print(f"Left running under {project.name}, at http://127.0.0.1:{port}; remove it by its name.")
        else:
            project.remove()


if __name__ == "__main__":
    main()
