"""The tables of tasks, questions, assessors, batches, the ledger of judgments and its seals."""

import django.core.validators
import django.db.models.deletion
import judging.models.releases
from django.conf import settings
from django.db import migrations, models

from collection.triggers import append_only
from judging.batches.closed_batch_trigger import no_late_answers


class Migration(migrations.Migration):

    initial = True

    # What these did is done here, for new databases; older ones have them behind them.
    replaces = [
        ('judging', '0001_initial'),
        ('judging', '0002_assessors_path'),
        ('judging', '0003_fill_older_rows'),
        ('judging', '0004_sealed_ledger'),
        ('judging', '0005_joined_by_link'),
        ('judging', '0006_loading_state'),
        ('judging', '0007_indexes_that_are_used'),
        ('judging', '0008_no_late_answers'),
        ('judging', '0009_idle_sittings'),
        ('judging', '0010_grading'),
        ('judging', '0011_seen_shares'),
        ('judging', '0012_text_versions'),
        ('judging', '0013_declined'),
        ('judging', '0014_result_pages'),
        ('judging', '0015_failing'),
        ('judging', '0016_average_of_grades'),
        ('judging', '0017_accounts'),
        ('judging', '0018_reopened'),
        ('judging', '0019_other_reason'),
        ('judging', '0020_questions_asked_again'),
        ('judging', '0021_visits'),
        ('judging', '0022_paused'),
        ('judging', '0023_figures'),
        ('judging', '0024_releases'),
        ('judging', '0025_deletions'),
    ]

    dependencies = [
        ('collection', '0001_squashed'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Assessor',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('panel', models.CharField(max_length=20)),
                ('reference', models.CharField(max_length=200)),
                ('label', models.CharField(blank=True, max_length=220)),
                ('by_link', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('excluded_at', models.DateTimeField(blank=True, null=True)),
                ('excluded_why', models.CharField(blank=True, max_length=200)),
                ('paused_at', models.DateTimeField(blank=True, null=True)),
                ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='assessors', to='collection.study')),
                ('user', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='assessors', to=settings.AUTH_USER_MODEL)),
            ],
        ),
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
        migrations.CreateModel(
            name='Assignment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('working', 'being judged'), ('idle', 'away'), ('submitted', 'submitted, not confirmed'), ('kept', 'kept'), ('discarded', 'discarded'), ('lapsed', 'not finished in time'), ('loading', 'being loaded')], default='working', max_length=12)),
                ('opened_at', models.DateTimeField()),
                ('consented_at', models.DateTimeField(blank=True, null=True)),
                ('deadline', models.DateTimeField()),
                ('submitted_at', models.DateTimeField(blank=True, null=True)),
                ('first_deadline', models.DateTimeField(blank=True, null=True)),
                ('first_submitted_at', models.DateTimeField(blank=True, null=True)),
                ('challenges_wrong', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('withdrawn', models.PositiveSmallIntegerField(db_default=0, default=0)),
                ('visit', models.PositiveIntegerField(db_default=0, default=0)),
                ('version', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('assessor', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='judging.assessor')),
            ],
        ),
        migrations.CreateModel(
            name='Question',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=200)),
                ('expected', models.JSONField(blank=True, null=True)),
                ('draw_key', models.FloatField(blank=True, null=True)),
                ('set_aside_at', models.DateTimeField(blank=True, null=True)),
                ('wanted', models.PositiveSmallIntegerField(default=0)),
                ('taken', models.PositiveSmallIntegerField(default=0)),
                ('again', models.BooleanField(db_default=False, default=False)),
                ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='collection.study')),
                ('topic', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='questions', to='collection.topic')),
            ],
        ),
        migrations.CreateModel(
            name='Judgment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('revision', models.PositiveSmallIntegerField(default=0)),
                ('value', models.JSONField()),
                ('shown', models.CharField(blank=True, max_length=9)),
                ('challenge', models.BooleanField(default=False)),
                ('seconds', models.FloatField(blank=True, null=True)),
                ('away', models.FloatField(blank=True, null=True)),
                ('seen', models.CharField(blank=True, max_length=40, null=True)),
                ('nonce', models.CharField(blank=True, max_length=40, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('assignment', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='judgments', to='judging.assignment')),
                ('topic', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='collection.topic')),
                ('question', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='judgments', to='judging.question')),
            ],
        ),
        migrations.CreateModel(
            name='Declined',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(choices=[('broken', 'It is broken, or cannot be read'), ('offensive', 'It is offensive'), ('language', 'It is in a language that I do not read'), ('alike', 'They are too much alike'), ('unknown', 'I know nothing of the subject'), ('other', 'Something else')], max_length=12)),
                ('note', models.CharField(blank=True, max_length=300)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('assignment', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='declined', to='judging.assignment')),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='declined', to='judging.question')),
            ],
        ),
        migrations.CreateModel(
            name='Decision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('what', models.CharField(choices=[('kept', 'kept'), ('discarded', 'discarded'), ('lapsed', 'not finished in time'), ('idle', 'away: what was not answered went to others'), ('resumed', 'came back'), ('reopened', 'opened again by its assessor'), ('confirmed', 'confirmed by the panel'), ('excluded', 'excluded'), ('readmitted', 'let back in'), ('warned', 'warned'), ('unwarned', 'warning taken back'), ('paused', 'paused: no new batch for them'), ('let on', 'let go on'), ('set aside', 'question set aside'), ('asked again', 'question asked again')], max_length=12)),
                ('why', models.CharField(blank=True, max_length=200)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('assessor', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='judging.assessor')),
                ('assignment', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='judging.assignment')),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('question', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='judging.question')),
            ],
        ),
        migrations.CreateModel(
            name='BatchQuestion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('shown', models.CharField(max_length=9)),
                ('challenge', models.BooleanField()),
                ('expected', models.JSONField(blank=True, null=True)),
                ('assessor', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.assessor')),
                ('assignment', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='batch', to='judging.assignment')),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='batches', to='judging.question')),
            ],
            options={
                'ordering': ['position'],
            },
        ),
        migrations.CreateModel(
            name='Release',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=60)),
                ('key', models.BinaryField(default=judging.models.releases.release_key, max_length=32)),
                ('actor', models.CharField(max_length=200)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='releases', to='collection.study')),
            ],
        ),
        migrations.CreateModel(
            name='Seal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('previous', models.CharField(max_length=64)),
                ('digest', models.CharField(max_length=64)),
                ('rows', models.TextField()),
                ('count', models.PositiveIntegerField()),
                ('total', models.PositiveIntegerField()),
                ('judgments_upto', models.BigIntegerField()),
                ('decisions_upto', models.BigIntegerField()),
                ('actions_upto', models.BigIntegerField()),
                ('sealed_at', models.DateTimeField()),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='seals', to='collection.study')),
            ],
        ),
        migrations.CreateModel(
            name='Slot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('panel', models.CharField(max_length=20)),
                ('source', models.CharField(blank=True, max_length=200)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='slots', to='collection.study')),
            ],
        ),
        migrations.AddField(
            model_name='assignment',
            name='slot',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='judging.slot'),
        ),
        migrations.CreateModel(
            name='Subject',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('item', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='collection.item')),
                ('question', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='subjects', to='judging.question')),
                ('run', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='collection.run')),
            ],
            options={
                'ordering': ['position'],
            },
        ),
        migrations.CreateModel(
            name='Task',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField(default=1)),
                ('kind', models.CharField(default='pair', max_length=20)),
                ('wording', models.CharField(default='Which one answers the question better?', max_length=300)),
                ('scale', models.CharField(default='3', max_length=12)),
                ('instructions', models.TextField(blank=True)),
                ('consent', models.TextField(blank=True)),
                ('batch_size', models.PositiveSmallIntegerField(default=10, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(50)])),
                ('batch_challenges', models.PositiveSmallIntegerField(default=3, validators=[django.core.validators.MaxValueValidator(20)])),
                ('wrong_allowed', models.PositiveSmallIntegerField(default=0)),
                ('repeats', models.PositiveSmallIntegerField(db_default=0, default=0, validators=[django.core.validators.MaxValueValidator(10)])),
                ('failing', models.CharField(choices=[('stop', 'Not asked again at once'), ('warn', 'Warned once, then not asked again')], default='stop', max_length=4)),
                ('minutes', models.PositiveSmallIntegerField(default=60, validators=[django.core.validators.MinValueValidator(5), django.core.validators.MaxValueValidator(10080)])),
                ('idle_minutes', models.PositiveSmallIntegerField(default=15, validators=[django.core.validators.MinValueValidator(2), django.core.validators.MaxValueValidator(240)])),
                ('guidelines', models.TextField(blank=True)),
                ('depth', models.PositiveSmallIntegerField(default=10, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000)])),
                ('assessors', models.PositiveSmallIntegerField(default=1, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(5)])),
                ('average', models.CharField(choices=[('median', 'The median: one odd answer moves it little'), ('mean', 'The mean: every answer moves it')], default='median', max_length=6)),
                ('grades_first', models.BooleanField(default=False)),
                ('examples', models.JSONField(blank=True, default=list)),
                ('version', models.PositiveSmallIntegerField(db_default=1, default=1)),
                ('consent_version', models.PositiveSmallIntegerField(db_default=1, default=1)),
                ('rows', models.PositiveSmallIntegerField(default=20, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(200)])),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='tasks', to='collection.study')),
            ],
            options={
                'ordering': ['position'],
            },
        ),
        migrations.AddField(
            model_name='question',
            name='task',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='questions', to='judging.task'),
        ),
        migrations.AddField(
            model_name='assignment',
            name='task',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.task'),
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
            },
        ),
        migrations.CreateModel(
            name='Withdrawn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('assignment', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='gone', to='judging.assignment')),
                ('question', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.question')),
            ],
        ),
        migrations.AddIndex(
            model_name='assessor',
            index=models.Index(fields=['panel', 'reference'], name='assessor_by_reference'),
        ),
        migrations.AddConstraint(
            model_name='assessor',
            constraint=models.UniqueConstraint(fields=('study', 'panel', 'reference'), name='assessor_once'),
        ),
        migrations.AddConstraint(
            model_name='assessor',
            constraint=models.UniqueConstraint(condition=models.Q(('user__isnull', False)), fields=('user', 'study'), name='assessor_once_by_account'),
        ),
        migrations.AddConstraint(
            model_name='judgment',
            constraint=models.UniqueConstraint(fields=('assignment', 'question', 'revision'), name='judgment_revision_once'),
        ),
        migrations.AddConstraint(
            model_name='judgment',
            constraint=models.UniqueConstraint(fields=('assignment', 'nonce'), name='judgment_nonce_once'),
        ),
        migrations.AddConstraint(
            model_name='judgment',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('seconds', None), ('seconds__gte', 0), _connector='OR'), models.Q(('away', None), ('away__gte', 0), _connector='OR')), name='judgment_seconds_not_negative'),
        ),
        migrations.AddConstraint(
            model_name='declined',
            constraint=models.UniqueConstraint(fields=('assignment', 'question'), name='declined_once'),
        ),
        migrations.AddIndex(
            model_name='decision',
            index=models.Index(condition=models.Q(('assignment', None)), fields=['id'], name='decision_not_of_batch'),
        ),
        migrations.AddIndex(
            model_name='decision',
            index=models.Index(condition=models.Q(('what', 'reopened')), fields=['id'], name='decision_reopened'),
        ),
        migrations.AddConstraint(
            model_name='decision',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('assessor', None), ('assignment__isnull', False), ('question', None), ('what__in', ['kept', 'discarded', 'lapsed', 'confirmed', 'idle', 'resumed', 'reopened'])), models.Q(('assessor__isnull', False), ('assignment', None), ('question', None), ('what__in', ['excluded', 'readmitted', 'warned', 'unwarned', 'paused', 'let on'])), models.Q(('assessor', None), ('assignment', None), ('question__isnull', False), ('what__in', ['set aside', 'asked again'])), _connector='OR'), name='decision_about_one_thing'),
        ),
        migrations.AddConstraint(
            model_name='batchquestion',
            constraint=models.UniqueConstraint(fields=('assignment', 'position'), name='batch_position_once'),
        ),
        migrations.AddConstraint(
            model_name='batchquestion',
            constraint=models.UniqueConstraint(fields=('assessor', 'question'), name='batch_never_asked_twice'),
        ),
        migrations.AddConstraint(
            model_name='release',
            constraint=models.UniqueConstraint(fields=('study', 'name'), name='release_once'),
        ),
        migrations.AddConstraint(
            model_name='seal',
            constraint=models.UniqueConstraint(fields=('study', 'number'), name='seal_number_once'),
        ),
        migrations.AddIndex(
            model_name='slot',
            index=models.Index(fields=['study', 'created_at'], name='slot_of_a_day'),
        ),
        migrations.AddIndex(
            model_name='subject',
            index=models.Index(condition=models.Q(('run__isnull', False)), fields=['run'], name='subject_run'),
        ),
        migrations.AddConstraint(
            model_name='subject',
            constraint=models.UniqueConstraint(fields=('question', 'position'), name='subject_position_once'),
        ),
        migrations.AddConstraint(
            model_name='subject',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('item__isnull', False), ('run', None)), models.Q(('item', None), ('run__isnull', False)), _connector='OR'), name='subject_is_item_or_run'),
        ),
        migrations.AddConstraint(
            model_name='task',
            constraint=models.UniqueConstraint(fields=('study', 'position'), name='task_position_once'),
        ),
        migrations.AddConstraint(
            model_name='task',
            constraint=models.CheckConstraint(condition=models.Q(('batch_size__gte', 1)), name='task_batch_has_questions'),
        ),
        migrations.AddConstraint(
            model_name='task',
            constraint=models.CheckConstraint(condition=models.Q(('batch_challenges', 0), ('wrong_allowed__lt', models.F('batch_challenges')), _connector='OR'), name='task_challenges_can_fail'),
        ),
        migrations.AddIndex(
            model_name='question',
            index=models.Index(condition=models.Q(('taken__lt', models.F('wanted'))), fields=['task', 'id'], name='question_open'),
        ),
        migrations.AddIndex(
            model_name='question',
            index=models.Index(condition=models.Q(('expected__isnull', False), ('set_aside_at', None)), fields=['task', 'draw_key'], name='question_challenge'),
        ),
        migrations.AddIndex(
            model_name='question',
            index=models.Index(condition=models.Q(('expected__isnull', False), ('set_aside_at', None)), fields=['topic', 'draw_key'], name='question_challenge_of_topic'),
        ),
        migrations.AddIndex(
            model_name='question',
            index=models.Index(condition=models.Q(('set_aside_at__isnull', False)), fields=['topic'], name='question_set_aside'),
        ),
        migrations.AddConstraint(
            model_name='question',
            constraint=models.UniqueConstraint(fields=('topic', 'task', 'key', 'again'), name='question_once'),
        ),
        migrations.AddConstraint(
            model_name='question',
            constraint=models.CheckConstraint(condition=models.Q(('expected__isnull', True), ('draw_key__isnull', False), _connector='OR'), name='challenge_can_be_drawn'),
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
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'lapsed'), _negated=True), fields=('slot',), name='assignment_slot_held_once'),
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
            model_name='textversion',
            constraint=models.UniqueConstraint(fields=('task', 'number'), name='text_version_once'),
        ),
        migrations.AddConstraint(
            model_name='withdrawn',
            constraint=models.UniqueConstraint(fields=('assignment', 'question'), name='withdrawn_once'),
        ),
        append_only('judging_judgment'),
        append_only('judging_decision'),
        append_only('judging_batchquestion'),
        append_only('judging_seal'),
        append_only('judging_withdrawn'),
        append_only('judging_textversion'),
        append_only('judging_declined'),
        no_late_answers(),
    ]
