"""Sittings that are idle: their state, the questions that went to others meanwhile, and after how long."""

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models

from collection.triggers import append_only
from judging.late_answers import answers_at_any_time, no_late_answers

# SQLite makes the table of decisions anew, forwards and backwards, and its triggers are gone with the old one.
guard = append_only('judging_decision', earlier=append_only('judging_decision').code)


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0008_no_late_answers'),
    ]

    operations = [
        answers_at_any_time(),
        guard,
        migrations.CreateModel(
            name='Withdrawn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('assignment', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='gone', to='judging.assignment')),
                ('question', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.question')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('assignment', 'question'), name='withdrawn_once')],
            },
        ),
        migrations.RemoveConstraint(
            model_name='assignment',
            name='assignment_one_open_per_assessor',
        ),
        migrations.RemoveConstraint(
            model_name='assignment',
            name='assignment_verdict_after_submission',
        ),
        migrations.RemoveConstraint(
            model_name='decision',
            name='decision_about_one_thing',
        ),
        migrations.RemoveIndex(
            model_name='assignment',
            name='assignment_overdue',
        ),
        migrations.RemoveIndex(
            model_name='assignment',
            name='assignment_undecided',
        ),
        migrations.AddField(
            model_name='assignment',
            name='withdrawn',
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='task',
            name='idle_minutes',
            field=models.PositiveSmallIntegerField(default=15, validators=[django.core.validators.MinValueValidator(2), django.core.validators.MaxValueValidator(240)]),
        ),
        migrations.AlterField(
            model_name='assignment',
            name='state',
            field=models.CharField(choices=[('working', 'being judged'), ('idle', 'away'), ('submitted', 'submitted, not confirmed'), ('kept', 'kept'), ('discarded', 'discarded'), ('lapsed', 'not finished in time'), ('loading', 'being loaded')], default='working', max_length=12),
        ),
        migrations.AlterField(
            model_name='decision',
            name='what',
            field=models.CharField(choices=[('kept', 'kept'), ('discarded', 'discarded'), ('lapsed', 'not finished in time'), ('idle', 'away: what was not answered went to others'), ('resumed', 'came back'), ('confirmed', 'confirmed by the panel'), ('excluded', 'excluded'), ('readmitted', 'let back in'), ('set aside', 'challenge set aside')], max_length=12),
        ),
        migrations.AddIndex(
            model_name='assignment',
            index=models.Index(condition=models.Q(('state__in', ['working', 'idle'])), fields=['deadline'], name='assignment_overdue'),
        ),
        migrations.AddIndex(
            model_name='assignment',
            index=models.Index(condition=models.Q(('state__in', ['working', 'idle', 'submitted'])), fields=['assessor'], name='assignment_undecided'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.UniqueConstraint(condition=models.Q(('state__in', ['working', 'idle'])), fields=('assessor',), name='assignment_one_open_per_assessor'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'submitted'), _negated=True), ('submitted_at__isnull', False), _connector='OR'), name='assignment_submitted_at_a_time'),
        ),
        migrations.AddConstraint(
            model_name='decision',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('assessor', None), ('assignment__isnull', False), ('question', None), ('what__in', ['kept', 'discarded', 'lapsed', 'confirmed', 'idle', 'resumed'])), models.Q(('assessor__isnull', False), ('assignment', None), ('question', None), ('what__in', ['excluded', 'readmitted'])), models.Q(('assessor', None), ('assignment', None), ('question__isnull', False), ('what', 'set aside')), _connector='OR'), name='decision_about_one_thing'),
        ),
        append_only('judging_withdrawn'),
        guard,
        no_late_answers(),
    ]
