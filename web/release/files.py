"""Files of a release: what a study compares, what was asked and answered, and the results."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from django.core.files.storage import default_storage
from django.db.models import Max

from collection.material import grade_export as collection
from collection.material.pictures import captions_of
from collection.models import Action, Grade, Import, Item, Placement, Run, Study, Topic
from collection.study.study_copy import SETTINGS
from config.version import version
from judging.assessor_names import Namer
from judging.models import Decision, Judgment
from judging.transfer import judgment_export as judging
from judging.transfer import pseudonyms
from judging.transfer.release_export import Answers, undecided
from prefir.formats import GradeRecord, defused, write_qrels, write_scores
from scoring.board import leaderboard
from scoring.board import score_export as scoring
from scoring.scores.topic_scores import PERSISTENCES, to_be_scored
from tournament.models import Plan, Tournament
from web.release import readme
from web.release.folder import File, json_lines, lines, with_sums
from web.shared.phrases import count

# Raised where a file changes its shape, so that an older program refuses it.
FORMAT = 1
CHUNK = 2000
PIECE = 2**16


class CannotRelease(Exception):
    """The study cannot be released now; the message is for its organizer."""


def why_not(study: Study) -> str:
    """What must happen before a study can be released; "" if nothing."""
    if study.judging_is_open:
        return (
            "Judging is open: a release is of a study in which nothing changes. Pause or end judging first."
        )
    if Import.objects.unfinished().filter(study=study).exists():
        return "Files are being loaded into this study. Wait until they are read."
    if waiting := undecided(study):
        batches = count(waiting, "batch")
        return (
            f"{batches} may still be judged, or wait for the panel's word. Wait until they are over, or "
            "close them where judging is paused or ended."
        )
    if waiting := to_be_scored(study):
        return f"The scores of {count(waiting, 'topic')} are being computed. Try again in a minute."
    return ""


def release(study: Study, name: str = "", *, pictures: bool = True) -> Iterator[File]:
    """Yield the files of a release of a study, each with its content in pieces, the checksums last.

    name: of the release, under which assessors have their pseudonyms (`judging.transfer.pseudonyms`). Raises
    CannotRelease, also in the end if something changed meanwhile, and BadName. Cost grows with the rows;
    memory with the study's items and questions.
    """
    if why := why_not(study):
        raise CannotRelease(why)
    names = pseudonyms.names_in(pseudonyms.release_of(study, name))
    return with_sums(_unchanged(study, _files(study, names, pictures)))


def _unchanged(study: Study, files: Iterable[File]) -> Iterator[File]:
    before = _mark(study)
    yield from files
    if _mark(study) != before:
        raise CannotRelease("The study was changed while the release was written. Write it again.")


def _mark(study: Study) -> list[int | None]:
    rows = (
        Judgment.objects.filter(topic__study=study),
        Decision.objects.filter(assessor__study=study),
        Action.objects.filter(study=study).exclude(what__in=_LOOKS),
    )
    return [some.aggregate(last=Max("pk"))["last"] for some in rows]


# Actions that change nothing.
_LOOKS = (Action.What.SAW_LINKS, Action.What.SAW_MAILS, Action.What.TOOK_LINKS)


def _files(study: Study, names: Namer, pictures: bool) -> Iterator[File]:
    answers = Answers(study, names)
    facts = readme.facts(study, pictures=pictures)
    yield "README.md", [readme.readme(facts).encode()]
    yield "DATASHEET.md", [readme.datasheet(facts).encode()]
    yield "study.json", [_json(_study(study, answers))]
    yield "topics.jsonl", json_lines(_topics(study))
    yield "items.jsonl", json_lines(_items(study, pictures))
    if pictures:
        for path, name in _pictures(study):
            yield path, _read(name)
    yield "grades.qrels", lines(_grades(study))
    yield "merged.qrels", lines(collection.merged_qrels(study))
    runs = list(Run.objects.filter(study=study).order_by("pk"))
    yield "runs.json", [_json([{"name": run.name, "file": _run_file(n)} for n, run in enumerate(runs, 1)])]
    for number, run in enumerate(runs, 1):
        yield _run_file(number), lines(_placements(run))
    yield "pools.jsonl", json_lines(_pools(study))
    yield "assessors.jsonl", json_lines(answers.assessors())
    yield "batches.jsonl", json_lines(answers.batches())
    yield "questions.jsonl", json_lines(answers.questions())
    yield "asked.jsonl", json_lines(answers.asked())
    yield "judgments.jsonl", json_lines(answers.judgments())
    yield "unanswered.jsonl", json_lines(answers.unanswered())
    yield "decisions.jsonl", json_lines(answers.decisions())
    yield "preferences.txt", lines(judging.judgments(study, names=names))
    yield "scores.csv", scores(study)
    yield "leaderboard.csv", lines(_leaderboard(study))


def scores(study: Study) -> Iterator[bytes]:
    """Every score, as the file of scores on the leaderboard's page."""
    return lines(write_scores(scoring.scores(study)))


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


