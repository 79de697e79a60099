"""An organizer can want more answers to a question than its tournament does."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("judging", "0012_tell_agreement")]

    operations = [
        migrations.AddField("question", "least_wanted", models.PositiveSmallIntegerField(default=0, db_default=0)),
    ]
