"""Takes the pictures of README and docs anew: the demonstration, served from a temporary folder.

Usage: .venv/bin/python scripts/pictures.py (after `make test`, which installs Chromium and Playwright).
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv" / "bin"
PICTURES = ROOT / "docs" / "pictures"
PORT = "8907"
HOME = f"http://127.0.0.1:{PORT}"
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


def save(page: Page, name: str, *, whole: bool = False) -> None:
    """One picture; pages of text with few colours: small files, and text stays sharp."""
    path = PICTURES / f"{name}.png"
    page.screenshot(path=path, full_page=whole)
    if "pictures" in name:
        return
    with Image.open(path) as image:
        image.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


def take(browser: Browser, size: str, password: str) -> None:
    """All pictures at one size of window."""
    width, height = SIZES[size]
    # On a phone nobody has keys: they are not shown where fingers are the only pointer.
    context = browser.new_context(
        viewport={"width": width, "height": height},
        reduced_motion="reduce",
        has_touch=width < 500,
        is_mobile=width < 500,
    )
    page = context.new_page()
    page.goto(f"{HOME}/login/")
    page.fill("[name=username]", "organizer")
    page.fill("[name=password]", password)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{HOME}/")
    for name, path in (
        ("checklist", "/studies/passages/"),
        ("topics", "/studies/passages/topics/"),
        ("leaderboard", "/studies/passages/leaderboard/"),
        ("two-runs", "/studies/passages/leaderboard/compare/?pin=1,2"),
    ):
        # So much of the leaderboard that its four runs are on the picture.
        page.set_viewport_size({"width": width, "height": 1060 if name == "leaderboard" else height})
        page.goto(HOME + path)
        page.locator(".pulse-line").wait_for()
        save(page, f"{name}-{size}")
    for study, name in (("passages", "judging"), ("pictures", "judging-pictures")):
        page.goto(f"{HOME}/studies/{study}/people/")
        link = re.search(r"/join/[\w-]+/", page.content())
        if link is None:
            sys.exit(f"The study {study} has no open link.")
        assessor = context.new_page()
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
        for position in range(2, 5):
            assessor.keyboard.press("ArrowLeft")
            assessor.get_by_text(f"{position} of 13").first.wait_for()
            assessor.wait_for_timeout(400)  # a new pair takes no answer before it can have been seen
        save(assessor, f"{name}-{size}")
        assessor.close()
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
