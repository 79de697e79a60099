"""Paradata of an answer: how it was given, as the page's script counted it since the answer before.

A dict with `by` and those counts that are not 0. by: the last thing that the browser's user did: pressed a
key, or a mouse, pen or finger; `other` where something pressed for them, as screen readers do; `none` where
no input came at all, as when a program fills in the page. moves: of the pointer, a finger or the wheel.
keys: keys pressed. blurs: how often another window or tab took the focus. pasted: characters pasted.
"""

from typing import Any

INPUTS = ("key", "mouse", "pen", "touch", "other", "none")
COUNTS = ("moves", "keys", "blurs", "pasted")
MOST = 9999


def restored(told: Any) -> dict[str, Any] | None:
    """Check paradata that came from outside; None stands for none.

    Raises ValueError for anything that `INPUTS`, `COUNTS` and `MOST` do not allow.
    """
    if told is None:
        return None
    if not isinstance(told, dict) or told.get("by") not in INPUTS:
        raise ValueError("paradata do not say by what the answer was given")
    counts = {name: told[name] for name in COUNTS if name in told}
    if len(counts) + 1 < len(told):
        raise ValueError("paradata have counts of another name")
    if any(type(count) is not int or not 0 <= count <= MOST for count in counts.values()):
        raise ValueError(f"paradata have a count that is not a whole number from 0 to {MOST}")
    return {"by": told["by"], **{name: count for name, count in counts.items() if count}}
