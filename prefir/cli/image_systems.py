"""The command `images`: compare two image systems by preferences, on the data set of Xie et al. (2020)."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from prefir.formats import (
    GridPlace,
    PreferenceRecord,
    known_of,
    read_xie_annotations,
    read_xie_positions,
    read_xie_relevance,
    read_xie_serp_preferences,
)
from prefir.measures import (
    ABSENT,
    PageOptions,
    PageTopic,
    PreferenceGraph,
    agreement,
    consistency,
    correlate_with_grades,
    graded_page_measures,
    images,
    page_measures,
    pair_figures,
    pgc_grid,
)
from prefir.measures.page_agreement import agreement_of
from prefir.measures.scores import Line

from .commands import Command, add_output_options
from .output import note, reading, steps

SYSTEMS = ("sogou", "baidu")
SIDES = {SYSTEMS[0]: -1, None: 0, SYSTEMS[1]: 1}  # as `images.preference_table` has them
DESCRIPTION = """\
FOLDER: the image data set of Xie et al. (SIGIR 2020): image_pairs_annotation, SERP_level_preference,
Image_position.json and, where it is there, relevance_data, gzipped or not. Lines: run, topic, measure and
value, with tabs between.
Runs sogou and baidu, topic `all` for the mean over topics with a value:
  pmr_d, pmr_w, pmr_m, pmr_n, wr, pb, pwp   by the majority of a pair's three labels
  pgc_default ... pgc_euclidean    by a graph of all labels, under each order of examination
  ndcg_own, ndcg_both, compatibility, best_possible, rbp_.8, rbp_.99   by the grades: nDCG@K with the ideal
                 of the system's own images and of both systems'; RBO of its own images by grade with all
                 images by grade; RBP with relevance grade / 100
  strength_pearson(gap) ..., strength_spearman(gap), of run `all`: correlation of how strongly the images of a
                 pair were preferred with the gap, ratio and sum of their grades, the lower and the higher
Run `sogou|baidu`, topic `all`: how far each measure M agrees with the preferences for whole pages:
  table(M,A,B)   topics in which M is higher for A and assessors preferred B: sogou, baidu or tie
  agree(M), disagree(M), share(M)  topics without a tie of either kind
  chi2(M), chi2_p(M)   without Yates' correction; binomial_p(M)  of agree against disagree, and
  split_p(M)     of topics higher for sogou against those higher for baidu, exact, two-sided
  pearson(M), spearman(M)   of 1 / (1 + exp(M of sogou - M of baidu)) with the page preferences
  tau(M)         Kendall's tau-b of the systems' values over the topics
