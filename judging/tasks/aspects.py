"""What an answer says besides its value: aspects, claims, reasons, a sentence, what was played of recordings.

A study names up to six aspects, each answered like a pair: left, right or neither. It names up to eight
reasons, each given or not, and may ask for a sentence. Where answers cite sources it may ask of each claim
(`collection.material.claims`) whether what it cites supports it. An answer names aspects and reasons by their
words, so that a row of the ledger is read without the task. Of sound and film the page tells the seconds that
each was played.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from secrets import token_hex
from typing import Any, NamedTuple, Self

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _

from collection.material.claims import MOST as MOST_CLAIMS
from judging.tasks.base import BadAnswer
from judging.tasks.settings import Settings, setting

MOST_ASPECTS, MOST_REASONS = 6, 8
# Recordings of a question, and the most seconds that one of them can have been played.
MOST_HEARD, LONGEST_HEARD = 9, 24 * 3600.0
# Letters of a name and of a sentence.
LONGEST_NAME, LONGEST_REMARK = 40, 500
# Letters before a sentence that is stored, so that its hash does not tell a short one.
SALT = 16
CHOICES = {"left": 1, "tie": 0, "right": -1}
# Whether what a claim cites supports it.
SUPPORT = {"yes": 1, "unsure": 0, "no": -1}
PLACES = ("left", "right")
WORDS = {value: word for word, value in CHOICES.items()}
# Of each item shown, from left to right, what was said of each of its claims.
Claims = tuple[tuple[int | None, ...], ...]
UNKNOWN = _("This study does not ask that any more, or not yet. Load the page again.")


class Rules(NamedTuple):
    """What answers may say, as the task stores it: names one a line, what is needed, whether a sentence, and
    whether claims are asked.
    """

    aspects: str = ""
    reasons: str = ""
    aspects_needed: str = ""
    remark: str = ""
    claims: str = ""

    @classmethod
    def read(cls, text: str) -> Self:
        """Read what `told` wrote. Raises ValueError."""
        given = json.loads(text) if text else []
        if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
            raise ValueError("not a list of texts")
        return cls(*given)

    @property
    def told(self) -> str:
        """As a form says which rules its page had; "" for none."""
        return json.dumps(self, ensure_ascii=False) if any(self) else ""


class When(models.TextChoices):
    """When aspects are asked."""

    AFTER = "after", "After the answer"
    BEFORE = "before", "Before the answer"


@dataclass(frozen=True)
class AspectSettings(Settings):
    """Settings of pairs. aspects, reasons: names, one a line. aspects_needed: "all", or "" where each may be
    skipped. remark, claims: "asked" where a sentence may be added, and where each claim is asked about.
    """

    aspects: str = setting(models.TextField(blank=True))
    aspects_when: str = setting(models.CharField(choices=When, default=When.AFTER))
    aspects_needed: str = setting(models.CharField(choices=[("all", "all")], blank=True))
    reasons: str = setting(models.TextField(blank=True))
    remark: str = setting(models.CharField(choices=[("asked", "asked")], blank=True))
    claims: str = setting(models.CharField(choices=[("asked", "asked")], blank=True))

    @classmethod
    def checked(cls, stored: Mapping[str, Any]) -> Self:
        """Check too how many names there are, and how long; blanks and empty lines are dropped."""
        found = super().checked(stored)
        wrong, values = {}, asdict(found)
        for name, most in (("aspects", MOST_ASPECTS), ("reasons", MOST_REASONS)):
            names = names_in(values[name])
            values[name] = "\n".join(names)
            if problem := _problem(names, most):
                wrong[name] = ValidationError(problem)
        if wrong:
            raise ValidationError(wrong)
        return cls(**values)

    @property
    def rules(self) -> Rules:
        return Rules(self.aspects, self.reasons, self.aspects_needed, self.remark, self.claims)

    @property
    def aspect_names(self) -> list[str]:
        return names_in(self.aspects)

    @property
    def reason_names(self) -> list[str]:
        return names_in(self.reasons)

    @property
    def first(self) -> bool:
        """Whether aspects and claims are asked before the answer."""
        return bool(self.aspects or self.claims) and self.aspects_when == When.BEFORE


def names_in(lines: str) -> list[str]:
    """Names that stand one a line."""
    return [name for line in lines.splitlines() if (name := " ".join(line.split()))]


def _problem(names: list[str], most: int) -> str:
    if len(names) > most:
        return f"These are {len(names)}, and at most {most} can be asked."
    if long := [name for name in names if len(name) > LONGEST_NAME]:
        return f"“{long[0][:20]}…” has {len(long[0])} letters. Use at most {LONGEST_NAME}."
    small = [name.casefold() for name in names]
    twice = [name for name in names if small.count(name.casefold()) > 1]
    return f"“{twice[0]}” stands there twice." if twice else ""


def problem_of_change(before: AspectSettings, after: AspectSettings) -> dict[str, str]:
    """What of a change is refused once a judgment is in, by setting: names may only be added then, below the
    others, and no aspect that must be answered.
    """
    wrong = {}
    for name in ("aspects", "reasons"):
        was, now = names_in(getattr(before, name)), names_in(getattr(after, name))
        if now[: len(was)] != was:
            wrong[name] = "Judgments have been given. Keep these as they are; you can add others below them."
        elif name == "aspects" and was and now != was and before.aspects_needed:
            wrong[name] = "Judgments have been given, and each aspect must be answered. None can be added."
    if (before.aspects or before.claims) and after.aspects_when != before.aspects_when:
        wrong["aspects_when"] = "Judgments have been given. Aspects stay where they are asked."
    if (before.aspects or after.aspects_needed) and after.aspects_needed != before.aspects_needed:
        wrong["aspects_needed"] = "Judgments have been given. This stays as it is."
    return wrong


@dataclass(frozen=True)
class Details:
    """What an answer says besides its value.

    aspects: 1 for the item on the left, -1 for the one on the right, 0 for neither. rules: those of the page
    that it was given on. heard: seconds that each recording was played since the question's earlier answer,
    from left to right; empty where the page did not tell. claims: of the item on the left and of that on the
    right, for each claim in turn 1 for supported, -1 for not, 0 for cannot tell, None for skipped; empty
    where none was answered.
    """

    aspects: Mapping[str, int] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    remark: str = ""
    rules: Rules = field(default_factory=Rules)
    heard: tuple[float, ...] = ()
    claims: Claims = ()

    def __bool__(self) -> bool:
        return bool(self.aspects or self.reasons or self.remark or self.heard or self.claims)

    def check(self, rules: Rules) -> None:
        """Raise BadAnswer if it cannot be given under these rules."""
        asked, offered = names_in(rules.aspects), names_in(rules.reasons)
        if not set(self.aspects) <= set(asked) or not set(self.reasons) <= set(offered):
            raise BadAnswer(UNKNOWN)
        if any(type(value) is not int or value not in WORDS for value in self.aspects.values()):
            raise BadAnswer(_("An aspect is answered by left, same or right. Load the page again."))
        if rules.aspects_needed and len(self.aspects) < len(asked):
            raise BadAnswer(_("Answer every aspect, then choose."))
        if len(set(self.reasons)) < len(self.reasons):
            raise BadAnswer(UNKNOWN)
        if (self.remark and not rules.remark) or (self.claims and not rules.claims):
            raise BadAnswer(UNKNOWN)
        if len(self.remark) > LONGEST_REMARK:
            raise BadAnswer(_("What you wrote is too long. Use at most 500 letters."))

    def fit(self, rules: Rules) -> bool:
        """Whether it can be given under these rules."""
        try:
            self.check(rules)
        except BadAnswer:
            return False
        return True

    def stored(self) -> tuple[dict[str, Any] | None, str | None]:
        """The columns `details` and `remark` of a row: the ledger seals a hash of the sentence, which stands
        beside and can be erased.
        """
        remark = f"{token_hex(SALT // 2)}{self.remark}" if self.remark else None
        told: dict[str, Any] = {}
        if self.aspects:
            told["aspects"] = dict(self.aspects)
        if self.reasons:
            told["reasons"] = list(self.reasons)
        if remark:
            told["remark"] = digest_of(remark)
        if self.claims:
            told["claims"] = [list(one) for one in self.claims]
        if self.heard:
            told["heard"] = list(self.heard)
        return told or None, remark

    def is_as(self, details: Mapping[str, Any] | None, remark: str | None) -> bool:
        """Whether a stored row says the same; what was heard is no answer."""
        told = details or {}
        same = (dict(self.aspects), list(self.reasons)) == (told.get("aspects", {}), told.get("reasons", []))
        same = same and self.claims == claims_in(told)
        return same and self.remark == text_of(remark)


def in_order(details: Mapping[str, Any]) -> dict[str, Any]:
    """Sort the names in details, since PostgreSQL keeps no order and a file is the same from any database."""
    told = dict(sorted(details.items()))
    return told | ({"aspects": dict(sorted(told["aspects"].items()))} if "aspects" in told else {})


def claims_in(details: Mapping[str, Any]) -> Claims:
    """What stored details say of claims, from left to right."""
    return tuple(map(tuple, details.get("claims", ())))


def digest_of(remark: str) -> str:
    """The hash by which the ledger seals a stored sentence."""
    return sha256(remark.encode()).hexdigest()


def text_of(remark: str | None) -> str:
    """The sentence of a stored one."""
    return (remark or "")[SALT:]


def read_stored(details: Mapping[str, Any] | None, remark: str | None) -> Details:
    """Read the columns `details` and `remark` of a row, but for what was heard."""
    told = details or {}
    reasons = tuple(told.get("reasons", ()))
    return Details(told.get("aspects", {}), reasons, text_of(remark), claims=claims_in(told))


def parse(form: Mapping[str, Any], reasons: Iterable[str]) -> Details:
    """Read what a form says besides the answer: `rules`, `aspect1`..., `claim-left-1`..., `remark`; reasons:
    numbers as texts.

    Raises BadAnswer.
    """
    try:
        rules = Rules.read(str(form.get("rules", ""))[:4000])
    except (ValueError, TypeError, RecursionError) as error:
        raise BadAnswer(UNKNOWN) from error
    aspects, offered = names_in(rules.aspects), names_in(rules.reasons)
    given = {}
    for name in form:
        if (match := re.fullmatch("aspect([1-9][0-9]?)", name)) and (said := form[name]):
            if int(match[1]) > len(aspects):
                raise BadAnswer(UNKNOWN)
            if said not in CHOICES:
                raise BadAnswer(_("An aspect is answered by left, same or right. Load the page again."))
            given[aspects[int(match[1]) - 1]] = CHOICES[said]
    chosen = []
    for number in reasons:
        if not re.fullmatch("[1-9][0-9]?", number) or int(number) > len(offered):
            raise BadAnswer(UNKNOWN)
        chosen.append(offered[int(number) - 1])
    # PostgreSQL cannot store NUL, and our own forms never send it.
    remark = " ".join(str(form.get("remark", "")).replace("\0", "").split())
    heard, claims = _heard(str(form.get("heard", ""))), _claims(form)
    return Details(given, tuple(dict.fromkeys(chosen)), remark, rules, heard, claims)


def _claims(form: Mapping[str, Any]) -> Claims:
    given: dict[tuple[str, int], int] = {}
    for name in form:
        if (match := re.fullmatch("claim-(left|right)-([1-9][0-9]?)", name)) and (said := form[name]):
            if said not in SUPPORT or int(match[2]) > MOST_CLAIMS:
                raise BadAnswer(UNKNOWN)
            given[match[1], int(match[2])] = SUPPORT[said]
    if not given:
        return ()
    last = {place: max((n for side, n in given if side == place), default=0) for place in PLACES}
    return tuple(tuple(given.get((place, n)) for n in range(1, last[place] + 1)) for place in PLACES)


def _heard(text: str) -> tuple[float, ...]:
    """Seconds with blanks between; none if any is impossible: the answer is worth keeping without them."""
    given = text.split(" ") if text else []
    if len(given) > MOST_HEARD or not all(re.fullmatch(r"[0-9]{1,5}(\.[0-9]{1,2})?", one) for one in given):
        return ()
    seconds = tuple(map(float, given))
    return seconds if all(one <= LONGEST_HEARD for one in seconds) else ()


def rules_of(settings: Settings) -> Rules:
    """The rules of a task's settings; none for kinds that ask no aspects."""
    return settings.rules if isinstance(settings, AspectSettings) else Rules()


