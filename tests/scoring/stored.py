"""Stored scores as tests look at them, and spoil them."""

from math import nan

from collection.models import Run, Topic
from scoring.models import StoredScores
from scoring.scores import score_rows
from scoring.scores.stored_measures import options


def rows() -> list[score_rows.Score]:
    """Every stored score, in an order; those of runs that are gone left out."""
    runs = set(Run.objects.values_list("pk", flat=True))
    found = (score for score in score_rows.stored(StoredScores.objects.all()) if score.run_id in runs)
    return sorted(found, key=lambda score: score[:4])


def named() -> dict[tuple[str, str, str, str], float | None]:
    """(run, topic, measure, options) -> value."""
    runs, topics = (dict(model.objects.values_list("pk", "name")) for model in (Run, Topic))
    return {(runs[s.run_id], topics[s.topic_id], s.measure, s.options): s.value for s in rows()}


def value(run: str, measure: str, p: float, topic: str = "t1") -> float | None:
    """One stored score."""
    return named()[run, topic, measure, options(p)]


def spoil(number: float) -> None:
    """Make every stored score this number, and add a measure that is asked for no more."""
    for scored in StoredScores.objects.all():
        own = score_rows.unpacked(scored.columns, scored.runs, scored.numbers)
        columns = [*own.columns, ("pgc", "p=0.5")]
        wrong = score_rows.TopicScores(columns, own.runs, [[number] * len(own.runs) for _ in columns])
        StoredScores.objects.filter(pk=scored.pk).update(**wrong.packed())


def put(topic: Topic, run: Run, number: float | None) -> None:
    """Store a topic's only score: PGC of one run at p = 0.95."""
    one = score_rows.TopicScores([("pgc", "p=0.95")], [run.pk], [[nan if number is None else number]])
    StoredScores.objects.create(topic=topic, **one.packed())
