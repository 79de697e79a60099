"""Presets: what a new study is set to, by what its organizer wants to compare."""

from typing import Any

from collection.models import Study

RANKINGS, ANSWERS, PICTURES, RECORDINGS = "rankings", "answers", "pictures", "recordings"
# Preset -> fields of the study that differ from their defaults.
PRESETS: dict[str, dict[str, Any]] = {
    RANKINGS: {},
    ANSWERS: {"case": Study.Case.ANSWERS, "markup": Study.Markup.MARKDOWN, "measures": "win_rate"},
    PICTURES: {"kind": Study.Kind.IMAGE},
    RECORDINGS: {"kind": Study.Kind.SOUND},
}
