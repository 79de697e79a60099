"""What share of each passage came into view before an answer."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0010_grading'),
    ]

    operations = [
        migrations.AddField(
            model_name='judgment',
            name='seen',
            field=models.CharField(blank=True, max_length=40, null=True),
        ),
    ]
