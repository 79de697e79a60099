"""Aspects, reasons and sentences of answers; of all these a sentence alone can be erased."""

from django.db import migrations, models
from django.db.models import Q

from collection.triggers import append_only_but
from judging.batches.closed_batch_trigger import answers_at_any_time, no_late_answers


class Migration(migrations.Migration):
    dependencies = [("judging", "0007_agreement_of_trust")]

    operations = [
        answers_at_any_time(),
        migrations.AddField("judgment", "details", models.JSONField(blank=True, null=True)),
        migrations.AddField("judgment", "remark", models.CharField(blank=True, max_length=516, null=True)),
        migrations.AddConstraint(
            "judgment",
            models.CheckConstraint(
                condition=Q(remark=None) | Q(details__isnull=False), name="judgment_remark_is_sealed"
            ),
        ),
        append_only_but("judging_judgment", "remark"),
        no_late_answers(),
    ]
