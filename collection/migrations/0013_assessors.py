"""A part in a study for those who judge it with an account."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("collection", "0012_language"),
    ]

    operations = [
        migrations.AlterField(
            model_name="membership",
            name="role",
            field=models.CharField(
                choices=[
                    ("organizer", "Organizer: loads, opens and steers the study"),
                    ("coordinator", "Coordinator: watches topics and the leaderboard"),
                    ("assessor", "Assessor: judges, and sees their own questions and answers alone"),
                ],
                max_length=12,
            ),
        ),
    ]
