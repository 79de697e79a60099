"""What every emulator stands on: transactions, faults, the clock, switches, the log. With a toy emulator."""

import http.client
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from simulation.emulators.emulator_base import Emulator, Ground, Refusal
from simulation.emulators.http_server import EmulatedReply, Request, as_json, as_page

ADD = "/add"


class Toy(Emulator):
    """Counts: /add adds one, /refuse adds one and thinks better of it, /break fails."""

    title = "Toy emulator"
    schema = "CREATE TABLE IF NOT EXISTS added (at REAL);"
    switches = {"shouts": False}

    def operation(self, request: Request) -> str:
        return request.path.strip("/")

    def answer(self, request: Request) -> EmulatedReply:
        if request.path == "/page":
            return as_page(self.title, "A page", "<p>hello</p>")
        self.db.execute("INSERT INTO added VALUES (?)", [self.now])
        if request.path == "/refuse":
            raise Refusal(as_json({"refused": True}, 400))
        if request.path == "/break":
            raise RuntimeError("broken")
        return as_json({"n": len(self.rows("SELECT * FROM added")), "now": self.now})

    def failing(self, fault: str) -> EmulatedReply:
        return as_json({"fault": fault}, {"throttle": 400, "html403": 403}.get(fault, 503))

    def books(self) -> dict[str, Any]:
        return {"n": len(self.rows("SELECT * FROM added"))}

    def state(self) -> dict[str, Any]:
        return {"added": self.rows("SELECT * FROM added")}


class Served:
    """A toy emulator on a thread of this process."""

    def __init__(self, state: Path) -> None:
        self.ground = Ground(Toy(), state)
        self.server = self.ground.server(0)
        self.port = self.server.server_address[1]
        threading.Thread(
            target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        ).start()

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request(method, path, None if body is None else json.dumps(body))
        reply = connection.getresponse()
        assert reply.getheader("Server") == "Toy emulator"
        return reply.status, reply.read().decode()

    def control(self, method: str, what: str, body: object = None) -> Any:
        status, text = self.ask(method, f"/_emulator/{what}", body)
        assert status == 200, text
        return json.loads(text)

    def books(self) -> int:
        return self.control("GET", "books")["n"]

    def stop(self) -> None:
        self.ground.stopped.set()
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def toy(tmp_path: Path) -> Iterator[Served]:
    served = Served(tmp_path / "state")
    yield served
    served.stop()


def test_state_outlives_the_program(tmp_path: Path) -> None:
    first = Served(tmp_path / "state")
    first.ask("POST", ADD)
    first.control("POST", "clock", {"advance": 1e6})
    first.control("POST", "switches", {"shouts": True})
    before = first.control("GET", "clock")["now"]
    first.stop()
    second = Served(tmp_path / "state")
    assert second.books() == 1
    assert second.control("GET", "clock")["now"] >= before
    assert second.control("GET", "switches") == {"shouts": True}
    second.stop()


def test_refused_or_broken_request_leaves_nothing_but_its_entry_in_the_log(toy: Served) -> None:
    assert toy.ask("POST", "/refuse") == (400, '{"refused": true}')
    status, text = toy.ask("POST", "/break")
    assert status == 500
    assert "RuntimeError: broken" in text
    assert toy.books() == 0
    assert [(row["operation"], row["status"]) for row in toy.control("GET", "log")] == [
        ("refuse", 400),
        ("break", 500),
    ]


@pytest.mark.parametrize(
    ("fault", "done", "seen"),
    [
        ("lose_reply", 1, None),
        ("drop_before", 0, None),
        ("throttle", 0, 400),
        ("503", 0, 503),
        ("500", 0, 503),
        ("html403", 0, 403),
        ("slow", 1, 200),
        ("duplicate", 2, 200),
        ("truncate", 1, 200),
    ],
)
def test_fault_strikes_once_and_does_as_much_work_as_it_says(
    toy: Served, fault: str, done: int, seen: int | None
) -> None:
    toy.control("POST", "faults", {"fault": fault, "operation": "add"})
    toy.ask("POST", "/page")  # another operation passes
    if seen is None:
        with pytest.raises((http.client.HTTPException, ConnectionError)):
            toy.ask("POST", ADD)
    else:
        status, text = toy.ask("POST", ADD)
        assert status == seen
        if fault == "truncate":
            with pytest.raises(ValueError):  # noqa: PT011 - whatever the reader of JSON says
                json.loads(text)
        elif fault == "duplicate":
            assert json.loads(text)["n"] == 1, "the client sees the first of the two answers"
    assert toy.books() == done
    assert [row["fault"] for row in toy.control("GET", "log?operation=add")] == [fault] * max(1, done)
    assert toy.ask("POST", ADD)[0] == 200
    assert toy.books() == done + 1


def test_throttle_after_the_work_is_done(toy: Served) -> None:
    toy.control("POST", "faults", {"fault": "throttle", "when": "after"})
    assert toy.ask("POST", ADD)[0] == 400
    assert toy.books() == 1


def test_fault_on_each_third_request_after_the_first(toy: Served) -> None:
    toy.control("POST", "faults", {"fault": "503", "operation": "add", "every": 3, "after": 1, "times": 2})
    seen = [toy.ask("POST", ADD)[0] for _ in range(11)]
    # By hand: the first passes; then each third of the others, twice.
    assert seen == [200, 200, 200, 503, 200, 200, 503, 200, 200, 200, 200]


def test_faults_can_be_taken_away(toy: Served) -> None:
    toy.control("POST", "faults", {"fault": "503", "times": None})
    assert [toy.ask("POST", ADD)[0] for _ in range(3)] == [503] * 3
    toy.control("DELETE", "faults")
    assert toy.ask("POST", ADD)[0] == 200


@pytest.mark.parametrize(
    ("what", "asked"),
    [
        ("faults", {"fault": "earthquake"}),
        ("faults", {"fault": "lose_reply", "when": "before"}),
        ("faults", {"fault": "503", "every": 0}),
        ("faults", {"fault": "503", "colour": "red"}),
        ("clock", {}),
        ("switches", {"sings": True}),
    ],
)
def test_bad_control_request_is_refused_with_a_reason(toy: Served, what: str, asked: object) -> None:
    status, text = toy.ask("POST", f"/_emulator/{what}", asked)
    assert status == 400
    assert json.loads(text)["error"]


def test_clock_moves_only_when_it_is_told_to(toy: Served) -> None:
    before = json.loads(toy.ask("POST", ADD)[1])["now"]
    toy.control("POST", "clock", {"advance": 7 * 86400})
    after = json.loads(toy.ask("POST", ADD)[1])["now"]
    assert 7 * 86400 <= after - before < 7 * 86400 + 60


def test_two_at_once_wait_for_one_another_but_not_for_a_slow_one(toy: Served) -> None:
    toy.control("POST", "faults", {"fault": "slow", "seconds": 600, "operation": "add"})
    slow = threading.Thread(target=toy.ask, args=("POST", ADD), daemon=True)
    slow.start()
    while not toy.control("GET", "log"):  # its work is done, its answer waits
        pass
    assert json.loads(toy.ask("POST", ADD)[1])["n"] == 2
    assert slow.is_alive()
    toy.ground.stopped.set()  # the answer need not be waited for
    slow.join(20)
    assert not slow.is_alive()


def test_every_page_says_what_it_is(toy: Served) -> None:
    assert "Toy emulator: no real marketplace, no real money." in toy.ask("GET", "/page")[1]
    assert toy.control("GET", "health")["real"] is False
