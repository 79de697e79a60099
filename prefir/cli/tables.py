"""Commands `evaluate`, `compare` and `rank`: the entry points of the library, with tables as output."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from typing import get_args

from prefir.entry.evaluation import Evaluation, evaluate
from prefir.entry.ranking import By, rank
from prefir.entry.tables import Table
from prefir.measures.penalized_strengths import Penalty
from prefir.measures.tie_models import Ties

from .commands import (
    Command,
    add_measures_option,
    add_present_only_option,
    add_ties_option,
    measures_of,
    refuse_measures,
)

FORMATS: Mapping[str, Callable[[Table], str]] = {
    "text": str,
    "csv": lambda table: table.to_csv(),
    "json": lambda table: table.to_json(),
    "latex": lambda table: table.to_latex(),
}
EVALUATE = """\
JUDGED: grades (`topic 0 docno grade`) or preferences (`topic a b winner`, `topic preferred other`), told by
looking. RUN: `topic Q0 docno rank score tag`. Or tables (CSV, JSON); gzipped or not; - is standard input.
Columns: run, measure, mean, the interval's ends, topics in the mean, and the best and the worst rank that
tests leave open. A judged topic that a run lacks is scored as an empty ranking, usually 0."""
COMPARE = """\
JUDGED, RUN: as for evaluate.
Columns: run, other, measure, the difference of their means, the interval's ends by Student's t, p of the
paired t-test, the same after Holm's correction for all rows of the measure, p of the randomisation test,
topics on which the run is above, equal, below, and the topics that a study needs to find such a difference at
the 5 % level with a power of 80 %.
Source: Smucker, Allan & Carterette, CIKM 2007; Holm, Scandinavian Journal of Statistics 6, 1979."""
RANK = """\
VOTES: CSV, JSON lines or another table with model_a, model_b and winner (a name, model_a, a, left or tie),
perhaps topic or question_id and judge; or lines `topic a b winner [person]`. - is standard input.
Columns: system, strength (natural logarithm), the interval's ends, the best and the worst rank that intervals
of differences leave open, duels won, lost and tied, and why there is a strength or none.
Sources: Bradley & Terry, Biometrika 39, 1952; Davidson, JASA 65(329), 1970."""


def commands() -> list[Command]:
    """List the commands evaluate, compare and rank."""
    return [
        Command(
            "evaluate",
            "Several measures of runs at once, with intervals",
            "evaluate qrels.txt bm25.run neural.run -m 'nDCG@10,PGC(p=0.9)'",
            EVALUATE,
            _configure_evaluate,
            _evaluate,
        ),
        Command(
            "compare",
            "Differences between runs, or to a baseline, with intervals and tests",
            "compare qrels.txt bm25.run neural.run -m nDCG@10 --baseline bm25",
            COMPARE,
            _configure_compare,
            _compare,
        ),
        Command(
            "rank",
            "Strengths of systems from votes between two, with intervals",
            "rank votes.csv --by person",
            RANK,
            _configure_rank,
            _rank,
        ),
    ]


def _add_table_options(parser: ArgumentParser) -> None:
    parser.add_argument("--level", type=float, default=0.95, help="of the intervals (default: %(default)s)")
    parser.add_argument(
        "--format", choices=FORMATS, default="text", help="of the table (default: %(default)s)"
    )
    parser.add_argument("--json", action="store_const", const="json", dest="format", help="as --format json")


def _configure_runs(parser: ArgumentParser) -> None:
    parser.add_argument("judged", metavar="JUDGED")
    parser.add_argument("runs", nargs="+", metavar="RUN")
    add_measures_option(parser, "ndcg,compatibility for grades, pgc for preferences")
    add_present_only_option(parser)
    parser.add_argument("--without-zero", action="store_true", help="imply no preference over grade 0")
    add_ties_option(parser)
    _add_table_options(parser)


def _configure_evaluate(parser: ArgumentParser) -> None:
    _configure_runs(parser)
    parser.add_argument("--per-topic", action="store_true", help="every topic's values instead of means")


def _configure_compare(parser: ArgumentParser) -> None:
    _configure_runs(parser)
    parser.add_argument("--baseline", default="", metavar="NAME", help="of the run to compare others with")


def _evaluated(arguments: Namespace) -> Evaluation:
    refuse_measures([arguments.judged, *arguments.runs], arguments.measure)
    return evaluate(
        arguments.judged,
        arguments.runs,
        measures_of(arguments),
        level=arguments.level,
        present_only=arguments.present_only,
        without_zero=arguments.without_zero,
        ties=arguments.ties,
    )


def _evaluate(arguments: Namespace) -> str:
    found = _evaluated(arguments)
    return FORMATS[arguments.format](found.per_topic() if arguments.per_topic else found)


def _compare(arguments: Namespace) -> str:
    return FORMATS[arguments.format](_evaluated(arguments).compare(arguments.baseline))


def _configure_rank(parser: ArgumentParser) -> None:
    parser.add_argument("votes", metavar="VOTES")
    parser.add_argument(
        "--by",
        choices=get_args(By),
        help="whose votes vary together (default: topic where some have several votes, else vote)",
    )
    parser.add_argument(
        "--penalty", choices=get_args(Penalty), help="gives a finite strength to who won or lost all"
    )
    parser.add_argument(
        "--ridge", type=float, default=1.0, help="weight of the ridge penalty (default: %(default)s)"
    )
    parser.add_argument(
        "--ties", choices=get_args(Ties), default="davidson", help="model of ties (default: %(default)s)"
    )
    _add_table_options(parser)


def _rank(arguments: Namespace) -> str:
    found = rank(
        arguments.votes,
        by=arguments.by,
        level=arguments.level,
        penalty=arguments.penalty,
        ridge=arguments.ridge,
        ties=arguments.ties,
    )
    return FORMATS[arguments.format](found)
