"""Reader of answers of models: prompts, each model's answers to them, and votes between two answers.

Takes the tables and transcripts that people have: a row for each answer, a column for each model, pairs of
answers, chats, and the files of MT-Bench, AlpacaEval and the arenas. `guess_roles` says what each column is.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from types import MappingProxyType
from typing import Any, NamedTuple

from . import answer_columns as role
from .answer_columns import guess_roles
from .collection import ItemRecord
from .conversations import ASSISTANT, USER, Turn, content_text, join_turns, read_turns, shared_turns
from .headers import topic_extras
from .ids import (
    TIE,
    Known,
    docno_problem,
    id_problem,
    joined_id,
    quoted,
    text_problem,
    topic_problem,
)
from .lines import Source
from .preferences import PreferenceRecord
from .problems import Problems
from .tables import name_of_file, table_rows
from .vote_cells import side_of

_TWICE = "~"  # before the number of a model's second and later answers to a prompt
_EMPTY = join_turns([Turn(ASSISTANT, "")])  # an answer without a letter, which is shown as empty
_NO_VOTE = "none"
_Written = dict[tuple[str, str], dict[str, None]]  # "model" or "prompt", its id -> the ways it is written in


class PromptRecord(NamedTuple):
    """A prompt, which becomes a topic. earlier: the turns before it, as `join_turns` stores them. Further
    fields as of `TopicRecord`.
    """

    topic: str
    text: str
    earlier: str = ""
    line: int = 0
    groups: Mapping[str, str] = MappingProxyType({})
    description: str = ""
    weight: float = 1.0


class Answers(NamedTuple):
    """The content of a file of answers, in file order.

    prompts: those whose text the file has. items: the answers; the docno is the model's name, with ~2 for its
    second answer to a prompt. rankings: model -> topic -> docnos, in the order of its answers.
    votes: preferences between two of the answers. both_bad: lines whose tie says that both are bad.
    written: ("model" or "prompt", its id) -> how the file writes it, where that is not the id. row_ids: how
    many ids were left out, since they are of rows: equal prompts have several.
    """

    prompts: list[PromptRecord]
    items: list[ItemRecord]
    rankings: dict[str, dict[str, list[str]]]
    votes: list[PreferenceRecord]
    both_bad: list[int]
    written: Mapping[tuple[str, str], Sequence[str]] = MappingProxyType({})
    row_ids: int = 0


class _Vote(NamedTuple):
    winner: str  # "a", "b" or TIE
    assessor: str | None
    both_bad: bool = False


class _Entry(NamedTuple):
    """A row. answers: model and transcript; without the prompt where the row has none."""

    ident: str
    turn: str
    asked: list[Turn]
    answers: list[tuple[str, list[Turn]]]
    vote: _Vote | None
    place: int
    extras: Mapping[str, Any]


class _BadCellError(ValueError):
    """Raised for a cell that cannot be read; the message says why."""


def read_answers(
    name: str,
    source: Source,
    known: Known,
    *,
    prompts: Mapping[str, str] | None = None,
    columns: Mapping[str, str] | None = None,
) -> Answers:
    """Read answers of models. Raises BadFile naming every bad row.

    known: the study's topics and items. prompts: text of a topic, as `prompt_key` has it -> topic; a prompt
    without an id gets the topic of its text, or the next free number. columns: the role of each column, as
    `guess_roles` returns it; guessed if None. A file without a column of models is of
    one that is named after it; where there is such a column, a row that has none is bad.
    """
    problems = Problems(name)
    table = table_rows(problems, source, lambda names, rows: columns or guess_roles(names, rows))
    if table is None:
        raise problems.stop(
            "no columns with prompts and answers were found; say on Files what each column is, or name them "
            "prompt, model and answer"
        )
    model = name_of_file(name)
    entries = []
    written: _Written = {}
    for place, row in table.rows:
        try:
            entries.append(_entry(place, row, table.columns, model, written))
        except _BadCellError as error:
            _note(problems, table.record, place, str(error))
    unsure = any(column in role.UNSURE_IDS for column, what in table.columns.items() if what == role.TOPIC)
    row_ids = _ids_of_rows(entries, unsure)
    if row_ids:
        entries = [entry._replace(ident="") for entry in entries]
    found = _gather(_by_turn(entries), known, dict(prompts or {}), problems, table.record)
    problems.settle()
    if not found.prompts and not found.items:
        raise problems.stop("no row has a prompt or an answer")
    topics = {record.topic for record in found.prompts} | {record.topic for record in found.items}
    used = {"model": found.rankings.keys(), "prompt": topics}
    changed = {
        (what, ident): list(ways)
        for (what, ident), ways in written.items()
        if ident in used[what] and list(ways) != [ident]
    }
    return found._replace(written=changed, row_ids=row_ids)


def prompt_key(text: str) -> str:
    """A prompt's text with single blanks, by which a prompt without an id is found again."""
    return " ".join(text.split())


