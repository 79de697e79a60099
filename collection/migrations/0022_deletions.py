"""Studies that are archived, and those that are deleted for good with all rows."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from collection.triggers import append_only_but_deletion


class Migration(migrations.Migration):

    dependencies = [
        ('collection', '0021_shared_boards'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
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
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.AddField(
            model_name='study',
            name='archived_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='study',
            name='deleting_since',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AlterField(
            model_name='action',
            name='what',
            field=models.CharField(choices=[('made', 'made the study'), ('copied', 'copied the study from another'), ('archived', 'archived the study'), ('unarchived', 'took the study out of the archive'), ('settings', 'changed settings'), ('texts', 'changed what assessors read'), ('loaded', 'loaded a file'), ('opened', 'opened judging'), ('graded', "took collected grades as the study's"), ('paused', 'paused judging'), ('closed', 'ended judging'), ('reopened', 'opened judging again'), ('cut short', 'closed open batches'), ('released', 'released open batches'), ('taken back', 'took a release back'), ('held', 'paused an assessor'), ('let on', 'let a paused assessor go on'), ('link on', 'turned the open link on'), ('link off', 'turned the open link off'), ('invited', 'made personal links'), ('saw links', 'was shown personal links'), ('took links', 'downloaded all personal links'), ('addresses', 'loaded e-mail addresses'), ('saw mails', 'was shown e-mail addresses'), ('forgot', 'deleted e-mail addresses'), ('mailed', 'sent e-mail'), ('excluded', 'excluded an assessor'), ('readmitted', 'let an assessor back in'), ('set aside', 'set a question aside'), ('asked again', 'asked a question again'), ('member', 'gave somebody a part in the study'), ('member out', "took somebody's part in the study away"), ('shared', 'made a link to the leaderboard'), ('unshared', 'revoked a link to the leaderboard'), ('campaign', 'made or changed a campaign'), ('cap', 'set what may be spent'), ('armed', 'armed a campaign'), ('published', 'published places'), ('stopped', 'stopped a campaign'), ('ended', 'closed a campaign'), ('owed', 'owed a bonus'), ('paid', 'marked as paid'), ('replayed', 'let simulated assessors judge'), ('rebuilt', 'rebuilt what follows from the ledger')], max_length=12),
        ),
        migrations.AddConstraint(
            model_name='study',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('archived_at', None), ('deleting_since', None)), ('opened_at', None), ('closed_at__isnull', False), _connector='OR'), name='study_put_away_is_not_open'),
        ),
        append_only_but_deletion("collection_action"),
    ]
