"""Behind nginx with docs/nginx.conf: slow people hold no thread, limits hold, HTTPS and the stream work."""

import http.client
import json
import re
import socket

import pytest

from tests.proxy import HOST, SETTINGS, Proxy
from tests.servers import wait_until
from tests.stack import Stack

pytestmark = pytest.mark.services

# Fewer than the slow connections of each test below.
THREADS = 2
BURST = 4
TIME_LIMITS = ("client_header_timeout", "client_body_timeout")
# Requests of which no more is sent.
STARTS = {
    "header": f"GET / HTTP/1.1\r\nHost: {HOST}\r\nX-Slow: ",
    "body": (
        f"POST /answer/ HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        "Content-Length: 1000\r\n\r\ntoken="
    ),
}
MAKE = """
import json
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from collection.models import Item, Membership
from tests.makers import add_run, invite, make_study, open_study
from web.shared import tokens
study = open_study(make_study(slug="s", items=4, join_token="open-link", batch_challenges=0))
add_run(study, "good", {"t1": ["t1-a", "t1-b"]})
user = User.objects.create_user("olga", password="a long password")
Membership.objects.create(study=study, user=user, role="organizer")
item = Item.objects.first()
item.image = default_storage.save("large.png", ContentFile(b"\\x89PNG\\r\\n\\x1a\\n" + bytes(8_000_000)))
item.save()
session = SessionStore()
session[SESSION_KEY], session[HASH_SESSION_KEY] = str(user.pk), user.get_session_auth_hash()
session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
session.create()
picture = f"/image/{tokens.sign_image(item.pk)}/"
print(json.dumps([picture, invite(study).reference, session.session_key]))
"""


class Site:
    """A deployment of one process behind the proxy, and a client that speaks to it by HTTPS."""

    def __init__(self, stack: Stack, proxy: Proxy, made: list[str]) -> None:
        self.stack, self.proxy = stack, proxy
        self.picture, self.reference, self.session = made

    def ask(self, method: str, path: str, body: str = "", **headers: str) -> http.client.HTTPResponse:
        """One request on a connection of its own; the answer's body can be read."""
        connection = http.client.HTTPSConnection(HOST, self.proxy.port, timeout=60)
        connection.sock = self.proxy.connect()
        given = {"Host": HOST, "Content-Type": "application/x-www-form-urlencoded"} | headers
        connection.request(method, path, body, given)
        return connection.getresponse()

    def begin(self, start: str) -> socket.socket:
        """A connection on which only this part of a request is sent, for now."""
        connection = self.proxy.connect()
        connection.sendall(start.encode())
        return connection


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Behind a proxy that soon sends slow people away, and has smaller limits."""
    stack = Stack.embedded(tmp_path_factory.mktemp("behind"), WEB_THREADS=str(THREADS), **SETTINGS)
    made = json.loads(stack.python(MAKE))
    stack.start()
    limits = {f"{limit} 10s": f"{limit} 1s" for limit in TIME_LIMITS} | {
        "zone=faceoff_joins burst=60": f"zone=faceoff_joins burst={BURST}",
        "zone=faceoff_logins burst=10": f"zone=faceoff_logins burst={BURST}",
    }
    proxy = Proxy(stack, tmp_path_factory.mktemp("proxy"), limits)
    yield Site(stack, proxy, made)
    proxy.stop()
    stack.stop()


@pytest.fixture(scope="module")
def patient(site, tmp_path_factory):
    """The same deployment behind a proxy that sends nobody away."""
    limits = {f"{limit} 10s": f"{limit} 600s" for limit in TIME_LIMITS} | {
        "send_timeout 20s": "send_timeout 600s"
    }
    proxy = Proxy(site.stack, tmp_path_factory.mktemp("patient"), limits)
    yield Site(site.stack, proxy, [site.picture, site.reference, site.session])
    proxy.stop()


def test_pages_come_by_https_and_cookies_only_so(site):
    answer = site.ask("GET", "/login/")
    assert answer.status == 200
    assert "max-age=31536000" in answer.headers["Strict-Transport-Security"]
    assert "Secure" in answer.headers["Set-Cookie"]
    plain = http.client.HTTPConnection("127.0.0.1", site.proxy.plain_port, timeout=60)
    plain.request("GET", "/login/", headers={"Host": HOST})
    sent_on = plain.getresponse()
    assert (sent_on.status, sent_on.headers["Location"]) == (301, f"https://{HOST}/login/")


@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
def test_somebody_who_sends_slowly_holds_no_thread(patient, start):
    """Asked again and again, since the proxy may need a moment to hand on what it should keep."""
    slow = [patient.begin(start) for _ in range(2 * THREADS)]
    assert {patient.ask("GET", "/health").status for _ in range(20)} == {200}
    for connection in slow:
        connection.close()


@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
def test_somebody_who_sends_no_further_is_sent_away(site, start):
    connection = site.begin(start)
    assert connection.recv(1000)[:12] in (b"", b"HTTP/1.1 408")
    connection.close()


def test_somebody_who_reads_slowly_holds_no_thread(patient):
    """An answer of 8 MB, far more than a connection's buffers hold."""
    start = f"GET {patient.picture} HTTP/1.1\r\nHost: {HOST}\r\n\r\n"
    slow = [patient.begin(start) for _ in range(2 * THREADS)]
    for connection in slow:
        assert connection.recv(100).startswith(b"HTTP/1.1 200")
    assert patient.ask("GET", "/health").status == 200
    for connection in slow:
        connection.close()


