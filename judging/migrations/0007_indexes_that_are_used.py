"""Foreign keys of what every answer writes, without indexes that no query uses."""

from django.db import migrations, models

from config.indexes import unindexed


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0006_loading_state"),
    ]

    operations = [
        unindexed("judging", "assessor", "study", models.ForeignKey(db_index=False, on_delete=models.PROTECT, related_name="assessors", to="collection.study")),
        unindexed("judging", "assignment", "slot", models.ForeignKey(db_index=False, on_delete=models.PROTECT, related_name="assignments", to="judging.slot")),
        unindexed("judging", "assignment", "task", models.ForeignKey(db_index=False, on_delete=models.PROTECT, related_name="+", to="judging.task")),
        unindexed("judging", "batchquestion", "assessor", models.ForeignKey(db_index=False, on_delete=models.PROTECT, related_name="+", to="judging.assessor")),
        unindexed("judging", "batchquestion", "assignment", models.ForeignKey(db_index=False, on_delete=models.PROTECT, related_name="batch", to="judging.assignment")),
        unindexed("judging", "judgment", "assignment", models.ForeignKey(db_index=False, on_delete=models.PROTECT, related_name="judgments", to="judging.assignment")),
        unindexed("judging", "judgment", "question", models.ForeignKey(db_index=False, on_delete=models.PROTECT, related_name="judgments", to="judging.question")),
        unindexed("judging", "question", "study", models.ForeignKey(db_index=False, on_delete=models.PROTECT, related_name="+", to="collection.study")),
        unindexed("judging", "question", "topic", models.ForeignKey(db_index=False, on_delete=models.PROTECT, related_name="questions", to="collection.topic")),
        unindexed("judging", "slot", "study", models.ForeignKey(db_index=False, on_delete=models.PROTECT, related_name="slots", to="collection.study")),
        unindexed("judging", "subject", "question", models.ForeignKey(db_index=False, on_delete=models.CASCADE, related_name="subjects", to="judging.question")),
        unindexed("judging", "subject", "run", models.ForeignKey(blank=True, db_index=False, null=True, on_delete=models.PROTECT, related_name="+", to="collection.run")),
        unindexed(
            "judging",
            "question",
            "task",
            models.ForeignKey(
                db_index=False, on_delete=models.PROTECT, related_name="questions", to="judging.task"
            ),
        ),
        migrations.AddIndex(
            "decision",
            models.Index(condition=models.Q(("assignment", None)), fields=["id"], name="decision_not_of_batch"),
        ),
        migrations.AddIndex(
            "subject",
            models.Index(condition=models.Q(("run__isnull", False)), fields=["run"], name="subject_run"),
        ),
    ]
