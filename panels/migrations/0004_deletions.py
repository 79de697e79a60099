"""Rows that are only ever added go when their study is deleted, and by no other way."""

from django.db import migrations

from collection.triggers import append_only_but_deletion


class Migration(migrations.Migration):
    dependencies = [("collection", "0022_deletions"), ("panels", "0003_books_and_comparing")]

    operations = [
        append_only_but_deletion("panels_posting"),
        append_only_but_deletion("panels_viewing"),
    ]
