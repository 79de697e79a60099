from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('collection', '0004_item_description'),
    ]

    operations = [
        migrations.RenameModel('Told', 'NotificationLog'),
    ]
