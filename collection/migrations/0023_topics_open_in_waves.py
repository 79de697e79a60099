"""Topics are opened one by one: those of studies that are open are so already."""

from typing import Any

from django.db import migrations, models


def open_all(apps: Any, schema_editor: Any) -> None:
    """Topics of open studies were opened with their study."""
    Study, Topic = apps.get_model("collection", "Study"), apps.get_model("collection", "Topic")
    for study in Study.objects.filter(opened_at__isnull=False):
        Topic.objects.filter(study=study).update(opened_at=study.opened_at)


class Migration(migrations.Migration):

    dependencies = [
        ('collection', '0022_deletions'),
    ]

    operations = [
        migrations.AddField(
            model_name='topic',
            name='opened_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.RunPython(open_all, migrations.RunPython.noop),
    ]
