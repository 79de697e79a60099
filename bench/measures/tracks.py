"""All runs of a track by name: PGC, compatibility and nDCG, and a topic after one more judgment."""

from collections.abc import Callable, Iterator, Mapping
from math import isclose
from typing import Any

from prefir.measures import PreferenceGraph
from prefir.measures.compatibility import compatibility_rows
from prefir.measures.preference import pgc_rows
from prefir.measures.rankings import Rankings
from prefir.measures.scores import Scores, score

from . import inputs
from .timing import HEADER, Call, Case, Table, lines, missing

NOTE = """{runs} runs of {topics} topics, {depth} deep: noise over {told}, every judged item followed by one
that nobody judged. Graphs have an edge for each pair of different grades, grade 0 included: {edges:,.0f}
edges a topic. "Numbered": `Rankings` of the runs was made before; what it costs stands in a line of its
own."""
NDCG = """The first {dict_runs} of the runs, as dictionaries topic -> docno -> score in file order, the form
that all four libraries take. "From scores": of these dictionaries, to the values of every run and topic;
ours is `Rankings(judged=grades)`, `add_scores` and `score`. What the peers do with the grades is done
before. "Numbered" leaves out what is done once per run: our `Rankings`, ranx's `Run` (which sorts), and its
typed lists (which hold hashes in place of docnos). pytrec_eval keeps nothing of a run, so that all it does
is in its time. ir_measures' compatibility is its own Python, in process. Values agree to 1e-9 before
anything is timed."""


def numbered_runs(runs: Mapping[str, Mapping[str, Mapping[str, float]]], grades: inputs.Grades) -> Rankings:
    """Rankings by score, of the judged items."""
    rankings = Rankings(judged=grades)
    for run, scores in runs.items():
        rankings.add_scores(run, scores)
    return rankings


def same_values(ours: Scores, theirs: Mapping[str, Mapping[str, float]]) -> bool:
    """Whether run -> topic -> value is what we have, absent ones left out."""
    return all(
        isclose(value, theirs[run][topic], rel_tol=0, abs_tol=1e-9)
        for run in ours.runs
        for topic, value in ours.of(run).items()
    )


def same_means(ours: Scores, theirs: Mapping[str, float]) -> bool:
    """Whether run -> mean is what we have."""
    return all(isclose(mean, theirs[run], rel_tol=0, abs_tol=1e-9) for run, mean in ours.means.items())


def track_cases(size: inputs.Size, track: inputs.Track, rankings: Rankings) -> Iterator[Case]:
    """What scoring a whole track costs, and one topic of it."""
    graphs = {
        topic: PreferenceGraph.derived(grades, with_zero=True) for topic, grades in track.grades.items()
    }
    whole = f"PGC, {size.runs} runs x {len(graphs)} topics"

    def derive_and_score() -> Scores:
        made = {
            topic: PreferenceGraph.derived(grades, with_zero=True) for topic, grades in track.grades.items()
        }
        return score("pgc", made, rankings)

    rows = {topic: rankings.rows(topic, graph.nodes) for topic, graph in graphs.items()}
    levels = {topic: [float(track.grades[topic][docno]) for docno in graphs[topic].nodes] for topic in graphs}
    yield Case(whole, Call("graphs derived and packed, scored; runs numbered", derive_and_score), within=0.25)
    yield Case(
        whole, Call("graphs packed, runs numbered", lambda: score("pgc", graphs, rankings)), within=0.25
    )
    yield Case(
        whole,
        Call("`pgc_rows` only", lambda: [pgc_rows(rows[topic], graph) for topic, graph in graphs.items()]),
        within=0.25,
    )
    every = f"compatibility, {size.runs} runs x {len(graphs)} topics"
    yield Case(every, Call("runs numbered", lambda: score("compatibility", track.grades, rankings)))
    yield Case(
        every,
        Call(
            "`compatibility_rows` only",
            lambda: [compatibility_rows(rows[topic], levels[topic]) for topic in rows],
        ),
    )
    yield Case(
        f"nDCG, {size.runs} runs x {len(graphs)} topics",
        Call("runs numbered", lambda: score("ndcg", track.grades, rankings)),
    )
    what = f"docnos to numbers, {size.runs} runs x {len(graphs)} topics"
    yield Case(what, Call("`Rankings`, all docnos told apart", lambda: Rankings(track.runs)))
    judged = Call("`Rankings` of judged items", lambda: Rankings(track.runs, judged=track.grades))
    yield Case(what, judged)
    topic = min(graphs, key=lambda name: abs(graphs[name].edge_count - 5552))
    yield one_more(size, topic, PreferenceGraph.derived(track.grades[topic], with_zero=True), rankings)
    topic = max(graphs, key=lambda name: graphs[name].edge_count)
    yield one_more(size, topic, PreferenceGraph.derived(track.grades[topic], with_zero=True), rankings)


