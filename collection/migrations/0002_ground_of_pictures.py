"""The ground on which a study's pictures lie."""

from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [("collection", "0026_ground_of_pictures")]
    dependencies = [("collection", "0001_squashed")]

    operations = [
        migrations.AddField(
            model_name='study',
            name='ground',
            field=models.CharField(choices=[('light', 'Light grey'), ('white', 'White'), ('grey', 'Middle grey: light and dark drawings can both be seen'), ('checker', 'Checkerboard: shows where a picture is transparent')], db_default='light', default='light', max_length=8),
        ),
    ]
