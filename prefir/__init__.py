"""Measures, file formats and tournament rules for preference judging; no Django, no database.

    prefir.read("bm25.run")                                  grades, runs, preferences or votes, by looking
    prefir.evaluate("qrels.txt", "bm25.run", ["nDCG@10"])    runs by measures: means with intervals
    prefir.rank("votes.csv")                                 systems by votes: strengths with intervals

`prefir.measures` scores rankings, `prefir.formats` reads and writes TREC and other files, `prefir.rules`
plays tournaments, `prefir.plots` draws, and `prefir.cli` is the command line (`prefir`, or
`python -m prefir`). Importing it loads nothing: names load what they need when they are used.
"""

from typing import TYPE_CHECKING

from prefir.lazy_package import make_lazy

if TYPE_CHECKING:
    from .entry.evaluation import Evaluation, evaluate
    from .entry.judgments import Preferences
    from .entry.ranking import Ranking, rank
    from .entry.reader import Runs, read
    from .entry.tables import Table
    from .formats.problems import BadFile

__version__ = "0.1.0"
__all__ = make_lazy(
    __name__,
    {
        "entry.evaluation": "Evaluation evaluate",
        "entry.judgments": "Preferences",
        "entry.ranking": "Ranking rank",
        "entry.reader": "Runs read",
        "entry.tables": "Table",
        "formats.problems": "BadFile",
    },
)
