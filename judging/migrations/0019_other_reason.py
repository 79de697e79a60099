"""One reason more for which a question cannot be judged."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0018_reopened"),
    ]

    operations = [
        migrations.AlterField(
            model_name="declined",
            name="reason",
            field=models.CharField(
                choices=[
                    ("broken", "It is broken, or cannot be read"),
                    ("offensive", "It is offensive"),
                    ("language", "It is in a language that I do not read"),
                    ("alike", "They are too much alike"),
                    ("unknown", "I know nothing of the subject"),
                    ("other", "Something else"),
                ],
                max_length=12,
            ),
        ),
    ]
