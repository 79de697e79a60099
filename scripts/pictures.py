"""Takes the pictures of README and docs anew: the demonstration, served from a temporary folder.

Usage: .venv/bin/python scripts/pictures.py (after `make test`, which installs Chromium and Playwright).
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv" / "bin"
PICTURES = ROOT / "docs" / "pictures"
PORT = "8907"
HOME = f"http://127.0.0.1:{PORT}"
# Of a page: its path, the height of its window where that is its own, and what the picture begins with.
WATCHED: dict[str, tuple[str, int, str]] = {
    "checklist": ("", 0, ""),
    "leaderboard": ("leaderboard/", 880, ""),
    "two-runs": ("leaderboard/compare/?pin=1,2", 0, ""),
    "scores": ("leaderboard/topics/", 860, ""),
    "report": ("report/", 0, ""),
    "trust": ("leaderboard/trust/", 0, ""),
    "people": ("people/", 640, ".folk"),
    "records": ("records/", 0, ""),
}
PROMPTS = [
    f"Why is {thing} {how}?"
    for thing in ("rain", "bread", "glass", "tea")
    for how in ("cold", "loud", "slow")
]
# Room for three runs of the board on a phone.
PHONE_BOARD = 1060
SIZES = {"desktop": (1280, 800), "phone": (390, 844)}


def wait_for_server() -> None:
    """Return once the server answers; raise SystemExit when it does not within a minute."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"{HOME}/login/", timeout=30):  # noqa: S310 - our own address
                return
        except OSError:
            time.sleep(0.2)
    sys.exit(f"{HOME} does not answer.")


def save(page: Page, name: str) -> None:
    """One picture. Pages of text have few colours: small files, sharp text. Photographs are JPEG."""
    if "pictures" in name:
        page.screenshot(path=PICTURES / f"{name}.jpg", type="jpeg", quality=80)
        return
    path = PICTURES / f"{name}.png"
    page.screenshot(path=path)
    with Image.open(path) as image:
        image.convert("RGB").quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)


def open_context(browser: Browser, size: str) -> BrowserContext:
    """A window of one size. Where fingers are the only pointer, no keys are shown."""
    width, height = SIZES[size]
    return browser.new_context(
        viewport={"width": width, "height": height},
        reduced_motion="reduce",
        has_touch=width < 500,
        is_mobile=width < 500,
    )


def log_in(page: Page, password: str) -> None:
    """As the organizer of the demonstration."""
    page.goto(f"{HOME}/login/")
    page.fill("[name=username]", "organizer")
    page.fill("[name=password]", password)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{HOME}/")


def take_watching(page: Page, size: str) -> None:
    """Pages of a study that is judged."""
    width, height = SIZES[size]
    for name, (path, own, begins) in WATCHED.items():
        if size == "phone" and name != "leaderboard":
            continue
        high = PHONE_BOARD if size == "phone" else own or height
        page.set_viewport_size({"width": width, "height": high})
        page.goto(f"{HOME}/studies/passages/{path}")
        page.locator(".pulse-line").wait_for()
        if begins:
            scroll_to(page, begins)
        save(page, f"{name}-{size}")
    page.set_viewport_size({"width": width, "height": height})


def scroll_to(page: Page, what: str) -> None:
    """Have an element at the top of the window."""
    page.locator(what).first.evaluate("one => scrollTo(0, one.getBoundingClientRect().top + scrollY - 48)")


def see_both(assessor: Page, position: int) -> None:
    """Have a question take an answer: where a phone shows one side at a time, after both were in view."""
    assessor.locator(f'body.heard [data-position="{position}"]').wait_for()
    # Whether both fit is known once they are set in their own letters.
    assessor.evaluate("document.fonts.ready.then(() => 0)")
    for _ in range(2):
        assessor.keyboard.press("s")
    assessor.locator(f'body[data-ready="{position}"]').wait_for()


def answer(assessor: Page) -> None:
    """Prefer the left one; of two that show the same the page asks whether that stands."""
    assessor.keyboard.press("ArrowLeft")
    if assessor.locator("#doubt[open]").count():
        assessor.keyboard.press("Enter")


