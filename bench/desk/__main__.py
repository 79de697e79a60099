"""How long each way of judging keeps somebody waiting over a slow line, in a real browser.

Usage: python -m bench.desk [--write] [--kinds NAME ...] [--think SECONDS] [--line fast|3g]

One process over SQLite serves studies of each kind, of hard material (`bench.desk.material`). In Chromium a
batch of each is judged by keys, each question after some seconds of thought, over a line with replies no
sooner than 200 ms after the request, 1.6 Mbit/s down and 0.75 Mbit/s up. The page itself takes the times, by
its own clock: from the press of a key until the next question takes an answer, its pictures all in sight.
About 400 ms of that are meant: the mark stands for 140 ms, and a double press is let pass for 250.
"""

import argparse
import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from playwright.sync_api import Browser, Page, TimeoutError, sync_playwright

from bench import pages
from bench.desk.material import RUNS, write_files
from bench.load.report import say, table
from tests.servers import find
from tests.stack import Stack

COMMAND = "python -m bench.desk"
# What the page notes by its own clock: each key pressed, and each view that takes an answer.
CLOCK = """
window.noted = [];
addEventListener("keydown", (event) => noted.push(["key", event.timeStamp]), true);
addEventListener("DOMContentLoaded", () => {
  const note = () => document.body.dataset.ready && noted.push(["ready", performance.now()]);
  new MutationObserver(note).observe(document.body, { attributes: true, attributeFilter: ["data-ready"] });
  note();
});
"""


class Line(NamedTuple):
    """A line between page and server. latency: ms until a reply begins; the others: bits a second."""

    latency: float
    down: float
    up: float


LINES = {"3g": Line(200, 1.6e6, 0.75e6), "fast": Line(0, 1e9, 1e9)}


class Kind(NamedTuple):
    """A way of judging. key: what answers its questions; of: what is loaded; options of `manage.py study`."""

    name: str
    key: str
    of: str
    options: tuple[str, ...] = ()


KINDS = (
    Kind("pairs of passages", "ArrowLeft", "text", ("--scale", "3")),
    Kind("pairs of passages, 5 answers", "1", "text", ("--scale", "5")),
    Kind("pairs of pictures", "ArrowLeft", "image", ("--scale", "3")),
    Kind("grades 0 to 4 of passages", "3", "text", ("--grade", "0-4")),
    Kind("grades 0 to 100 of pictures", "ArrowRight Enter", "image", ("--grade", "0-100")),
    Kind("picks from 6 passages", "1", "text", ("--mode", "picks", "--pick", "6")),
    Kind("picks from 9 pictures", "1", "image", ("--mode", "picks", "--pick", "9")),
    Kind("result pages: lists", "ArrowLeft", "text", ("--pages", "3")),
    Kind("result pages: grids", "ArrowLeft", "image", ("--pages", "3")),
)


@dataclass(frozen=True)
class Judged:
    """A batch that was judged. first: ms from the press of Begin until its first question takes an answer;
    waits: ms from each answer to the next question; bytes: what came over the line, `before` the first
    question took an answer and in all; replies: ms until the server had each answer.
    """

    kind: Kind
    first: float
    waits: list[float]
    replies: list[float]
    before: int
    bytes: int


def make(stack: Stack, kind: Kind, folder: Path, number: int) -> str:
    """Make a study of a kind by the product's commands; return the path of somebody's personal page."""
    slug = f"desk-{number}"
    common = ("--batch-pairs", "10", "--batch-challenges", "0" if "--pages" in kind.options else "3")
    stack.manage("study", slug, "--title", kind.name, "--kind", kind.of, *common, *kind.options)
    stack.manage("load", slug, "topics", str(folder / "topics.tsv"))
    if kind.of == "image":
        stack.manage("load", slug, "images", str(folder / "pictures.zip"))
        for tag in RUNS:
            stack.manage("load", slug, "grid", str(folder / f"{tag}.grid"), "--name", tag)
    else:
        stack.manage("load", slug, "items", str(folder / "items.jsonl"))
        stack.manage("load", slug, "run", *(str(folder / f"{tag}.run") for tag in RUNS))
    stack.manage("load", slug, "qrels", str(folder / "grades.qrels"))
    stack.manage("start", slug)
    if "--pages" in kind.options:
        stack.manage("result_pages", slug)
    told = stack.python(
        "from collection.models import Study; from panels import local; "
        f"print(local.invite(Study.objects.get(slug={slug!r}), ['desk'])[0].reference)"
    )
    return f"/i/{told.split()[-1]}/"


