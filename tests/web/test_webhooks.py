"""Webhooks: which addresses are posted to, by their letters and by where their names lead."""

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
