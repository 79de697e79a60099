"""Count the complete rounds of each topic, which are noted with the topic from now on."""

from django.db import migrations

COUNT = """
UPDATE collection_topic SET full_rounds = (
    SELECT count(*) FROM tournament_round played JOIN tournament_tournament own ON played.tournament_id = own.id
    WHERE own.topic_id = collection_topic.id AND played.complete AND played.kind <> 'match')
"""


class Migration(migrations.Migration):
    dependencies = [("tournament", "0003_stored_digest"), ("collection", "0017_full_rounds")]

    operations = [migrations.RunSQL(COUNT, migrations.RunSQL.noop)]
