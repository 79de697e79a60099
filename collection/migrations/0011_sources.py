"""Answers have sources that they cite."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("collection", "0010_sound_and_film")]

    operations = [
        migrations.AddField("item", "sources", models.JSONField(blank=True, null=True)),
    ]
