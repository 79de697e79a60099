"""How answers were given: by key, mouse or touch, with how many moves; None of all that are there."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("judging", "0009_confirm_hasty")]

    operations = [
        migrations.AddField("judgment", "paradata", models.JSONField(blank=True, null=True)),
    ]
