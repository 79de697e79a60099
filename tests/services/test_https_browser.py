"""Chromium at a host name by HTTPS, through nginx with docs/nginx.conf: log in, load, judge, watch."""

import json

import pytest
from playwright.sync_api import expect

from tests.browser.batches import press, ready
from tests.browser.navigation import follow
from tests.proxy import HOST, SETTINGS, Proxy
from tests.servers import find
from tests.services.test_proxy import MAKE
from tests.stack import Stack

pytestmark = pytest.mark.services
SITE = f"https://{HOST}"


@pytest.fixture
def contexts(browser, tmp_path):
    """A function: a window of its own, in which the host name leads to the proxy."""
    stack = Stack.embedded(tmp_path / "behind", PUBLIC_URL=SITE, **SETTINGS)
    json.loads(stack.python(MAKE))
    stack.start()
    (tmp_path / "proxy").mkdir()
    proxy = Proxy(stack, tmp_path / "proxy")
    # Chromium takes names from here; another Chromium, since this one is told so when it starts.
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    flags.append(f"--host-resolver-rules=MAP {HOST}:443 127.0.0.1:{proxy.port}")
    named = browser.browser_type.launch(executable_path=find("chromium-headless-shell"), args=flags)

    def new(width: int):
        # A service worker wants a certificate that is known, as the one of this test is not.
        context = named.new_context(
            viewport={"width": width, "height": 844}, ignore_https_errors=True, service_workers="block"
        )
        context.set_default_timeout(90_000)
        page = context.new_page()
        page.errors = []
        page.on("console", lambda told: page.errors.append(told.text) if told.type == "error" else None)
        return page

    yield new
    named.close()
    proxy.stop()
    stack.stop()


def test_a_study_is_loaded_judged_and_watched_by_https(contexts, tmp_path):
    desk = contexts(1280)
    desk.goto(f"{SITE}/studies/s/leaderboard/")
    desk.get_by_label("Username").fill("olga")
    desk.get_by_label("Password").fill("a long password")
    follow(desk.get_by_role("button", name="Log in"))
    assert desk.url == f"{SITE}/studies/s/leaderboard/"
    expect(desk.get_by_text("Updates by itself")).to_be_visible()

    phone = contexts(390)
    phone.goto(f"{SITE}/join/open-link/")
    follow(phone.get_by_role("button", name="Begin"))
    follow(phone.get_by_role("button", name="I agree, start judging"))
    assert phone.url.startswith(f"{SITE}/i/")
    ready(phone, 1)
    press(phone, "ArrowLeft")
    ready(phone, 2)
    expect(desk.get_by_text("1 judgment")).to_be_visible()
    cookies = phone.context.cookies() + desk.context.cookies()
    assert cookies
    assert all(cookie["secure"] for cookie in cookies)

    run = tmp_path / "large.run"
    # More than pages without files may be sent.
    run.write_text("".join(f"t1 Q0 {n:0190} {n} {-n} large\n" for n in range(1, 15_000)))
    desk.goto(f"{SITE}/studies/s/files/?kind=run#run")
    desk.locator("details.kind[open] input[type=file]").set_input_files(run)
    follow(desk.locator("details.kind[open]").get_by_role("button", name="Load the file"))
    expect(desk.get_by_text("Loaded:")).to_be_visible()
    desk.goto(f"{SITE}/studies/s/records/")
    with desk.expect_download() as found:
        desk.get_by_role("link", name="Merged grades").click()
    assert "t1-a" in found.value.path().read_text()
    desk.goto(f"{SITE}/studies/s/send/")
    link = desk.locator("#open-link [data-copied]").inner_text()
    assert link == f"{SITE}/join/open-link/"
    follow(desk.get_by_role("button", name="Log out"))
    expect(desk.get_by_label("Username")).to_be_visible()
    assert desk.errors == phone.errors == []
