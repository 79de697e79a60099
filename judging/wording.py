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
# Of picks, where more than two are compared.
BEST: dict[str, str] = {
    Study.Kind.TEXT: "Which one answers the question best?",
    Study.Kind.IMAGE: "Which picture answers the question best?",
}


def wording_for(kind: str, wording: str, asks: str = "pair") -> str:
    """Wording for a kind of study and of task: one of our own changes with them, any other stays."""
    usual = BEST if asks == "pick" else WORDINGS
    return usual[kind] if wording in (*WORDINGS.values(), *BEST.values()) else wording
