"""Dry run: check files before anything is loaded; each is read to its end and compared with the others.

Topics of the file of topics count as known for the files after it.
"""

import hashlib
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from django.core.files.storage import default_storage

from collection.models import Import, Study
from collection.upload import doubts, record_store, unknown_topics
from collection.upload.doubts import EXAMPLES, count, some
from collection.upload.kinds import CannotLoad
from prefir.formats import (
    UNKNOWN_TOPIC,
    Answers,
    BadFile,
    Known,
    PromptRecord,
    TopicRecord,
    plain_turns,
    prompt_key,
    read_answers,
    read_challenges,
    read_descriptions,
    read_grid,
    read_groups,
    read_images_zip,
    read_items,
    read_judgments,
    read_qrels,
    read_run,
    read_sources,
    read_table,
    read_topics,
    topic_by_text,
    topics_of_images,
)
from prefir.formats.recordings import ENDINGS

ROWS, GATHERED = 3, 20
LISTED = 10  # models and groups that are named
# Kinds that are loaded for topics that are open, too.
ALWAYS = ("run", "grid", "descriptions", "sources", "groups")
TAKE = "are in another of these files too, and take"
NO_TOPICS = "There are no topics yet. Drop the file of topics too: an id, a tab and a text in each line."
ALREADY = "the same file is here twice"


class Given(NamedTuple):
    """What a reader needs besides the file and what is known: the study, its prompts, and the columns that
    the organizer named.
    """

    study: Study
    prompts: Mapping[str, str]
    columns: Mapping[str, str] | None


Reader = Callable[[str, Path, Known, Given], Any]


@dataclass
class FileFinding:
    """What looking a file over found. rows: its first records as they were read. problems: sentences, those
    that say the same gathered; lines: how many lines they are. doubts: what does not fit the other files,
    though it can be loaded. notes: what is loaded otherwise than it is written. unknown: whether some
    problems are topics that are not loaded.
    """

    counts: str = ""
    rows: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    lines: int = 0
    unknown: bool = False


@dataclass
class _Looking:
    """What the files before have shown. no_topics, no_items: names of those files that may hold some and
    could not be read, so that nobody can say which there are.
    """

    known: Known
    no_topics: list[str]
    no_items: list[str]
    prompts: dict[str, str] = field(default_factory=dict)  # text -> topic
    digests: set[tuple[str, bytes]] = field(default_factory=set)
    runs: dict[str, str] = field(default_factory=dict)  # name -> the file that has it
    topics: set[str] = field(default_factory=set)  # that the files before have

    def add(self, row: Import, found: FileFinding) -> None:
        if found.lines and row.kind == "topics":
            self.no_topics.append(row.name)
        elif found.lines and row.kind in ("items", "images"):
            self.no_items.append(row.name)
        elif found.lines and row.kind == "answers":
            self.no_topics.append(row.name)
            self.no_items.append(row.name)


def look_over(study: Study, rows: Sequence[Import]) -> Iterator[tuple[Import, FileFinding]]:
    """Yield each of these files, in loading order, with what was found in it. Writes nothing.

    Time and memory as for reading the files.
    """
    unread = [row.name for row in rows if not row.kind]
    so_far = _Looking(_growing(study), list(unread), list(unread), prompts=record_store.prompts(study))
    for row in rows:
        found = _look(study, row, so_far)
        so_far.add(row, found)
        yield row, found


def loaded_before(study: Study, kind: str, digest: str) -> str:
    """Say that the same file was loaded, if its records would count twice."""
    done = Import.objects.filter(study=study, kind=kind, digest=digest, state=Import.State.DONE, once=True)
    name = done.values_list("name", flat=True).first()
    return f"the same judgments were loaded as {name}; loaded again they would count twice" if name else ""


def _growing(study: Study) -> Known:
    """Topics and items of a study, to which those of earlier files are added."""
    known = record_store.known(study, adding=True)
    return Known(
        topics=set(known.items), items=dict(known.items), kind=known.kind, new_items=True, fixed=known.fixed
    )


