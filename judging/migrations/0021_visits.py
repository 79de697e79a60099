"""Batches know at which visit of their panel's address they were opened."""

from django.db import migrations, models

from judging.late_answers import answers_at_any_time, no_late_answers


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0020_questions_asked_again"),
    ]

    operations = [
        answers_at_any_time(),
        migrations.AddField(
            model_name="assignment",
            name="visit",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        no_late_answers(),
    ]
