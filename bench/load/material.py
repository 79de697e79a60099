"""A study made up by a seed and made by the product's own commands: topics, items, grades, runs, a link."""

import json
import random
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.stack import Stack

SLUG = "load"
# By this an assessor knows the wrong side of a challenge: its passage begins so, its picture is so wide.
JUNK = "Beside the point."
WIDTH, JUNK_WIDTH, HEIGHT = 64, 48, 48
LETTERS = 470  # of a passage
SEED = "load"


@dataclass(frozen=True)
class Size:
    """How large the study is, and whether of pictures; a quarter of a topic's items are for challenges."""

    topics: int = 400
    items: int = 20
    runs: int = 4
    pictures: bool = False

    @property
    def good(self) -> int:
        """Items of a topic that are candidates; the others are graded 0."""
        return self.items - max(1, self.items // 4)

    def __str__(self) -> str:
        what = "pictures" if self.pictures else "passages"
        return f"{self.topics:,} topics x {self.items} {what}, {self.runs} runs"


@dataclass(frozen=True)
class Made:
    """What a study's client has to know: the path of its open link, and a coordinator's session."""

    link: str
    session: str


def make(stack: Stack, size: Size) -> Made:
    """Make the study in a deployment of which only the database runs; its derived rows are up to date."""
    told = stack.python(f"from bench.load.material import inside; inside(**{asdict(size)!r})")
    return Made(**json.loads(told.splitlines()[-1]))


def inside(**size: object) -> None:
    """Make the study with the settings of this process, and print what `Made` holds."""
    from django.core.management import call_command

    with tempfile.TemporaryDirectory() as name:
        folder, made = Path(name), Size(**size)  # type: ignore[arg-type]
        write_files(folder, made)
        # As many challenges may be wrong as a task can allow; the client answers them rightly besides.
        settings = {"batch_pairs": 10, "batch_challenges": 3, "wrong_allowed": 2}
        kind = "image" if made.pictures else "text"
        call_command("study", SLUG, title="Load", kind=kind, seed=SEED, **settings)
        call_command("load", SLUG, "topics", folder / "topics.tsv")
        if made.pictures:
            call_command("load", SLUG, "images", folder / "pictures")
        else:
            call_command("load", SLUG, "items", folder / "items.jsonl")
        call_command("load", SLUG, "qrels", folder / "grades.qrels")
        call_command("load", SLUG, "run", *sorted(folder.glob("*.run")))
        call_command("start", SLUG)
        call_command("catchup")
    print(json.dumps(_opened()))


def _opened() -> dict[str, str]:
    """Open the study's link, and log a coordinator in."""
    from django.contrib.auth import get_user_model, login
    from django.contrib.sessions.backends.db import SessionStore
    from django.http import HttpRequest
    from django.urls import reverse

    from collection.models import Membership, Study
    from collection.models.study import link_token

    study = Study.objects.get(slug=SLUG)
    study.join_token = link_token()
    study.save(update_fields=["join_token"])
    coordinator = get_user_model().objects.create_user("load-coordinator")
    Membership.objects.create(study=study, user=coordinator, role=Membership.Role.COORDINATOR)
    request = HttpRequest()
    request.session = SessionStore()
    login(request, coordinator, backend="django.contrib.auth.backends.ModelBackend")
    request.session.save()
    return {"link": reverse("join", args=[study.join_token]), "session": str(request.session.session_key)}


def write_files(folder: Path, size: Size) -> None:
    """Write the files that an organizer would load. The same size gives the same files."""
    rng = random.Random(SEED)
    words = ["".join(rng.choices("abcdefghiklmnoprstu", k=rng.randint(2, 9))) for _ in range(3000)]
    topics = [f"t{n:04}" for n in range(1, size.topics + 1)]
    docnos = {topic: [f"{topic}-d{n:03}" for n in range(1, size.items + 1)] for topic in topics}
    _lines(folder / "topics.tsv", (f"{topic}\t{' '.join(rng.choices(words, k=7))}?" for topic in topics))
    if size.pictures:
        _write_pictures(folder / "pictures", docnos, size, rng)
    else:
        _lines(folder / "items.jsonl", _passages(docnos, size, words, rng))
    _lines(
        folder / "grades.qrels",
        (
            f"{topic} 0 {docno} {int(n < size.good)}"
            for topic, own in docnos.items()
            for n, docno in enumerate(own)
        ),
    )
    for number in range(1, size.runs + 1):
        tag = f"run-{number:03}"
        _lines(folder / f"{tag}.run", _ranking(tag, docnos, rng))


def _passages(
    docnos: dict[str, list[str]], size: Size, words: list[str], rng: random.Random
) -> Iterator[str]:
    for topic, own in docnos.items():
        for n, docno in enumerate(own):
            text = JUNK if n >= size.good else ""
            while len(text) < LETTERS:
                text += f" {rng.choice(words)}"
            yield json.dumps({"docno": docno, "topic": topic, "text": text.strip()[:LETTERS]})


def _write_pictures(folder: Path, docnos: dict[str, list[str]], size: Size, rng: random.Random) -> None:
    """Write pictures of noise, of some kilobytes each."""
    from PIL import Image

    for topic, own in docnos.items():
        (folder / topic).mkdir(parents=True)
        for n, docno in enumerate(own):
            width = WIDTH if n < size.good else JUNK_WIDTH
            picture = Image.frombytes("RGB", (width, HEIGHT), rng.randbytes(3 * width * HEIGHT))
            picture.save(folder / topic / f"{docno}.png")


def _ranking(tag: str, docnos: dict[str, list[str]], rng: random.Random) -> Iterator[str]:
    for topic, own in docnos.items():
        for rank, docno in enumerate(rng.sample(own, len(own)), 1):
            yield f"{topic} Q0 {docno} {rank} {1000 - rank} {tag}"


def _lines(path: Path, lines: Iterator[str]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
