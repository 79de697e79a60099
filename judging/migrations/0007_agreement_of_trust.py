"""Drop the agreement of people that was kept beside the figures of trust."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("judging", "0006_task_settings")]

    operations = [
        migrations.RemoveField("personfigures", "agreement"),
        migrations.RemoveField("personfigures", "rests"),
    ]
