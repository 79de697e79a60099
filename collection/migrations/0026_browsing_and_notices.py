"""Items with nothing to show are found without reading every text."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("collection", "0021_shared_boards"),
    ]

    operations = [
        migrations.AddIndex(
            "item",
            models.Index(condition=models.Q(("image", ""), ("text", "")), fields=["topic"], name="item_bare"),
        ),
    ]
