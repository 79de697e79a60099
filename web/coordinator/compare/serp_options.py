"""Options of the SERP agreement page, parsed from the query."""

from typing import TYPE_CHECKING

from django.http import QueryDict

from collection.models import Study
from scoring.analysis.serp_agreement import RunPair
from web.shared.view_choices import choice_of, persistence_of

if TYPE_CHECKING:
    from prefir.measures import PageOptions

# Values of λ and γ that can be chosen: 0.0, 0.1, ..., 1.0.
TENTHS = tuple(tenth / 10 for tenth in range(11))
FORMS = ("D", "W", "M", "N")


def asked_options(asked: QueryDict, study: Study) -> "PageOptions":
    """Return the parameters that a query asks for; missing and invalid ones have their defaults."""
    from prefir.measures import PageOptions

    def tenth(name: str, usual: float) -> float:
        return float(choice_of(asked, name, [f"{one:.1f}" for one in TENTHS], f"{usual:.1f}"))

    return PageOptions(
        lam=tenth("lam", 0.7),
        gamma=tenth("gamma", 0.1),
        form=choice_of(asked, "form", FORMS, "N"),
        p=persistence_of(asked, study),
        split=choice_of(asked, "split", ("left", "tie"), "left"),
    )


def asked_pair(asked: QueryDict, pairs: list[RunPair]) -> RunPair:
    """Return the pair of runs that a query asks for, else the first."""
    by_key = {pair.key: pair for pair in pairs}
    return by_key[choice_of(asked, "runs", by_key, pairs[0].key, said="the first two")]
