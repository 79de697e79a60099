"""The role of a question in a batch, in place of a boolean that challenges and repeats had in common."""

from django.db import migrations, models
from django.db.models import Q

from collection.triggers import append_only, rows_may_change
from judging.batches.closed_batch_trigger import answers_at_any_time, no_late_answers

TABLES = ("judging_batchquestion", "judging_judgment")
ROLES = """
UPDATE {table} SET role = CASE
    WHEN question_id IN (SELECT id FROM judging_question WHERE again) THEN 'repeat' ELSE 'challenge' END
WHERE challenge
"""
CHOICES = [
    ("counts", "counts"),
    ("challenge", "has a known answer"),
    ("repeat", "asked again, to see if the answer is the same"),
]
KNOWN = ["counts", "challenge", "repeat"]


class Migration(migrations.Migration):
    dependencies = [("judging", "0004_declines_and_withdrawals")]

    operations = [
        answers_at_any_time(),
        *(rows_may_change(table) for table in TABLES),
        migrations.AddField(
            "batchquestion",
            "role",
            models.CharField(choices=CHOICES, default="counts", max_length=9),
            preserve_default=False,
        ),
        migrations.AddField(
            "judgment", "role", models.CharField(choices=CHOICES, default="counts", max_length=9)
        ),
        *(migrations.RunSQL(ROLES.format(table=table)) for table in TABLES),
        migrations.RemoveField("batchquestion", "challenge"),
        migrations.RemoveField("judgment", "challenge"),
        migrations.AddConstraint(
            "batchquestion",
            models.CheckConstraint(condition=Q(("role__in", KNOWN)), name="batch_role_is_known"),
        ),
        migrations.AddConstraint(
            "batchquestion",
            models.CheckConstraint(
                condition=Q(("expected__isnull", False), ("role", "challenge"))
                | (~Q(("role", "challenge")) & Q(("expected__isnull", True))),
                name="batch_challenge_has_an_answer",
            ),
        ),
        migrations.AddConstraint(
            "judgment",
            models.CheckConstraint(condition=Q(("role__in", KNOWN)), name="judgment_role_is_known"),
        ),
        *(append_only(table) for table in TABLES),
        no_late_answers(),
    ]
