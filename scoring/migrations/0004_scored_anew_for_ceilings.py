from django.db import migrations
from django.db.models import F


def outdate(apps, schema_editor):
    """Have topics that were scored before there were ceilings scored anew, by the next sweep."""
    stored = apps.get_model("scoring", "StoredScores")
    old = stored.objects.filter(ceilings=b"", revision__gte=0)
    # Raised too, so that the version of a standing tells old scores from new ones.
    topics = apps.get_model("collection", "Topic").objects.filter(pk__in=old.values("topic_id"))
    topics.update(revision=F("revision") + 1)
    old.update(revision=-1)


class Migration(migrations.Migration):

    dependencies = [
        ("scoring", "0003_ceilings"),
        ("collection", "0007_baseline"),
    ]

    operations = [migrations.RunPython(outdate, migrations.RunPython.noop)]
