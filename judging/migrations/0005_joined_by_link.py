"""Who joined by the open link is marked; so far only their label said so."""

from django.db import migrations, models


def mark(apps, schema_editor):
    joined = apps.get_model("judging", "Assessor").objects.filter(panel="local")
    joined.filter(label="joined by the open link").update(by_link=True)


class Migration(migrations.Migration):
    dependencies = [("judging", "0004_sealed_ledger")]

    operations = [
        migrations.AddField("assessor", "by_link", models.BooleanField(default=False)),
        migrations.RunPython(mark, migrations.RunPython.noop),
    ]
