"""What loading may write, for tests that compare all of it before and after."""

from pathlib import Path

from django.conf import settings

from collection.models import Grade, Item, Placement, Run, Study, Topic
from judging.models import Assessor, Assignment, Judgment, Question
from tests.makers import add_run

LOADED = (Topic, Item, Grade, Run, Placement, Question, Assessor, Assignment, Judgment)
# Kinds of files that belong into studies of images.
IMAGE_KINDS = {
    "images",
    "descriptions",
    "grid",
    "xie-positions",
    "xie-judgments",
    "xie-relevance",
    "xie-pages",
}
# Runs that a kind of file is about, which have to be loaded before.
RUNS_OF = {"pages": ("r", "s"), "xie-pages": ("sogou", "baidu")}


def with_runs(study: Study, kind: str) -> Study:
    """The study with the runs that a kind of file is about."""
    for name in RUNS_OF.get(kind, ()):
        add_run(study, name, {"t1": ["d1"]})
    return study


def everything() -> list:
    """All rows that loading may write, those that nobody is shown too, and all stored files."""
    return [list(model._base_manager.order_by("pk").values()) for model in LOADED] + [stored_files()]


def seen() -> list:
    """What is shown of all that: without rows that are being loaded."""
    counting = Judgment.objects.counting().order_by("pk").values("pk")
    shown = [list(model.objects.order_by("pk").values()) for model in (Topic, Item, Grade, Run, Placement)]
    kept = Assignment.objects.exclude(state=Assignment.State.LOADING).order_by("pk").values("pk", "state")
    return [*shown, list(counting), list(kept)]


def stored_files() -> list[str]:
    """Names of all files in the media folder."""
    root = Path(settings.MEDIA_ROOT)
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())
