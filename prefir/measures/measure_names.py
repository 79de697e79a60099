"""Names of measures with their options, as people write them: `nDCG@10`, `PGC(p=0.9)`, `Compat`."""

import inspect
import re
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Any, get_args

from .measure import Measure
from .registry import MEASURES

# What ir_measures, trec_eval and ranx call measures and options, in small letters.
_MEASURES = {
    "compat": "compatibility",
    "deltandcg": "delta_ndcg",
    "hit_rate": "success",
    "infap": "inferred_ap",
    "iprec": "interpolated_precision",
    "iprec_at_recall": "interpolated_precision",
    "map": "ap",
    "map_cut": "ap",
    "mrr": "rr",
    "ndcg_cut": "ndcg",
    "prec": "p",
    "precision": "p",
    "r": "recall",
    "recip_rank": "rr",
    "rprec": "r_precision",
    "set_p": "set_precision",
    "set_recall": "recall",
    "setf": "set_f",
    "setp": "set_precision",
    "setr": "recall",
}
_OPTIONS = {"rel": "relevant", "cutoff": "k"}
# What stands after @, where that is not -k.
_AT = {"interpolated_precision": "recall"}
_WRITTEN = re.compile(r"(?P<name>\w+)(?:@(?P<early>[\w.]+))?(?:\((?P<options>.*)\))?(?:@(?P<late>[\w.]+))?")
# trec_eval writes what follows @ after a dot, and in its output after a low line.
_CUT = re.compile(r"(p|recall|success|ndcg_cut|map_cut|iprec_at_recall)[._](\d[\d.]*)", re.I)
_BOOLEANS = {"true": True, "false": False}


def options_of(measure: Measure) -> dict[str, inspect.Parameter]:
    """Keyword-only parameters of a measure's function, by name."""
    parameters = inspect.signature(measure.function).parameters
    return {name: each for name, each in parameters.items() if each.kind is inspect.Parameter.KEYWORD_ONLY}


def parse_measure(written: Any) -> tuple[Measure, dict[str, Any]]:
    """Parse a measure of runs and the options that are given: `ndcg@10`, `PGC(p=0.9)`, `P(relevant=2)@5`.

    written: a name, also as ir_measures or trec_eval write it, or a measure of ir_measures. The case of
    letters does not matter. Raises TypeError for anything else, ValueError for an unknown measure, and for
    an option that it does not have or a value that is no value of it.
    """
    if type(written).__module__.partition(".")[0] == "ir_measures":
        written = str(written)
    if not isinstance(written, str):
        raise TypeError(f"a measure is a name, such as 'nDCG@10', no {type(written).__name__}")
    text = written.strip()
    if cut := _CUT.fullmatch(text):
        text = f"{cut[1]}@{cut[2]}"
    found = _WRITTEN.fullmatch(text)
    name = (found["name"] if found else text).lower()
    measure = MEASURES.get(_MEASURES.get(name, name))
    if measure is None or measure.rows is None:
        raise ValueError(_unknown(found["name"] if found else text))
    assert found
    parameters = options_of(measure)
    options: dict[str, Any] = {}
    at = _AT.get(measure.name, "k")
    for value in filter(None, (found["early"], found["late"])):
        if at not in parameters or at in options or (at == "k" and not value.isdecimal()):
            raise ValueError(
                f"{text!r} is no measure: write a whole number after @, of a measure that has -k"
            )
        options[at] = read_option(parameters[at].annotation, value)
    for part in filter(str.strip, (found["options"] or "").split(",")):
        key, equal, value = (one.strip() for one in part.partition("="))
        key = _OPTIONS.get(key.lower(), key.lower())
        if not equal or key not in parameters or key in options:
            there = ", ".join(parameters) or "none"
            raise ValueError(f"{text!r} is no measure: the options of {measure.name} are {there}, once each")
        options[key] = read_option(parameters[key].annotation, value)
    if name == "setf" and options.get("beta", 0) > 0:
        options["beta"] **= 0.5  # ir_measures' beta is the square of set_f's
    return measure, options


def is_measure(text: str) -> bool:
    """Whether `parse_measure` takes every one of these names, with commas between."""
    try:
        return bool([parse_measure(word) for word in split_measures(text)])
    except ValueError:
        return False


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    known = [measure.name for measure in MEASURES.values() if measure.rows]
    near = get_close_matches(name.lower(), [*known, *_MEASURES], 1)
    meant = f"did you mean {near[0]}? There" if near else "there"
    return f"there is no measure {name!r} of runs; {meant} are {', '.join(known)}"


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
