"""Simulated workers of the Mechanical Turk emulator: they take HITs there and do them on our pages by HTTP.

They know only what people know: the emulator's site, the address in its frame, and what our pages show. They
use the pages' plain forms and never keep a cookie, as a browser does that blocks those of frames. A server
that is down, or answers an error of its own, is asked again as by somebody who presses the button once more.
"""

import http.client
import http.cookiejar
import json
import random
import re
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from html import unescape
from typing import Any, NamedTuple

# The better of two texts: above 0 the first, below 0 the second, 0 neither.
Judge = Callable[[str, str], int]

_SECTION = re.compile(r'<section class="question" data-position="(\d+)"([^>]*)>.*?</section>', re.DOTALL)
# It ends where its side does, before the next side or the end of the pair.
_PASSAGE = re.compile(
    r'<div class="passage"[^>]*>(.*?)</div>\s*</div>\s*(?=<div class="side |</div>)', re.DOTALL
)
_TAG = re.compile(r"<[^>]+>")
_FORM = re.compile(r'<form[^>]*method="post"(?: action="([^"]*)")?[^>]*>(.*?)</form>', re.DOTALL)
_INPUT = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)"')


class Manner(Enum):
    """How somebody goes through one HIT."""

    PLAIN = "does it"
    RETURNS = "returns it half done"
    LEAVES = "leaves it half done"
    DOUBLES = "presses each button twice"
    RELOADS = "loads it again, and answers in the older page too"


class Became(Enum):
    """Outcome of one visit to the marketplace."""

    SUBMITTED = "submitted"
    RETURNED = "returned"
    LEFT = "left"
    TURNED_AWAY = "turned away"
    NOTHING = "nothing on offer"


class TurkerPage(NamedTuple):
    """An answer of a server: its status, where it came from after redirects, and what it says."""

    status: int
    address: str
    text: str

    def said(self) -> Any:
        """What it says as JSON; {} if it is none."""
        try:
            return json.loads(self.text)
        except ValueError:
            return {}


class ShownQuestion(NamedTuple):
    """A question as the page shows it."""

    position: int
    answered: bool
    texts: list[str]


class Down(Exception):
    """A server did not answer for longer than anybody waits."""


def questions(page: str) -> list[ShownQuestion]:
    """The questions of a judging page, in their order."""
    return [
        ShownQuestion(
            int(one[1]), "data-answered" in one[2], [text_of(side) for side in _PASSAGE.findall(one[0])]
        )
        for one in _SECTION.finditer(page)
    ]


def text_of(markup: str) -> str:
    """The words of a piece of a page, with single spaces."""
    return " ".join(unescape(_TAG.sub(" ", markup)).split())


def forms(page: str) -> list[tuple[str, dict[str, str]]]:
    """The address and the hidden fields of each form of a page."""
    return [
        (unescape(action), {name: unescape(value) for name, value in _INPUT.findall(body)})
        for action, body in _FORM.findall(page)
    ]


@dataclass(frozen=True)
class Habits:
    """Shares of the workers who answer by chance, and of HITs that end or go otherwise than plainly."""

    careless: float = 0.1
    returns: float = 0.05
    leaves: float = 0.03
    doubles: float = 0.1
    reloads: float = 0.1

    def manner(self, chooser: random.Random) -> Manner:
        """Choose how a HIT is gone through."""
        shares = {
            Manner.RETURNS: self.returns,
            Manner.LEAVES: self.leaves,
            Manner.DOUBLES: self.doubles,
            Manner.RELOADS: self.reloads,
        }
        drawn = chooser.random()
        for manner, share in shares.items():
            drawn -= share
            if drawn < 0:
                return manner
        return Manner.PLAIN


