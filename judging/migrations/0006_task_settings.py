"""Move the settings of grading and of result pages from columns of all tasks to `Task.settings`."""

from django.db import migrations, models

# As these kinds had them.
OWN = {
    "grade": ("guidelines", "depth", "assessors", "average", "grades_first"),
    "pages": ("depth", "rows", "assessors"),
}
COLUMNS = ("guidelines", "depth", "assessors", "average", "grades_first", "rows")


def fill(apps, schema_editor):
    for task in apps.get_model("judging", "Task").objects.filter(kind__in=OWN):
        task.settings = {name: getattr(task, name) for name in OWN[task.kind]}
        task.save(update_fields=["settings"])


def empty(apps, schema_editor):
    for task in apps.get_model("judging", "Task").objects.filter(kind__in=OWN):
        for name, value in task.settings.items():
            setattr(task, name, value)
        task.save()


class Migration(migrations.Migration):
    dependencies = [("judging", "0005_roles")]

    operations = [
        migrations.AddField("task", "settings", models.JSONField(blank=True, default=dict)),
        migrations.RunPython(fill, empty),
        *(migrations.RemoveField("task", name) for name in COLUMNS),
    ]
