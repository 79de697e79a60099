"""Cells of a table of votes: which models it names, and which side an answer means."""

from collections.abc import Mapping

from .headers import plain_name
from .ids import TIE, joined_id, quoted

_LEFT = {"a", "left", "x", *(f"{what}_a" for what in ("model", "assistant", "system", "answer", "response"))}
_RIGHT = {
    "b",
    "right",
    "y",
    *(f"{what}_b" for what in ("model", "assistant", "system", "answer", "response")),
}
_SIDES = {**dict.fromkeys(_LEFT, "a"), **dict.fromkeys(_RIGHT, "b")}
_TIES = {TIE, "tie (bothbad)", "both_bad", "bothbad", "both bad", "draw"}


def names_models(columns: Mapping[str, str], named: Mapping[str, str] | None) -> bool:
    """Whether a table of judgments names models or runs, not items."""
    return "model_a" in (named or ()) or plain_name(columns["a"]).startswith(("model", "system", "run"))


def model_ids(vote: Mapping[str, str]) -> dict[str, str]:
    """Name the models of a row, and the one that won, as their answers are named when they are loaded."""
    ids = {column: joined_id(vote[column]) for column in ("a", "b")}
    won = joined_id(vote["winner"])
    return ids | ({"winner": won} if won in ids.values() else {})


def vote_problem(columns: Mapping[str, str], vote: dict[str, str], turns: dict[str, str]) -> str | None:
    """Make of an answer's winner its docno, or "tie"; say what is wrong, if so.

    turns: topic -> its turn, of conversations in which each turn is another question.
    """
    if not vote.get("assessor", "?").strip() and not vote.get("strength", "").strip():
        del vote["assessor"]  # nobody says who it was
        vote.pop("strength", None)
    turn = vote.pop("turn", "")
    if (earlier := turns.setdefault(vote["topic"], turn)) != turn:
        topic = quoted(vote["topic"])
        return f"{topic} has turn {turn} after turn {earlier}: give each turn a topic of its own"
    won, a, b = (vote[column].strip() for column in ("winner", "a", "b"))
    word = won.lower()
    left, right = plain_name(columns["a"]), plain_name(columns["b"])
    if left != right and ((won == a and word == right) or (won == b and word == left)):
        return f"the winner {quoted(won)} is a docno and means the other side, too: write the docno of a side"
    if won not in (a, b):
        won = {"a": a, "b": b, TIE: TIE}.get(side_of(word), won)
    vote["winner"] = won
    return None


def side_of(word: str) -> str:
    """The side that a word of an answer names: "a", "b" or "tie"; "" for any other word."""
    plain = plain_name(word)
    return _SIDES.get(plain) or (TIE if word.strip().lower() in _TIES else "")
