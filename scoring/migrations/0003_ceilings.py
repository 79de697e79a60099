from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('scoring', '0002_stored_scores'),
    ]

    operations = [
        migrations.AddField(
            model_name='storedscores',
            name='ceilings',
            field=models.BinaryField(default=bytes),
        ),
    ]
