"""Questions that assessors cannot judge, and questions of any kind set aside and asked again."""

import django.db.models.deletion
from django.db import migrations, models

from collection.triggers import append_only

# SQLite makes the table of decisions anew, forwards and backwards, and its triggers are gone with the old one.
guard = append_only("judging_decision", earlier=append_only("judging_decision").code)


class Migration(migrations.Migration):
    dependencies = [
        ("collection", "0011_asked_again"),
        ("judging", "0012_text_versions"),
    ]

    operations = [
        guard,
        migrations.CreateModel(
            name="Declined",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        choices=[
                            ("broken", "It is broken, or cannot be read"),
                            ("offensive", "It is offensive"),
                            ("language", "It is in a language that I do not read"),
                            ("alike", "They are too much alike"),
                            ("unknown", "I know nothing of the subject"),
                        ],
                        max_length=12,
                    ),
                ),
                ("note", models.CharField(blank=True, max_length=300)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="declined",
                        to="judging.assignment",
                    ),
                ),
                (
                    "question",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="declined",
                        to="judging.question",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("assignment", "question"), name="declined_once")
                ],
            },
        ),
        migrations.RemoveConstraint(model_name="decision", name="decision_about_one_thing"),
        migrations.AlterField(
            model_name="decision",
            name="what",
            field=models.CharField(
                choices=[
                    ("kept", "kept"),
                    ("discarded", "discarded"),
                    ("lapsed", "not finished in time"),
                    ("idle", "away: what was not answered went to others"),
                    ("resumed", "came back"),
                    ("confirmed", "confirmed by the panel"),
                    ("excluded", "excluded"),
                    ("readmitted", "let back in"),
                    ("set aside", "question set aside"),
                    ("asked again", "question asked again"),
                ],
                max_length=12,
            ),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("assessor", None),
                        ("assignment__isnull", False),
                        ("question", None),
                        ("what__in", ["kept", "discarded", "lapsed", "confirmed", "idle", "resumed"]),
                    ),
                    models.Q(
                        ("assessor__isnull", False),
                        ("assignment", None),
                        ("question", None),
                        ("what__in", ["excluded", "readmitted"]),
                    ),
                    models.Q(
                        ("assessor", None),
                        ("assignment", None),
                        ("question__isnull", False),
                        ("what__in", ["set aside", "asked again"]),
                    ),
                    _connector="OR",
                ),
                name="decision_about_one_thing",
            ),
        ),
        migrations.AddIndex(
            model_name="question",
            index=models.Index(
                condition=models.Q(("set_aside_at__isnull", False)),
                fields=["topic"],
                name="question_set_aside",
            ),
        ),
        append_only("judging_declined"),
        guard,
    ]
