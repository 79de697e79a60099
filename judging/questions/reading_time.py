"""Reading time: the least seconds that a reader needs to look at a question.

An answer is called faster than a reader could be where its question was in view for less than a tenth of the
time in which what it shows can be read at 250 words a minute (a word being six letters), and where it shows
pictures for less than a second. That is a reason to look closer, and nothing follows from it by itself.
"""

from collections.abc import Iterable, Sequence

from django.db.models import QuerySet, Sum
from django.db.models.functions import Length

from collection.models import Item, Study
from judging.models import Assignment, Judgment

WORDS_A_MINUTE = 250
LETTERS_A_WORD = 6
# Of the time for reading all of it: anyone who took less cannot have looked at both sides.
SHARE = 0.1
PICTURES_SECONDS = 1.0


def least_seconds(letters: int, pictures: int) -> float:
    """Seconds below which nobody can have looked at so much text and so many pictures."""
    reading = letters / LETTERS_A_WORD / WORDS_A_MINUTE * 60
    return SHARE * reading + (PICTURES_SECONDS if pictures else 0)


def sizes(study: Study, items: QuerySet[Item]) -> dict[int, tuple[int, int]]:
    """Letters and pictures that each of these items shows, by id."""
    rows = items.annotate(letters=Length("text")).values_list("pk", "image", "letters")
    return {
        pk: (0, 1) if image and (study.kind == Study.Kind.IMAGE or not letters) else (letters or 0, 0)
        for pk, image, letters in rows.iterator()
    }


def seconds_in_view(batches: Sequence[Assignment]) -> dict[int, float]:
    """Seconds that questions of each batch were in view before they were answered, corrections too; what a
    browser does not tell is left out.
    """
    rows = Judgment.objects.filter(assignment__in=batches, seconds__isnull=False).order_by()
    return dict(rows.values_list("assignment").annotate(sum=Sum("seconds")))


def least_of(shown: Iterable[int], known: dict[int, tuple[int, int]]) -> float:
    """The least seconds for a question about these items; `sizes` has their sizes."""
    parts: Sequence[tuple[int, int]] = [known.get(item, (0, 0)) for item in shown]
    return least_seconds(sum(letters for letters, _ in parts), sum(pictures for _, pictures in parts))
