"""Another reason why a question cannot be judged is another row."""

from django.db import migrations, models

from collection.triggers import append_only


class Migration(migrations.Migration):
    dependencies = [("judging", "0016_sides_of_trust")]

    operations = [
        migrations.RemoveConstraint("decline", "declined_once"),
        migrations.AddIndex(
            "decline", models.Index(fields=["assignment", "question"], name="declined_of_a_batch")
        ),
        # SQLite makes the table anew, without its trigger.
        append_only("judging_decline"),
    ]
