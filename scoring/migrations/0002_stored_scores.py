from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('scoring', '0001_squashed'),
    ]

    operations = [
        migrations.RenameModel('Scored', 'StoredScores'),
    ]
