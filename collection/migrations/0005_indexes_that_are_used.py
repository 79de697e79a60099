"""Foreign keys without indexes that no query uses; topics of runs are counted once; topics whose top is known."""

from django.db import migrations, models

from config.indexes import unindexed

COUNT = """
UPDATE collection_run SET topics =
    (SELECT count(DISTINCT topic_id) FROM collection_placement WHERE run_id = collection_run.id)
"""


class Migration(migrations.Migration):
    dependencies = [
        ("collection", "0004_staged_imports"),
    ]

    operations = [
        migrations.AddField("run", "topics", models.PositiveIntegerField(default=0)),
        migrations.RunSQL(COUNT, migrations.RunSQL.noop),
        unindexed("collection", "item", "topic", models.ForeignKey(db_index=False, on_delete=models.PROTECT, related_name="items", to="collection.topic")),
        unindexed("collection", "placement", "run", models.ForeignKey(db_index=False, on_delete=models.CASCADE, related_name="placements", to="collection.run")),
        unindexed("collection", "placement", "topic", models.ForeignKey(db_index=False, on_delete=models.PROTECT, related_name="placements", to="collection.topic")),
        unindexed("collection", "topic", "study", models.ForeignKey(db_index=False, on_delete=models.PROTECT, related_name="topics", to="collection.study")),
        migrations.AddIndex(
            "item",
            models.Index(condition=models.Q(("top_rank__isnull", False)), fields=["topic"], name="item_placed"),
        ),
    ]
