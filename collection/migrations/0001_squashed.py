"""The tables of studies, topics, items, runs, members, imports and the audit log."""

import collection.models.items
import collection.models.notices
import collection.models.study
import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from collection.triggers import append_only


class Migration(migrations.Migration):

    initial = True

    # What these did is done here, for new databases; older ones have them behind them.
    replaces = [
        ('collection', '0001_initial'),
        ('collection', '0002_asked'),
        ('collection', '0003_trail'),
        ('collection', '0004_staged_imports'),
        ('collection', '0005_indexes_that_are_used'),
        ('collection', '0006_kept_only'),
        ('collection', '0007_markup'),
        ('collection', '0008_paused'),
        ('collection', '0009_graded'),
        ('collection', '0010_who_asks'),
        ('collection', '0011_asked_again'),
        ('collection', '0012_language'),
        ('collection', '0013_assessors'),
        ('collection', '0014_campaigns'),
        ('collection', '0015_mails'),
        ('collection', '0016_limits'),
        ('collection', '0017_full_rounds'),
        ('collection', '0018_measures'),
        ('collection', '0019_api_tokens'),
        ('collection', '0020_roles'),
        ('collection', '0021_shared_boards'),
        ('collection', '0022_deletions'),
        ('collection', '0023_topics_open_in_waves'),
        ('collection', '0024_browsing_and_notices'),
        ('collection', '0025_drafts'),
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=10)),
                ('way', models.CharField(choices=[('mail', 'e-mail'), ('webhook', 'webhook')], max_length=8)),
                ('state', models.CharField(choices=[('waiting', 'waits to be sent'), ('sending', 'is being sent'), ('sent', 'sent'), ('failed', 'not sent'), ('doubt', 'perhaps sent'), ('dropped', 'not needed any more')], default='waiting', max_length=8)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('not_before', models.DateTimeField()),
                ('claimed_until', models.DateTimeField(blank=True, null=True)),
                ('outcome', models.CharField(blank=True, max_length=300)),
                ('created_at', models.DateTimeField()),
                ('settled_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'verbose_name_plural': 'deliveries',
            },
        ),
        migrations.CreateModel(
            name='Item',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('docno', models.CharField(max_length=200)),
                ('text', models.TextField(blank=True)),
                ('image', models.FileField(blank=True, upload_to=collection.models.items.image_path)),
                ('width', models.PositiveIntegerField(blank=True, null=True)),
                ('height', models.PositiveIntegerField(blank=True, null=True)),
                ('top_rank', models.PositiveSmallIntegerField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Import',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=20)),
                ('name', models.CharField(max_length=200)),
                ('digest', models.CharField(blank=True, max_length=64)),
                ('file', models.CharField(blank=True, max_length=200)),
                ('options', models.JSONField(default=dict)),
                ('once', models.BooleanField(default=False)),
                ('state', models.CharField(choices=[('draft', 'looked over, not loaded'), ('waiting', 'waiting'), ('running', 'being read'), ('done', 'loaded'), ('refused', 'refused: nothing was loaded')], default='waiting', max_length=10)),
                ('summary', models.CharField(blank=True, max_length=300)),
                ('problems', models.JSONField(default=list)),
                ('problem_count', models.PositiveIntegerField(default=0)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('written', models.PositiveIntegerField(default=0)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('alive_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='ApiToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=60)),
                ('prefix', models.CharField(max_length=12, unique=True)),
                ('digest', models.CharField(max_length=64)),
                ('scopes', models.JSONField(default=list)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('expires_at', models.DateTimeField()),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('last_used_on', models.DateField(blank=True, null=True)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='api_tokens', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Deletion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('study', models.PositiveBigIntegerField(unique=True)),
                ('name', models.CharField(max_length=120)),
                ('slug', models.CharField(max_length=60)),
                ('actor', models.CharField(max_length=200)),
                ('rows', models.JSONField(default=dict)),
                ('going_on', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Grade',
            fields=[
                ('item', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='grade', serialize=False, to='collection.item')),
                ('value', models.FloatField()),
            ],
        ),
        migrations.AddField(
            model_name='item',
            name='loaded_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='collection.import'),
        ),
        migrations.CreateModel(
            name='Study',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=120)),
                ('slug', models.SlugField(max_length=60, unique=True)),
                ('kind', models.CharField(choices=[('text', 'Passages of text'), ('image', 'Images')], default='text', max_length=8)),
                ('seed', models.CharField(default=collection.models.study.study_seed, max_length=40)),
                ('markup', models.CharField(choices=[('plain', 'Plain text'), ('markdown', 'Markdown'), ('html', 'HTML')], default='plain', max_length=10)),
                ('persistence', models.FloatField(choices=[(0.8, '0.80'), (0.85, '0.85'), (0.9, '0.90'), (0.95, '0.95')], default=0.95)),
                ('measures', models.CharField(blank=True, default='', max_length=200)),
                ('join_token', models.CharField(blank=True, max_length=32, null=True, unique=True)),
                ('kept_only', models.BooleanField(default=False)),
                ('asked_by', models.CharField(blank=True, max_length=200)),
                ('contact', models.CharField(blank=True, max_length=200)),
                ('language', models.CharField(blank=True, max_length=12)),
                ('batches_each', models.PositiveSmallIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1)])),
                ('batches_a_day', models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1)])),
                ('judgments_most', models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1)])),
                ('closes_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('opened_at', models.DateTimeField(blank=True, null=True)),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
                ('paused', models.BooleanField(default=False)),
                ('archived_at', models.DateTimeField(blank=True, null=True)),
                ('deleting_since', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'verbose_name_plural': 'studies',
                'constraints': [models.CheckConstraint(condition=models.Q(('persistence__gt', 0), ('persistence__lt', 1)), name='study_persistence_in_range'), models.CheckConstraint(condition=models.Q(('paused', False), ('closed_at__isnull', False), _connector='OR'), name='study_paused_since_a_time'), models.CheckConstraint(condition=models.Q(models.Q(('archived_at', None), ('deleting_since', None)), ('opened_at', None), ('closed_at__isnull', False), _connector='OR'), name='study_put_away_is_not_open')],
            },
        ),
        migrations.CreateModel(
            name='Share',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('blind', models.BooleanField(default=True)),
                ('order', models.JSONField(default=list)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('ends_at', models.DateTimeField()),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('made_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='shares', to='collection.study')),
            ],
        ),
        migrations.CreateModel(
            name='Run',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('shown', models.BooleanField(default=True)),
                ('topics', models.PositiveIntegerField(default=0)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='collection.study')),
            ],
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('organizer', 'Organizer: loads, opens and steers the study'), ('coordinator', 'Coordinator: watches topics and the leaderboard'), ('viewer', 'Viewer: sees the leaderboard, topics and comparisons, and nobody who judges'), ('participant', 'Participant: sees their own runs beside the median of all'), ('assessor', 'Assessor: judges, and sees their own questions and answers alone')], max_length=12)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                ('runs', models.ManyToManyField(blank=True, related_name='participants', to='collection.run')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='collection.study')),
            ],
        ),
        migrations.AddField(
            model_name='import',
            name='study',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='imports', to='collection.study'),
        ),
        migrations.CreateModel(
            name='Event',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('topic', 'a topic ends'), ('stall', 'judging stalls'), ('challenge', 'a challenge fails often')], max_length=10)),
                ('key', models.CharField(max_length=60)),
                ('about', models.JSONField(default=dict)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='events', to='collection.study')),
            ],
        ),
        migrations.CreateModel(
            name='Action',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('what', models.CharField(choices=[('made', 'made the study'), ('copied', 'copied the study from another'), ('archived', 'archived the study'), ('unarchived', 'took the study out of the archive'), ('settings', 'changed settings'), ('texts', 'changed what assessors read'), ('loaded', 'loaded a file'), ('opened', 'opened judging'), ('graded', "took collected grades as the study's"), ('paused', 'paused judging'), ('closed', 'ended judging'), ('reopened', 'opened judging again'), ('cut short', 'closed open batches'), ('released', 'released open batches'), ('taken back', 'took a release back'), ('held', 'paused an assessor'), ('let on', 'let a paused assessor go on'), ('link on', 'turned the open link on'), ('link off', 'turned the open link off'), ('invited', 'made personal links'), ('saw links', 'was shown personal links'), ('took links', 'downloaded all personal links'), ('addresses', 'loaded e-mail addresses'), ('saw mails', 'was shown e-mail addresses'), ('forgot', 'deleted e-mail addresses'), ('mailed', 'sent e-mail'), ('excluded', 'excluded an assessor'), ('readmitted', 'let an assessor back in'), ('set aside', 'set a question aside'), ('asked again', 'asked a question again'), ('member', 'gave somebody a part in the study'), ('member out', "took somebody's part in the study away"), ('shared', 'made a link to the leaderboard'), ('unshared', 'revoked a link to the leaderboard'), ('campaign', 'made or changed a campaign'), ('cap', 'set what may be spent'), ('armed', 'armed a campaign'), ('published', 'published places'), ('stopped', 'stopped a campaign'), ('ended', 'closed a campaign'), ('owed', 'owed a bonus'), ('paid', 'marked as paid'), ('replayed', 'let simulated assessors judge'), ('rebuilt', 'rebuilt what follows from the ledger')], max_length=12)),
                ('actor', models.CharField(max_length=200)),
                ('about', models.CharField(blank=True, max_length=200)),
                ('before', models.JSONField(blank=True, null=True)),
                ('after', models.JSONField(blank=True, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='actions', to='collection.study')),
            ],
        ),
        migrations.CreateModel(
            name='Topic',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('text', models.TextField()),
                ('opened_at', models.DateTimeField(blank=True, null=True)),
                ('revision', models.PositiveBigIntegerField(default=0)),
                ('settled', models.PositiveBigIntegerField(default=0)),
                ('asked', models.PositiveIntegerField(default=0)),
                ('full_rounds', models.PositiveSmallIntegerField(default=0)),
                ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='topics', to='collection.study')),
            ],
        ),
        migrations.CreateModel(
            name='Placement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rank', models.PositiveIntegerField()),
                ('row', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('column', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('row_length', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='placements', to='collection.item')),
                ('run', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='placements', to='collection.run')),
                ('topic', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='placements', to='collection.topic')),
            ],
        ),
        migrations.AddField(
            model_name='item',
            name='topic',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='items', to='collection.topic'),
        ),
        migrations.CreateModel(
            name='Watch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('topics', models.BooleanField(default=False)),
                ('stalls', models.BooleanField(default=False)),
                ('challenges', models.BooleanField(default=False)),
                ('mail', models.BooleanField(default=False)),
                ('webhook', models.URLField(blank=True, max_length=500)),
                ('salt', models.CharField(default=collection.models.notices.watch_salt, max_length=32)),
                ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='watches', to='collection.study')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='watches', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'watches',
            },
        ),
        migrations.CreateModel(
            name='Told',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('way', models.CharField(choices=[('mail', 'e-mail'), ('webhook', 'webhook')], max_length=8)),
                ('delivery', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='told', to='collection.delivery')),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='collection.event')),
                ('watch', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='told', to='collection.watch')),
            ],
        ),
        migrations.AddField(
            model_name='delivery',
            name='watch',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='collection.watch'),
        ),
        migrations.AddConstraint(
            model_name='run',
            constraint=models.UniqueConstraint(condition=models.Q(('shown', True)), fields=('study', 'name'), name='run_name_once'),
        ),
        migrations.AddConstraint(
            model_name='membership',
            constraint=models.UniqueConstraint(fields=('study', 'user'), name='membership_once'),
        ),
        migrations.AddIndex(
            model_name='import',
            index=models.Index(condition=models.Q(('state__in', ['waiting', 'running'])), fields=['state'], name='import_unfinished'),
        ),
        migrations.AddConstraint(
            model_name='import',
            constraint=models.UniqueConstraint(condition=models.Q(('once', True), ('state', 'done')), fields=('study', 'kind', 'digest'), name='import_once'),
        ),
        migrations.AddConstraint(
            model_name='import',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'running')), fields=('study',), name='import_one_at_a_time'),
        ),
        migrations.AddConstraint(
            model_name='event',
            constraint=models.UniqueConstraint(fields=('study', 'kind', 'key'), name='event_once'),
        ),
        migrations.AddConstraint(
            model_name='topic',
            constraint=models.UniqueConstraint(fields=('study', 'name'), name='topic_name_once'),
        ),
        migrations.AddConstraint(
            model_name='placement',
            constraint=models.UniqueConstraint(fields=('run', 'item'), name='placement_item_once'),
        ),
        migrations.AddConstraint(
            model_name='placement',
            constraint=models.UniqueConstraint(fields=('topic', 'run', 'rank'), name='placement_rank_once'),
        ),
        migrations.AddConstraint(
            model_name='placement',
            constraint=models.CheckConstraint(condition=models.Q(('rank__gte', 1)), name='placement_rank_from_one'),
        ),
        migrations.AddConstraint(
            model_name='placement',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('column', None), ('row', None), ('row_length', None)), models.Q(('column__isnull', False), ('row__isnull', False), ('row_length__gt', models.F('column'))), _connector='OR'), name='placement_grid_cell_whole'),
        ),
        migrations.AddIndex(
            model_name='item',
            index=models.Index(condition=models.Q(('top_rank__isnull', False)), fields=['topic'], name='item_placed'),
        ),
        migrations.AddIndex(
            model_name='item',
            index=models.Index(condition=models.Q(('image', ''), ('text', '')), fields=['topic'], name='item_bare'),
        ),
        migrations.AddConstraint(
            model_name='item',
            constraint=models.UniqueConstraint(fields=('topic', 'docno'), name='item_docno_once'),
        ),
        migrations.AddConstraint(
            model_name='watch',
            constraint=models.UniqueConstraint(fields=('study', 'user'), name='watch_once'),
        ),
        migrations.AddConstraint(
            model_name='told',
            constraint=models.UniqueConstraint(fields=('watch', 'way', 'event'), name='told_once'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('state__in', ['waiting', 'sending'])), fields=['not_before'], name='delivery_unsettled'),
        ),
        append_only('collection_action'),
    ]
