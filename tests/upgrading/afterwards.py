"""What an older database looks like once it is up to date: printed as JSON by one process of the deployment.

`manage.py shell -c "from tests.upgrading import afterwards; afterwards.tell()"`.
"""

import json
from dataclasses import asdict
from io import StringIO
from typing import Any

from django.core.management import call_command

from collection.models import Study, Topic
from judging.batches import answering
from judging.models import Assignment
from scoring.board import leaderboard, standings
from scoring.models import StoredScores
from scoring.scores import topic_scores
from tests.makers import answer, whim

SLUG = "older"


def said(*command: str) -> str:
    """What a manage.py command prints."""
    out = StringIO()
    call_command(*command, stdout=out)
    return out.getvalue()


def asked() -> list[int]:
    return list(Topic.objects.order_by("pk").values_list("asked", flat=True))


def finish_the_open_batch() -> str:
    """Answer what is left of it and send it; its verdict."""
    batch = Assignment.objects.get(state=Assignment.State.WORKING)
    answer(batch, choose=whim)
    return answering.submit(batch.pk).state


def tell() -> None:
    """Export, rebuild, go on judging, rebuild again."""
    study = Study.objects.get(slug=SLUG)
    found: dict[str, Any] = {
        "to be scored": topic_scores.behind(),
        "scored": topic_scores.catch_up(),
        "ceilings": [len(one.ceilings) for one in StoredScores.objects.all()],
        "judgments": said("export", SLUG, "judgments"),
        "scores": said("export_scores", SLUG),
        "asked": asked(),
        "settings": {task.kind: asdict(task.settings_of_kind) for task in study.tasks.all()},
        "rebuilt": said("rebuild", SLUG),
        "scores again": said("export_scores", SLUG),
        "asked again": asked(),
    }
    found["verdict"] = finish_the_open_batch()
    call_command("catchup", stdout=StringIO())
    found["rows of the leaderboard"] = len(leaderboard.board_of(standings.write(study), 0.95).rows)
    found["rebuilt again"] = said("rebuild", SLUG)
    found["verified"] = said("verify", SLUG)
    print(json.dumps(found, default=str))