def _study(study: Study, answers: Answers) -> dict[str, Any]:
    """All settings of a study, and the version of the software."""
    plan = Plan.objects.filter(study=study).select_related("task").first()
    return {
        "format": FORMAT,
        "software": {"name": "Faceoff", "version": version()},
        "name": study.name,
        "seed": study.seed,
        "opened": study.opened_at is not None,
        "settings": {name: getattr(study, name) for name in SETTINGS},
        "tasks": answers.tasks(),
        "plan": plan
        and {
            "task": plan.task.position,
            "strategy": plan.strategy,
            "settings": plan.settings,
            "seed": plan.seed,
        },
    }


def _topics(study: Study) -> Iterator[dict[str, Any]]:
    rows = Topic.objects.filter(study=study).order_by("pk")
    for topic in rows.iterator(CHUNK):
        told = {"topic": topic.name, "text": topic.text, "opened": topic.opened_at is not None}
        further = {name: getattr(topic, name) for name in ("earlier", "description", "groups")}
        told |= {name: value for name, value in further.items() if value}
        yield told | {"weight": topic.weight} if topic.weight != 1 else told


def _items(study: Study, pictures: bool) -> Iterator[dict[str, Any]]:
    """Items in order of loading, which rounds are drawn in."""
    rows = Item.objects.filter(topic__study=study).order_by("pk")
    own = ("docno", "topic__name", "text", "image", "width", "height", "seconds", "description", "sources")
    for number, (docno, topic, text, image, width, height, seconds, description, sources) in enumerate(
        rows.values_list(*own).iterator(CHUNK), 1
    ):
        told = {"docno": docno, "topic": topic, "text": text}
        if image and pictures:
            told |= {"image": _picture(number, image), "width": width, "height": height}
            told |= {} if seconds is None else {"seconds": seconds}
            told |= {"captions": f"{told['image']}.vtt"} if captions_of(image) else {}
        if description:
            told["description"] = description
        if sources:
            told["sources"] = [dict(sorted(one.items())) for one in sources]
        yield told


def _pictures(study: Study) -> Iterator[tuple[str, str]]:
    rows = Item.objects.filter(topic__study=study).order_by("pk").values_list("image", flat=True)
    for number, image in enumerate(list(rows), 1):
        if image:
            yield _picture(number, image), image
        if captions := captions_of(image):
            yield f"{_picture(number, image)}.vtt", captions


def _picture(number: int, image: str) -> str:
    # A docno may hold what no file's name may.
    return f"images/{number:06}.{image.rsplit('.', 1)[-1]}"


def _read(name: str) -> Iterator[bytes]:
    with default_storage.open(name) as file:
        while piece := file.read(PIECE):
            yield piece


def _grades(study: Study) -> Iterator[str]:
    rows = Grade.objects.filter(item__topic__study=study).order_by("item_id")
    own = ("item__topic__name", "item__docno", "value")
    return write_qrels(GradeRecord(*row) for row in rows.values_list(*own).iterator(CHUNK))


def _run_file(number: int) -> str:
    return f"runs/{number:03}.run"


def _placements(run: Run) -> Iterator[str]:
    """A run in TREC's format, with scores falling by rank; of a grid also row, column and row length."""
    rows = Placement.objects.filter(run=run).order_by("topic_id", "rank")
    own = ("topic__name", "item__docno", "rank", "row", "column", "row_length")
    for topic, docno, rank, row, column, length in rows.values_list(*own).iterator(CHUNK):
        cell = "" if row is None else f" {row} {column} {length}"
        yield f"{topic} Q0 {docno} {rank} {1 / rank!r} {run.name}{cell}\n"


def _pools(study: Study) -> Iterator[dict[str, Any]]:
    """The candidates with which each topic's tournament began."""
    docnos = dict(Item.objects.filter(topic__study=study).values_list("pk", "docno"))
    rows = Tournament.objects.filter(topic__study=study).order_by("topic_id")
    for topic, pool in rows.values_list("topic__name", "pool").iterator(CHUNK):
        yield {"topic": topic, "pool": [docnos[pk] for pk in pool]}


def _leaderboard(study: Study) -> Iterator[str]:
    """The leaderboard for every p: means with intervals."""
    yield "run,measure,p,mean,low,high,best_rank,worst_rank,topics,ceiling\n"
    for p in PERSISTENCES:
        board = leaderboard.board(study, p)
        for row in board.rows:
            for measure, mean in row.means.items():
                ranks = mean.ranks or (None, None)
                cells = [p, mean.value, mean.low, mean.high, *ranks, mean.topics, mean.ceiling]
                yield (
                    ",".join([_quoted(row.name), measure, *("" if c is None else repr(c) for c in cells)])
                    + "\n"
                )


def _quoted(name: str) -> str:
    told = defused(name)
    return '"' + told.replace('"', '""') + '"' if any(c in told for c in ',"\n') else told
