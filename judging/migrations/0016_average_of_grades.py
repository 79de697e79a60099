"""How the answers about an item become its collected grade."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0015_failing"),
    ]

    operations = [
        migrations.AddField(
            model_name="task",
            name="average",
            field=models.CharField(
                choices=[
                    ("median", "The median: one odd answer moves it little"),
                    ("mean", "The mean: every answer moves it"),
                ],
                default="median",
                max_length=6,
            ),
        ),
    ]
