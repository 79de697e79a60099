"""Names of assessors on organizers' pages and in the sealed ledger: they tell people apart, and no more.

Files for others have names of their own (`judging.transfer.pseudonyms`).
"""

import re
from collections.abc import Callable

from judging.models import FROM_FILES

NOBODY = "recorded"  # the label of judgments whose file names no assessor
# Such a label, numbered where a file has several judgments of a pair.
_NAMELESS = re.compile(rf"{FROM_FILES}-{NOBODY}(_\(\d+\))*")
# Names an assessor, by panel, label and key.
Namer = Callable[[str, str, int], str]


def assessor_name(panel: str, label: str, pk: int) -> str:
    """Name an assessor: `local-25` for anyone who came by a panel, `import-anna` for a label of a file.

    A label never passes for a person, since no panel is called `import`: `local-25` in a file comes out as
    `import-local-25`. A label that begins so already stays as it is, so that what was exported, loaded and
    exported again has the same names. Without spaces, which separate columns; never the secret of a link.
    """
    if panel != FROM_FILES:
        return f"{panel}-{pk}"
    joined = "_".join(label.split()) or str(pk)
    return joined if joined.startswith(f"{FROM_FILES}-") else f"{FROM_FILES}-{joined}"


def is_nameless(name: str) -> bool:
    """Tell whether the name stands for judgments of a file that names nobody, perhaps of many people."""
    return _NAMELESS.fullmatch(name) is not None
