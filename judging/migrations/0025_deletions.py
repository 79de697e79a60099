"""Rows that are only ever added go when their study is deleted, and by no other way."""

from django.db import migrations

from collection.triggers import append_only_but_deletion


class Migration(migrations.Migration):
    dependencies = [("collection", "0022_deletions"), ("judging", "0024_releases")]

    operations = [
        append_only_but_deletion("judging_judgment"),
        append_only_but_deletion("judging_decision"),
        append_only_but_deletion("judging_batchquestion"),
        append_only_but_deletion("judging_seal"),
        append_only_but_deletion("judging_withdrawn"),
        append_only_but_deletion("judging_textversion"),
        append_only_but_deletion("judging_declined"),
    ]
