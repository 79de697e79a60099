"""Tasks can ask once more about an answer that came faster than anyone can read."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("judging", "0008_aspects")]

    operations = [
        migrations.AddField("task", "confirm_hasty", models.BooleanField(default=False, db_default=False)),
    ]
