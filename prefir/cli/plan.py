"""The command `plan`: how many judgments a tournament for the top k needs, by bound and by simulation."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator, Mapping
from random import Random

from prefir.measures.scores import Line
from prefir.rules import (
    Pair,
    State,
    assessor,
    bound,
    heap_bound,
    initial_pool,
    play,
    play_dedicated,
    play_heap,
    play_out,
)

from .commands import Command, add_output_options
from .files import grades_of
from .output import steps

DESCRIPTION = """\
QRELS: `topic 0 docno grade`, gzipped or not. The pool of a topic are its best grades above 0, taken whole
until there are k items; it is made anew for each k. Three kinds of tournament are simulated. `dedicated`: one
assessor knocks out to find the best, then the next, to k. `heap`: the same with the heap of JUDGO, in which
ties would share a place. `crowd`: rounds of random pairings thin the pool out until a final of all pairs. The
simulated assessors follow the grades, and an order drawn from the seed where grades are equal, so none of
them ties; --noise lets them answer at random now and then.
Lines: run (`dedicated`, `heap` or `crowd`), topic, measure and value, with tabs between:
  pool@k       items in the pool
  bound@k      most judgments that dedicated judging can need: |C| + (k - 1) ceil(log2 |C|); of a heap, by
               the items that each can beat
  judgments@k  judgments of the simulation
  rounds@k     its rounds, which wait for each other
The topic `all` stands for the sum over topics; of rounds, which all topics play at once, for the most.
Source: Clarke, Vtyurina & Smucker, TOIS 39(3), 2021, 4.2 and table 2."""


def commands() -> list[Command]:
    """List the command plan."""
    return [
        Command(
            "plan",
            "How many judgments a tournament for the best items will need",
            "plan qrels.txt -k 3,5,10",
            DESCRIPTION,
            _configure,
            _plan,
        )
    ]


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("qrels", metavar="QRELS")
    parser.add_argument(
        "-k", type=_numbers, default=(3, 5, 10), metavar="K,...", help="lengths of the top (default: 3,5,10)"
    )
    for flag, default, told in (
        ("--final-size", 9, "crowd: a pool of at most so many is compared pair by pair"),
        ("--pairings", 7, "crowd: how many others each item meets in a round"),
        ("--judgments-per-pair", 1, "judgments asked of each pair each time; the majority wins"),
    ):
        parser.add_argument(flag, type=int, default=default, help=f"{told} (default: {default})")
    parser.add_argument("--noise", type=float, default=0.0, help="share of answers at random (default: 0)")
    parser.add_argument("--seed", default="0", help="of pairings, equal grades and noise (default: 0)")
    add_output_options(parser)


def _numbers(text: str) -> tuple[int, ...]:
    words = text.split(",")
    if not all(word.isascii() and word.isdigit() and int(word) for word in words):
        raise ArgumentTypeError(f"{text!r} is not a list of whole numbers above 0, such as 3,5,10")
    return tuple(dict.fromkeys(map(int, words)))


def _plan(arguments: Namespace) -> Iterator[Line]:
    if not 0 <= arguments.noise <= 1:
        raise ValueError(f"the noise is {arguments.noise}; it must lie between 0 and 1")
    play([], {}, seed="", aside=(), **_crowd_settings(arguments))  # only to check the settings
    topics = {topic: list(grades.values()) for topic, grades in grades_of(arguments.qrels).items()}
    work = [(k, topic) for k in arguments.k for topic in topics]
    found: dict[tuple[str, int], dict[str, dict[str, int]]] = {}
    for k, topic in steps(work, "Tournaments"):
        for run, facts in _tournaments(topic, topics[topic], k, arguments):
            found.setdefault((run, k), {})[topic] = facts
    for (run, k), by_topic in found.items():
        if arguments.per_topic:
            for topic, facts in by_topic.items():
                for measure, value in facts.items():
                    yield Line(run, topic, f"{measure}@{k}", value)
        for measure in next(iter(by_topic.values())):
            values = [facts[measure] for facts in by_topic.values()]
            yield Line(run, "all", f"{measure}@{k}", max(values) if measure == "rounds" else sum(values))


def _crowd_settings(arguments: Namespace) -> dict[str, int]:
    return {
        "final_size": arguments.final_size,
        "pairings": arguments.pairings,
        "judgments_per_pair": arguments.judgments_per_pair,
    }


def _tournaments(
    topic: str, grades: list[float], k: int, arguments: Namespace
) -> Iterator[tuple[str, dict[str, int]]]:
    """Simulate each kind of tournament for a topic: the kind, and its figures."""
    pool = initial_pool(dict(enumerate(grades)), k)
    per_pair = arguments.judgments_per_pair
    seed = f"{arguments.seed}:{topic}"

    def dedicated(answers: Mapping[Pair, list[int]]) -> State:
        return play_dedicated(pool, answers, k=k, judgments_per_pair=per_pair, seed=seed)

    def heap(answers: Mapping[Pair, list[int]]) -> State:
        return play_heap(pool, answers, k=k, judgments_per_pair=per_pair, seed=seed)

    def crowd(answers: Mapping[Pair, list[int]]) -> State:
        return play(pool, answers, k=k, seed=seed, aside=(), **_crowd_settings(arguments))

    most = {"dedicated": bound([len(pool)], k), "heap": heap_bound(len(pool), k)}
    for run, kind in (("dedicated", dedicated), ("heap", heap), ("crowd", crowd)):
        answer = assessor(grades, Random(f"{seed}:{k}:{run}"), arguments.noise)
        end = play_out(kind, answer, per_pair)
        asked = sum(len(round_.pairs) for round_ in end.rounds) * per_pair
        facts = {"judgments": asked, "rounds": len(end.rounds)}
        bounds = {"bound": most[run] * per_pair} if run in most else {}
        yield run, {"pool": len(pool)} | bounds | facts
