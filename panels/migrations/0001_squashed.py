"""The tables of campaigns, places, payments, calls and mails."""

import collection.models.study
import django.core.validators
import django.db.models.deletion
import panels.models.entries
from decimal import Decimal
from django.conf import settings
from django.db import migrations, models

from collection.triggers import append_only


class Migration(migrations.Migration):

    initial = True

    # What these did is done here, for new databases; older ones have them behind them.
    replaces = [
        ('panels', '0001_campaigns'),
        ('panels', '0002_mails'),
        ('panels', '0003_books_and_comparing'),
        ('panels', '0004_deletions'),
    ]

    dependencies = [
        ('collection', '0001_squashed'),
        ('judging', '0001_squashed'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Address',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(blank=True, max_length=64)),
                ('sealed', models.BinaryField(default=b'')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('deleted_at', models.DateTimeField(blank=True, null=True)),
                ('assessor', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='addresses', to='judging.assessor')),
                ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='addresses', to='collection.study')),
            ],
            options={
                'verbose_name_plural': 'addresses',
            },
        ),
        migrations.CreateModel(
            name='Budget',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rehearsal', models.BooleanField()),
                ('currency', models.CharField(max_length=3)),
                ('cap', models.DecimalField(decimal_places=2, default=Decimal('0'), max_digits=10)),
                ('committed', models.DecimalField(decimal_places=2, default=Decimal('0'), max_digits=10)),
                ('spent', models.DecimalField(decimal_places=2, default=Decimal('0'), max_digits=10)),
                ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='budgets', to='collection.study')),
            ],
        ),
        migrations.CreateModel(
            name='Campaign',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('panel', models.CharField(max_length=20)),
                ('environment', models.CharField(max_length=12)),
                ('number', models.PositiveIntegerField()),
                ('name', models.CharField(max_length=100)),
                ('state', models.CharField(choices=[('draft', 'draft'), ('armed', 'armed'), ('running', 'running'), ('stopping', 'stopping'), ('closed', 'closed')], default='draft', max_length=10)),
                ('troubled', models.CharField(blank=True, max_length=300)),
                ('reward', models.DecimalField(decimal_places=2, default=Decimal('0'), max_digits=8, validators=[django.core.validators.MinValueValidator(Decimal('0'))])),
                ('hourly', models.DecimalField(decimal_places=2, default=Decimal('0'), max_digits=8, validators=[django.core.validators.MinValueValidator(Decimal('0'))])),
                ('currency', models.CharField(default='USD', max_length=3)),
                ('floor', models.DecimalField(decimal_places=2, default=Decimal('12.00'), max_digits=8, validators=[django.core.validators.MinValueValidator(Decimal('0'))])),
                ('minutes', models.PositiveSmallIntegerField(default=10, validators=[django.core.validators.MinValueValidator(1)])),
                ('places', models.PositiveIntegerField(default=1, validators=[django.core.validators.MinValueValidator(1)])),
                ('topped_up', models.BooleanField(default=False)),
                ('terms', models.JSONField(blank=True, default=dict)),
                ('terms_hash', models.CharField(blank=True, max_length=64)),
                ('armed_at', models.DateTimeField(blank=True, null=True)),
                ('outside', models.CharField(blank=True, max_length=64)),
                ('refs', models.JSONField(blank=True, default=dict)),
                ('token', models.CharField(default=collection.models.study.link_token, max_length=32, unique=True)),
                ('epoch', models.PositiveIntegerField(default=1)),
                ('surveyed_at', models.DateTimeField(blank=True, null=True)),
                ('comparing_since', models.DateTimeField(blank=True, null=True)),
                ('compared_read', models.PositiveIntegerField(default=0)),
                ('compared_said', models.CharField(blank=True, max_length=400)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
                ('armed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='campaigns', to='collection.study')),
            ],
            options={
                'ordering': ['number'],
                'permissions': [('publish_for_real', 'Can publish for real people on Mechanical Turk')],
            },
        ),
        migrations.CreateModel(
            name='Entry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('outside', models.CharField(max_length=100)),
                ('visit', models.PositiveIntegerField(default=0)),
                ('receipt', models.CharField(default=panels.models.entries.receipt, max_length=32)),
                ('state', models.CharField(choices=[('opened', 'arrived'), ('working', 'begun'), ('done', 'finished here, not listed by the panel yet'), ('confirmed', 'sent'), ('review', 'listed by the panel, not finished here'), ('superseded', 'given to somebody else'), ('returned', 'returned'), ('lapsed', 'not sent in time')], default='opened', max_length=10)),
                ('panel', models.CharField(max_length=20)),
                ('environment', models.CharField(max_length=12)),
                ('arrived_at', models.DateTimeField()),
                ('deadline', models.DateTimeField()),
                ('done_at', models.DateTimeField(blank=True, null=True)),
                ('submitted_at', models.DateTimeField(blank=True, null=True)),
                ('seconds', models.PositiveIntegerField(blank=True, null=True)),
                ('assessor', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='judging.assessor')),
                ('assignment', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='entry', to='judging.assignment')),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='panels.campaign')),
            ],
            options={
                'verbose_name_plural': 'entries',
            },
        ),
        migrations.CreateModel(
            name='Mailing',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('kind', models.CharField(choices=[('invitation', 'Invitation'), ('reminder', 'Reminder')], max_length=12)),
                ('to', models.CharField(blank=True, max_length=12)),
                ('subject', models.CharField(max_length=200)),
                ('text', models.TextField()),
                ('site', models.CharField(max_length=200)),
                ('actor', models.CharField(max_length=200)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='mailings', to='collection.study')),
            ],
        ),
        migrations.CreateModel(
            name='Mail',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('invitation', 'Invitation'), ('reminder', 'Reminder')], max_length=12)),
                ('state', models.CharField(choices=[('waiting', 'Waits to be sent'), ('claimed', 'Is being sent'), ('sending', 'Is going out'), ('sent', 'Sent'), ('doubt', 'Perhaps sent'), ('refused', 'Not sent'), ('dropped', 'Not needed any more')], default='waiting', max_length=8)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('not_before', models.DateTimeField()),
                ('claimed_until', models.DateTimeField(blank=True, null=True)),
                ('error', models.CharField(blank=True, max_length=300)),
                ('settled_at', models.DateTimeField(blank=True, null=True)),
                ('address', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='mails', to='panels.address')),
                ('mailing', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='mails', to='panels.mailing')),
            ],
        ),
        migrations.CreateModel(
            name='Pace',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('panel', models.CharField(max_length=20)),
                ('environment', models.CharField(max_length=12)),
                ('free_at', models.DateTimeField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('panel', 'environment'), name='pace_once')],
            },
        ),
        migrations.CreateModel(
            name='Payment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('reward', 'reward'), ('bonus', 'bonus')], max_length=6)),
                ('reason', models.CharField(blank=True, max_length=200)),
                ('amount', models.DecimalField(decimal_places=2, max_digits=8)),
                ('fee', models.DecimalField(decimal_places=2, default=Decimal('0'), max_digits=8)),
                ('state', models.CharField(choices=[('due', 'owed'), ('paid', 'paid'), ('review', 'to be looked at'), ('void', 'taken back')], default='due', max_length=6)),
                ('key', models.CharField(max_length=100, unique=True)),
                ('how', models.CharField(blank=True, max_length=60)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('paid_at', models.DateTimeField(blank=True, null=True)),
                ('assignment', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='payments', to='judging.assignment')),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='payments', to='panels.campaign')),
                ('entry', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='payments', to='panels.entry')),
            ],
        ),
        migrations.CreateModel(
            name='Person',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('panel', models.CharField(max_length=20)),
                ('environment', models.CharField(max_length=12)),
                ('digest', models.CharField(max_length=64)),
                ('sealed', models.BinaryField(default=b'')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('destroyed_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'verbose_name_plural': 'people',
                'permissions': [('view_raw_ids', 'Can see the ids that panels have for people')],
                'constraints': [models.UniqueConstraint(fields=('panel', 'environment', 'digest'), name='person_once')],
            },
        ),
        migrations.CreateModel(
            name='PanelExclusion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('decided', 'decided, the panel not told yet'), ('effective', 'in force on the panel'), ('lifting', 'lifted, the panel not told yet'), ('lifted', 'lifted')], default='decided', max_length=10)),
                ('changes', models.PositiveSmallIntegerField(default=0)),
                ('decided_at', models.DateTimeField(auto_now_add=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='exclusions', to='panels.campaign')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='collection.study')),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='exclusions', to='panels.person')),
            ],
        ),
        migrations.AddField(
            model_name='entry',
            name='person',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='panels.person'),
        ),
        migrations.CreateModel(
            name='Place',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('attempt', models.PositiveSmallIntegerField(default=1)),
                ('state', models.CharField(choices=[('reserved', 'being published'), ('live', 'open'), ('taken', 'begun'), ('submitted', 'sent'), ('settled', 'paid'), ('refused', 'refused by the panel'), ('expired', 'withdrawn')], default='reserved', max_length=10)),
                ('token', models.CharField(default=collection.models.study.link_token, max_length=32, unique=True)),
                ('outside', models.CharField(blank=True, max_length=64)),
                ('published_at', models.DateTimeField(blank=True, null=True)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('disposed_at', models.DateTimeField(blank=True, null=True)),
                ('books', models.JSONField(blank=True, null=True)),
                ('campaign', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='slots', to='panels.campaign')),
            ],
        ),
        migrations.AddField(
            model_name='entry',
            name='place',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='panels.place'),
        ),
        migrations.CreateModel(
            name='Call',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('op', models.CharField(max_length=20)),
                ('key', models.CharField(max_length=120, unique=True)),
                ('request', models.JSONField(blank=True, default=dict)),
                ('state', models.CharField(choices=[('waiting', 'to be made'), ('calling', 'being made'), ('doubt', 'made, the answer lost'), ('done', 'done'), ('refused', 'refused')], default='waiting', max_length=8)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('not_before', models.DateTimeField()),
                ('claimed_until', models.DateTimeField(blank=True, null=True)),
                ('first_sent_at', models.DateTimeField(blank=True, null=True)),
                ('doubts', models.PositiveSmallIntegerField(default=0)),
                ('looks', models.PositiveSmallIntegerField(default=0)),
                ('looked_at', models.DateTimeField(blank=True, null=True)),
                ('answer', models.JSONField(blank=True, null=True)),
                ('error', models.CharField(blank=True, max_length=500)),
                ('settled_how', models.CharField(blank=True, max_length=100)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('settled_at', models.DateTimeField(blank=True, null=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='calls', to='panels.campaign')),
                ('entry', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='calls', to='panels.entry')),
                ('exclusion', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='calls', to='panels.panelexclusion')),
                ('payment', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='calls', to='panels.payment')),
                ('place', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='calls', to='panels.place')),
            ],
        ),
        migrations.CreateModel(
            name='Posting',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('reserve', 'set aside'), ('release', 'set free'), ('reward', 'reward'), ('fee', 'fee'), ('bonus', 'bonus'), ('bonus fee', 'fee on a bonus'), ('adjust', 'adjustment')], max_length=10)),
                ('amount', models.DecimalField(decimal_places=2, max_digits=8)),
                ('key', models.CharField(max_length=120, unique=True)),
                ('note', models.CharField(blank=True, max_length=200)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('budget', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='postings', to='panels.budget')),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='postings', to='panels.campaign')),
                ('payment', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='postings', to='panels.payment')),
                ('place', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='postings', to='panels.place')),
            ],
        ),
        migrations.CreateModel(
            name='Viewing',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('actor', models.CharField(max_length=200)),
                ('why', models.CharField(max_length=200)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='viewings', to='panels.person')),
            ],
        ),
        migrations.AddConstraint(
            model_name='address',
            constraint=models.UniqueConstraint(condition=models.Q(('digest', ''), _negated=True), fields=('study', 'digest'), name='address_once_in_a_study'),
        ),
        migrations.AddConstraint(
            model_name='address',
            constraint=models.UniqueConstraint(condition=models.Q(('digest', ''), _negated=True), fields=('assessor',), name='address_one_for_an_assessor'),
        ),
        migrations.AddConstraint(
            model_name='address',
            constraint=models.CheckConstraint(condition=models.Q(('deleted_at', None), models.Q(('sealed', b''), ('digest', '')), _connector='OR'), name='address_deleted_is_empty'),
        ),
        migrations.AddConstraint(
            model_name='budget',
            constraint=models.UniqueConstraint(fields=('study', 'rehearsal', 'currency'), name='budget_once'),
        ),
        migrations.AddConstraint(
            model_name='budget',
            constraint=models.CheckConstraint(condition=models.Q(('committed__lte', models.F('cap'))), name='budget_never_passed'),
        ),
        migrations.AddConstraint(
            model_name='budget',
            constraint=models.CheckConstraint(condition=models.Q(('committed__gte', models.F('spent'))), name='budget_spent_is_committed'),
        ),
        migrations.AddConstraint(
            model_name='campaign',
            constraint=models.UniqueConstraint(fields=('study', 'number'), name='campaign_number_once'),
        ),
        migrations.AddConstraint(
            model_name='campaign',
            constraint=models.CheckConstraint(condition=models.Q(('hourly__gte', 0), ('reward__gte', 0)), name='campaign_pays_nothing_less'),
        ),
        migrations.AddConstraint(
            model_name='campaign',
            constraint=models.CheckConstraint(condition=models.Q(('state', 'draft'), models.Q(('terms_hash', ''), _negated=True), _connector='OR'), name='campaign_armed_on_an_estimate'),
        ),
        migrations.AddConstraint(
            model_name='mailing',
            constraint=models.UniqueConstraint(fields=('study', 'number'), name='mailing_number_once'),
        ),
        migrations.AddIndex(
            model_name='mail',
            index=models.Index(condition=models.Q(('state__in', ['waiting', 'claimed', 'sending'])), fields=['not_before'], name='mail_unsettled'),
        ),
        migrations.AddConstraint(
            model_name='mail',
            constraint=models.UniqueConstraint(fields=('mailing', 'address'), name='mail_once_in_a_mailing'),
        ),
        migrations.AddConstraint(
            model_name='mail',
            constraint=models.UniqueConstraint(condition=models.Q(('kind', 'invitation')), fields=('address',), name='mail_invites_once'),
        ),
        migrations.AddConstraint(
            model_name='payment',
            constraint=models.UniqueConstraint(condition=models.Q(('kind', 'reward')), fields=('entry',), name='payment_one_reward_an_entry'),
        ),
        migrations.AddConstraint(
            model_name='payment',
            constraint=models.CheckConstraint(condition=models.Q(('amount__gt', 0)), name='payment_is_positive'),
        ),
        migrations.AddConstraint(
            model_name='payment',
            constraint=models.CheckConstraint(condition=models.Q(('entry__isnull', False), ('assignment__isnull', False), _connector='OR'), name='payment_for_somebody'),
        ),
        migrations.AddConstraint(
            model_name='payment',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'paid'), _negated=True), ('paid_at__isnull', False), _connector='OR'), name='payment_paid_at_a_time'),
        ),
        migrations.AddConstraint(
            model_name='panelexclusion',
            constraint=models.UniqueConstraint(fields=('campaign', 'person'), name='panel_exclusion_once'),
        ),
        migrations.AddIndex(
            model_name='place',
            index=models.Index(fields=['campaign', 'state'], name='place_by_state'),
        ),
        migrations.AddConstraint(
            model_name='place',
            constraint=models.UniqueConstraint(fields=('campaign', 'number'), name='place_number_once'),
        ),
        migrations.AddConstraint(
            model_name='place',
            constraint=models.UniqueConstraint(condition=models.Q(('outside', ''), _negated=True), fields=('campaign', 'outside'), name='place_published_once'),
        ),
        migrations.AddConstraint(
            model_name='place',
            constraint=models.CheckConstraint(condition=models.Q(('disposed_at', None), ('books__isnull', False), _connector='OR'), name='place_disposed_with_books'),
        ),
        migrations.AddIndex(
            model_name='entry',
            index=models.Index(fields=['campaign', 'state'], name='entry_by_state'),
        ),
        migrations.AddConstraint(
            model_name='entry',
            constraint=models.UniqueConstraint(fields=('panel', 'environment', 'outside', 'person'), name='entry_once_for_a_person'),
        ),
        migrations.AddConstraint(
            model_name='entry',
            constraint=models.UniqueConstraint(condition=models.Q(('state__in', ['opened', 'working', 'done', 'confirmed', 'review'])), fields=('place',), name='entry_holds_a_place_alone'),
        ),
        migrations.AddIndex(
            model_name='call',
            index=models.Index(condition=models.Q(('state__in', ['waiting', 'calling', 'doubt'])), fields=['not_before'], name='call_unsettled'),
        ),
        append_only('panels_posting'),
        append_only('panels_viewing'),
    ]
