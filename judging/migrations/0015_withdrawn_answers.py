"""Answers that are withdrawn: a row without a value, and why its assessor cannot judge the question."""

from django.db import migrations, models
from django.db.models import Q

from collection.triggers import append_only, append_only_but
from judging.batches.closed_batch_trigger import answers_at_any_time, no_late_answers


class Migration(migrations.Migration):
    dependencies = [("judging", "0014_average_seconds")]

    operations = [
        answers_at_any_time(),
        migrations.AlterField("judgment", "value", models.JSONField(blank=True, null=True)),
        migrations.AddConstraint(
            "judgment",
            models.CheckConstraint(
                condition=Q(value__isnull=False)
                | Q(revision__gt=0, seconds=None, seen=None, paradata__isnull=True, details__isnull=True),
                name="judgment_withdraws_an_answer",
            ),
        ),
        migrations.AddIndex(
            "judgment",
            models.Index(
                fields=["assignment", "question"],
                condition=Q(value__isnull=True),
                name="judgment_withdrawn",
            ),
        ),
        migrations.AddField("decline", "revision", models.PositiveSmallIntegerField(default=0, db_default=0)),
        migrations.RemoveConstraint("decline", "declined_once"),
        migrations.AddConstraint(
            "decline",
            models.UniqueConstraint(fields=["assignment", "question", "revision"], name="declined_once"),
        ),
        append_only("judging_decline"),
        append_only_but("judging_judgment", "remark"),
        no_late_answers(),
    ]
