from django.db import migrations

from collection.triggers import rename_append_only


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0003_batches_without_slots'),
    ]

    operations = [
        *rename_append_only(
            'judging_declined', 'judging_decline', migrations.RenameModel('Declined', 'Decline')
        ),
        *rename_append_only(
            'judging_withdrawn', 'judging_withdrawal', migrations.RenameModel('Withdrawn', 'Withdrawal')
        ),
    ]
