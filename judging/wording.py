"""Wordings of a study's question: what is asked about passages and pictures unless a study says otherwise."""

from collection.models import Study

WORDINGS: dict[str, str] = {
    Study.Kind.TEXT: "Which one answers the question better?",
    Study.Kind.IMAGE: "Which picture answers the question better?",
}
PAGES_WORDINGS: dict[str, str] = {
    Study.Kind.TEXT: "Which page of results answers the question better?",
    Study.Kind.IMAGE: "Which page of pictures answers the question better?",
}


def wording_for(kind: str, wording: str) -> str:
    """Wording for a kind of study: one of our own changes with the kind, any other stays."""
    return WORDINGS[kind] if wording in WORDINGS.values() else wording