def _note(problems: Problems, record: bool, place: int, reason: str) -> None:
    problems.add(0 if record else place, f"record {place}: {reason}" if record else reason)


def _named(what: str, cell: Any, written: _Written) -> str:
    """Return the id of a cell, and note how the cell writes it."""
    ident = joined_id(cell)
    if ident:
        said = cell.strip() if isinstance(cell, str) else ident
        written.setdefault((what, ident), {})[said] = None
    return ident


def _entry(
    place: int, row: Mapping[str, Any], roles: Mapping[str, str], model: str, written: _Written
) -> _Entry:
    cells: dict[str, Any] = {}
    answers: list[tuple[Any, Any]] = []
    for column, value in row.items():
        what = roles.get(column, "")
        if what == role.NAMED:
            # An empty cell of a wide table is no answer; an empty answer has a row of its own.
            if value not in (None, ""):
                answers.append((column, value))
        elif what:
            cells.setdefault(what, value)
    asked = _turns(cells.get(role.PROMPT, cells.get(role.PROMPT_TURNS)), USER)
    ident = _named("prompt", cells.get(role.TOPIC), written)
    answers += _answers(cells, set(roles.values()), model)
    transcripts = [
        (_named("model", said, written) or model, _transcript(asked, _turns(text, ASSISTANT)))
        for said, text in answers
    ]
    if not transcripts and role.PROMPT_TURNS not in cells:
        raise _BadCellError("there is no answer in it")
    if not asked and transcripts:
        asked = [turn for turn in transcripts[0][1] if turn.role == USER]
    if not asked and not ident:
        raise _BadCellError("there is neither a prompt nor its id")
    if any(turns[-1].role == USER for _, turns in transcripts):
        raise _BadCellError("the conversation ends without an answer")
    try:
        extras = topic_extras(
            row, roles if set(roles.values()) & {"group", "description", "weight"} else None
        )
    except ValueError as error:
        raise _BadCellError(str(error)) from None
    vote = _vote(cells, [name for name, _ in transcripts]) if len(transcripts) == 2 else None
    return _Entry(ident, joined_id(cells.get(role.TURN)), asked, transcripts, vote, place, extras)


def _answers(cells: Mapping[str, Any], columns: Set[str], model: str) -> Iterator[tuple[Any, Any]]:
    """The models and answers of a row, other than those of columns that are named after a model."""

    def name(by: str, otherwise: str) -> Any:
        if by in columns and not joined_id(cells.get(by)):
            raise _BadCellError("the model is empty")
        return cells.get(by, otherwise)

    for text, by, otherwise in (
        (role.TEXT, role.MODEL, model),
        (role.MESSAGES, role.MODEL, model),
        (role.TEXT_A, role.MODEL_A, "a"),
        (role.TEXT_B, role.MODEL_B, "b"),
        (role.CHOSEN, role.MODEL_A, "chosen"),
        (role.REJECTED, role.MODEL_B, "rejected"),
        (role.MESSAGES_A, role.MODEL_A, "a"),
        (role.MESSAGES_B, role.MODEL_B, "b"),
    ):
        if text in cells:
            yield name(by, otherwise), cells[text]
    for choice in cells.get(role.ANSWER_TURNS) or ():
        yield name(role.MODEL, model), choice.get("turns") if isinstance(choice, Mapping) else choice


