"""People who are paused, and the batches of a day."""

from django.conf import settings
from django.db import migrations, models

from collection.triggers import append_only

# SQLite makes the table of decisions anew, forwards and backwards, and its triggers are gone with the old one.
guard = append_only("judging_decision", earlier=append_only("judging_decision").code)


class Migration(migrations.Migration):
    dependencies = [
        ("collection", "0016_limits"),
        ("judging", "0021_visits"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        guard,
        migrations.RemoveConstraint(
            model_name="decision",
            name="decision_about_one_thing",
        ),
        migrations.AddField(
            model_name="assessor",
            name="paused_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
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
                    ("reopened", "opened again by its assessor"),
                    ("confirmed", "confirmed by the panel"),
                    ("excluded", "excluded"),
                    ("readmitted", "let back in"),
                    ("warned", "warned"),
                    ("unwarned", "warning taken back"),
                    ("paused", "paused: no new batch for them"),
                    ("let on", "let go on"),
                    ("set aside", "question set aside"),
                    ("asked again", "question asked again"),
                ],
                max_length=12,
            ),
        ),
        migrations.AddIndex(
            model_name="slot",
            index=models.Index(fields=["study", "created_at"], name="slot_of_a_day"),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("assessor", None),
                        ("assignment__isnull", False),
                        ("question", None),
                        (
                            "what__in",
                            ["kept", "discarded", "lapsed", "confirmed", "idle", "resumed", "reopened"],
                        ),
                    ),
                    models.Q(
                        ("assessor__isnull", False),
                        ("assignment", None),
                        ("question", None),
                        ("what__in", ["excluded", "readmitted", "warned", "unwarned", "paused", "let on"]),
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
        guard,
    ]
