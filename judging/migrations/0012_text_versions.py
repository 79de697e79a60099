"""Versions of texts: a table of them, the version that a batch showed, and the first of each open study."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from collection.triggers import append_only


def put_on_record(apps, schema_editor):
    """The texts of studies that are open: until now they could not be changed."""
    Task, TextVersion = apps.get_model("judging", "Task"), apps.get_model("judging", "TextVersion")
    texts = ("wording", "instructions", "consent", "guidelines")
    for task in Task.objects.filter(study__opened_at__isnull=False):
        TextVersion.objects.create(task=task, number=1, **{name: getattr(task, name) for name in texts})


class Migration(migrations.Migration):

    dependencies = [
        ('collection', '0010_who_asks'),
        ('judging', '0011_seen_shares'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='assignment',
            name='version',
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='task',
            name='consent_version',
            field=models.PositiveSmallIntegerField(db_default=1, default=1),
        ),
        migrations.AddField(
            model_name='task',
            name='examples',
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.AddField(
            model_name='task',
            name='version',
            field=models.PositiveSmallIntegerField(db_default=1, default=1),
        ),
        migrations.CreateModel(
            name='TextVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('wording', models.CharField(max_length=300)),
                ('instructions', models.TextField(blank=True)),
                ('consent', models.TextField(blank=True)),
                ('guidelines', models.TextField(blank=True)),
                ('examples', models.JSONField(blank=True, default=list)),
                ('asked_by', models.CharField(blank=True, max_length=200)),
                ('contact', models.CharField(blank=True, max_length=200)),
                ('actor', models.CharField(blank=True, max_length=200)),
                ('change', models.CharField(blank=True, max_length=200)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('task', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='judging.task')),
            ],
            options={
                'ordering': ['task', 'number'],
                'constraints': [models.UniqueConstraint(fields=('task', 'number'), name='text_version_once')],
            },
        ),
        migrations.RunPython(put_on_record, migrations.RunPython.noop),
        append_only('judging_textversion'),
    ]
