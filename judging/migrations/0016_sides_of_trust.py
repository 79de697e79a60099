"""Drop the seconds and sides of people that were kept beside the figures of trust."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("judging", "0015_withdrawn_answers")]

    operations = [
        migrations.RemoveField("personfigures", "seconds"),
        migrations.RemoveField("personfigures", "lefts"),
        migrations.RemoveField("personfigures", "ties"),
        migrations.RemoveField("personfigures", "rights"),
    ]
