"""Tasks can tell people after each batch how often others answered alike."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("judging", "0011_answer_notes")]

    operations = [
        migrations.AddField("task", "tell_agreement", models.BooleanField(default=False, db_default=False)),
    ]
