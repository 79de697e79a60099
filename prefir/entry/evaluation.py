"""`prefir.evaluate`: runs by several measures at once, with intervals."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from prefir.formats.plain_runs import ItemLists
from prefir.formats.runs import Ties
from prefir.measures.graph import PreferenceGraph
from prefir.measures.intervals import Intervals, mean_intervals
from prefir.measures.measure import Inputs, Measure
from prefir.measures.measure_names import name_measure, parse_measure
from prefir.measures.rankings import Rankings
from prefir.measures.scores import Scores, score

from .differences import tabulate_differences
from .judgments import Preferences, graphs_of
from .reader import Grades, Runs, read, read_places_of, read_runs_of
from .sources import is_frame, is_path, open_source
from .tables import Cell, Table, cell_of, number_rows

ONE_RUN = "run"  # the name of a run that has none


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation(Table):
    """Means of runs by measures, a row for each, with intervals over topics.

    Columns: run, measure, mean, low, high, topics (how many are in the mean), best and worst (the ranks
    between which tests leave the run; None where there is no interval). scores: measure -> every topic's
    values, which functions of comparison take; level: of the intervals; weights: topic -> weight, else 1.
    """

    scores: Mapping[str, Scores]
    level: float
    weights: Mapping[str, float]

    def __getitem__(self, measure: str) -> Scores:
        """Values of a measure: by the name in the table, or as it was asked for."""
        name = measure if measure in self.scores else name_measure(*parse_measure(measure))
        if name not in self.scores:
            raise KeyError(f"there are no values of {name}; there are those of {', '.join(self.scores)}")
        return self.scores[name]

    def compare(self, baseline: str = "") -> Table:
        """Compare each two runs, or each run and a baseline, by paired tests over topics.

        baseline: a run's name; "" for all pairs. A row for each measure and pair: the mean of the run less
        that of the other, its interval by Student's t, p of the paired t-test (t_p), the same after Holm's
        correction for all rows of the measure (holm_p), p of the randomisation test, on how many topics the
        run is above, equal, below, and how many topics a study needs to find such a difference at the 5 %
        level with a power of 80 %. The columns are those of `prefir.measures.RunComparison`.
        Raises ValueError for a baseline that is no run, and where there is one run.
        """
        return tabulate_differences(self.scores, self.level, self.weights, baseline)

    def per_topic(self) -> Table:
        """Make the table of every topic's values: run, topic, measure, value."""
        rows: list[dict[str, Cell]] = [
            {"run": line.run, "topic": line.topic, "measure": line.measure, "value": line.value}
            for scores in self.scores.values()
            for line in scores.lines()
            if line.topic != "all"
        ]
        return Table("Values by topic", *number_rows(rows))

    def to_latex(self) -> str:
        """Write a LaTeX `tabular`, which needs no package: a row for each run, and below it its intervals."""
        measures = list(self.scores)
        found: dict[str, list[dict[str, Cell]]] = {}
        for row in self.to_dicts():
            found.setdefault(str(row["run"]), []).append(row)
        rows: list[tuple[Cell, ...]] = []
        for run, cells in found.items():
            rows.append((run, *(cell["mean"] for cell in cells)))
            ends = [
                "-" if cell["low"] is None else f"[{cell['low']:.4f}, {cell['high']:.4f}]" for cell in cells
            ]
            rows.append(("", *ends))
        return Table(self.caption, ("run", *measures), tuple(rows)).to_latex()


def evaluate(
    judged: Any,
    runs: Any,
    measures: Any = (),
    *,
    level: float = 0.95,
    present_only: bool = False,
    without_zero: bool = False,
    ties: Ties = "descending",
    weights: Mapping[str, float] | None = None,
) -> Evaluation:
    """Score runs by measures: means over topics with intervals, and every topic's values.

    judged: grades (a file of qrels, topic -> docno -> grade, a frame) or preferences (a file, what
    `prefir.read` returns, topic -> graph or topic -> (preferred, other) pairs, a frame).
    runs: a file or several, "-", topic -> docnos or topic -> docno -> score of one run, name -> the same of
    several, a frame, or a list of these; a file or frame may hold several runs. Items are docnos, best first.
    Runs of files are called by their tags, and by their paths where several have one tag.
    measures: one or several names such as "nDCG@10", "PGC(p=0.9)", "Compat", or measures of ir_measures
    (`parse_measure`); two spellings of one give one. By default nDCG and compatibility for grades and PGC
    for preferences. Measures of preferences take those that grades imply,
    with grade 0 below all others unless `without_zero`.
    A judged topic that a run lacks is scored as an empty ranking, usually 0; with `present_only` it is left
    out of the run's mean. Intervals are those of `mean_intervals`. weights: topic -> weight, else 1.

    Raises BadFile for files, ValueError where a measure does not fit the judgments, where two runs have one
    name, and where no topic is both judged and in a run.
    """
    known, graphs = judge(judged, without_zero=without_zero)
    several = isinstance(measures, Iterable) and not isinstance(measures, str)
    names = list(measures) if several else [measures]
    parsed = [parse_measure(name) for name in names or default_measures(known is not None)]
    asked = list({name_measure(*one): one for one in parsed}.values())
    items: Mapping[str, Any] = known if known is not None else {t: g.nodes for t, g in graphs.items()}
    rankings = runs if isinstance(runs, Rankings) else take_runs(runs, items, ties)
    judged_topics: Mapping[str, Any] = known if known is not None else graphs
    if not rankings.runs:
        raise ValueError("there is no run")
    for place, run in enumerate(rankings.runs):
        if not any(rankings.having(topic)[place] for topic in rankings.topics if topic in judged_topics):
            raise ValueError(f"{run} has no topic that is judged")
    tables: dict[str, Scores] = {}
    for measure, options in asked:
        if measure.inputs is Inputs.GRADES and known is None:
            raise ValueError(f"{measure.name} takes grades, and these are preferences; pgc takes them")
        if known is not None and measure.inputs is Inputs.GRAPH and not graphs:
            graphs = {
                topic: PreferenceGraph.derived(grades, with_zero=not without_zero)
                for topic, grades in known.items()
            }
        of_measure = graphs if measure.inputs is Inputs.GRAPH else known
        assert of_measure is not None
        found = score(measure.name, of_measure, rankings, present_only=present_only, **options)
        tables[found.measure] = found
    return tabulate(tables, [measure for measure, _ in asked], level, weights)


