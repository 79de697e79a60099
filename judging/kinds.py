"""The kinds of files that can be loaded into a study: what each looks like, and how it is loaded."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from judging import collection, examples
from judging.models import Import, Study
from prefir import formats

Progress = Callable[[int, int], None]


class CannotLoad(Exception):
    """Why a file was refused as a whole, in a sentence."""


@dataclass(frozen=True)
class Source:
    """A file to load. `name` is what people call it; `options` come from the form or command line."""

    study: Study
    name: str
    path: Path
    digest: str
    options: dict[str, str] = field(default_factory=dict)
    # Names of files written so far: removed again when the import ends badly.
    stored: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Kind:
    """A kind of file: how it is called, what it looks like, and the function that loads it."""

    title: str
    format: str
    example_name: str
    example: Callable[[], bytes]
    load: Callable[[Source, Progress], str]
    # Topics, items and grades decide the pools; they stand still once judging is open.
    stands_still: bool = True


def _lines(*lines: str) -> Callable[[], bytes]:
    return lambda: ("\n".join(lines) + "\n").encode()


def _topics(source: Source, progress: Progress) -> str:
    return collection.add_topics(
        source.study, formats.read_topics(source.name, source.path, progress=progress)
    )


def _items(source: Source, progress: Progress) -> str:
    read, write = _halves(progress)
    known = collection.known(source.study)
    return collection.add_items(
        source.study, formats.read_items(source.name, source.path, known, progress=read), write
    )


def _images(source: Source, progress: Progress) -> str:
    if source.study.kind != Study.Kind.IMAGE:
        raise CannotLoad("This study compares passages of text: images cannot be loaded into it.")
    read, write = _halves(progress)
    known = collection.known(source.study)
    if source.path.is_dir():
        records = formats.read_images_folder(source.path, known, progress=read)
    else:
        records = formats.read_images_zip(source.name, source.path, known, progress=read)
    return collection.add_images(source.study, records, write, stored=source.stored)


def _qrels(source: Source, progress: Progress) -> str:
    read, write = _halves(progress)
    known = collection.known(source.study)
    return collection.add_grades(
        source.study, formats.read_qrels(source.name, source.path, known, progress=read), write
    )


def _run(source: Source, progress: Progress) -> str:
    read, write = _halves(progress)
    known = collection.known(source.study)
    ties = source.options.get("ties") or "descending"
    record = formats.read_run(source.name, source.path, known, ties, progress=read)  # type: ignore[arg-type]
    return collection.add_run(source.study, record, write)


def _grid(source: Source, progress: Progress) -> str:
    read, write = _halves(progress)
    known = collection.known(source.study)
    record = formats.read_grid(source.name, source.path, known, progress=read)
    name = source.options.get("name") or re.sub(r"\.(grid|tsv|txt)(\.gz)?$", "", source.name)
    return collection.add_grid(source.study, name, record, write)


def _judgments(source: Source, progress: Progress) -> str:
    read, write = _halves(progress)
    _refuse_second_time(source, "judgments")
    known = collection.known(source.study)
    records = formats.read_preferences(source.name, source.path, known, progress=read)
    return collection.add_judgments(source.study, records, write, source=source.name, digest=source.digest)


def _challenges(source: Source, progress: Progress) -> str:
    known = collection.known(source.study)
    records = formats.read_challenges(source.name, source.path, known, progress=progress)
    return collection.add_challenges(source.study, records)


def _xie_positions(source: Source, progress: Progress) -> str:
    grids = formats.read_xie_positions(source.name, source.path)
    said = [
        collection.add_grid(source.study, name, grid, half, new_topics=True)
        for name, grid, half in zip(("sogou", "baidu"), grids, _halves(progress), strict=True)
    ]
    return "; ".join(said)


def _xie_judgments(source: Source, progress: Progress) -> str:
    read, write = _halves(progress)
    _refuse_second_time(source, "xie-judgments")
    known = collection.known(source.study)
    records = formats.read_xie_annotations(source.name, source.path, known, progress=read)
    return collection.add_judgments(
        source.study, records, write, source=source.name, digest=source.digest, sides_known=True
    )


def _xie_relevance(source: Source, progress: Progress) -> str:
    read, write = _halves(progress)
    known = collection.known(source.study)
    records = formats.read_xie_relevance(source.name, source.path, known, progress=read)
    return collection.add_grades(source.study, records, write)


def _refuse_second_time(source: Source, kind: str) -> None:
    earlier = Import.objects.filter(
        study=source.study, kind=kind, digest=source.digest, state=Import.State.DONE
    ).first()
    if earlier:
        raise CannotLoad(
            f"The same judgments were already loaded as {earlier.name}; loaded again they would count twice."
        )


def _halves(progress: Progress) -> tuple[Progress, Progress]:
    """Two stretches of one way: reading is the first half, writing the second."""
    return (
        lambda done, total: progress(done, 2 * total),
        lambda done, total: progress(total + done, 2 * total),
    )


KINDS: dict[str, Kind] = {
    "topics": Kind(
        "Topics",
        "Tab-separated: the topic's id, a tab, its text. One topic a line.",
        "topics.tsv",
        examples.topics,
        _topics,
    ),
    "items": Kind(
        "Passages",
        'JSON lines: one object a line with "docno", "topic" and "text".',
        "items.jsonl",
        examples.items,
        _items,
    ),
    "images": Kind(
        "Images",
        "A zip with one folder a topic, named by the topic's id; in it its pictures (jpg, png, webp, gif), "
        "each named by its docno.",
        "images.zip",
        examples.images,
        _images,
    ),
    "qrels": Kind(
        "Grades (qrels)",
        "TREC qrels: topic, 0, docno, grade. A grade above 0 means relevant.",
        "grades.qrels",
        examples.qrels,
        _qrels,
    ),
    "run": Kind(
        "Run",
        "TREC run: topic, Q0, docno, rank, score, tag. Ordered by score; the tag names the run.",
        "bm25.run",
        examples.run,
        _run,
        stands_still=False,
    ),
    "grid": Kind(
        "Run of image grids",
        "Tab-separated with a header: topic, docno, row, column, counted from 0. "
        "The file's name is the run's.",
        "system-a.grid",
        examples.grid,
        _grid,
        stands_still=False,
    ),
    "judgments": Kind(
        "Recorded judgments",
        "Topic, docno a, docno b, winner (a's docno, b's docno, or the word tie); "
        "then, if you like, the assessor's label.",
        "judgments.txt",
        examples.judgments,
        _judgments,
        stands_still=False,
    ),
    "challenges": Kind(
        "Challenges",
        "Topic, docno a, docno b, winner: pairs whose answer nobody who pays attention gets wrong.",
        "challenges.txt",
        examples.challenges,
        _challenges,
        stands_still=False,
    ),
    "xie-positions": Kind(
        "Image_position.json (Xie et al. 2020)",
        "Their JSON of queries, engines and image places: makes the topics, the images' docnos and two runs.",
        "Image_position.json",
        _lines('{"lighthouse": {"0": {"0": [0, 0, 1]}, "1": {"0": [0, 0, 1]}}}'),
        _xie_positions,
    ),
    "xie-judgments": Kind(
        "image_pairs_annotation (Xie et al. 2020)",
        "Their pairs with three assessors' labels from -2 (definitely left) to 2 (definitely right).",
        "image_pairs_annotation",
        _lines(
            "Query\tImage_pair\tpreference_tags",
            "lighthouse\tbaidu/lighthouse_0.jpg,sogou/lighthouse_0.jpg\t-1\t0\t2",
        ),
        _xie_judgments,
        stands_still=False,
    ),
    "xie-relevance": Kind(
        "relevance_data (Xie et al. 2020)",
        "Their mean relevance of each image, 0 to 100.",
        "relevance_data",
        _lines("Query\tImage\tAverage_Relevance_Score", "lighthouse\tbaidu/lighthouse_0.jpg\t59.0"),
        _xie_relevance,
    ),
}
