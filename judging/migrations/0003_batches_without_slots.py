"""Batches without slots: each batch had one, and only the name of its file was ever read."""

from django.db import migrations, models

from judging.batches.closed_batch_trigger import answers_at_any_time, no_late_answers

SOURCES = """
UPDATE judging_assignment SET source = slot.source
FROM judging_slot slot WHERE slot.id = judging_assignment.slot_id AND slot.source <> ''
"""


class Migration(migrations.Migration):
    dependencies = [("judging", "0002_expected_time")]

    operations = [
        answers_at_any_time(),
        migrations.AddField(
            "assignment", "source", models.CharField(blank=True, db_default="", default="", max_length=200)
        ),
        migrations.RunSQL(SOURCES),
        migrations.RemoveConstraint("assignment", "assignment_slot_held_once"),
        migrations.RenameField("assignment", "slot", "sealed_slot"),
        migrations.AlterField(
            "assignment", "sealed_slot", models.BigIntegerField(blank=True, editable=False, null=True)
        ),
        migrations.AddIndex(
            "assignment",
            models.Index(condition=models.Q(("source", "")), fields=["opened_at"], name="assignment_of_a_day"),
        ),
        migrations.DeleteModel("Slot"),
        no_late_answers(),
    ]
