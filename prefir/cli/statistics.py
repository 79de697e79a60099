"""Commands `agreement`, `sensitivity` and `pages`: statistics about judgments and about measures."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from prefir.entry.judgments import Preferences, add_record
from prefir.formats import PreferenceRecord
from prefir.measures import PreferenceGraph, consistency
from prefir.measures import agreement as answers
from prefir.measures.measure import Inputs, Measure
from prefir.measures.measure_names import name_measure, options_of, parse_measure
from prefir.measures.pooled_pages import PagePreference, compare_agreement, pool_page_preferences
from prefir.measures.scores import Line, Scores
from prefir.measures.significance import rank_correlation, sensitivity
from prefir.measures.structure import (
    contradicted_pairs,
    graph_transitivity,
    judged_pairs,
    repeated_pairs,
    strong_components,
)

from .commands import (
    Command,
    add_measures_option,
    add_output_options,
    add_present_only_option,
    add_ties_option,
    measures_of,
    refuse_measures,
)
from .files import grades_of, preferences_of, runs_of, tell_what_is_left_out
from .output import note, steps
from .scores import check, derived, score_runs

DEFAULT_MEASURES = ("compatibility", "ndcg")


def commands() -> list[Command]:
    """List the commands agreement, sensitivity and pages."""
    return [
        Command(
            "agreement",
            "How far the preferences of a file agree with each other",
            "agreement judgments.pref --per-topic",
            AGREEMENT,
            _configure_agreement,
            _agreement,
        ),
        Command(
            "sensitivity",
            "How many pairs of runs measures tell apart, and how far measures agree",
            "sensitivity qrels.txt *.run -m compatibility,ndcg@10",
            SENSITIVITY,
            _configure_sensitivity,
            _sensitivity,
        ),
        Command(
            "pages",
            "How often measures agree with preferences between the runs' result pages",
            "pages pages.pref qrels.txt *.run -m compatibility,ndcg@10",
            PAGES,
            _configure_pages,
            _pages,
        ),
    ]


AGREEMENT = """\
PREFS: `topic a b winner [assessor]`, winner a, b or tie, a shown on the left; or `topic preferred other`.
Lines: run (`all`), topic, measure and value, with tabs between; the topic `all` takes all judgments together:
  judgments, ties, pairs            how many; a pair counts once however often it was judged
  repeated_pairs                    judged more than once
  contradicted_pairs                each of the two items was preferred by some judgment
  raw_agreement                     share of equal answers among two of a pair, mean over repeated pairs
  krippendorff_alpha                the same beyond chance, each pair counted both ways round; nan, and why to
                                    standard error, where all answers are ties or no pair is
                                    repeated
  triples, transitive               threes of items with all pairs judged; the share of them that is
                                    transitive by the pairs' majorities, and that of the ones without a
                                    tie (_asym), with one (_s2a), with two or three (_s2s)
  cyclic                            topics whose preferences no ranking can respect
  items_in_cycles                   items that are preferred to themselves along a path
  left, right, left_share, left_p   choices of either side, and the exact binomial test of left's share (not
                                    where the file is `topic preferred other`)
  assessors, own_repeats, own_consistency   where the file names assessors: how many; pairs that one judged
                                    more than once; the share of these that were answered the same"""
MEASURED = """\
QRELS: `topic 0 docno grade`. RUN: `topic Q0 docno rank score tag`. Both may be gzipped.
Measures are those that have a command, with their defaults, or cut as in ndcg@10. Those of preferences take
the preferences that the grades imply; with --prefs those of a file, and with --combined both."""
PAGES = f"""\
PAGES: `topic run_a run_b winner`, winner run_a, run_b or tie, runs by their tags: whose result page was
preferred. {MEASURED}
Lines (run and topic `all`): for each measure, over all topics and pairs of runs together,
  agree(M), disagree(M)   preferences for the run with the higher value, or the lower
  even(M), absent(M)      ties of either kind; preferences of which a run has no value
  share(M), p(M)          of those decided, and its exact binomial test, as if all were independent
  topics_p(M)             sign test of topics by whether more agree or disagree
and for each two measures p(M1,M2), whether one agrees more often (McNemar, exact).
Source: Luo, thesis, Waterloo 2021, table 4.1."""
SENSITIVITY = f"""\
{MEASURED}
Lines (run and topic `all`): for each measure
  sensitivity(M)   share of the pairs of runs with p below the level, by the paired t-test over topics
  holm(M), bonferroni(M)   the same, corrected for the number of pairs
  pairs(M)         how many pairs were tested
