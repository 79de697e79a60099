"""Assessors with accounts mark their answers and write notes at them."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0010_paradata"),
    ]

    operations = [
        migrations.CreateModel(
            name="AnswerNote",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("uncertain", models.BooleanField(default=False)),
                ("text", models.CharField(blank=True, max_length=500)),
                ("changed_at", models.DateTimeField(auto_now=True)),
                (
                    "assessor",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="notes",
                        to="judging.assessor",
                    ),
                ),
                (
                    "question",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="judging.question",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("assessor", "question"), name="note_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("uncertain", True), models.Q(("text", ""), _negated=True), _connector="OR"
                        ),
                        name="note_says_something",
                    ),
                ],
            },
        ),
    ]
