"""What the commands of all rooms share: each of them names a study."""

from argparse import ArgumentParser

from django.core.management.base import CommandError

from collection.models import Study


def add_study(parser: ArgumentParser) -> None:
    """The argument that names a study."""
    parser.add_argument("study", help="the study's short name, as in its address")


def named_study(slug: str) -> Study:
    """The study of this short name. Raises CommandError that says how to make one."""
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        raise CommandError(f"There is no study {slug!r}; `manage.py study` makes one.")
    return study
