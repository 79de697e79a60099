"""Names of measures with their options, as people write them: `nDCG@10`, `PGC(p=0.9)`, `Compat`."""

import inspect
import re
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Any, get_args

from .measure import Measure
from .registry import MEASURES

# What other programs call measures and options, in small letters.
_MEASURES = {"compat": "compatibility", "map": "ap", "mrr": "rr", "precision": "p", "prec": "p"}
_OPTIONS = {"rel": "relevant", "cutoff": "k"}
_WRITTEN = re.compile(r"(?P<name>\w+)(?:@(?P<early>\w+))?(?:\((?P<options>.*)\))?(?:@(?P<late>\w+))?")
_BOOLEANS = {"true": True, "false": False}


def options_of(measure: Measure) -> dict[str, inspect.Parameter]:
    """Keyword-only parameters of a measure's function, by name."""
    parameters = inspect.signature(measure.function).parameters
    return {name: each for name, each in parameters.items() if each.kind is inspect.Parameter.KEYWORD_ONLY}


def parse_measure(text: str) -> tuple[Measure, dict[str, Any]]:
    """Parse a measure of runs and the options that are given: `ndcg@10`, `PGC(p=0.9)`, `P(relevant=2)@5`.

    The case of letters does not matter. Raises ValueError for an unknown measure, and for an option that it
    does not have or a value that is no value of it.
    """
    found = _WRITTEN.fullmatch(text.strip())
    name = (found["name"] if found else text).lower()
    measure = MEASURES.get(_MEASURES.get(name, name))
    if measure is None or measure.rows is None:
        from difflib import get_close_matches

        known = [other.name for other in MEASURES.values() if other.rows]
        near = get_close_matches(name, known, 1)
        meant = f"; did you mean {near[0]}?" if near else ""
        called = found["name"] if found else text
        raise ValueError(f"there is no measure {called!r} of runs; there are {', '.join(known)}{meant}")
    assert found
    parameters = options_of(measure)
    options: dict[str, Any] = {}
    for cut in filter(None, (found["early"], found["late"])):
        if "k" not in parameters or not cut.isdecimal() or "k" in options:
            raise ValueError(
                f"{text!r} is no measure: write a whole number after @, of a measure that has -k"
            )
        options["k"] = int(cut)
    for part in filter(str.strip, (found["options"] or "").split(",")):
        key, equal, value = (one.strip() for one in part.partition("="))
        key = _OPTIONS.get(key.lower(), key.lower())
        if not equal or key not in parameters or key in options:
            there = ", ".join(parameters) or "none"
            raise ValueError(f"{text!r} is no measure: the options of {measure.name} are {there}, once each")
        options[key] = read_option(parameters[key].annotation, value)
    return measure, options


def name_measure(measure: Measure, options: Mapping[str, Any]) -> str:
    """Name a measure with @k and those of its options that are not the usual ones, as it is parsed again."""
    usual = {name: option.default for name, option in options_of(measure).items()}
    told = [
        f"{name}={value}"
        for name, value in options.items()
        if name != "k" and name in usual and value != usual[name]
    ]
    k = options.get("k", usual.get("k"))
    cut = "" if k is None or k is inspect.Parameter.empty else f"@{k}"
    return measure.name + (f"({','.join(told)})" if told else "") + cut


def read_option(annotation: Any, text: str) -> Any:
    """Convert a word to the annotated type; `none` gives None where that is allowed. Raises ValueError."""
    kinds = get_args(annotation) if isinstance(annotation, UnionType) else (annotation,)
    if text.lower() == "none" and NoneType in kinds:
        return None
    if bool in kinds:
        if text.lower() in _BOOLEANS:
            return _BOOLEANS[text.lower()]
        raise ValueError(f"{text!r} is neither true nor false")
    for kind in kinds:
        if kind is not NoneType:
            try:
                return kind(text) if callable(kind) and kind in (int, float, str) else text
            except ValueError:
                continue
    wanted = "a whole number" if int in kinds else "a number"
    raise ValueError(f"{text!r} is not {wanted}")


def split_measures(text: str) -> list[str]:
    """Split a list of measures at its commas, but for those between options."""
    return list(dict.fromkeys(word.strip() for word in re.split(r",(?![^(]*\))", text)))