def _look(study: Study, row: Import, so_far: _Looking) -> FileFinding:
    if not row.kind:
        return FileFinding()
    known = so_far.known
    # That a topic is unknown says nothing while the file that may name it cannot be read.
    unsure = so_far.no_topics if row.kind not in ("topics", "images") else []
    if row.kind == "images":
        known = replace(known, new_topics=not known.topics and not so_far.no_topics)
    if row.kind not in ("topics", "answers", "images") and not known.topics and not so_far.no_topics:
        return FileFinding(problems=[NO_TOPICS], lines=1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "draft"
        try:
            with default_storage.open(row.file) as file, path.open("wb") as copy:
                shutil.copyfileobj(file, copy)
        except FileNotFoundError:
            return FileFinding(problems=["The file is gone. Choose it again."], lines=1)
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256")
            digest = (row.kind, content.digest())
        if digest in so_far.digests:
            return FileFinding(problems=[f"{row.name}: {ALREADY}. Remove one of them."], lines=1)
        so_far.digests.add(digest)
        if earlier := loaded_before(study, row.kind, content.hexdigest()):
            return FileFinding(problems=[f"{row.name}: {earlier}. Remove it."], lines=1)
        topics: set[str] = known.topics  # type: ignore[assignment]
        read_with = replace(known, topics=unknown_topics.Every(topics)) if unsure else known
        if row.kind in ALWAYS:
            read_with = replace(read_with, fixed=())
        try:
            kept = _read(study, row, path, read_with, so_far.prompts)
        except CannotLoad as error:
            return FileFinding(problems=[f"{row.name}: {error}"], lines=1)
        except BadFile as error:
            unknown = any(one.reason.startswith(UNKNOWN_TOPIC) for one in error.problems)
            return FileFinding(problems=gathered(error), lines=error.count, unknown=unknown)
    records: Any = kept.records
    if row.kind == "run":
        name = records[0].tag
        if (first := so_far.runs.setdefault(name, row.name)) is not row.name:
            again = f"{row.name}: the run “{name}” is in {first} too, and one would replace the other"
            return FileFinding(
                problems=[f"{again}. Give each run a name of its own, or remove one."], lines=1
            )
    unread = {*unsure, *so_far.no_items}
    found = _told(row.kind, records, known, row.options.get("columns") or {}, alone=bool(unread))
    if known.new_topics:
        texts = [record.text for record in topics_of_images(records)]
        told = f"each folder becomes one, {len(texts):,} in all: {some(texts)}"
        found.doubts = [f"The study has no topics: {told}"]
    if row.kind in ("items", "answers"):
        texts = records.items if row.kind == "answers" else records
        found.doubts.extend(doubts.of_texts(texts, study.markup))
    if row.kind == "answers":
        so_far.prompts |= {prompt_key(record.text): record.topic for record in records.prompts}
    if said := str(kept):
        found.doubts.insert(0, f"{said}.")
    if row.kind == "topics":
        so_far.prompts |= {prompt_key(record.text): record.topic for record in records}
        own = {record.topic for record in records}
        if twice := sorted(so_far.topics & own):
            takes = "is in another of these files too, and takes" if len(twice) == 1 else TAKE
            said = f"{count(len(twice), 'topic')} {takes} the text of this one: {some(twice)}"
            found.doubts.append(said)
        so_far.topics |= own
    if unread:
        found.doubts.append(f"Not yet held against {some(sorted(unread))}")
    return found


def _read(
    study: Study, row: Import, path: Path, known: Known, prompts: Mapping[str, str]
) -> unknown_topics.Kept:
    given = Given(study, prompts, row.options.get("columns") or None)
    if row.kind == "answers":
        return unknown_topics.Kept(READERS["answers"](row.name, path, known, given))
    return unknown_topics.read(
        known, row.options, lambda known: READERS[row.kind](row.name, path, known, given)
    )


def _run(name: str, path: Path, known: Known, given: Given) -> Sequence[Any]:
    return [read_table("run", name, path, lambda rows: read_run(name, rows, known), columns=given.columns)]


def _topics(name: str, path: Path, known: Known, given: Given) -> Sequence[Any]:
    fixed = record_store.opened(given.study)
    return read_table(
        "topics", name, path, lambda rows: read_topics(name, rows, fixed=fixed), columns=given.columns
    )


READERS: Mapping[str, Reader] = {
    "topics": _topics,
    "items": lambda name, path, known, given: read_table(
        "items", name, path, lambda rows: read_items(name, rows, known), columns=given.columns
    ),
    "answers": lambda name, path, known, given: read_answers(
        name, path, known, prompts=given.prompts, columns=given.columns
    ),
    "groups": lambda name, path, known, given: read_groups(name, path, known, columns=given.columns),
    "images": lambda name, path, known, _: read_images_zip(name, path, known),
    "descriptions": lambda name, path, known, _: read_table(
        "descriptions", name, path, lambda given: read_descriptions(name, given, known)
    ),
    "sources": lambda name, path, known, _: read_sources(name, path, known),
    "qrels": lambda name, path, known, given: read_table(
        "qrels", name, path, lambda rows: read_qrels(name, rows, known), columns=given.columns
    ),
    "run": _run,
    "grid": lambda name, path, known, _: [
        read_table("grid", name, path, lambda given: read_grid(name, given, known))
    ],
    "challenges": lambda name, path, known, given: read_table(
        "judgments",
        name,
        path,
        lambda rows: read_challenges(name, rows, known),
        topic_of=topic_by_text(known, given.prompts),
    ),
    "judgments": lambda name, path, known, given: list(
        read_judgments(name, path, known, prompts=given.prompts, columns=given.columns)
    ),
}


def gathered(error: BadFile) -> list[str]:
    """A file's problems, those that say the same gathered: how many lines, and the first of them.

    "243 lines: unknown topic "…"; load it with the topics first. Line 7: "q9"; line 8: "q9"; ..."
    """
    groups: dict[str, list[Any]] = {}
    found: list[str] = []
    for problem in error.problems:
        groups.setdefault(re.sub(r'"[^"]*"|\d[\d,.]*', "…", problem.reason), []).append(problem)
    for alike in list(groups.values())[:GATHERED]:
        first = alike[0]
        if len(alike) == 1 or (len(alike) <= EXAMPLES and len({one.reason for one in alike}) > 1):
            found.extend(map(str, alike))
            continue
        places = ", ".join(str(one.line) for one in alike[:EXAMPLES] if one.line)
        where = f" (lines {places}{', ...' if len(alike) > EXAMPLES else ''})" if places else ""
        found.append(f"{first.file}: {len(alike):,} times, first: {first.reason}{where}")
    if len(groups) > GATHERED:
        found.append(f"and {len(groups) - GATHERED:,} further kinds of mistakes")
    return found


def _told(kind: str, records: Any, known: Known, columns: Mapping[str, str], *, alone: bool) -> FileFinding:
    """What the records of a file are, and what they leave open beside what is known; adds theirs to it.

    alone: whether other files may hold more, so that only doubts about the file itself are told.
    """
    found = _rows(kind, records)
    found.doubts = doubts.of_records(kind, records, known, alone=alone) if kind != "answers" else []
    if kind == "judgments":
        found.notes = doubts.notes_of_judgments(records)
    topics: set[str] = known.topics  # type: ignore[assignment]
    items: dict[str, set[str]] = known.items  # type: ignore[assignment]
    if kind == "topics":
        topics.update(record.topic for record in records)
    if kind == "answers":
        found.doubts = doubts.of_answers(records, known, columns, alone=alone)
        found.notes = doubts.notes_of_answers(records)
        topics.update(record.topic for record in records.prompts)
        records = records.items
    if kind == "images":
        topics.update(record.topic for record in records)
    if kind in ("items", "images", "answers"):
        for record in records:
            items.setdefault(record.topic, set()).add(record.docno)
    return found


def _medium(record: Any) -> str:
    """What a file in a zip is, in words."""
    return next((medium for medium, endings in ENDINGS.items() if record.format in endings), "a picture")


def _rows(kind: str, records: Any) -> FileFinding:
    """Number of a file's records, and the first of them."""
    if kind == "answers":
        return _of_answers(records)
    if kind == "topics":
        rows = [f"{record.topic}: {_short(record.text)}" for record in records[:ROWS]]
        return FileFinding(count(len(records), "topic") + _extras(records), rows)
    if kind in ("items", "images"):
        first = [(one, getattr(one, "text", "") or _medium(one)) for one in records[:ROWS]]
        rows = [f"{one.topic}, {one.docno}: {_short(shown)}" for one, shown in first]
        of_topics = len({record.topic for record in records})
        return FileFinding(f"{count(len(records), 'item')} for {count(of_topics, 'topic')}", rows)
    if kind == "descriptions":
        rows = [f"{r.topic}, {r.docno}: {_short(r.description)}" for r in records[:ROWS]]
        return FileFinding(count(len(records), "description"), rows)
    if kind == "sources":
        rows = [f"{r.topic}, {r.docno}: {count(len(r.sources), 'source')}" for r in records[:ROWS]]
        return FileFinding(f"sources of {count(len(records), 'item')}", rows)
    if kind == "groups":
        rows = [f"{r.topic}: {', '.join(filter(None, r.groups.values()))}" for r in records[:ROWS]]
        return FileFinding(f"{count(len(records), 'topic')} by {some(list(records[0].groups), LISTED)}", rows)
    if kind == "qrels":
        rows = [f"{r.topic}, {r.docno}: grade {r.grade:g}" for r in records[:ROWS]]
        return FileFinding(count(len(records), "grade"), rows)
    if kind in ("run", "grid"):
        return _of_run(records[0])
    rows = [f"{r.topic}: {r.a} or {r.b}: {r.winner or 'tie'}" for r in records[:ROWS]]
    return FileFinding(count(len(records), kind.removesuffix("s")), rows)


def _of_answers(found: Answers) -> FileFinding:
    texts = {record.topic: record.text for record in found.prompts}
    rows = [
        f"{r.topic}: {_short(texts.get(r.topic, ''))} {r.docno}: {_short(plain_turns(r.text))}"
        for r in found.items[:ROWS]
    ]
    topics = {r.topic for r in found.prompts} | {r.topic for r in found.items}
    models = list(found.rankings)
    told = count(len(topics), "prompt")
    if found.items:
        told += f", {count(len(found.items), 'answer')}"
    if models:
        told += f" of {count(len(models), 'model')}: {some(models, LISTED)}"
    told += _extras(found.prompts)
    return FileFinding(told, rows or [f"{r.topic}: {_short(r.text)}" for r in found.prompts[:ROWS]])


def _extras(records: Sequence[TopicRecord | PromptRecord]) -> str:
    """Say what a file tells of its topics besides their texts: groups, descriptions, weights."""
    kinds = list(dict.fromkeys(kind for record in records for kind in record.groups))
    told = f"; {len(kinds)} kinds of group: {some(kinds, LISTED)}" if len(kinds) > 1 else ""
    if len(kinds) == 1:
        groups = list(dict.fromkeys(group for record in records for group in record.groups.values()))
        told = f"; {count(len(groups), 'group')}: {some(groups, LISTED)}"
    if any(record.description for record in records):
        told += "; descriptions"
    return told + ("; weights" if any(record.weight != 1 for record in records) else "")


def _of_run(record: Any) -> FileFinding:
    ranked = [
        (topic, [getattr(one, "docno", one) for one in places[:5]])
        for topic, places in list(record.rankings.items())[:ROWS]
    ]
    rows = [f"{topic}: {', '.join(docnos)}" for topic, docnos in ranked]
    named = getattr(record, "tag", "")
    topics_told = count(len(record.rankings), "topic")
    return FileFinding(f"run {named}: {topics_told}" if named else f"a run of {topics_told}", rows)


def _short(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= 120 else f"{one_line[:117]}..."