and for each two measures tau(M1,M2), Kendall's tau-b between their orders of the runs (consistency).
Source: Clarke, Vtyurina & Smucker, TOIS 39(3), 2021."""


def _configure_agreement(parser: ArgumentParser) -> None:
    parser.add_argument("prefs", metavar="PREFS")
    add_output_options(parser)


def _agreement(arguments: Namespace) -> Iterator[Line]:
    preferences = preferences_of(arguments.prefs)
    topics: dict[str, list[PreferenceRecord]] = {}
    for record in preferences.records:
        topics.setdefault(record.topic, []).append(record)
    graphs = preferences.graphs()
    for topic, own in steps(list(topics.items()), "Topics") if arguments.per_topic else ():
        for measure, value in _facts(Preferences(own, preferences.sides), {topic: graphs[topic]}):
            if value == value:
                yield Line("all", topic, measure, value)
    for measure, value in _facts(preferences, graphs):
        yield Line("all", "all", measure, value)
    if why := answers.explain_absence(answers.both_ways(_units(graphs))):
        note(f"krippendorff_alpha has no value: {why}.")


def _units(graphs: Mapping[str, PreferenceGraph]) -> list[list[int]]:
    """Answers by judged pair."""
    pairs = [pair for graph in graphs.values() for pair in judged_pairs(graph)]
    return [[-1] * pair.for_a + [1] * pair.for_b + [0] * pair.ties for pair in pairs]


def _facts(preferences: Preferences, graphs: Mapping[str, PreferenceGraph]) -> Iterator[tuple[str, float]]:
    """Statistics of some topics' judgments together: names and values."""
    judgments = [
        answers.Judgment(topic, a, b, 0 if winner is None else -1 if winner == a else 1, assessor or "")
        for topic, a, b, winner, assessor, _, _ in preferences.records
    ]
    yield "judgments", len(judgments)
    yield "ties", sum(judgment.choice == 0 for judgment in judgments)
    units = _units(graphs)
    yield "pairs", len(units)
    yield "repeated_pairs", sum(len(repeated_pairs(graph)) for graph in graphs.values())
    yield "contradicted_pairs", sum(len(contradicted_pairs(graph)) for graph in graphs.values())
    yield "raw_agreement", answers.raw_agreement(units)
    yield "krippendorff_alpha", answers.krippendorff_alpha(answers.both_ways(units))
    triples = sum((graph_transitivity(graph) for graph in graphs.values()), consistency.Transitivity())
    yield "triples", triples.asym[1] + triples.s2a[1] + triples.s2s[1]
    yield "transitive", triples.share()
    for kind in ("asym", "s2a", "s2s"):
        yield f"transitive_{kind}", triples.share(kind)
    tangles = [strong_components(graph) for graph in graphs.values()]
    yield "cyclic", sum(map(bool, tangles))
    yield "items_in_cycles", sum(len(items) for found in tangles for items in found)
    if preferences.sides:
        sides = consistency.position_bias(judgment.choice for judgment in judgments)
        yield "left", sides.left
        yield "right", sides.right
        yield "left_share", sides.share
        yield "left_p", sides.p_value
    named = [judgment for judgment in judgments if judgment.assessor]
    if named:
        repeats = consistency.repeat_consistency(named)
        yield "assessors", len({judgment.assessor for judgment in named})
        yield "own_repeats", repeats.repeated
        yield "own_consistency", repeats.share


def _configure_sensitivity(parser: ArgumentParser) -> None:
    _configure_measures(parser)
    parser.add_argument("--level", type=float, default=0.05, help="of significance (default: %(default)s)")


def _configure_pages(parser: ArgumentParser) -> None:
    parser.add_argument("pages", metavar="PAGES")
    _configure_measures(parser)


def _configure_measures(parser: ArgumentParser) -> None:
    parser.add_argument("qrels", metavar="QRELS")
    parser.add_argument("files", nargs="+", metavar="RUN")
    add_measures_option(parser, ",".join(DEFAULT_MEASURES))
    parser.add_argument(
        "-p", type=float, help="persistence of the measures that have one (default: their own)"
    )
    parser.add_argument("--prefs", metavar="PREFS", help="preferences for the measures of preferences")
    parser.add_argument("--combined", action="store_true", help="take those of the grades beside PREFS")
    parser.add_argument("--without-zero", action="store_true", help="imply no preference over grade 0")
    add_present_only_option(parser)
    add_ties_option(parser)
    parser.add_argument("--json", action="store_true", help="one JSON list of objects instead of lines")


