"""Warnings before a study is opened, for the checklist and the page that opens it."""

from collection.models import Study
from judging.models import Task
from judging.questions.expected_time import typical_batch
from judging.tasks.pick import Pick
from web.forecast.overview import Stock
from web.shared.phrases import count, listed

# In batches of fewer questions a repeat is close to its first, and easy to recognise.
RECOGNISED_BELOW = 12
UNCHECKED = "Nobody's attention is checked: there are no challenges."


def bare_candidates(study: Study, stock: Stock) -> list[str]:
    """Warn of candidates without content."""
    if not stock.bare_candidates:
        return []
    has = "has" if stock.bare_candidates == 1 else "have"
    return [
        f"{count(stock.bare_candidates, 'candidate')} of {sum(stock.pools):,} {has} no {study.shows}: an "
        "assessor would see a docno. Load what is missing before you open the study."
    ]


def short_topics(study: Study, stock: Stock) -> list[str]:
    """Warn of topics with nothing to compare."""
    if not stock.short:
        return []
    return [
        f"{count(len(stock.short), study.words.topic)} with fewer than two candidates, where nothing is "
        f"asked: {listed(stock.short)}."
    ]


def repeats(task: Task) -> list[str]:
    """Warn if batches are so short that people recognize repeats."""
    questions = task.batch_size + task.batch_challenges
    if not task.repeats or questions >= RECOGNISED_BELOW:
        return []
    return [
        f"A batch has {count(questions, 'question')}, and {task.repeats} of them again: in so short a batch "
        "people recognise what they have just answered, and consistency looks better than it is. "
        f"Ask at least {RECOGNISED_BELOW} in a batch, or none again."
    ]


def long_batch(study: Study, task: Task) -> list[str]:
    """Warn if a batch takes longer than the settings let it."""
    batch = typical_batch(task, study)
    if batch.minutes <= task.minutes:
        return []
    return [
        f"A batch takes about {batch.minutes} minutes to read, more than the {task.minutes} of the settings. "
        f"It stays open for {batch.limit(task)}, so that slow readers finish; ask fewer questions in a batch."
    ]


def challenges(study: Study, task: Task, available: int) -> list[str]:
    """Warn if answers are not checked, or if there are too few challenges for a batch."""
    each, topic, item = task.batch_challenges, study.words.topic, study.words.item
    if not each:
        return [
            f"{UNCHECKED} Somebody who chooses at random counts like everybody else. The settings ask for no "
            "challenges in a batch."
        ]
    if not available and task.kind == Pick.name:
        return [
            f"{UNCHECKED} Somebody who chooses at random counts like everybody else. None were loaded, and "
            f"none can be made from grades: no {topic} has both an {item} graded above 0 and enough graded 0 "
            "to fill a grid with it, one fewer than a grid holds."
        ]
    if not available:
        return [
            f"{UNCHECKED} Somebody who chooses at random counts like everybody else. None were loaded, and "
            f"none can be made from grades: no {topic} has both an {item} graded above 0 and one graded 0."
        ]
    if available < each:
        return [
            f"A batch needs {count(each, 'challenge')}, there {'is' if available == 1 else 'are'} only "
            f"{available}: nobody would get one. Load more, or ask for fewer in the settings."
        ]
    return []
