"""Items with nothing to show are found without reading every text; what members are told, and what was sent."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import collection.models.notices


class Migration(migrations.Migration):

    dependencies = [
        ('collection', '0023_topics_open_in_waves'),
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
            name='Event',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('topic', 'a topic ends'), ('stall', 'judging stalls'), ('challenge', 'a challenge fails often')], max_length=10)),
                ('key', models.CharField(max_length=60)),
                ('about', models.JSONField(default=dict)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name='Told',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('way', models.CharField(choices=[('mail', 'e-mail'), ('webhook', 'webhook')], max_length=8)),
            ],
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
            ],
            options={
                'verbose_name_plural': 'watches',
            },
        ),
        migrations.AddIndex(
            model_name='item',
            index=models.Index(condition=models.Q(('image', ''), ('text', '')), fields=['topic'], name='item_bare'),
        ),
        migrations.AddField(
            model_name='event',
            name='study',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='events', to='collection.study'),
        ),
        migrations.AddField(
            model_name='told',
            name='delivery',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='told', to='collection.delivery'),
        ),
        migrations.AddField(
            model_name='told',
            name='event',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='collection.event'),
        ),
        migrations.AddField(
            model_name='watch',
            name='study',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='watches', to='collection.study'),
        ),
        migrations.AddField(
            model_name='watch',
            name='user',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='watches', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='told',
            name='watch',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='told', to='collection.watch'),
        ),
        migrations.AddField(
            model_name='delivery',
            name='watch',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='collection.watch'),
        ),
        migrations.AddConstraint(
            model_name='event',
            constraint=models.UniqueConstraint(fields=('study', 'kind', 'key'), name='event_once'),
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
    ]
