"""Figures of people."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0022_paused'),
    ]

    operations = [
        migrations.CreateModel(
            name='PersonFigures',
            fields=[
                ('assessor', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='figures', serialize=False, to='judging.assessor')),
                ('seconds', models.FloatField(null=True)),
                ('lefts', models.FloatField(null=True)),
                ('ties', models.FloatField(null=True)),
                ('rights', models.FloatField(null=True)),
                ('agreement', models.FloatField(null=True)),
                ('rests', models.PositiveIntegerField(default=0)),
                ('challenges', models.FloatField(null=True)),
                ('judgments_upto', models.BigIntegerField()),
                ('decisions_upto', models.BigIntegerField()),
                ('made_at', models.DateTimeField()),
            ],
        ),
    ]
