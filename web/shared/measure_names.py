"""Titles and explanations of measures on pages."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from django.utils.safestring import mark_safe

from collection.models import Study
from scoring.scores.stored_measures import BY_PERSISTENCE, CUTS, chosen

# The cut-off of the nDCG that each persistence resembles.
LIKE_NDCG = CUTS
TITLES = {
    "pgc": "PGC",
    "compatibility": "Compatibility",
    "compatibility_top": "Compatibility of the top",
    "compatibility_best": "Compatibility of the best",
    "pgc_derived": "PGC on grades",
    "pgc_combined": "PGC on both",
    "win_rate": "Win rate",
    "wpref": "wpref",
    "delta_ndcg": "Δ-nDCG",
    "ndcg": "nDCG",
    "rbp": "RBP",
}
# Those whose name in the library's table is another.
NAMED = {
    "compatibility_top": "compatibility",
    "compatibility_best": "compatibility",
    "pgc_derived": "pgc",
    "pgc_combined": "pgc",
}
# What each tells, what a value such as 0.45 means, and what is good, for readers who know no formula.
SAYS = {
    "pgc": "How close a run's order comes to the best order that the judgments allow; the top ranks count "
    "most. 0.45 means: of the items down to where a reader stops, 45 in 100 are those that the best order"
    " has there. Even the best order stays below 1 where few items are judged: hold it beside what is "
    "possible here.",
    "compatibility": "How close a run's order comes to the best order by grades, with the topic's top items"
    " above all once its tournament is finished. It is divided by the best possible: 1 is ideal, and 0.45"
    " is 45 % of the ideal.",
    "compatibility_top": "As compatibility, with the topic's top items alone: how early and in what order a"
    " run shows them. Grades do not count, and a topic whose top is not known yet has no value.",
    "compatibility_best": "As compatibility, with the topic's best item alone: how early a run shows it. A"
    " topic whose top is not known yet has no value.",
    "pgc_derived": "As PGC, with preferences that the grades imply: of two items the one with the higher "
    "grade is preferred. Items of grade 0 are left out.",
    "pgc_combined": "As PGC, with both kinds of preferences: those that people judged, and those that the "
    "grades imply.",
    "win_rate": "How often the first items of a run win against items that are not among them, a tie being "
    "half a win. 0.5 is as often as not; with 0.45 it loses a little more often than it wins.",
    "wpref": "Of the judged pairs near the top, the share that a run has in the order that people prefer; "
    "pairs higher up weigh more. 0.5 is what a coin would have; with 0.45 more than half are the wrong "
    "way round.",
    "delta_ndcg": "How early a run shows the items that won most of their comparisons. 1: they come first, "
    "in the best order. 0.45: a reader of the first ranks gets 45 % of what the best order would give.",
    "ndcg": "How early a run shows the items of high grades. 1: no order of the graded items is better. "
    "0.45: a reader of the first ranks gets 45 % of what the best order would give.",
    "rbp": "Of the items that a reader looks at, the share that is relevant, by a grade of 1 or more. The "
    "reader goes on to the next item with probability p. 0.45: 45 of 100 items that are looked at. Where "
    "few items are relevant no run comes near 1: hold it beside what is possible here.",
}
# As LaTeX, with what the letters stand for.
_RBO = r"\frac{\sum_{d=1}^{1000} p^{d-1} |I_{1:d} \cap R_{1:d}| / d}{\sum_{d=1}^{1000} p^{d-1}}"
_NRBO = r"\frac{\mathrm{RBO}(I, R)}{\mathrm{RBO}(I, I)}"
_NDCG = r"\frac{\sum_{r=1}^{k} g_r / \log_2(r+1)}{\sum_{r=1}^{k} g^*_r / \log_2(r+1)}"
_IDEAL = "R: the run. d: a depth. p: the chance that a reader goes on. I: the ideal ranking,"
FORMULAS = {
    "pgc": (
        _RBO,
        f"{_IDEAL} the order of all judged items that follows the judgments and is nearest to the run.",
    ),
    "compatibility": (
        _NRBO,
        "R: the run. I: known top items, then items by falling grade, in the run's order where these are "
        "equal. RBO: rank-biased overlap, the formula of PGC for any two rankings.",
    ),
    "compatibility_top": (_NRBO, "R: the run. I: the topic's top items. RBO: rank-biased overlap."),
    "compatibility_best": (_NRBO, "R: the run. I: the topic's best item. RBO: rank-biased overlap."),
    "pgc_derived": (_RBO, f"{_IDEAL} made from the preferences that the grades imply."),
    "pgc_combined": (_RBO, f"{_IDEAL} made from both kinds of preferences."),
    "win_rate": (r"\frac{w + t/2}{w + l + t}", "w: wins. t: ties. l: losses."),
    "wpref": (
        r"\frac{\sum_{r=1}^{k} c_r / \log_2(r+1)}{\sum_{r=1}^{k} o_r / \log_2(r+1)}",
        "o: judgments whose higher item stands at rank r. c: those of them whose preferred item is the "
        "higher. k: the last rank that counts.",
    ),
    "delta_ndcg": (
        _NDCG,
        "g: the gain of the item at rank r, its wins less its losses, brought to 0 to 1; with a star, in "
        "the best order. k: the last rank that counts.",
    ),
    "ndcg": (
        _NDCG,
        "g: the grade of the item at rank r; with a star, in the best order. k: the last rank that counts.",
    ),
    "rbp": (
        r"(1 - p) \sum_{r} p^{r-1} x_r",
        "x: 1 if the item at rank r is relevant, else 0. p: the chance that a reader goes on.",
    ),
}
# Those that some ranking brings to 1 on every topic.
ALWAYS_WHOLE = {"compatibility", "compatibility_top", "compatibility_best", "delta_ndcg", "ndcg"}


@dataclass(frozen=True)
class Titled:
    """A measure for pages: title, what it tells, the paper that defines it, and the formula as MathML with
    what its letters stand for.
    """

    title: str
    says: str = ""
    source: str = ""
    formula: str = ""
    letters: str = ""


# Where each model gives one answer, some measures are simpler.
OF_ANSWERS = {
    "win_rate": "How often a model's answer is preferred to those of the others, a tie being half. 0.5 is as "
    "often as not; with 0.6 people prefer it in 6 of 10 duels."
}


def titled(study: Study) -> Mapping[str, Titled]:
    """The measures of a study with their titles, the ranking one first."""
    says = SAYS | OF_ANSWERS if study.case == Study.Case.ANSWERS else SAYS
    put_in = study.words.put_in
    return {name: Titled(TITLES[name], put_in(says[name])) for name in chosen(study.measures)}


def explained(study: Study) -> Mapping[str, Titled]:
    """As `titled`, with the papers that define them, and their formulas."""
    # Only here: it loads numpy, which most pages do without.
    from prefir.measures import MEASURES

    return {
        name: Titled(
            one.title,
            one.says,
            MEASURES[NAMED.get(name, name)].source,
            formula(FORMULAS[name][0]),
            study.words.put_in(FORMULAS[name][1]),
        )
        for name, one in titled(study).items()
    }


@cache
def formula(latex: str) -> str:
    """A formula of this module as MathML."""
    from latex2mathml.converter import convert

    return mark_safe(convert(latex, display="block"))  # noqa: S308 - our own formulas


def tells_what_is_possible(study: Study) -> bool:
    """Whether some measure of a study may have a ceiling below 1."""
    whole = ALWAYS_WHOLE | ({"win_rate"} if study.case == Study.Case.ANSWERS else set())
    return any(name not in whole for name in chosen(study.measures))


def depth(measure: str, p: float) -> str:
    """Depth of a measure at this persistence: "p = 0.95", or "at 20" for a rank cutoff."""
    return f"p = {p:.2f}" if measure in BY_PERSISTENCE else f"at {CUTS[p]}"


def within(measure: str) -> str:
    """A measure's title within a sentence; abbreviations keep their capitals."""
    title = TITLES[measure]
    return title if any(letter.isupper() for letter in title[1:]) else title[0].lower() + title[1:]
