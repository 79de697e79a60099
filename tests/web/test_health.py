"""GET /health: what a load balancer reads."""

import pytest

from config import health

pytestmark = pytest.mark.django_db


def test_a_full_disk_is_no_health(client, monkeypatch):
    assert client.get("/health").status_code == 200
    monkeypatch.setattr(health, "LEAST_FREE", 10**18)
    answer = client.get("/health")
    assert (answer.status_code, answer.content) == (503, b"The disk of the data is full.\n")
