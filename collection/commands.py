"""Helpers of management commands that name a study."""

from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError
from tqdm import tqdm

from collection.models import Study


def add_study(parser: ArgumentParser) -> None:
    """Add the argument that names a study."""
    parser.add_argument("study", help="the study's short name, as in its address")


def named_study(slug: str, *, deleting: bool = False) -> Study:
    """Return the study with this slug. deleting: also one that is being deleted.

    Raises CommandError that says how to make one.
    """
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        raise CommandError(f"There is no study {slug!r}; `manage.py study` makes one.")
    if study.deleting_since and not deleting:
        raise CommandError(f"{slug} is being deleted. Wait until its name is free again.")
    return study


@contextmanager
def progress(unit: str = "topics") -> Iterator[Callable[[int, int], None]]:
    """A function of (done, total) that shows a progress bar in a terminal after two seconds."""
    with tqdm(disable=None, leave=False, unit=f" {unit}", delay=2) as bar:

        def tell(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield tell