Run `all`: pages(A), the topics in which A's page was preferred; judgments; pairs; split_pairs, of three
different labels; fleiss_kappa and raw_agreement of all labels and, with _merged, of left, tie and right
alone; transitive and its _asym, _s2a and _s2s as `agreement` has them.
Sources: Xie et al., SIGIR 2020; Luo, thesis, Waterloo 2021, chapter 5."""
FILES = ("Image_position.json", "image_pairs_annotation", "SERP_level_preference")
GRADES = "relevance_data"


def commands() -> list[Command]:
    """List the command images."""
    return [
        Command(
            "images",
            "Two image systems compared by preferences, and how far measures agree with assessors",
            "images image-preferences/ --per-topic",
            DESCRIPTION,
            _configure,
            _images,
        )
    ]


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("folder", metavar="FOLDER")
    parser.add_argument(
        "--split",
        choices=("tie", "left"),
        default="left",
        help="what three different labels of a pair come to: the left image, as in the program of Xie et al. "
        "and for the published figures, or a tie (default: %(default)s)",
    )
    for flag, default, told in (
        ("--lam", 0.7, "share of PMR in PWP, from 0 to 1"),
        ("--gamma", 0.1, "penalty of an item that loses to all, from 0 to 1; 1 for no penalty"),
        ("-p", 0.95, "persistence of PGC, between 0 and 1"),
    ):
        parser.add_argument(flag, type=float, default=default, help=f"{told} (default: %(default)s)")
    parser.add_argument(
        "--form", choices=images.PMR_FORMS, default="N", help="the form of PMR in PWP (default: %(default)s)"
    )
    parser.add_argument("--depth", type=int, default=1000, help="depth of PGC (default: %(default)s)")
    parser.add_argument("-k", type=int, default=10, help="where nDCG is cut (default: %(default)s)")
    add_output_options(parser)


@dataclass(frozen=True, slots=True)
class _Topic:
    """Data of one query: grids, labels, whose page was preferred, and grades, if there are any."""

    name: str
    grids: Mapping[str, Sequence[GridPlace]]
    records: list[PreferenceRecord]
    page: int | None
    grades: Mapping[str, float] | None

    def labelled(self) -> Iterator[tuple[str, str, int]]:
        """Iterate over the judgments: (left, right, label)."""
        for _, a, b, winner, _, _, strength in self.records:
            yield a, b, -(strength or 0) if winner == a else strength or 0


def _images(arguments: Namespace) -> Iterator[Line]:
    _check(arguments)
    topics = _read(Path(arguments.folder))
    names = [topic.name for topic in topics]
    values: dict[str, list[tuple[float, float]]] = {}
    for topic in steps(topics, "Measures"):
        for measure, pair in _measures(topic, arguments):
            values.setdefault(measure, []).append(pair)
    for side, system in enumerate(SYSTEMS):
        for measure, pairs in values.items():
            own = {
                name: pair[side] for name, pair in zip(names, pairs, strict=True) if pair[side] == pair[side]
            }
            for name, value in own.items() if arguments.per_topic else ():
                yield Line(system, name, measure, value)
            yield Line(system, "all", measure, sum(own.values()) / len(own) if own else ABSENT)
    pages = [ABSENT if topic.page is None else topic.page for topic in topics]
    for measure, pairs in values.items():
        for name, value in _agreement(pairs, pages):
            yield Line("|".join(SYSTEMS), "all", name.format(measure), value)
    for name, value in _labels(topics, arguments.split):
        yield Line("all", "all", name, value)


def _check(arguments: Namespace) -> None:
    """Raise ValueError for bad options before any file is read."""
    nothing: dict[tuple[str, str], float] = {}
    images.pwp([], [], nothing, lam=arguments.lam, gamma=arguments.gamma)
    pgc_grid({"": []}, PreferenceGraph(), p=arguments.p, depth=arguments.depth)
    graded_page_measures([], [], {}, k=arguments.k)


def _read(folder: Path) -> list[_Topic]:
    """Read the data set, topics in the order of the positions. Raises BadFile, ValueError."""
    if not folder.is_dir():
        raise ValueError(f"{folder} is no folder")
    paths = []
    for name in FILES:
        path = _file(folder, name)
        if path is None:
            raise ValueError(f"{folder} has no {name}; it must have {', '.join(FILES)}")
        paths.append(path)
    grids = read_xie_positions(str(paths[0]), paths[0])
    known = known_of(grids)
    with reading(str(paths[1])) as progress:
        records = read_xie_annotations(str(paths[1]), paths[1], known, progress=progress)
    pages = {
        record.topic: SIDES[record.winner]
        for record in read_xie_serp_preferences(str(paths[2]), paths[2], known)
    }
    grades: dict[str, dict[str, float]] = {}
    if graded := _file(folder, GRADES):
        for grade in read_xie_relevance(str(graded), graded, known):
            grades.setdefault(grade.topic, {})[grade.docno] = grade.grade
    by_topic: dict[str, list[PreferenceRecord]] = {}
    for record in records:
        by_topic.setdefault(record.topic, []).append(record)
    names = dict.fromkeys(name for grid in grids for name in grid.rankings)
    return [
        _Topic(
            name,
            {system: grid.rankings.get(name, []) for system, grid in zip(SYSTEMS, grids, strict=True)},
            by_topic.get(name, []),
            pages.get(name),
            grades.get(name, {}) if grades else None,
        )
        for name in names
    ]


def _file(folder: Path, name: str) -> Path | None:
    """The file of this name in the folder, gzipped or not."""
    return next((path for path in (folder / name, folder / f"{name}.gz") if path.exists()), None)


def _measures(topic: _Topic, arguments: Namespace) -> Iterator[tuple[str, tuple[float, float]]]:
    """Compute each measure for both systems."""
    first, second = (topic.grids[system] for system in SYSTEMS)
    options = PageOptions(
        lam=arguments.lam,
        gamma=arguments.gamma,
        form=arguments.form,
        p=arguments.p,
        depth=arguments.depth,
        split=arguments.split,
    )
    yield from page_measures(PageTopic(first, second, list(topic.labelled())), options).items()
    if topic.grades is not None:
        graded = graded_page_measures(
            first, second, topic.grades, k=arguments.k, p=arguments.p, depth=arguments.depth
        )
        yield from graded.items()


def _agreement(pairs: Sequence[tuple[float, float]], pages: Sequence[float]) -> Iterator[tuple[str, float]]:
    """Compare a measure's values with the page preferences; `{}` in a name stands for the measure."""
    found = agreement_of(pairs, pages)
    sides = (*SYSTEMS, "tie")
    for says, row in zip(sides, found.table, strict=True):
        for page, count in zip(sides, row, strict=True):
            yield f"table({{}},{says},{page})", count
    yield "agree({})", found.test.agree
    yield "disagree({})", found.test.disagree
    yield "share({})", found.test.share
    yield "chi2({})", found.test.chi2
    yield "chi2_p({})", found.test.chi2_p
    yield "binomial_p({})", found.test.binomial_p
    yield "split_p({})", found.test.split_p
    yield "pearson({})", found.pearson
    yield "spearman({})", found.spearman
    yield "tau({})", found.tau


