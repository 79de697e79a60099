"""Actions of campaigns in the trail."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("collection", "0013_assessors"),
    ]

    operations = [
        migrations.AlterField(
            model_name="action",
            name="what",
            field=models.CharField(
                choices=[
                    ("made", "made the study"),
                    ("settings", "changed settings"),
                    ("texts", "changed what assessors read"),
                    ("loaded", "loaded a file"),
                    ("opened", "opened judging"),
                    ("graded", "took collected grades as the study's"),
                    ("paused", "paused judging"),
                    ("closed", "ended judging"),
                    ("reopened", "opened judging again"),
                    ("cut short", "closed open batches"),
                    ("released", "released open batches"),
                    ("link on", "turned the open link on"),
                    ("link off", "turned the open link off"),
                    ("invited", "made personal links"),
                    ("saw links", "was shown personal links"),
                    ("took links", "downloaded all personal links"),
                    ("excluded", "excluded an assessor"),
                    ("readmitted", "let an assessor back in"),
                    ("set aside", "set a question aside"),
                    ("asked again", "asked a question again"),
                    ("member", "gave somebody a part in the study"),
                    ("member out", "took somebody's part in the study away"),
                    ("campaign", "made or changed a campaign"),
                    ("cap", "set what may be spent"),
                    ("armed", "armed a campaign"),
                    ("published", "published places"),
                    ("stopped", "stopped a campaign"),
                    ("ended", "closed a campaign"),
                    ("owed", "owed a bonus"),
                    ("paid", "marked as paid"),
                    ("replayed", "let simulated assessors judge"),
                    ("rebuilt", "rebuilt what follows from the ledger"),
                ],
                max_length=12,
            ),
        ),
    ]