@dataclass
class Turker:
    """One worker of the emulator's site at `site`. Whether they are careful is drawn once, by the seed.

    judge: what a careful one prefers. pause: seconds before each answer. patience: for how many seconds a
    server that does not answer is asked again; then `Down` is raised.
    """

    site: str
    name: str
    judge: Judge
    seed: str = "turkers"
    habits: Habits = field(default_factory=Habits)
    pause: float = 0.0
    patience: float = 180.0
    stop: Callable[[], bool] = lambda: False
    became: Counter[Became] = field(default_factory=Counter)
    # Assignments that were left for good.
    left: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._chooser = random.Random(f"{self.seed}:{self.name}")
        self.careless = self._chooser.random() < self.habits.careless
        self._open = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(_NoCookies())).open

    def visit(self) -> Became:
        """Take a HIT, unless one is open, and go through it. The outcome is counted too."""
        became = self._visit()
        self.became[became] += 1
        return became

    def _visit(self) -> Became:
        home = f"{self.site}/mturk/{self.name}/"
        mine = self._accepted(home)
        if not mine:
            # Where the reply is lost, the page of one's HITs shows what was accepted.
            self._ask(f"{home}accept/next", {}, json_=True)
            mine = self._accepted(home)
        if not mine:
            return Became.NOTHING
        task = self._ask(f"{home}task/{mine[0]}", json_=True).said()
        return self._do(task) if "frame" in task else Became.NOTHING

    def _accepted(self, home: str) -> list[str]:
        tasks = self._ask(home, json_=True).said().get("accepted", [])
        return [task["assignmentId"] for task in tasks if task["assignmentId"] not in self.left]

    def _do(self, task: dict[str, Any]) -> Became:
        manner = self.habits.manner(self._chooser)
        # By the HIT too: who comes again in another process does not take the same times again.
        clock = random.Random(f"{self.seed}:{self.name}:{task['assignmentId']}")
        page = self._ask(task["frame"])
        if page.status >= 400:
            return self._give_back(task, Became.TURNED_AWAY)
        if not questions(page.text) and _fields(page, "assignmentId") is None:
            begin = _fields(page, "action", "begin")
            if begin is None:
                return self._give_back(task, Became.TURNED_AWAY)
            page = self._press(page.address, begin, manner)
        asked = [one for one in questions(page.text) if not one.answered]
        half = len(asked) // 2
        for number, one in enumerate(asked):
            if self.stop():
                return Became.LEFT
            if number == half and manner is Manner.RETURNS:
                return self._give_back(task, Became.RETURNED)
            if number == half and manner is Manner.LEAVES:
                self.left.add(task["assignmentId"])
                return Became.LEFT
            if number == half and manner is Manner.RELOADS:
                older, page = page, self._ask(task["frame"])
                self._answer(older, one, Manner.PLAIN, clock)
            self._answer(page, one, manner, clock)
        return self._hand_in(task, page, manner)

    def _answer(self, page: TurkerPage, asked: ShownQuestion, manner: Manner, clock: random.Random) -> None:
        if self.pause:
            time.sleep(self.pause * self._chooser.uniform(0.5, 1.5))
        preferred = self._chooser.choice((-1, 1)) if self.careless else self.judge(*asked.texts)
        side = "tie" if not preferred else "left" if preferred > 0 else "right"
        for action, fields in forms(page.text):
            if fields.get("position") == str(asked.position):
                seconds = f"{clock.uniform(4, 20):.1f}"
                sent = fields | {"choice": side, "seconds": seconds}
                self._press(urllib.parse.urljoin(page.address, action), sent, manner, json_=True)
                return

    def _hand_in(self, task: dict[str, Any], page: TurkerPage, manner: Manner) -> Became:
        """Send the answers, and then the last page's form to the marketplace."""
        home = page.address
        for action, fields in forms(page.text):
            if action.endswith("/submit/"):
                self._press(urllib.parse.urljoin(home, action), fields, manner, json_=True)
        last = self._ask(home)
        for action, fields in forms(last.text):
            if "assignmentId" in fields:
                # The marketplace knows who is logged in; its emulator has to be told.
                sent = self._ask(action, fields | {"workerId": self.name}, json_=True)
                # A second one is refused: the first has arrived, and its reply was lost.
                return Became.SUBMITTED if sent.status < 500 else Became.LEFT
        if questions(last.text):
            return Became.LEFT  # some answers are missing still; the next visit goes on
        return self._give_back(task, Became.TURNED_AWAY)

    def _give_back(self, task: dict[str, Any], became: Became) -> Became:
        self._ask(f"{self.site}/mturk/{self.name}/return/{task['assignmentId']}", {}, json_=True)
        return became

    def _press(
        self, address: str, fields: dict[str, str], manner: Manner, *, json_: bool = False
    ) -> TurkerPage:
        """Post a form; anyone who presses twice posts it twice at the same moment."""
        if manner is not Manner.DOUBLES:
            return self._ask(address, fields, json_=json_)
        second = threading.Thread(target=self._ask, args=(address, fields), kwargs={"json_": json_})
        second.start()
        try:
            return self._ask(address, fields, json_=json_)
        finally:
            second.join()

    def _ask(self, address: str, fields: dict[str, str] | None = None, *, json_: bool = False) -> TurkerPage:
        """Ask until there is an answer that is not the server's own fault. Raises Down."""
        data = None if fields is None else urllib.parse.urlencode(fields).encode()
        headers = {"Accept": "application/json"} if json_ else {}
        until = time.monotonic() + self.patience
        while True:
            request = urllib.request.Request(address, data, headers)  # noqa: S310 - the operator's own
            try:
                with self._open(request, timeout=30) as reply:
                    return TurkerPage(reply.status, reply.url, reply.read().decode(errors="replace"))
            except urllib.error.HTTPError as error:
                if error.code < 500 and error.code != http.client.TOO_MANY_REQUESTS:
                    return TurkerPage(error.code, error.url or address, error.read().decode(errors="replace"))
                why: Exception = error
            except (OSError, http.client.HTTPException) as error:
                why = error
            if self.stop():
                return TurkerPage(599, address, "")
            if time.monotonic() > until:
                raise Down(f"{address}: {why}")
            time.sleep(0.3)


class _NoCookies(http.cookiejar.CookieJar):
    """A jar that takes no cookie, as browsers are in a frame of another site."""

    def set_cookie(self, cookie: Any) -> None:
        return


def _fields(page: TurkerPage, name: str, value: str = "") -> dict[str, str] | None:
    """Fields of the form that has this field, and this value if one is given."""
    for _, fields in forms(page.text):
        if name in fields and value in ("", fields[name]):
            return fields
    return None
