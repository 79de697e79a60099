"""A study for tests of pages: its pairs are open without a tournament, and what no page may show is marked.

Studies that are opened and played as the product does it, and people who judge: tests/makers.py.
"""

import io
from itertools import combinations

from django.core.files.base import ContentFile
from django.utils import timezone
from PIL import Image

from collection.models import Grade, Item, Study, Topic
from judging.questions import asking
from tests.makers import Choice, invite, study_with

__all__ = ["give_pictures", "invite", "make_study", "picture"]
NAMES = ("oak", "fern", "moss", "reed", "sedge", "thyme")


def make_study(*, pairs: int = 20, challenges: int = 9, **settings) -> Study:
    """An open study of two topics with six passages each, 30 pairs in all.

    `pairs` of these wait for one answer each; `challenges` further ones have a known answer, item a.
    Docnos and grades are such that a page which shows one can be caught.
    """
    given = {"name": "Garden study", "slug": "garden", "opened_at": timezone.now(), "seed": "s"} | settings
    study = study_with(**given)
    made = []
    for name in ("shade", "drought"):
        topic = Topic.objects.create(study=study, name=name, text=f"Which plant suits {name}?")
        members = [
            Item.objects.create(topic=topic, docno=f"DOCNO-{name}-{plant}", text=f"About {plant} in {name}.")
            for plant in NAMES
        ]
        Grade.objects.bulk_create(Grade(item=item, value=77.25) for item in members)
        made += [asking.Asked(topic.pk, (a.pk, b.pk), None) for a, b in combinations(members, 2)]
    task = asking.task_of(study)
    asking.store(task, [asked._replace(value=1) for asked in made[:pairs]], "wanted")
    known = [asked._replace(value=Choice.A.value) for asked in made[pairs : pairs + challenges]]
    asking.store(task, known, "expected")
    return study


def picture(colour: tuple[int, int, int], kind: str = "PNG") -> ContentFile:
    """A file of 40 × 30 pixels of one colour."""
    file = io.BytesIO()
    Image.new("RGB", (40, 30), colour).save(file, kind)
    return ContentFile(file.getvalue())


def give_pictures(study: Study) -> None:
    """Give every item of a study a picture of its own colour, in place of its text."""
    for item in Item.objects.filter(topic__study=study):
        colour = (item.pk * 53 % 256, item.pk * 97 % 256, item.pk * 193 % 256)
        item.image.save("any-name.png", picture(colour), save=False)
        item.width, item.height, item.text = 40, 30, ""
        item.save()
