"""What the tests of the formats share: a small study, and a refused file's problems as text."""

from collections.abc import Callable

import pytest

from prefir.formats import BadFile, Known

KNOWN = Known(topics={"t1", "t2"}, items={"t1": {"d1", "d2", "d3"}, "t2": {"d1"}})
CLOSED = Known(topics=KNOWN.topics, items=KNOWN.items, new_items=False)
IMAGES = Known(topics={"t1", "t2", "été"}, kind="image")


def refused(call: Callable[..., object], *arguments: object, **options: object) -> list[str]:
    """The problems, as a person sees them, for which the call raises BadFile."""
    with pytest.raises(BadFile) as caught:
        call(*arguments, **options)
    return [str(problem) for problem in caught.value.problems]
