"""The tables of plans, tournaments, rounds and pairings."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    # What these did is done here, for new databases; older ones have them behind them.
    replaces = [
        ('tournament', '0001_initial'),
        ('tournament', '0002_indexes_that_are_used'),
        ('tournament', '0003_stored_digest'),
        ('tournament', '0004_full_rounds'),
    ]

    dependencies = [
        ('collection', '0001_squashed'),
        ('judging', '0001_squashed'),
    ]

    operations = [
        migrations.CreateModel(
            name='Plan',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('strategy', models.CharField(default='crowd', max_length=30)),
                ('settings', models.JSONField(default=dict)),
                ('seed', models.CharField(max_length=40)),
                ('study', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='plan', to='collection.study')),
                ('task', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.task')),
            ],
        ),
        migrations.CreateModel(
            name='Tournament',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pool', models.JSONField()),
                ('seen', models.BigIntegerField(default=-1)),
                ('finished', models.BooleanField(default=False)),
                ('stored', models.CharField(default='', max_length=64)),
                ('topic', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='tournament', to='collection.topic')),
            ],
        ),
        migrations.CreateModel(
            name='Round',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('kind', models.CharField(choices=[('reduction', 'pool reduction'), ('final', 'final'), ('match', 'matches')], max_length=10)),
                ('pool', models.JSONField()),
                ('wins', models.JSONField(default=dict)),
                ('answered', models.PositiveIntegerField(default=0)),
                ('complete', models.BooleanField(default=False)),
                ('tournament', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='rounds', to='tournament.tournament')),
            ],
            options={
                'ordering': ['number'],
            },
        ),
        migrations.CreateModel(
            name='Pairing',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('question', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='pairings', to='judging.question')),
                ('round', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='pairings', to='tournament.round')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('round', 'question'), name='pairing_once')],
            },
        ),
        migrations.AddConstraint(
            model_name='round',
            constraint=models.UniqueConstraint(fields=('tournament', 'number'), name='round_number_once'),
        ),
        migrations.AddConstraint(
            model_name='round',
            constraint=models.UniqueConstraint(condition=models.Q(('complete', False)), fields=('tournament',), name='round_one_open'),
        ),
    ]
