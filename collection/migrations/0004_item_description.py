"""What a picture shows, in words."""

from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [("collection", "0028_item_description")]
    dependencies = [("collection", "0003_item_words")]

    operations = [
        migrations.AddField("item", "description", models.TextField(blank=True, db_default="", default="")),
    ]