def _turns(cell: Any, speaker: str) -> list[Turn]:
    """Read a cell with a prompt or an answer: a text, a list of the texts of its turns, or messages."""
    if isinstance(cell, float) and math.isnan(cell):
        cell = None
    if cell is None:
        return [Turn(speaker, "")] if speaker == ASSISTANT else []
    if (messages := read_turns(cell)) is not None:
        return messages
    if isinstance(cell, str) and cell.startswith('["'):
        try:
            cell = [text if text is None else str(text) for text in json.loads(cell)]
        except (ValueError, TypeError, RecursionError):
            return [Turn(speaker, cell.strip())]
    if isinstance(cell, list) and all(isinstance(text, str | None) for text in cell):
        return [Turn(speaker, (text or "").strip()) for text in cell]
    if (
        isinstance(cell, bool)
        or (text := str(cell) if isinstance(cell, int | float) else content_text(cell)) is None
    ):
        raise _BadCellError(f"{json.dumps(cell, default=str)[:40]} is no text and no list of messages")
    return [Turn(speaker, text.strip())] if speaker == ASSISTANT or text.strip() else []


def _transcript(asked: Sequence[Turn], answered: list[Turn]) -> list[Turn]:
    """Put each answer behind its question; an answer that has its questions is a transcript already."""
    if not asked or any(turn.role == USER for turn in answered):
        return answered
    if len(answered) == len(asked):
        return [turn for pair in zip(asked, answered, strict=True) for turn in pair]
    return [*asked, *answered]


def _vote(cells: Mapping[str, Any], models: Sequence[str]) -> _Vote | None:
    """Who won of two answers; None where nobody said."""
    assessor = joined_id(cells.get(role.ASSESSOR)) or None
    if role.CHOSEN in cells:
        return _Vote("a", assessor)
    if role.WON_A in cells:
        won = [side for side, what in (("a", role.WON_A), ("b", role.WON_B)) if _is_true(cells.get(what))]
        if len(won) == 2:
            raise _BadCellError("both models are said to have won")
        return _Vote(won[0] if won else TIE, assessor)
    given = cells.get(role.WINNER)
    word = joined_id(given)
    if not word or word.lower() in ("nan", "none", "null"):
        return None
    if word in models and models[0] != models[1]:
        return _Vote("ab"[list(models).index(word)], assessor)
    try:
        number = float(word)
    except ValueError:
        side = side_of(str(given))
        if not side:
            raise _BadCellError(
                f"the winner {quoted(str(given))} is neither a model nor a side nor a tie"
            ) from None
        return _Vote(side, assessor, both_bad=side == TIE and "bad" in word.lower())
    # As AlpacaEval writes them: 1 the first, 2 the second, between them how likely the second is.
    return _Vote(TIE if number in (0, 1.5) else "a" if number < 1.5 else "b", assessor)


def _is_true(cell: Any) -> bool:
    return str(cell).strip().lower() in ("1", "1.0", "true", "yes")


def _ids_of_rows(entries: Sequence[_Entry], unsure: bool) -> int:
    """Count the ids if they are those of rows, not of prompts: 0 if they are not.

    unsure: whether their column may have either, by its name; then they are if one prompt has several. By any
    name they are where each row has another and prompts come twice or more on the average.
    """
    ids: dict[str, set[str]] = {}  # prompt -> its ids
    for entry in entries:
        if entry.asked and entry.ident:
            ids.setdefault(_key(entry.asked), set()).add(entry.ident)
    each = sum(map(len, ids.values()))
    own_of_row = each == len(entries) == len({entry.ident for entry in entries}) and 2 * len(ids) <= each
    return each if each > len(ids) and (unsure or own_of_row) else 0


def _by_turn(entries: list[_Entry]) -> list[_Entry]:
    """Make a turn that was voted on alone another prompt."""
    turns: dict[str, set[str]] = {}
    for entry in entries:
        turns.setdefault(entry.ident, set()).add(entry.turn)
    return [_of_turn(e) if e.ident and len(turns[e.ident]) > 1 and e.turn.isdigit() else e for e in entries]


