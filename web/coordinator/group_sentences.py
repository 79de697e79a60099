"""What pages say of groups of topics: which of them turn the order, and how surely."""

from collection.models.study import Words
from scoring.analysis.run_comparison import too_few
from scoring.analysis.topic_groups import GroupComparison, GroupMeans
from web.shared.phrases import count, listed


def name_of(group: GroupMeans, words: Words) -> str:
    """Return what a group is called: those without a group have no name."""
    if group.name == "all":
        return f"All {words.topics}"
    return group.name or "(no group)"


def is_too_early(found: GroupComparison) -> bool:
    """Whether no group has enough topics to test who leads there."""
    return all(too_few(one.topics) for one in found.groups)


def answer(found: GroupComparison, runs: list[str], words: Words) -> tuple[str, str]:
    """Return in two texts in which groups another run leads than over all topics, and how surely."""
    if found.all.leader is None:
        return f"No {words.run} has a mean yet.", ""
    leader = runs[found.all.leader]
    led = [one for one in found.groups if one.leader is not None]
    if is_too_early(found):
        sizes = sorted({one.topics for one in led})
        each = f"{sizes[0]} to {sizes[-1]} {words.topics}" if len(sizes) > 1 else count(sizes[0], words.topic)
        have = f"{len(led)} of {count(len(found.groups), 'group')} {'has' if len(led) == 1 else 'have'}"
        return f"Too early to say: no group has six {words.topics} yet.", f"{have} scores, over {each} each."
    if len(led) < 2:
        return f"{leader} leads.", "There is one group with scores."
    if not found.turned:
        small = sum(too_few(one.topics) for one in led)
        few = f"{small} of them {'has' if small == 1 else 'have'} too few {words.topics} to test it."
        how = "How sure its lead is stands on the leaderboard."
        return f"{leader} leads in each of the {len(led)} groups.", f"{few} {how}" if small else how
    sure = [one for one in found.turned if one.is_sure]
    others = listed([f"{name_of(one, words)} ({runs[one.leader or 0]})" for one in found.turned], 8)
    said = f"{leader} leads over all {words.topics}; in {count(len(found.turned), 'group')} another does"
    if sure:
        named = listed([name_of(one, words) for one in sure], 8)
        return f"{said}: {others}.", f"It is significantly better than {leader} there in {named}."
    if all(one.chance is None or too_few(one.topics) for one in found.turned):
        return f"{said}: {others}.", f"These groups have too few {words.topics} to test it."
    return f"{said}: {others}.", "None of these leads is statistically significant."
