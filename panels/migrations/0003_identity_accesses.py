from django.db import migrations

from collection.triggers import rename_append_only


class Migration(migrations.Migration):

    dependencies = [
        ('panels', '0002_reassigned_places'),
    ]

    operations = [
        *rename_append_only(
            'panels_viewing', 'panels_identityaccess', migrations.RenameModel('Viewing', 'IdentityAccess')
        ),
    ]
