"""Webhooks: which addresses are posted to, by their letters and by where their names lead."""

import socket
import threading

import pytest

from collection import webhooks

pytestmark = pytest.mark.usefixtures("to_this_machine")


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "https://127.0.0.1/",
        "https://[::1]/x",
        "https://10.1.2.3/",
        "https://192.168.0.1:8443/",
        "https://169.254.169.254/latest/meta-data",
        "https://100.64.0.1/",
        "https://0.0.0.0/",
        "https://224.0.0.1/",
        "https://[::ffff:127.0.0.1]/",
        "https://[64:ff9b::7f00:1]/",
        "https://[2002:7f00:1::]/",
        "https://[fe80::1]/",
        "https://[fc00::1]/",
        "https://[::127.0.0.1]/",
        "https://[fec0::1]/",
        "https://[64:ff9b:1::7f00:1]/",
        "https://192.88.99.1/",
        "https://192.0.0.192/",
        "https://168.63.129.16/",
        "https://[::ffff:0:7f00:1]/",
        "https://[5f00::1]/",
        "https://[3fff::1]/",
        "https://name:word@example.org/",
        "ftp://example.org/",
        "https:///x",
        "https://example.org:99999/",
        "nonsense",
    ],
)
def test_addresses_of_this_network_are_refused_by_their_letters(settings, url):
    settings.WEBHOOKS_TO_PRIVATE = False
    assert webhooks.problem(url)
    with pytest.raises(webhooks.Forbidden):
        webhooks.post(url, {}, secret="s", number=1)


@pytest.mark.parametrize(
    "url", ["https://localhost/", "https://2130706433/", "https://127.1/", "https://0x7f.1/"]
)
def test_names_of_this_network_are_refused_where_they_are_looked_up(settings, url):
    settings.WEBHOOKS_TO_PRIVATE = False
    with pytest.raises(webhooks.Forbidden):
        webhooks.post(url, {}, secret="s", number=1)


def test_the_address_that_was_looked_at_is_connected_to(receiver, monkeypatch):
    """It is looked up once: a name that means another machine at the second look leads nowhere else."""
    port = int(receiver.url.split(":")[2].split("/")[0])
    asked = []

    def lookup(host, *_, **__):
        asked.append(host)
        return [(2, 1, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr("collection.webhooks.socket.getaddrinfo", lookup)
    url = f"http://hooks.example.org:{port}/"
    assert webhooks.post(url, {"a": 1}, secret="s", number=7) == "204 No Content"
    assert asked[0] == "hooks.example.org"
    assert "hooks.example.org" not in asked[1:]
    assert receiver.got[0][0]["Host"] == f"hooks.example.org:{port}"


def test_public_addresses_are_no_problem(settings):
    settings.WEBHOOKS_TO_PRIVATE = False
    for url in ("https://example.org/hook", "https://93.184.216.34:8443/", "https://[2606:2800:220:1::1]/x"):
        assert webhooks.problem(url) == ""


def test_a_head_that_comes_drop_by_drop_holds_no_thread(monkeypatch):
    """The receiver sends a byte of a header again and again, for as long as anybody takes it."""
    monkeypatch.setattr(webhooks, "LONGEST", 0.3)
    ended = threading.Event()

    def drip(listening):
        connection, _ = listening.accept()
        with connection:
            connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
            try:
                while not ended.wait(0.02):
                    connection.sendall(b"a")
            except OSError:
                ended.set()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        receiver = threading.Thread(target=drip, args=(listening,))
        receiver.start()
        with pytest.raises(webhooks.WebhookFailed, match="did not answer"):
            webhooks.post(f"http://127.0.0.1:{listening.getsockname()[1]}/", {}, secret="s", number=1)
        try:
            assert ended.wait(10), "the connection is closed"
        finally:
            ended.set()
            receiver.join()
    for thread in threading.enumerate():
        if thread.name == "webhook":
            thread.join(10)
            assert not thread.is_alive()
