"""The page of a study's records: its files to take along, and how far its ledger is sealed."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from collection.models import Grade, Study
from judging.aspect_answers import asks_aspects
from judging.audit import hash_chain
from judging.models import Seal
from scoring.board import leaderboard, standings
from scoring.scores.stored_measures import chosen
from scoring.scores.topic_scores import PERSISTENCES
from web.forecast import overview
from web.live.missing_scores import missing_for_report
from web.shared.access import for_members, steers
from web.shared.phrases import count


@dataclass(frozen=True)
class RecordFile:
    """A file of a study: its name and address, what it is for, its format, how much it holds, others of its
    kind by name and address, and where judging is paused or ended, if it can be taken only then.
    """

    title: str
    address: str
    use: str
    form: str
    size: str = ""
    others: tuple[tuple[str, str], ...] = ()
    after: str = ""


@dataclass(frozen=True)
class FileGroup:
    """Files of one use."""

    title: str
    files: list[RecordFile]


@for_members
@require_safe
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the files of a study and its seal; organizers find the release and the sealed ledger too."""
    results = study.opened_at is not None or overview.people(study).recorded > 0
    seal = hash_chain.last(study.pk)
    told = {
        "study": study,
        "steers": steers(study),
        "groups": [FileGroup(*group) for group in _groups(study, seal)] if results else [],
        "commands": [f"export {study.slug} {name}" for name in _exported(study)],
        "seal": seal,
    }
    return render(request, "coordinator/records.html", told)


def _groups(study: Study, seal: Seal | None) -> Iterator[tuple[str, list[RecordFile]]]:
    standing = standings.current(study)
    board = standing.board
    kept = board["judgments"] - (0 if board.get("kept_only") else board["provisional"])
    judgments = count(kept, "judgment")
    reports = not missing_for_report(study, leaderboard.board_of(standing, max(PERSISTENCES)))
    if everything := _everything(study, judgments, reports=reports):
        yield "Everything", everything
    yield "For your own analysis", _analysed(study, board, judgments)
    yield "For other programs", _for_programs(study)
    if steers(study):
        yield "To prove it later", _proofs(study, seal)


def _at(name: str, study: Study, *more: str) -> str:
    return reverse(name, args=[study.slug, *more])


def _everything(study: Study, judgments: str, *, reports: bool) -> list[RecordFile]:
    found = [
        RecordFile(
            "Report",
            _at("report-pdf", study),
            "To read, send and print: verdict, board, how people were asked, cost, methods and references.",
            "PDF",
            "2 pages",
            (("as Markdown", _at("report-md", study)),),
        )
    ] * reports
    if not steers(study):
        return found
    address = _at("release", study)
    without = "without recordings" if study.recorded else "without pictures"
    pictures = ((without, f"{address}?pictures=no"),) if study.kind != Study.Kind.TEXT else ()
    words = study.words
    use = (
        f"To publish the study or load it again here: {words.topics}, {words.items}, {words.runs}, every "
        "answer under a pseudonym, scores, README, datasheet and checksums. Nobody is named; the known "
        "answers are shown."
    )
    after = _at("study-close", study) if study.judging_is_open else ""
    return [RecordFile("Release", address, use, "ZIP", judgments, pictures, after), *found]


def _analysed(study: Study, board: dict[str, list[object]], judgments: str) -> list[RecordFile]:
    words, runs = study.words, len(board["runs"])
    address = _at("judgments-export", study)
    scores = runs * int(str(board["topics_judged"])) * len(chosen(study.measures)) * len(PERSISTENCES)
    return [
        RecordFile(
            "Judgments",
            address,
            f"Who won, pair by pair: {words.topic}, a, b, winner; those of kept batches.",
            "text",
            judgments,
            (("with assessors under pseudonyms", f"{address}?assessors=1"),),
        ),
        *_aspects(study),
        RecordFile(
            "Means",
            _at("table-csv", study, "means"),
            f"The board as a table: each {words.run}’s means, intervals and ranks.",
            "CSV",
            count(runs, words.run),
            (("as LaTeX", _at("table-tex", study, "means")),),
        ),
        RecordFile(
            "Scores",
            _at("scores-export", study),
            f"To compute with: {words.run}, {words.topic}, measure, p, value.",
            "CSV",
            f"up to {scores:,} lines" if scores else "",
        ),
    ]


def _aspects(study: Study) -> list[RecordFile]:
    if not asks_aspects(study.pk):
        return []
    address = _at("aspects-export", study)
    others = (("with sentences", f"{address}?sentences=1"),) if steers(study) else ()
    use = "Which was better in each aspect, and the reasons, answer by answer; those of kept batches."
    return [RecordFile("Aspects and reasons", address, use, "JSON lines", others=others)]


def _for_programs(study: Study) -> list[RecordFile]:
    grades = Grade.objects.filter(item__topic__study=study).count()
    qrels = RecordFile(
        "Merged grades",
        _at("qrels-export", study),
        f"For trec_eval and others: qrels with each {study.words.topic}’s top {study.words.items} in order "
        "above all grades.",
        "qrels",
        count(grades, "loaded grade"),
    )
    if study.kind != Study.Kind.TEXT:
        return [qrels]
    pairs = RecordFile(
        "Preference pairs",
        _at("pairs-export", study),
        "To train or test models: prompt, chosen, rejected, margin and number of judgments, as JSON lines "
        "and Parquet, with a data card (Croissant).",
        "ZIP",
    )
    return [pairs, qrels]


def _proofs(study: Study, seal: Seal | None) -> list[RecordFile]:
    found = []
    if seal:
        use = "Every judgment, batch and decision with its hash: shows whether anything was changed since."
        size = count(seal.total, "row")
        found.append(RecordFile("Sealed ledger", _at("ledger-export", study), use, "JSON lines", size))
    if study.opened_at:
        use = "Every version of the texts that assessors read, and which of them each batch showed."
        found.append(RecordFile("What assessors read", _at("texts-export", study), use, "JSON lines"))
    return found


def _exported(study: Study) -> list[str]:
    """Names of the files that the command `export` writes."""
    aspects = ["aspects"] if asks_aspects(study.pk) else []
    return ["judgments", *aspects, *(["pairs"] if study.kind == Study.Kind.TEXT else []), "qrels"]