def _of_turn(entry: _Entry) -> _Entry:
    """The conversations of an entry up to the turn that it is about."""
    most = int(entry.turn)

    def cut(turns: list[Turn]) -> list[Turn]:
        starts = [place for place, turn in enumerate(turns) if turn.role == USER]
        return turns[: starts[most]] if most < len(starts) else turns

    answers = [(model, cut(turns)) for model, turns in entry.answers]
    return entry._replace(ident=f"{entry.ident}-{entry.turn}", answers=answers, asked=entry.asked[:most])


def _key(asked: Sequence[Turn]) -> str:
    return "\x1e".join(prompt_key(turn.text) for turn in asked)


def _gather(
    entries: Sequence[_Entry], known: Known, topics: dict[str, str], problems: Problems, record: bool
) -> Answers:
    """Make topics of prompts, items and rankings of answers, and preferences of votes."""
    found = Answers([], [], {}, [], [])
    groups: dict[tuple[str, str], list[_Entry]] = {}
    for entry in entries:
        groups.setdefault((entry.ident, "" if entry.ident else _key(entry.asked)), []).append(entry)
    # Those that are listed: every topic may count as known, since a file that names some could not be read.
    given = set(known.topics) if isinstance(known.topics, Iterable) else ()
    numbered = 0
    taken = {ident for ident, _ in groups}
    for (topic, _), group in groups.items():
        first = group[0]
        transcripts = [turns for entry in group for _, turns in entry.answers]
        shared = 0
        if any(turn.role == USER for turns in transcripts for turn in turns):
            shared = shared_turns(transcripts)
            if not shared:
                other = next(e for e in group if _key(e.asked[:1]) != _key(first.asked[:1]))
                told = f"the prompt {quoted(topic)} has another text than in row {first.place}"
                _note(problems, record, other.place, told)
                continue
            asked, earlier = transcripts[0][shared - 1].text, join_turns(transcripts[0][: shared - 1])
        else:
            asked, earlier = _listed(first.asked), ""
        if not topic:
            topic = topics.get(prompt_key(asked), "")
        while not topic:
            numbered += 1
            if (name := f"p{numbered}") not in given and name not in taken:
                topic = topics[prompt_key(asked)] = name
        reason = (
            (id_problem("prompt", topic) or text_problem(asked)) if asked else topic_problem(topic, known)
        )
        if not reason and topic in known.fixed:
            reason = topic_problem(topic, known)
        if reason:
            _note(problems, record, first.place, reason)
            continue
        if asked:
            found.prompts.append(PromptRecord(topic, asked, earlier, first.place, **first.extras))
        _add_answers(found, topic, group, shared, problems, record)
    return found


def _listed(asked: Sequence[Turn]) -> str:
    """The text of a prompt; of several turns, numbered."""
    if len(asked) < 2:
        return asked[0].text if asked else ""
    return "\n".join(f"{number}. {turn.text}" for number, turn in enumerate(asked, 1))


def _add_answers(
    found: Answers, topic: str, group: Sequence[_Entry], shared: int, problems: Problems, record: bool
) -> None:
    docnos: dict[str, dict[str, str]] = {}  # model -> text -> docno
    for entry in group:
        placed = []
        for model, turns in entry.answers:
            rest = turns[shared:]
            text = rest[0].text if len(rest) == 1 else join_turns(rest)
            own = docnos.setdefault(model, {})
            if text not in own:
                docno = model if not own else f"{model}{_TWICE}{len(own) + 1}"
                reason = docno_problem(docno) or (text_problem(text) if text else None)
                if docno == TIE:
                    reason = 'a model cannot be called "tie": judgment files use this word for a tie'
                if reason:
                    _note(problems, record, entry.place, reason)
                    break
                own[text] = docno
                found.items.append(ItemRecord(topic, docno, text or _EMPTY, entry.place))
                found.rankings.setdefault(model, {}).setdefault(topic, []).append(docno)
            placed.append(own[text])
        if entry.vote is None or len(placed) < 2:
            continue
        if placed[0] == placed[1]:
            _note(problems, record, entry.place, f"the answer of {quoted(placed[0])} is compared with itself")
            continue
        a, b = placed
        won = {"a": a, "b": b}.get(entry.vote.winner)
        found.votes.append(PreferenceRecord(topic, a, b, won, entry.vote.assessor, entry.place))
        if entry.vote.both_bad:
            found.both_bad.append(entry.place)
