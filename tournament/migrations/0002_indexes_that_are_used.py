"""Foreign keys without indexes that no query uses."""

from django.db import migrations, models

from config.indexes import unindexed


class Migration(migrations.Migration):
    dependencies = [
        ("tournament", "0001_initial"),
    ]

    operations = [
        unindexed("tournament", "pairing", "question", models.ForeignKey(db_index=False, on_delete=models.PROTECT, related_name="pairings", to="judging.question")),
        unindexed("tournament", "pairing", "round", models.ForeignKey(db_index=False, on_delete=models.CASCADE, related_name="pairings", to="tournament.round")),
        unindexed("tournament", "round", "tournament", models.ForeignKey(db_index=False, on_delete=models.CASCADE, related_name="rounds", to="tournament.tournament")),
    ]
