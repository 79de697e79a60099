"""Options of the SERP agreement page, from its address."""

from typing import TYPE_CHECKING

from django.http import QueryDict

from collection.models import Study
from scoring.analysis.serp_agreement import RunPair
from web.coordinator.board.leaderboard import persistence_of

if TYPE_CHECKING:
    from prefir.measures import PageOptions

# Tables that are being made are looked for again after so many seconds.
TENTHS = tuple(tenth / 10 for tenth in range(11))
FORMS = ("D", "W", "M", "N")


def asked_options(asked: QueryDict, study: Study) -> "PageOptions":
    """The parameters of the address; else the default ones."""
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
    """The pair of runs of the address, else the first."""
    wanted = asked.get("runs", "")
    return next((pair for pair in pairs if pair.key == wanted), pairs[0])
