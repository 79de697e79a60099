"""Least reading time: how fast an answer can be that was read at all.

An answer is too fast if its question was in view for less than a tenth of its reading time at 250 words a
minute (a word is six letters); with pictures or recordings, for less than a second. That is a reason to
look closer, and has no consequence by itself.
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
    """Seconds below which nobody can have looked at so many letters and pictures."""
    reading = letters / LETTERS_A_WORD / WORDS_A_MINUTE * 60
    return SHARE * reading + (PICTURES_SECONDS if pictures else 0)


def sizes(study: Study, items: QuerySet[Item]) -> dict[int, tuple[int, int]]:
    """Numbers of letters and pictures that each of these items shows, by id."""
    rows = items.annotate(letters=Length("text")).values_list("pk", "image", "letters")
    return {
        pk: (0, 1) if image and (study.kind != Study.Kind.TEXT or not letters) else (letters or 0, 0)
        for pk, image, letters in rows.iterator()
    }


def seconds_in_view(batches: Sequence[Assignment]) -> dict[int, float]:
    """Seconds that each batch's questions were in view until answered, corrections included.

    Questions without a time from the browser are left out.
    """
    rows = Judgment.objects.filter(assignment__in=batches, seconds__isnull=False).order_by()
    return dict(rows.values_list("assignment").annotate(sum=Sum("seconds")))


def least_of(shown: Iterable[int], known: dict[int, tuple[int, int]]) -> float:
    """Least seconds for a question about these items. sizes: as `sizes` returns them."""
    parts: Sequence[tuple[int, int]] = [known.get(item, (0, 0)) for item in shown]
    return least_seconds(sum(letters for letters, _ in parts), sum(pictures for _, pictures in parts))
