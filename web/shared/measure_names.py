"""Titles and explanations of measures on pages."""

from collections.abc import Mapping
from dataclasses import dataclass

from collection.models import Study
from scoring.scores.stored_measures import BY_PERSISTENCE, CUTS, chosen

# The cut-off of the nDCG that each persistence resembles.
LIKE_NDCG = CUTS
TITLES = {
    "pgc": "PGC",
    "compatibility": "Compatibility",
    "pgc_derived": "PGC on grades",
    "pgc_combined": "PGC on both",
    "win_rate": "Win rate",
    "wpref": "wpref",
    "delta_ndcg": "Δ-nDCG",
    "ndcg": "nDCG",
    "rbp": "RBP",
}
# Those whose name in the library's table is another.
NAMED = {"pgc_derived": "pgc", "pgc_combined": "pgc"}
SAYS = {
    "pgc": "How similar a run's ranking is to the ideal one, which comes from the preference graph: an arrow "
    "for each judgment, from the item that was preferred. 0 is no overlap. Short lists stay below 1.",
    "compatibility": "The same similarity, but to an ideal made from grades with the topic's top items above "
    "them once its tournament is finished, and divided by the best that is possible: 1 is ideal.",
    "pgc_derived": "PGC on the preferences that the grades imply: an arrow between every two items of "
    "different grades, those of grade 0 left out.",
    "pgc_combined": "PGC on both kinds of preferences in one graph: those that the grades imply, and those "
    "that were judged.",
    "win_rate": "How often the first items of a run win against items that are not among them, a tie being "
    "half a win. Where each system gives one answer to a topic: the share of its duels that it wins.",
    "wpref": "The share of the judged pairs near the top that the run has in the right order, those higher "
    "up weighing more.",
    "delta_ndcg": "nDCG with an item's wins less its losses, brought to 0 to 1, in place of a grade.",
    "ndcg": "The gain of the grades down the ranking, less the lower they stand, divided by the best "
    "possible.",
    "rbp": "The share of relevant items that a reader meets who goes on to the next with probability p. "
    "Relevant are grades of 1 and more.",
}


@dataclass(frozen=True)
class Titled:
    """A measure for pages: its title, its depth ("p = 0.95" or "at 20"), and its explanation."""

    title: str
    says: str = ""
    source: str = ""


# Where each model gives one answer, some measures are simpler.
OF_ANSWERS = {
    "win_rate": "How often a model's answer is preferred to those of the others, a tie being half. 0.5 is as "
    "often as not."
}


def titled(study: Study) -> Mapping[str, Titled]:
    """The measures of a study with their titles, the ranking one first."""
    says = SAYS | OF_ANSWERS if study.case == Study.Case.ANSWERS else SAYS
    return {name: Titled(TITLES[name], says[name]) for name in chosen(study.measures)}


def explained(study: Study) -> Mapping[str, Titled]:
    """As `titled`, with the papers that define them."""
    # Only here: it loads numpy, which most pages do without.
    from prefir.measures import MEASURES

    return {
        name: Titled(one.title, one.says, MEASURES[NAMED.get(name, name)].source)
        for name, one in titled(study).items()
    }


def depth(measure: str, p: float) -> str:
    """Depth of a measure at this persistence: "p = 0.95", or "at 20" for a rank cutoff."""
    return f"p = {p:.2f}" if measure in BY_PERSISTENCE else f"at {CUTS[p]}"


def within(measure: str) -> str:
    """A measure's title within a sentence; abbreviations keep their capitals."""
    title = TITLES[measure]
    return title if any(letter.isupper() for letter in title[1:]) else title[0].lower() + title[1:]
