"""A task knows how long its latest answers took on average, for forecasts of work."""

from statistics import fmean
from typing import Any

from django.db import migrations, models


def measure(apps: Any, _: Any) -> None:
    """Measure tasks that are answered already, as `judging.questions.expected_time.measure` does."""
    for task in apps.get_model("judging", "Task").objects.all():
        given = apps.get_model("judging", "Judgment").objects.filter(
            question__task=task,
            role__in=("counts", "challenge"),
            revision=0,
            seconds__gt=0,
            assignment__state__in=("working", "idle", "submitted", "kept"),
            assignment__assessor__excluded_at=None,
        )
        latest = list(given.order_by("-pk").values_list("seconds", flat=True)[:200])
        if len(latest) >= 50:
            task.average_seconds = round(fmean(latest), 1)
            task.save(update_fields=["average_seconds"])


class Migration(migrations.Migration):
    dependencies = [("judging", "0013_least_wanted")]

    operations = [
        migrations.AddField(
            "task", "average_seconds", models.FloatField(blank=True, editable=False, null=True)
        ),
        migrations.RunPython(measure, migrations.RunPython.noop),
    ]
