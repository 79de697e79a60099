"""No answer is added to a batch that is closed: the database itself refuses it."""

from django.db import migrations

from judging.late_answers import no_late_answers


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0007_indexes_that_are_used"),
    ]

    operations = [no_late_answers()]
