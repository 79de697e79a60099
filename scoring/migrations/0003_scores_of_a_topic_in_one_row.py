"""Scores of a topic in one row instead of one row for each run, measure and options."""

from array import array
from collections import defaultdict
from typing import Any

from django.db import migrations, models

from config.indexes import unindexed

CHUNK = 200


def pack(apps: Any, schema_editor: Any) -> None:
    """Put the scores that there are into their topics' rows, as `scoring.packed` does."""
    Score, Scored = apps.get_model("scoring", "Score"), apps.get_model("scoring", "Scored")
    topics = list(Scored.objects.order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(topics), CHUNK):
        found: dict[int, dict[tuple[str, str], dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
        rows = Score.objects.filter(topic__in=topics[start : start + CHUNK]).order_by("topic_id", "measure", "options")
        for topic, run, measure, options, value in rows.values_list(
            "topic_id", "run_id", "measure", "options", "value"
        ):
            found[topic][measure, options][run] = float("nan") if value is None else value
        for topic, columns in found.items():
            runs = sorted({run for values in columns.values() for run in values})
            numbers = array("d", (own.get(run, float("nan")) for own in columns.values() for run in runs))
            Scored.objects.filter(pk=topic).update(
                columns="\n".join(map(" ".join, columns)), runs=array("q", runs).tobytes(), numbers=numbers.tobytes()
            )


def keep_uncompressed(apps: Any, schema_editor: Any) -> None:
    """Let PostgreSQL store the numbers as they are, so that it can read a piece of them."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE scoring_scored ALTER COLUMN numbers SET STORAGE EXTERNAL")


class Migration(migrations.Migration):
    dependencies = [
        ("scoring", "0002_provisional"),
    ]

    operations = [
        migrations.AddField(model_name="scored", name="columns", field=models.TextField(blank=True, default=""), preserve_default=False),
        migrations.AddField(model_name="scored", name="runs", field=models.BinaryField(default=bytes)),
        migrations.AddField(model_name="scored", name="numbers", field=models.BinaryField(default=bytes)),
        migrations.RunPython(keep_uncompressed, migrations.RunPython.noop),
        migrations.RunPython(pack, migrations.RunPython.noop),
        migrations.DeleteModel(name="Score"),
        unindexed(
            "scoring",
            "standing",
            "study",
            models.ForeignKey(
                db_index=False, on_delete=models.CASCADE, related_name="standings", to="collection.study"
            ),
        ),
    ]