def test_long_bodies_are_refused_unread_but_on_pages_that_take_files(site):
    page = "/studies/s/files/"
    for path, length in (("/login/", 3_000_000), ("/answer/", 100_000), (page, 5 * 2**30)):
        connection = site.begin(f"POST {path} HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: {length}\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 413"), path
        connection.close()
    connection = site.begin(f"POST {page} HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: {3 * 2**30}\r\n\r\n")
    # The product answers, and before it has read anything.
    assert connection.recv(100)[:12] in (b"HTTP/1.1 302", b"HTTP/1.1 403")
    connection.close()


@pytest.mark.parametrize("path", ["/login/", "/join/no-such-link/"])
def test_one_address_may_not_send_a_form_again_and_again(site, path):
    """Allowed are as many as `burst` says and one more, and what the rate gives back meanwhile."""
    assert 429 not in [site.ask("POST", path).status for _ in range(BURST + 1)]
    refused = next(answer for _ in range(200) if (answer := site.ask("POST", path)).status == 429)
    assert refused.read().startswith(b"Too many requests")
    assert refused.headers["Retry-After"]
    assert site.ask("GET", path).status != 429


def test_an_open_leaderboard_hears_the_stream_and_can_ask_as_well(site):
    page = site.ask("GET", "/studies/s/leaderboard/", Cookie=f"sessionid={site.session}").read().decode()
    [stream] = re.findall(r'data-stream="(/stream/[^"]+)"', page)
    [poll] = re.findall(r'data-live="([^"]+)"', page)
    answer = site.ask("GET", stream)
    assert answer.headers["Content-Type"].startswith("text/event-stream")
    assert answer.fp.readline() == b"d\r\n"  # a chunk of 13 bytes, as soon as it was written
    assert answer.fp.readline() == b"retry: 5000\n"
    assert site.ask("GET", poll).status == 200


def test_scripts_are_compressed_and_kept_at_the_proxy(site):
    script = "/static/js/live.js"
    first = site.ask("GET", script, **{"Accept-Encoding": "gzip"})
    assert first.headers["Content-Encoding"] == "gzip"
    first.read()
    site.stack.kill9("web")
    try:
        assert site.ask("GET", script, **{"Accept-Encoding": "gzip"}).status == 200
        gone = site.ask("GET", "/login/")
        assert (gone.status, gone.headers["Retry-After"]) == (503, "10")
        assert gone.read().startswith(b"The server is being started again.")
    finally:
        site.stack.restart("web")


def test_the_log_holds_no_personal_address(site):
    site.ask("GET", f"/i/{site.reference}/").read()
    # A line is written once its answer is sent.
    wait_until(lambda: "GET /i/..." in site.proxy.log(), what="the request is in the log")
    assert site.reference not in site.proxy.log()
    assert "GET /login/" in site.proxy.log()
