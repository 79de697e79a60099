"""Questions asked again within a batch: how many, and the further rows that stand for them."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0019_other_reason"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="question", name="question_once"),
        migrations.AddField(
            model_name="question",
            name="again",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="task",
            name="repeats",
            field=models.PositiveSmallIntegerField(
                db_default=0, default=0, validators=[django.core.validators.MaxValueValidator(10)]
            ),
        ),
        migrations.AddConstraint(
            model_name="question",
            constraint=models.UniqueConstraint(
                fields=("topic", "task", "key", "again"), name="question_once"
            ),
        ),
    ]