def _sensitivity(arguments: Namespace) -> Iterator[Line]:
    if not 0 < arguments.level < 1:
        raise ValueError(f"the level is {arguments.level}; it must lie between 0 and 1")
    if len(arguments.files) < 2:
        raise ValueError("there is nothing to tell apart: give two runs or more")
    return _sensitivity_lines(_tables(arguments), arguments.level)


def _pages(arguments: Namespace) -> Iterator[Line]:
    told = [PagePreference(*record[:4]) for record in preferences_of(arguments.pages).records]
    tables = _tables(arguments)
    runs = {run for each in told for run in (each.a, each.b)}
    if not runs & set(tables[0].runs):
        raise ValueError(f"{arguments.pages} names none of the runs {', '.join(tables[0].runs[:5])}")
    found = {table.measure: pool_page_preferences(_by_topic(table), told) for table in tables}
    for name, pooled in found.items():
        yield Line("all", "all", f"agree({name})", pooled.agree)
        yield Line("all", "all", f"disagree({name})", pooled.disagree)
        yield Line("all", "all", f"even({name})", pooled.even)
        yield Line("all", "all", f"absent({name})", pooled.absent)
        yield Line("all", "all", f"share({name})", pooled.share)
        yield Line("all", "all", f"p({name})", pooled.p_value)
        yield Line("all", "all", f"topics_p({name})", pooled.topic_p)
    for (one, first), (other, second) in combinations(found.items(), 2):
        yield Line("all", "all", f"p({one},{other})", compare_agreement(first, second))


def _by_topic(table: Scores) -> dict[str, dict[str, float]]:
    """Values of a measure: topic -> run -> value."""
    rows = zip(table.topics, table.values.tolist(), strict=True)
    return {topic: dict(zip(table.runs, row, strict=True)) for topic, row in rows}


def _tables(arguments: Namespace) -> list[Scores]:
    """Score the runs by all measures that are asked for. Raises BadFile, ValueError."""
    if arguments.combined and not arguments.prefs:
        raise ValueError(
            "--combined goes with --prefs: without it there are the preferences of the grades alone"
        )
    refuse_measures([arguments.qrels, *arguments.files], arguments.measure)
    parsed = [_measure(word, arguments.p) for word in measures_of(arguments) or DEFAULT_MEASURES]
    measures = {name_measure(*one): one for one in parsed}.values()
    grades = grades_of(arguments.qrels)
    graphs = _graphs(grades, arguments)
    nodes = {topic: graph.nodes for topic, graph in graphs.items()} if arguments.prefs else {}
    topics = dict.fromkeys((*grades, *nodes))
    items = {topic: dict.fromkeys((*grades.get(topic, ()), *nodes.get(topic, ()))) for topic in topics}
    runs = runs_of(arguments.files, arguments.ties, items)
    tell_what_is_left_out(grades, arguments.qrels, runs, present_only=arguments.present_only)
    tables = []
    for measure, options in measures:
        judged = graphs if measure.inputs is Inputs.GRAPH else grades
        tables.append(score_runs(measure, judged, runs, options, present_only=arguments.present_only))
    return tables


def _graphs(grades: Mapping[str, Mapping[str, float]], arguments: Namespace) -> Mapping[str, PreferenceGraph]:
    """Preference graphs by topic: of the grades, of the file of preferences, or of both."""
    derive = derived(arguments.without_zero)
    if not arguments.prefs:
        return {topic: derive(levels) for topic, levels in grades.items()}
    preferences = preferences_of(arguments.prefs)
    if not arguments.combined:
        return preferences.graphs()
    graphs = {topic: derive(levels) for topic, levels in grades.items()}
    for record in preferences.records:
        add_record(graphs.setdefault(record.topic, PreferenceGraph()), record)
    return graphs


def _sensitivity_lines(tables: Sequence[Scores], level: float) -> Iterator[Line]:
    for table in tables:
        found = sensitivity(table.values, level=level)
        yield Line("all", "all", f"sensitivity({table.measure})", found.share)
        yield Line("all", "all", f"holm({table.measure})", found.holm)
        yield Line("all", "all", f"bonferroni({table.measure})", found.bonferroni)
        yield Line("all", "all", f"pairs({table.measure})", found.pairs)
    for one, other in combinations(tables, 2):
        tau = rank_correlation(list(one.means.values()), list(other.means.values()))
        yield Line("all", "all", f"tau({one.measure},{other.measure})", tau)


def _measure(word: str, p: float | None) -> tuple[Measure, dict[str, Any]]:
    """Parse a word such as `ndcg@10` into a measure and its options; p is its persistence if it says none."""
    measure, options = parse_measure(word)
    if p is not None and "p" in options_of(measure):
        options = {"p": p} | options
    check(measure, options)
    return measure, options