def take_judging(page: Page, size: str) -> None:
    """Both demonstrations as assessors see them."""
    for study, name in (("passages", "judging"), ("pictures", "judging-pictures")):
        if (name, size) == ("judging-pictures", "phone"):
            continue
        page.goto(f"{HOME}/studies/{study}/people/")
        link = re.search(r"/join/[\w-]+/", page.content())
        if link is None:
            sys.exit(f"The study {study} has no open link.")
        assessor = page.context.new_page()
        assessor.goto(HOME + link.group())
        steps = ("Begin", "Practise", "Skip the practice", "I agree, start judging")
        for name_of in steps:
            button = assessor.get_by_role("button", name=name_of).or_(
                assessor.get_by_role("link", name=name_of)
            )
            if button.count():
                button.first.click()
                assessor.wait_for_load_state("networkidle")
        # A few answers, so that the line of progress shows.
        for position in range(1, 4):
            see_both(assessor, position)
            assessor.wait_for_timeout(1500)  # a page remarks on quicker answers
            answer(assessor)
        see_both(assessor, 4)
        save(assessor, f"{name}-{size}")
        assessor.close()


def make_study(page: Page, card: str, name: str, files: list[tuple[str, bytes]]) -> str:
    """Make a study by its pages and drop files; return its address, on *Files*."""
    page.goto(f"{HOME}/studies/new/")
    if card != "Rankings":
        page.get_by_role("button", name=card).click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Make the study").click()
    page.wait_for_url("**/files/")
    page.locator("#files").set_input_files(
        [{"name": one, "mimeType": "text/plain", "buffer": content} for one, content in files]
    )
    page.get_by_role("button", name="Check the files").click()
    page.get_by_role("button", name=re.compile("^Load (it|all)")).wait_for()
    return page.url.partition("files/")[0]


def load_all(page: Page) -> None:
    """Load what was dropped, and wait for its end."""
    page.get_by_role("button", name=re.compile("^Load (it|all)")).click()
    page.get_by_text("All files that were sent are done.").wait_for()


def take_steps(page: Page) -> None:
    """From *New study* to *Open*, with the example of each kind of file."""
    page.goto(f"{HOME}/studies/new/")
    save(page, "new-study-desktop")
    kinds = {"topics": "topics.tsv", "items": "items.jsonl", "qrels": "grades.qrels", "run": "bm25.run"}
    files = [(name, page.request.get(f"{HOME}/load-examples/{kind}").body()) for kind, name in kinds.items()]
    study = make_study(page, "Rankings", "Which ranker?", files)
    scroll_to(page, "#found")
    save(page, "files-desktop")
    load_all(page)
    page.goto(f"{study}start/")
    save(page, "open-desktop")


def votes() -> bytes:
    """Twelve prompts, four models, and who won: a table as arenas publish them."""
    draw = random.Random(29)
    models = ("aster", "birch", "cedar", "dahlia")
    lines = ["prompt,model_a,model_b,response_a,response_b,winner"]
    for prompt in PROMPTS:
        for n, one in enumerate(models):
            for other in models[n + 1 :]:
                won = draw.random() < 0.5 + 0.11 * (models.index(other) - n)
                says = [f"{name.title()} would say: {prompt.lower()} It depends." for name in (one, other)]
                winner = "model_a" if won else "model_b"
                lines.append(f"{prompt},{one},{other},{says[0]},{says[1]},{winner}")
    return "\n".join(lines).encode()


def take_models(page: Page) -> None:
    """Votes on answers of models: their files, and the board."""
    study = make_study(page, "Answers of models", "Which model?", [("votes.csv", votes())])
    scroll_to(page, "#found")
    save(page, "files-models-desktop")
    load_all(page)
    page.goto(f"{study}leaderboard/")
    page.get_by_role("region", name="Chances of models against each other").wait_for()
    page.get_by_text(f"{len(PROMPTS)} of {len(PROMPTS)} prompts judged").wait_for()
    page.set_viewport_size({"width": 1280, "height": 1460})
    save(page, "board-models-desktop")


def take(browser: Browser, size: str, password: str) -> None:
    """All pictures at one size of window."""
    context = open_context(browser, size)
    page = context.new_page()
    log_in(page, password)
    take_watching(page, size)
    take_judging(page, size)
    if size == "desktop":
        take_steps(page)
        take_models(page)
    context.close()


def main() -> None:
    """Make the demonstration, serve it, take the pictures, stop."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"FACEOFF_DATA": folder, "PORT": PORT}
        for command in (["migrate", "--verbosity=0"], ["demo"]):
            subprocess.run([BIN / "python", "manage.py", *command], cwd=ROOT, env=environment, check=True)
        password = json.loads((Path(folder) / "demo-logins.json").read_text())["organizer"]
        gunicorn = [str(BIN / "gunicorn"), "--config", "config/gunicorn.py", "config.wsgi"]
        server = subprocess.Popen(gunicorn, cwd=ROOT, env=environment)
        try:
            wait_for_server()
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path="/usr/bin/chromium-headless-shell", args=["--no-sandbox", "--disable-gpu"]
                )
                for size in SIZES:
                    take(browser, size, password)
                browser.close()
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
