"""Options of the SERP agreement page, parsed from the query."""

from typing import TYPE_CHECKING

from django.http import QueryDict

from collection.models import Study
from scoring.analysis.serp_agreement import RunPair
from web.shared.view_choices import persistence_of

if TYPE_CHECKING:
    from prefir.measures import PageOptions

# Values of λ and γ that can be chosen: 0.0, 0.1, ..., 1.0.
TENTHS = tuple(tenth / 10 for tenth in range(11))
FORMS = ("D", "W", "M", "N")


def asked_options(asked: QueryDict, study: Study) -> "PageOptions":
    """Return the parameters that a query asks for; missing and invalid ones have their defaults."""
    from prefir.measures import PageOptions

    def tenth(name: str, usual: float) -> float:
        return next((one for one in TENTHS if f"{one:.1f}" == asked.get(name)), usual)

    form = asked.get("form", "N")
    split = "tie" if asked.get("split") == "tie" else "left"
    return PageOptions(
        lam=tenth("lam", 0.7),
        gamma=tenth("gamma", 0.1),
        form=form if form in FORMS else "N",
        p=persistence_of(asked, study),
        split=split,
    )


def asked_pair(asked: QueryDict, pairs: list[RunPair]) -> RunPair:
    """Return the pair of runs that a query asks for, else the first."""
    wanted = asked.get("runs", "")
    return next((pair for pair in pairs if pair.key == wanted), pairs[0])
