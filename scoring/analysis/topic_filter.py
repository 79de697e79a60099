"""Topics by group: the columns by which a study's topics are grouped, and the topics of one group."""

from collections import Counter

from collection.models import Study, Topic

# Groups that a page offers, the largest first.
MOST_CHOICES = 60


def group_columns(study: Study) -> list[str]:
    """The names of the columns by which a study's topics are grouped, those of most topics first."""
    found = Counter(name for groups in groups_of(study).values() for name in groups)
    return [name for name, _ in found.most_common()]


def group_choices(study: Study) -> list[tuple[str, str]]:
    """The groups that a query may name, as `column:value`, each with its name and number of topics."""
    found = Counter(
        (name, str(value)) for groups in groups_of(study).values() for name, value in groups.items()
    )
    named = sorted(found.most_common(MOST_CHOICES), key=lambda one: one[0])
    return [(f"{name}:{value}", f"{name}: {value} ({n:,})") for (name, value), n in named]


def topics_in(study: Study, group: str) -> set[int] | None:
    """Ids of the topics of a group, given as `column:value`; None for all: "", or a group without topics."""
    if not group:
        return None
    return {topic for topic, groups in groups_of(study).items() if is_in(groups, group)} or None


def is_in(groups: dict[str, object], group: str) -> bool:
    """Whether a topic with these groups is in the group `column:value`; either may have a colon in it."""
    return any(f"{name}:{value}" == group for name, value in groups.items())


def groups_of(study: Study) -> dict[int, dict[str, object]]:
    """The groups of each topic that has any. One query."""
    rows = Topic.objects.filter(study=study).exclude(groups={}).order_by("pk")
    return dict(rows.values_list("pk", "groups"))
