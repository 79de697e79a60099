"""Duplicates: items of a topic that show the same, and topics that ask the same. Cached.

Two items are the same if their texts differ in white space alone, or their pictures in no byte. Every text is
read once, and of pictures those whose width, height and size in bytes another one of the topic has too.
"""

from collections import defaultdict
from collections.abc import Iterable
from hashlib import blake2b
from typing import NamedTuple

from django.core.files.storage import default_storage
from django.db.models import Count, Max

from collection.cached_results import CachedResult, Progress
from collection.models import Import, Item, Study, Topic

# Of a study in which everything is doubled, the first.
MOST = 5_000
PIECE = 2**20
# Duplicates are found while a page waits in no more topics, and items, than these.
AT_ONCE = (20, 2_000)


class DuplicateGroup(NamedTuple):
    """Items of a topic that show the same, as (id, docno) by docno. what: "text" or "picture"."""

    topic: int
    name: str
    what: str
    items: list[tuple[int, str]]


class DuplicateReport(NamedTuple):
    """Duplicates of a study. topics: those of one text each, as (id, name) by name. groups: of items, by
    topic, the first MOST of `total`; `extra` items could go if one of each group stayed.
    """

    topics: list[list[tuple[int, str]]]
    groups: list[DuplicateGroup]
    total: int
    extra: int


def _version(study: Study) -> str:
    """A stamp that changes whenever a file was loaded."""
    done = study.imports.filter(state=Import.State.DONE).aggregate(n=Count("pk"), last=Max("pk"))
    topics = Topic.objects.filter(study=study).aggregate(n=Count("pk"), last=Max("pk"))
    return ".".join(str(part or 0) for part in (*done.values(), *topics.values()))


def _is_small(study: Study) -> bool:
    topics, most = AT_ONCE
    if Topic.objects.filter(study=study)[: topics + 1].count() > topics:
        return False
    return Item.objects.filter(topic__study=study)[: most + 1].count() <= most


def _compute(study: Study, progress: Progress) -> DuplicateReport:
    """Find the duplicates of a study: a query for each topic; time as for reading every text once."""
    topics = list(Topic.objects.filter(study=study).order_by("name").values_list("pk", "name", "text"))
    same_text: dict[str, list[tuple[int, str]]] = defaultdict(list)
    groups: list[DuplicateGroup] = []
    total = extra = 0
    for done, (pk, name, text) in enumerate(topics, 1):
        same_text[" ".join(text.split())].append((pk, name))
        for what, own in of_topic(study, pk):
            total += 1
            extra += len(own) - 1
            if len(groups) < MOST:
                groups.append(DuplicateGroup(pk, name, what, own))
        progress(done, len(topics))
    twice = [own for text, own in same_text.items() if text and len(own) > 1]
    return DuplicateReport(twice, groups, total, extra)


def of_topic(study: Study, topic: int) -> list[tuple[str, list[tuple[int, str]]]]:
    """Groups of a topic's items that show the same: what is the same, and (id, docno) by docno. One query,
    and the files of pictures that could be the same.
    """
    rows = Item.objects.filter(topic=topic).order_by("docno")
    texts: dict[bytes, list[tuple[int, str]]] = defaultdict(list)
    shapes: dict[tuple[int | None, int | None], list[tuple[int, str, str]]] = defaultdict(list)
    for pk, docno, text, image, width, height in rows.values_list(
        "pk", "docno", "text", "image", "width", "height"
    ):
        # What is shown is compared: the picture where there are both, but in a study of texts.
        if study.shows_file(image, text):
            shapes[width, height].append((pk, docno, image))
        elif text.strip():
            texts[blake2b(" ".join(text.split()).encode()).digest()].append((pk, docno))
    found = [("text", own) for own in texts.values()]
    what = study.shows if study.recorded else "picture"
    found += [(what, own) for alike in shapes.values() for own in _same_files(alike)]
    return sorted((group for group in found if len(group[1]) > 1), key=lambda group: group[1][0][1])


def _same_files(alike: Iterable[tuple[int, str, str]]) -> Iterable[list[tuple[int, str]]]:
    """Groups of pictures with identical files, given as (id, docno, file)."""
    sizes: dict[int, list[tuple[int, str, str]]] = defaultdict(list)
    alike = list(alike)
    for one in alike if len(alike) > 1 else []:
        try:
            sizes[default_storage.size(one[2])].append(one)
        except FileNotFoundError:
            continue
    for own in sizes.values():
        digests: dict[bytes, list[tuple[int, str]]] = defaultdict(list)
        for pk, docno, name in own if len(own) > 1 else []:
            digests[_digest(name)].append((pk, docno))
        yield from digests.values()


def _digest(name: str) -> bytes:
    whole = blake2b()
    with default_storage.open(name) as file:
        while piece := file.read(PIECE):
            whole.update(piece)
    return whole.digest()


DUPLICATES = CachedResult(
    "duplicates", version=_version, compute=_compute, is_small=_is_small, job_seconds=6 * 3600
)
