"""Limits of a study, and actions of pausing people."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("collection", "0015_mails"),
    ]

    operations = [
        migrations.AddField(
            model_name="study",
            name="batches_a_day",
            field=models.PositiveIntegerField(
                blank=True, null=True, validators=[django.core.validators.MinValueValidator(1)]
            ),
        ),
        migrations.AddField(
            model_name="study",
            name="batches_each",
            field=models.PositiveSmallIntegerField(
                blank=True, null=True, validators=[django.core.validators.MinValueValidator(1)]
            ),
        ),
        migrations.AddField(
            model_name="study",
            name="closes_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="study",
            name="judgments_most",
            field=models.PositiveIntegerField(
                blank=True, null=True, validators=[django.core.validators.MinValueValidator(1)]
            ),
        ),
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
                    ("taken back", "took a release back"),
                    ("held", "paused an assessor"),
                    ("let on", "let a paused assessor go on"),
                    ("link on", "turned the open link on"),
                    ("link off", "turned the open link off"),
                    ("invited", "made personal links"),
                    ("saw links", "was shown personal links"),
                    ("took links", "downloaded all personal links"),
                    ("addresses", "loaded e-mail addresses"),
                    ("saw mails", "was shown e-mail addresses"),
                    ("forgot", "deleted e-mail addresses"),
                    ("mailed", "sent e-mail"),
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
