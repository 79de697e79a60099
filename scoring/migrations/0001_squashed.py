"""The tables of scores of topics and standings."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    # What these did is done here, for new databases; older ones have them behind them.
    replaces = [
        ('scoring', '0001_initial'),
        ('scoring', '0002_provisional'),
        ('scoring', '0003_scores_of_a_topic_in_one_row'),
    ]

    dependencies = [
        ('collection', '0001_squashed'),
    ]

    operations = [
        migrations.CreateModel(
            name='Scored',
            fields=[
                ('topic', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='scored', serialize=False, to='collection.topic')),
                ('revision', models.BigIntegerField(default=-1)),
                ('provisional', models.PositiveIntegerField(default=0)),
                ('judgments', models.PositiveIntegerField(default=0)),
                ('scored_at', models.DateTimeField(auto_now=True)),
                ('columns', models.TextField(blank=True)),
                ('runs', models.BinaryField(default=bytes)),
                ('numbers', models.BinaryField(default=bytes)),
            ],
        ),
        migrations.CreateModel(
            name='Standing',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('version', models.CharField(max_length=120)),
                ('board', models.JSONField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='standings', to='collection.study')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('study', 'number'), name='standing_number_once')],
            },
        ),
    ]
