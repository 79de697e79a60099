"""What a picture shows, in words."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("collection", "0027_item_words")]

    operations = [
        migrations.AddField("item", "description", models.TextField(blank=True, db_default="", default="")),
    ]
