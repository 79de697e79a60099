"""Files that are looked over before they are loaded."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('collection', '0024_browsing_and_notices'),
    ]

    operations = [
        migrations.AlterField(
            model_name='import',
            name='state',
            field=models.CharField(choices=[('draft', 'looked over, not loaded'), ('waiting', 'waiting'), ('running', 'being read'), ('done', 'loaded'), ('refused', 'refused: nothing was loaded')], default='waiting', max_length=10),
        ),
    ]