def restored(row: Mapping[str, Any] | None, settings: Settings) -> dict[str, Any] | None:
    """Check the details of a release's row, which has no sentences. Raises ValueError."""
    if row is None:
        return None
    if not isinstance(row, dict) or not row or set(row) - {"aspects", "reasons", "remark", "heard", "claims"}:
        raise ValueError(f"details are {row!r}")
    aspects, reasons, remark = row.get("aspects", {}), row.get("reasons", []), row.get("remark")
    if not isinstance(aspects, dict) or not isinstance(reasons, list):
        raise ValueError(f"details are {row!r}")
    if remark is not None and not (isinstance(remark, str) and re.fullmatch("[0-9a-f]{64}", remark)):
        raise ValueError(f"remark is {remark!r}, not a hash")
    heard = row.get("heard", [0])
    if not isinstance(heard, list) or not 0 < len(heard) <= MOST_HEARD or not all(map(_is_heard, heard)):
        raise ValueError(f"heard is {heard!r}, not seconds")
    claims = row.get("claims", [[], [1]])
    if not isinstance(claims, list) or len(claims) != len(PLACES) or not all(map(_are_claims, claims)):
        raise ValueError(f"claims are {claims!r}")
    try:
        # What must be answered is no matter here: it may be asked only since.
        Details(aspects, tuple(reasons)).check(rules_of(settings)._replace(aspects_needed=""))
    except (BadAnswer, TypeError) as error:
        raise ValueError(f"the task does not ask {row!r}") from error
    return row


def _is_heard(seconds: object) -> bool:
    return type(seconds) in (int, float) and 0 <= seconds <= LONGEST_HEARD  # type: ignore[operator]


def _are_claims(given: object) -> bool:
    known = isinstance(given, list) and len(given) <= MOST_CLAIMS
    return known and all(one is None or (type(one) is int and one in WORDS) for one in given)  # type: ignore[attr-defined]
