"""Wordings: the default question about passages, pictures and result pages."""

from django.utils.translation import gettext_noop

from collection.models import Study
from judging.tasks.grade import USUAL

WORDINGS: dict[str, str] = {
    Study.Kind.TEXT: gettext_noop("Which one answers the question better?"),
    Study.Kind.IMAGE: gettext_noop("Which picture answers the question better?"),
    Study.Kind.SOUND: gettext_noop("Which recording answers the question better?"),
    Study.Kind.FILM: gettext_noop("Which film answers the question better?"),
}
PAGES_WORDINGS: dict[str, str] = {
    Study.Kind.TEXT: gettext_noop("Which page of results answers the question better?"),
    Study.Kind.IMAGE: gettext_noop("Which page of pictures answers the question better?"),
    Study.Kind.SOUND: "Which page of results answers the question better?",
    Study.Kind.FILM: "Which page of results answers the question better?",
}
# Of picks, where more than two are compared.
BEST: dict[str, str] = {
    Study.Kind.TEXT: gettext_noop("Which one answers the question best?"),
    Study.Kind.IMAGE: gettext_noop("Which picture answers the question best?"),
}
GRADES_WORDINGS: dict[str, str] = {
    Study.Kind.TEXT: gettext_noop("How well does this passage answer the question?"),
    Study.Kind.IMAGE: gettext_noop("How well does this picture answer the question?"),
    Study.Kind.SOUND: gettext_noop("How well does this recording answer the question?"),
    Study.Kind.FILM: gettext_noop("How well does this film answer the question?"),
    Study.Case.ANSWERS: gettext_noop("How good is this answer?"),
}
# Texts of ours among those that a study may have: pages say them in their language.
OURS = {text for texts in (WORDINGS, PAGES_WORDINGS, BEST, GRADES_WORDINGS, USUAL) for text in texts.values()}


def wording_for(kind: str, wording: str, asks: str = "pair") -> str:
    """Wording for a kind of study and of task: one of our own changes with them, any other stays."""
    usual = BEST if asks == "pick" else WORDINGS
    return usual.get(kind, wording) if wording in (*WORDINGS.values(), *BEST.values()) else wording