def judge(judged: Any, *, without_zero: bool = False) -> tuple[Grades | None, dict[str, PreferenceGraph]]:
    """Take judgments of any form: grades, or graphs and None."""
    if is_path(judged) or is_frame(judged):
        frame = is_frame(judged)
        judged = read(judged, kind="grades" if frame and _are_grades(judged) else "")
    if isinstance(judged, Runs):
        raise ValueError("grades or preferences come first, then runs: this is a run")
    if isinstance(judged, Preferences):
        if without_zero:
            raise ValueError("preferences have no grade 0")
        return None, judged.graphs()
    if not isinstance(judged, Mapping):
        raise TypeError(
            f"grades or preferences are a file, a frame or a dictionary, no {type(judged).__name__}"
        )
    if judged and not isinstance(next(iter(judged.values())), Mapping):
        return None, graphs_of(judged)
    return judged, {}


def _are_grades(frame: Any) -> bool:
    from prefir.formats.headers import named_columns

    return bool(named_columns("qrels", map(str, frame.columns)))


def default_measures(of_grades: bool) -> list[str]:
    """Name the measures that are computed where none is asked for."""
    return ["ndcg", "compatibility"] if of_grades else ["pgc"]


def take_runs(runs: Any, items: Mapping[str, Any], ties: Ties) -> Rankings:
    """Number the items of runs of any form that are judged. Raises BadFile, ValueError for a name twice."""
    rankings, lists = Rankings(judged=items), ItemLists(items)
    # Of each run: its name, what it is called where another run has that name, and how it is added.
    found: list[tuple[str, str, Callable[[str], None]]] = []
    for name, run in _each_run(runs):
        if is_path(run):
            several = read_places_of(open_source(run), ties, lists)
            for tag, places in several:
                path = str(run) if len(several) == 1 else f"{run}:{tag}"
                found.append((name or tag, name or path, partial(rankings.add_places, rows=places)))
        elif is_frame(run):
            records = read_runs_of(run, ties)
            for tag, docnos in records:
                own = name if name and len(records) == 1 else tag
                found.append((own, own, partial(rankings.add, rankings=docnos)))
        else:
            own = name or ONE_RUN
            add = (
                partial(rankings.add_scores, scores=run)
                if _are_scores(run)
                else partial(rankings.add, rankings=run)
            )
            found.append((own, own, add))
    times = Counter(name for name, _, _ in found)
    for name, path, add_as in found:
        add_as(name if times[name] == 1 else path)
    return rankings


def _each_run(runs: Any) -> Iterable[tuple[str, Any]]:
    """Each run with its name, "" where its file or frame says it."""
    if is_path(runs) or is_frame(runs):
        yield "", runs
    elif isinstance(runs, Mapping):
        first = next(iter(runs.values()), None)
        several = is_path(first) or is_frame(first) or isinstance(first, Mapping)
        if isinstance(first, Mapping) and not isinstance(runs, Runs):
            inner = next(iter(first.values()), 0.0)
            several = not isinstance(inner, int | float | np.number)
        if not runs:
            return
        if several:
            yield from runs.items()
        else:
            yield "", runs
    elif isinstance(runs, Sequence):
        for run in runs:
            yield from _each_run(run)
    else:
        raise TypeError(f"runs are files, frames, dictionaries or a list of these, no {type(runs).__name__}")


def _are_scores(run: Mapping[str, Any]) -> bool:
    return isinstance(next(iter(run.values()), None), Mapping)


def tabulate(
    tables: Mapping[str, Scores],
    measures: Sequence[Measure],
    level: float,
    weights: Mapping[str, float] | None,
) -> Evaluation:
    """Make the table of the means of scores, and their intervals."""
    rows: list[dict[str, Cell]] = []
    found: dict[str, Intervals] = {}
    for (label, scores), measure in zip(tables.items(), measures, strict=True):
        heavy = [(weights or {}).get(topic, 1.0) for topic in scores.topics]
        bounds = (measure.low, measure.high)
        found[label] = mean_intervals(scores.values, weights=heavy, level=level, bounds=bounds)
    for place, run in enumerate(next(iter(tables.values())).runs):
        for label, one in found.items():
            best, worst = one.ranks[place] or (None, None)
            rows.append(
                {
                    "run": run,
                    "measure": label,
                    "mean": cell_of(one.means[place]),
                    "low": cell_of(one.lows[place]),
                    "high": cell_of(one.highs[place]),
                    "topics": int(one.counts[place]),
                    "best": best,
                    "worst": worst,
                }
            )
    caption = f"Means over topics, with intervals at {100 * level:g} %"
    return Evaluation(caption, *number_rows(rows), scores=tables, level=level, weights=weights or {})
