"""Storing of groups: a file's columns replace those of the topics that it names."""

from collections.abc import Iterator, Sequence

from collection.models import Study, Topic
from collection.upload.record_store import IN_LIST
from prefir.formats import GroupsRecord
from prefir.formats.ids import MAX_GROUPS


def set_groups(study: Study, records: Sequence[GroupsRecord]) -> str:
    """Set the groups of topics in the columns that a file has; other columns stay."""
    topics = dict(_merged_groups(study, records))
    for topic, groups in topics.items():
        topic.groups = groups
    Topic.objects.bulk_update(topics, ["groups"], batch_size=IN_LIST)
    return f"groups of {study.words.count_topics(len(topics))} by {', '.join(records[0].groups)}"


def too_many_groups(study: Study, records: Sequence[GroupsRecord]) -> str:
    """Say which topic would have more columns of groups than a topic may have; "" if none would."""
    for topic, groups in _merged_groups(study, records):
        if len(groups) > MAX_GROUPS:
            return f"Topic {topic.name} would have {len(groups)} columns of groups; {MAX_GROUPS} are allowed."
    return ""


def _merged_groups(study: Study, records: Sequence[GroupsRecord]) -> Iterator[tuple[Topic, dict[str, str]]]:
    given = {record.topic: record.groups for record in records}
    for topic in Topic.objects.filter(study=study).only("name", "groups"):
        if (own := given.get(topic.name)) is not None:
            merged = {**topic.groups, **own}
            yield topic, {column: group for column, group in merged.items() if group}
