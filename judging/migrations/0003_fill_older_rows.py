"""Fill what databases from before the last two columns lack: a batch's expected answers, what a topic asks.

Their defaults stand for something else: without its expected answers no verdict on a batch can be given, and
a topic that asks nothing weighs in a leaderboard like one that is finished.
"""

from typing import Any

from django.db import migrations
from django.db.models import OuterRef, Subquery, Sum
from django.db.models.functions import Coalesce


def fill(apps: Any, schema_editor: Any) -> None:
    """Take expected answers from the challenges, and sum up what the questions of each topic want."""
    batch_question = apps.get_model("judging", "BatchQuestion").objects
    question = apps.get_model("judging", "Question").objects
    topic = apps.get_model("collection", "Topic").objects
    known = question.filter(pk=OuterRef("question_id")).values("expected")
    batch_question.filter(challenge=True, expected__isnull=True).update(expected=Subquery(known))
    wanted = question.filter(topic=OuterRef("pk"), wanted__gt=0).order_by().values("topic")
    topic.filter(asked=0).update(asked=Coalesce(Subquery(wanted.values(n=Sum("wanted"))), 0))


class Migration(migrations.Migration):
    dependencies = [
        ("collection", "0002_asked"),
        ("judging", "0002_assessors_path"),
    ]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