def judge(browser: Browser, address: str, kind: Kind, line: Line, think: float) -> Judged:
    """Judge a whole batch by keys, and send it."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.add_init_script(CLOCK)
    page = context.new_page()
    received = [0]
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.on("Network.loadingFinished", lambda event: received.append(int(event["encodedDataLength"])))
    page.goto(address)
    # Consent has been read meanwhile, and nothing of the batch is on its way.
    page.wait_for_load_state("networkidle")
    received.clear()
    session.send(
        "Network.emulateNetworkConditions",
        {
            "offline": False,
            "latency": line.latency,
            "downloadThroughput": line.down / 8,
            "uploadThroughput": line.up / 8,
        },
    )
    began = time.monotonic()
    page.get_by_role("button", name=re.compile("agree|Begin|Start", re.IGNORECASE)).first.click()
    try:
        page.wait_for_selector("body[data-ready='1']", timeout=120_000)
    except TimeoutError:
        told = page.inner_text("body")
        raise SystemExit(f"{kind.name}: no question came. The page says:\n{told}") from None
    first, before = 1000 * (time.monotonic() - began), sum(received)
    total = page.locator("[data-position]").count()
    for position in range(1, total + 1):
        page.wait_for_selector(f"body[data-ready='{position}']", timeout=120_000)
        page.wait_for_timeout(1000 * think)
        for key in kind.key.split():
            page.keyboard.press(key)
    page.wait_for_selector(f"body[data-ready='{total + 1}']", timeout=120_000)
    page.wait_for_load_state("networkidle")
    waits, replies = _waits(page), _replies(page)
    page.keyboard.press("Enter")
    page.wait_for_selector("body:not([data-answer])", timeout=120_000)
    context.close()
    return Judged(kind, first, waits, replies, before, sum(received))


def _waits(page: Page) -> list[float]:
    """Milliseconds from the last key pressed before each further view until that takes an answer."""
    waits, pressed = [], None
    for what, at in page.evaluate("noted"):
        if what == "key":
            pressed = at
        elif pressed is not None:
            waits.append(at - pressed)
            pressed = None
    return waits


def _replies(page: Page) -> list[float]:
    entries = page.evaluate(
        "performance.getEntriesByType('resource').filter((one) => one.name.includes('/answer/'))"
        ".map((one) => one.duration)"
    )
    return list(entries)


def report(judged: Sequence[Judged]) -> str:
    """A table of what was measured, a line for each kind."""
    lines = []
    for one in judged:
        waits, replies = sorted(one.waits), sorted(one.replies)
        lines.append(
            (
                one.kind.name,
                f"{one.first / 1000:.1f}",
                f"{waits[len(waits) // 2] / 1000:.2f}",
                f"{waits[-1] / 1000:.2f}",
                f"{replies[len(replies) // 2] / 1000:.2f}" if replies else "–",
                f"{one.before / 1e6:.2f}",
                f"{one.bytes / 1e6:.2f}",
            )
        )
    header = (
        *("batch of", "first question, s", "next question, s: median", "longest", "answer stored, s"),
        *("MB before the first question", "MB in all"),
    )
    return table(header, lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the table into docs/load.md")
    parser.add_argument("--kinds", nargs="*", default=[], help="only those whose name has one of these in it")
    parser.add_argument("--think", type=float, default=1.0, help="seconds of thought before each answer")
    parser.add_argument("--line", choices=LINES, default="3g")
    parser.add_argument("--json", action="store_true", help="print every time instead of a table")
    given = parser.parse_args()
    chosen = [kind for kind in KINDS if not given.kinds or any(part in kind.name for part in given.kinds)]
    judged = []
    with TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        write_files(folder)
        stack = Stack.embedded(folder / "stack")
        try:
            stack.start()
            browser = playwright.chromium.launch(
                executable_path=find("chromium-headless-shell"), args=["--no-sandbox"]
            )
            for number, kind in enumerate(chosen, 1):
                say(kind.name)
                address = stack.address + make(stack, kind, folder, number)
                judged.append(judge(browser, address, kind, LINES[given.line], given.think))
            browser.close()
        finally:
            stack.stop()
    if given.json:
        print(json.dumps([{"kind": one.kind.name, "first": one.first, "waits": one.waits} for one in judged]))
        return
    text = report(judged)
    print(text)
    if given.write:
        pages.put("load.md", COMMAND, text)


if __name__ == "__main__":
    main()