def one_more(size: inputs.Size, topic: str, graph: PreferenceGraph, rankings: Rankings) -> Case:
    """One judgment added (or taken back, every other time), and the topic's runs scored anew."""
    worse, better = graph.nodes[:2]
    there = False

    def judged() -> Scores:
        nonlocal there
        (graph.remove if there else graph.add)(better, worse)
        there = not there
        return score("pgc", {topic: graph}, rankings)

    what = f"one more judgment, {size.runs} runs; {len(graph.nodes)} items, {graph.edge_count:,} edges"
    return Case(what, Call("added or taken back, packed, scored", judged), within=0.002)


def peer_cases(size: inputs.Size, track: inputs.Track) -> Iterator[Case]:
    """Compatibility and nDCG beside the libraries that have them."""
    runs = track.with_scores(size.dict_runs)
    rankings = numbered_runs(runs, track.grades)
    told = f"{len(runs)} runs x {len(track.grades)} topics"

    def numbered(measure: str, **options: Any) -> Call:
        return Call("numbered", lambda: score(measure, track.grades, rankings, **options))

    def from_scores(measure: str, **options: Any) -> Call:
        def every() -> Scores:
            return score(measure, track.grades, numbered_runs(runs, track.grades), **options)

        return Call("from scores", every)

    peer = ir_measures_call(track.grades, runs)
    what = f"compatibility, {told}"
    # The peer stops RBO at the longer of its two lists.
    for ours in (numbered, from_scores):
        yield Case(what, ours("compatibility", depth=size.depth), peer, at_least=50, same=same_values)
    what = f"nDCG, {told}"
    peer = pytrec_eval_call(track.grades, runs)
    yield Case(what, from_scores("ndcg"), peer, at_least=1, same=same_values)
    yield Case(what, numbered("ndcg"), peer, same=same_values)
    peers = ranx_calls(track.grades, runs)
    yield Case(what, from_scores("ndcg"), peers[0], at_least=1, same=same_means)
    yield Case(what, numbered("ndcg"), peers[1], at_least=1, same=same_means)
    yield Case(what, numbered("ndcg"), peers[2], at_least=1, same=same_means)


def ir_measures_call(grades: inputs.Grades, runs: Mapping[str, Any]) -> Call | str:
    """ir_measures' compatibility of dictionaries."""
    if missing(["ir_measures"]):
        return "ir_measures is missing"
    import ir_measures

    evaluator = ir_measures.evaluator([ir_measures.Compat(p=0.95)], grades)
    return Call(
        "ir_measures `iter_calc`, from scores",
        lambda: {
            run: {metric.query_id: metric.value for metric in evaluator.iter_calc(topics)}
            for run, topics in runs.items()
        },
    )


def pytrec_eval_call(grades: inputs.Grades, runs: Mapping[str, Any]) -> Call | str:
    """pytrec_eval's nDCG of dictionaries."""
    if missing(["pytrec_eval"]):
        return "pytrec_eval-terrier is missing"
    import pytrec_eval

    evaluator = pytrec_eval.RelevanceEvaluator(grades, {"ndcg"})
    values: Callable[[], Any] = lambda: {  # noqa: E731
        run: {topic: found["ndcg"] for topic, found in evaluator.evaluate(topics).items()}
        for run, topics in runs.items()
    }
    return Call("pytrec_eval `evaluate`, from scores", values)


def ranx_calls(grades: inputs.Grades, runs: Mapping[str, Any]) -> tuple[Call | str, Call | str, Call | str]:
    """ranx's mean nDCG: from dictionaries, of its runs, and of its typed lists."""
    if missing(["ranx"]):
        return ("ranx is missing",) * 3
    import ranx

    qrels = ranx.Qrels(grades)
    made = {run: ranx.Run(topics) for run, topics in runs.items()}
    listed, listed_qrels = {run: found.to_typed_list() for run, found in made.items()}, qrels.to_typed_list()

    def means(judged: Any, of: Mapping[str, Any]) -> dict[str, float]:
        # It would else also write the values into its run, which takes longer than finding them.
        return {
            run: ranx.evaluate(judged, found, "ndcg", save_results_in_run=False) for run, found in of.items()
        }

    return (
        Call(
            "ranx `Run` and `evaluate`, from scores",
            lambda: means(qrels, {run: ranx.Run(topics) for run, topics in runs.items()}),
        ),
        Call("ranx `evaluate` of its `Run`", lambda: means(qrels, made)),
        Call("ranx `evaluate` of its typed lists", lambda: means(listed_qrels, listed)),
    )


def tables(size: inputs.Size, report: Callable[[str], None]) -> Iterator[Table]:
    """The track, and the track beside peers."""
    report("  making runs")
    track = inputs.track(size)
    rankings = Rankings(track.runs)
    edges = [PreferenceGraph.derived(grades, with_zero=True).edge_count for grades in track.grades.values()]
    note = NOTE.format(
        runs=size.runs,
        topics=len(edges),
        depth=f"{size.depth:,}",
        told=track.told,
        edges=sum(edges) / len(edges),
    )
    yield Table("A track", note, HEADER, lines(track_cases(size, track, rankings), report))
    note = NDCG.format(dict_runs=size.dict_runs)
    yield Table("Compatibility and nDCG", note, HEADER, lines(peer_cases(size, track), report))
