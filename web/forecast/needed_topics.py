"""How many further topics would settle a difference of two runs: as every page says it."""

from dataclasses import dataclass

from collection.models.study import Words
from scoring.analysis import run_comparison
from scoring.analysis.run_comparison import ComparedRuns
from web.shared.phrases import count

# No study is made that much larger.
MOST_FURTHER = 1000


def out_of_reach(words: Words) -> str:
    """Say that more topics are needed than a study could have."""
    return f"out of reach: over {MOST_FURTHER:,} {words.topics}"


@dataclass(frozen=True)
class NeededRow:
    """How many further topics a test takes, and their judgments. said: the test, in words."""

    said: str
    topics: int
    judgments: int


def needed_further(found: ComparedRuns, each: float) -> tuple[int, int]:
    """Return how many further topics would find the difference, and their judgments; zeros if that is open,
    or out of reach.

    each: judgments that a topic takes.
    """
    shown = found.shown
    if shown.topics < 2 or found.sure or shown.needed == float("inf"):
        return 0, 0
    if shown.needed <= shown.topics and run_comparison.too_few(shown.topics):
        return 0, 0
    # Where the test of the two alone finds it already, the test corrected for all pairs is what is open.
    needed = shown.needed if shown.needed > shown.topics else found.needed_of_all
    further = max(0, int(needed) - shown.topics)
    if further > MOST_FURTHER:
        return 0, 0
    return further, further * round(each)


def needed_rows(found: ComparedRuns, words: Words, each: float) -> list[NeededRow]:
    """Return what the test of the two alone takes, and that corrected for all pairs; [] if none takes more.

    each: judgments that a topic takes.
    """
    further, judgments = needed_further(found, each)
    if not further:
        return []
    rows = [NeededRow("by the t-test of these two alone", further, judgments)]
    of_all = int(found.needed_of_all) - found.shown.topics
    corrected = f"corrected for all pairs of {found.runs} {words.runs}, at most"
    if found.shown.needed <= found.shown.topics:
        return [NeededRow(corrected, further, judgments)]
    if found.runs == 2 or of_all > MOST_FURTHER:
        return rows
    return [*rows, NeededRow(corrected, of_all, of_all * round(each))]


def supply_sentence(found: ComparedRuns, words: Words, further: int) -> str:
    """Say on how many topics two runs are compared, and whether the others of the study are so many."""
    now = f"The two are compared on {count(found.shown.topics, words.topic)} so far"
    if not found.further:
        return f"{now}, which are all of this study: load further ones."
    are = "is" if found.further == 1 else "are"
    enough = "should" if found.further >= further else "will hardly"
    return f"{now}; {found.further:,} more of this study {are} not compared yet, which {enough} be enough."


def needed_sentence(found: ComparedRuns, words: Words, each: float) -> str:
    """Return in a sentence how many more topics and judgments would settle it; "" if it is settled.

    each: judgments that a topic takes.
    """
    shown = found.shown
    if shown.topics < 2 or found.sure or not found.topics:
        return ""
    if shown.needed == float("inf"):
        return f"There is no difference that more {words.topics} could find."
    needed = int(shown.needed)
    further, judgments = needed_further(found, each)
    more = f"{further:,} more, with some {judgments:,} judgments at {each:.0f} a {words.topic}"
    if needed <= shown.topics:
        if run_comparison.too_few(shown.topics):
            few = f"With fewer than six {words.topics}"
            return f"{few} no difference is called significant, whatever the tests say."
        alone = "The t-test of these two alone finds it"
        most = found.needed_of_all
        far = most - shown.topics > MOST_FURTHER
        takes = (
            f": {out_of_reach(words)}"
            if far
            else f": that takes {most:,.0f} {words.topics} at most, {more}" * (most > shown.topics)
        )
        return f"{alone}; corrected for all pairs of {words.runs}, it is not significant{takes}."
    if not further:
        return f"To show a difference of this size is {out_of_reach(words)}."
    topics = count(further, f"more {words.topic}")
    said = (
        f"{topics}, with some {judgments:,} judgments at {each:.0f} a {words.topic}, would show a difference "
        "of this size four times in five, by the t-test of these two alone"
    )
    if found.runs > 2:
        of_all = f"{found.needed_of_all:,.0f} in all at most"
        if found.needed_of_all - shown.topics > MOST_FURTHER:
            of_all = out_of_reach(words)
        said += f"; corrected for all pairs of {found.runs} {words.runs}, {of_all}"
    return f"{said}. {supply_sentence(found, words, further)}"