def _labels(topics: Sequence[_Topic], split: str) -> Iterator[tuple[str, float]]:
    """Statistics of the labels themselves."""
    for side, value in SIDES.items():
        yield f"pages({side or 'tie'})", sum(topic.page == value for topic in topics)
    units = [[given[2] for given in topic.labelled()] for topic in topics]
    yield "judgments", sum(map(len, units))
    pairs = [labels[start : start + 3] for labels in units for start in range(0, len(labels), 3)]
    merged = [agreement.merge_strength(labels) for labels in pairs]
    yield "pairs", len(pairs)
    yield "split_pairs", sum(len(set(labels)) == 3 for labels in merged)
    for name, given in (("", pairs), ("_merged", merged)):
        yield f"fleiss_kappa{name}", agreement.fleiss_kappa(given)
        yield f"raw_agreement{name}", agreement.raw_agreement(given)
        if why := agreement.explain_absence(given):
            note(f"fleiss_kappa{name} has no value: {why}.")
    graded = [topic for topic in topics if topic.grades]
    if graded:
        judged = [
            agreement.Judgment(topic.name, *labelled, "") for topic in graded for labelled in topic.labelled()
        ]
        figures = pair_figures(judged, {topic.name: topic.grades or {} for topic in graded})
        for relation, found in correlate_with_grades(figures).items():
            yield f"strength_pearson({relation})", found.pearson
            yield f"strength_spearman({relation})", found.spearman
    triples = sum(
        (
            consistency.transitivity(images.majority_preferences(topic.labelled(), split=split))
            for topic in steps(topics, "Triples")
        ),
        consistency.Transitivity(),
    )
    yield "transitive", triples.share()
    for kind in ("asym", "s2a", "s2s"):
        yield f"transitive_{kind}", triples.share(kind)
