"""Command `rbo`: rank-biased overlap of runs that go on beyond their ends and may have tied scores."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import fields
from typing import get_args

from prefir.formats import RunRecord
from prefir.measures.scores import Line
from prefir.measures.tied_rbo import RboBounds, Treatment, rbo_bounds, tied_ranking

from .commands import Command
from .files import run_with_scores
from .run_pairs import PAIR, add_pair_options, pair_lines, pairs_of, weights_of

DESCRIPTION = f"""\
{PAIR}
rbo_extrapolated takes the agreement at the shorter ranking's end to go on; rbo_minimum and rbo_maximum are
the bounds whatever lies below; rbo_residual is their difference. Items of one score are tied. `overlap`
prints RBO to a depth, without ties.
Source: Webber, Moffat & Zobel, TOIS 28(4), 2010; Corsi & Urbano, SIGIR 2024."""


def commands() -> list[Command]:
    """List the command rbo."""
    return [
        Command(
            "rbo",
            "RBO of two runs beyond their ends: extrapolated, and its bounds; with ties",
            "rbo bm25.run neural.run -p 0.9 --ties b",
            DESCRIPTION,
            _configure,
            _rbo,
        )
    ]


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("-p", type=float, default=0.95, help="persistence (default: %(default)s)")
    parser.add_argument(
        "--ties",
        choices=get_args(Treatment),
        default="a",
        help="w: tied items share a rank, as in sports; a: the mean over all orders of tied items; b: as a, "
        "divided by what the ties lose (default: %(default)s)",
    )
    add_pair_options(parser, ordered=False)


def _rbo(arguments: Namespace) -> Iterator[Line]:
    options = {"p": arguments.p, "ties": arguments.ties}
    rbo_bounds([], [], **options)  # only to check them
    pairs = pairs_of(arguments, _tied_run)
    weights = weights_of(arguments, pairs)
    for pair in pairs:
        found = {topic: rbo_bounds(pair.first[topic], pair.second[topic], **options) for topic in pair.topics}
        for field in fields(RboBounds):
            values = {topic: getattr(bounds, field.name) for topic, bounds in found.items()}
            yield from pair_lines(pair, f"rbo_{field.name}", values, arguments, weights)


def _tied_run(path: str) -> RunRecord:
    """Read a run as rankings in which items of one score are tied."""
    tag, scores = run_with_scores(path)
    return RunRecord(tag, {topic: tied_ranking(own) for topic, own in scores.items()})
