"""Conversations: turns of users and assistants, read from chat transcripts and stored as one text.

A stored conversation is a text in which each turn begins with the character U+001E, the role and a line end.
Any other text is a single turn without a role.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

USER, ASSISTANT, SYSTEM, TOOL = "user", "assistant", "system", "tool"
_BEGIN = "\x1e"
_ROLES = {
    **dict.fromkeys(("user", "human", "prompter", "customer"), USER),
    **dict.fromkeys(("assistant", "gpt", "bot", "model", "chatbot", "ai", "agent"), ASSISTANT),
    **dict.fromkeys(("system", "developer"), SYSTEM),
    **dict.fromkeys(("tool", "function", "observation"), TOOL),
}


class Turn(NamedTuple):
    """One message of a conversation; role: user, assistant, system or tool."""

    role: str
    text: str


def join_turns(turns: Iterable[Turn]) -> str:
    """Store turns as one text; `split_turns` is the inverse."""
    return "".join(f"{_BEGIN}{turn.role}\n{turn.text.replace(_BEGIN, '')}" for turn in turns)


# An answer that is empty, as it is stored.
NO_ANSWER = join_turns([Turn(ASSISTANT, "")])


def split_turns(text: str) -> list[Turn]:
    """Split a stored conversation into its turns; [] for a text that is no conversation."""
    if not text.startswith(_BEGIN):
        return []
    turns = []
    for part in text[1:].split(_BEGIN):
        role, _, said = part.partition("\n")
        turns.append(Turn(role if role in _ROLES.values() else ASSISTANT, said))
    return turns


def plain_turns(text: str) -> str:
    """Write a stored conversation for people: "User: ..." in lines of its own; any other text unchanged."""
    turns = split_turns(text)
    return "\n\n".join(f"{turn.role.capitalize()}: {turn.text}" for turn in turns) if turns else text


def read_turns(given: object) -> list[Turn] | None:
    """Read the messages of a transcript: objects with role and content, or from and value; or their JSON.

    Content may be a list of parts: their texts are joined. None if it is no transcript.
    """
    if isinstance(given, str) and given.lstrip().startswith("["):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            return None
    if not isinstance(given, Sequence) or isinstance(given, str) or not given:
        return None
    turns = []
    for message in given:
        if not isinstance(message, Mapping):
            return None
        said = message.get("role", message.get("from"))
        text = content_text(
            next((message[key] for key in ("content", "value", "text") if key in message), None)
        )
        role = _ROLES.get(said.lower()) if isinstance(said, str) else None
        if role is None or text is None:
            return None
        turns.append(Turn(role, text.strip()))
    return turns


def content_text(content: Any) -> str | None:
    """Join the texts of a message's content, a string or a list of parts; None if it has another form."""
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    if isinstance(content, Mapping):
        return content_text(content.get("text", content.get("content")))
    if isinstance(content, Sequence):
        parts = [part if isinstance(part, str) else _part(part) for part in content]
        return None if None in parts else "\n\n".join(filter(None, parts))
    return None


def _part(part: object) -> str | None:
    if not isinstance(part, Mapping):
        return None
    if part.get("text") is not None:
        return content_text(part["text"])
    kind = str(part.get("type", "part")).removesuffix("_url").replace("_", " ")
    return f"[{kind}]"


def shared_turns(transcripts: Sequence[Sequence[Turn]]) -> int:
    """Count the turns that all transcripts begin with, up to and with a user's; 0 if there is no user's turn.

    Each transcript has at least one turn after them.
    """
    least = min(len(turns) for turns in transcripts) - 1
    shared = 0
    first = transcripts[0]
    while shared < least and all(turns[shared] == first[shared] for turns in transcripts):
        shared += 1
    while shared and first[shared - 1].role != USER:
        shared -= 1
    return shared
