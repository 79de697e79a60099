"""Exports of the collection: its merged grades, line by line, as they can be loaded."""

from collections.abc import Iterator

from collection.material import levels
from collection.models import Study, Topic
from prefir.formats import GradeRecord, write_qrels


def merged_qrels(study: Study) -> Iterator[str]:
    """Yield a study's merged grades as lines `topic 0 docno level`.

    A topic's top items stand in order above all grades, ties on one level; the rest keep their grades. Topics
    in order of loading, best level first.
    """
    names = dict(Topic.objects.filter(study=study).order_by("pk").values_list("pk", "name"))
    merged = levels.merged_levels(list(names), above=levels.highest_grade(study.pk))
    return write_qrels(
        GradeRecord(topic=names[pk], docno=docno, grade=level)
        for pk in names
        for docno, level in sorted(merged[pk].items(), key=lambda entry: (-entry[1], entry[0]))
    )
