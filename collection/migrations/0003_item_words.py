"""The words of each item's text, counted when it is stored."""

from django.db import migrations

from collection.word_count import WordCountField, count_words

CHUNK = 1000


def count_all(apps, schema_editor):
    Item = apps.get_model("collection", "Item")
    rows = Item._base_manager.using(schema_editor.connection.alias)
    last = 0
    while found := list(rows.filter(pk__gt=last).exclude(text="").order_by("pk").only("pk", "text")[:CHUNK]):
        for item in found:
            item.words = count_words(item.text)
        rows.bulk_update(found, ["words"], batch_size=200)
        last = found[-1].pk


class Migration(migrations.Migration):
    replaces = [("collection", "0027_item_words")]
    dependencies = [("collection", "0002_ground_of_pictures")]

    operations = [
        migrations.AddField("item", "words", WordCountField(db_default=0, default=0)),
        migrations.RunPython(count_all, migrations.RunPython.noop),
    ]
