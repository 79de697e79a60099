"""How long a batch may be silent because of what it shows, and how long questions of a task have taken."""

from django.db import migrations, models

from judging.batches.closed_batch_trigger import answers_at_any_time, no_late_answers


class Migration(migrations.Migration):
    replaces = [("judging", "0026_expected_time")]
    dependencies = [("judging", "0001_squashed"), ("collection", "0003_item_words")]

    operations = [
        answers_at_any_time(),
        migrations.AddField(
            "assignment", "patience", models.PositiveSmallIntegerField(db_default=0, default=0)
        ),
        no_late_answers(),
        migrations.AddField(
            "task", "measured_seconds", models.FloatField(blank=True, editable=False, null=True)
        ),
    ]
