"""A report as Markdown: every sentence and number of the page, without its figures."""

import re
from collections.abc import Iterable, Sequence

from web.coordinator.report.facts import Report, ReportBoard

_MARKS = re.compile(r"([\\`*_\[\]<>|#~&$])")


def written(report: Report) -> str:
    """Write a report as Markdown."""
    parts = [f"# {plain(report.study.name)}"]
    parts += [
        plain(report.question),
        f"**{plain(report.first.answer)}** {plain(report.first.but)}",
        f"As of {report.at:%-d %B %Y, %H:%M} UTC. {plain(report.glance)}",
    ]
    if (decision := report.decision) is not None:
        said = f"{report.verdict.but} {decision.two_questions}"
        parts.append(f"**{plain(report.verdict.answer)}** {plain(said)}")
    if report.board is not None:
        parts += ["## Board", _board(report.board, report.study.words.run), *map(plain, report.board.notes)]
    if (two := report.against) is not None:
        said = f"{two.but} {two.needed}".strip()
        parts += [
            f"## {plain(two.first)} against {plain(two.second)}",
            f"**{plain(two.answer)}** {plain(said)}",
        ]
        if two.tests:
            parts.append(_table(("Test", "p", "What it tests"), two.tests))
    if report.milestones is not None:
        lines = [[f"{judgments} judgments", *means] for judgments, means in report.milestones.lines]
        after = f"Mean {report.board.scale.title} after" if report.board else "Mean after"
        parts += ["## Race", _table([after, *report.milestones.names], lines)]
    parts += ["## How people were asked", plain(" ".join(report.asked))]
    if report.offered:
        parts.append(f"Answers: {plain(', '.join(report.offered))}.")
    if (pair := report.pair) is not None:
        parts.append(f"A real question: *{plain(pair.wording)}* **{plain(pair.topic)}**")
        parts.append(_table(pair.heads, [pair.texts]))
    parts += ["## Agreement and trust", plain(" ".join(report.trust))]
    parts += ["## Cost", plain(" ".join(report.cost))]
    facts = [*((fact.name, fact.value) for fact in report.parameters), ("Ledger", report.seal)]
    parts += ["## Parameters", _table(("What", "Value"), facts)]
    parts += ["## Methods", plain(report.methods), "## References", f"```bibtex\n{report.bibtex}\n```", ""]
    return "\n\n".join(parts)


def plain(text: str) -> str:
    """A text that Markdown shows as it is, on one line."""
    return _MARKS.sub(r"\\\1", " ".join(text.split()))


def _board(board: ReportBoard, run: str) -> str:
    head = ["Rank", run.capitalize(), f"Mean {board.scale.title}", "95 % interval"]
    rows = [[line.ranks, line.name, line.mean, line.interval, *line.further] for line in board.lines]
    table = _table([*head, *(f"Mean {scale.title}" for scale in board.further)], rows)
    return f"{table}\n\n{plain(board.rest)}" if board.rest else table


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head)]
    shown = [f"| {' | '.join(map(plain, lines[0]))} |", f"|{'|'.join(lines[1])}|"]
    return "\n".join([*shown, *(f"| {' | '.join(map(plain, row))} |" for row in rows)])
