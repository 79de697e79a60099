"""`manage.py texts STUDY`: show what a study's assessors read, or change it from files."""

import difflib
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django import forms
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from collection.commands import add_study, named_study
from collection.models import Study
from judging.models import Task
from judging.questions import grading, texts
from web.organizer.setup.grading import GradingForm
from web.organizer.setup.grading import TextsForm as GradingTextsForm
from web.organizer.setup.study_form import TASK_FIELDS, StudyForm

# Options with the attribute whose text they are; those of FILES name a file.
SHORT = {"asked-by": "asked_by", "contact": "contact", "question": "wording"}
FILES = {"instructions": "instructions", "consent": "consent", "guidelines": "guidelines"}
FIELDS = {attribute: field for field, attribute in TASK_FIELDS.items()}


class Command(BaseCommand):
    help = (
        "Show what a study's assessors read and agree to, or change it and show what changes. Once judging "
        "is open a change is a new version, which --change describes in a sentence."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_study(parser)
        parser.add_argument(
            "--of", choices=["tournament", "grading"], default="tournament", help="which task is meant"
        )
        for option in SHORT:
            parser.add_argument(f"--{option}", metavar="TEXT", help=texts.NAMES[SHORT[option]].lower())
        for option in FILES:
            told = f"{texts.NAMES[FILES[option]].lower()}: a file in UTF-8 with the text"
            parser.add_argument(f"--{option}", metavar="FILE", type=Path, help=told)
        parser.add_argument("--change", default="", metavar="SENTENCE", help="what changes, once it is open")

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        of_grading = options["of"] == "grading"
        given = self._given(options, of_grading)
        task = _task(study, of_grading)
        before = texts.texts_of(task)
        if not given:
            self._show(before, task)
            return
        with transaction.atomic():
            # Locked so that the study cannot be opened between the check and the change.
            held = Study.objects.select_for_update().get(pk=study.pk)
            form = _form(held, of_grading, given, options["change"])
            if not form.is_valid():
                raise CommandError("\n".join(_problems(form)))
            form.store(study) if isinstance(form, GradingForm) else form.store()
        task = _task(Study.objects.get(pk=study.pk), of_grading)
        after = texts.texts_of(task)
        names = [name for name in texts.NAMES if name != "examples"]
        lines = [line for name in names for line in _difference(name, before[name], after[name])]
        for line in lines or ["Nothing changes: these are the texts that it has."]:
            self.stdout.write(line)
        if lines:
            version = f"Version {task.version}." if study.opened_at else "Judging is not open: a draft still."
            self.stdout.write(version)

    def _given(self, options: dict[str, Any], of_grading: bool) -> dict[str, str]:
        """The texts that the options name, by attribute."""
        found = {name: options[o.replace("-", "_")] for o, name in SHORT.items()}
        for option, name in FILES.items():
            file = options[option]
            if file is None:
                continue
            try:
                found[name] = file.read_text("utf-8-sig")
            except OSError as error:
                raise CommandError(f"{file}: {error.strerror}.") from error
            except UnicodeDecodeError as error:
                raise CommandError(f"{file} is not UTF-8: its byte {error.start + 1} is none.") from error
        found = {name: text for name, text in found.items() if text is not None}
        for name in found:
            if of_grading and name in texts.OF_STUDY:
                raise CommandError(f"{texts.NAMES[name]} is the study's: leave --of away.")
            if not of_grading and name == "guidelines":
                raise CommandError(f"{texts.NAMES[name]} belongs to grading: add --of grading.")
        return found

    def _show(self, shown: dict[str, Any], task: Task) -> None:
        for name, title in texts.NAMES.items():
            if name != "examples" and (shown[name] or name != "guidelines"):
                self.stdout.write(f"## {title}\n{shown[name] or '(empty)'}\n")
        if task.study.opened_at:
            self.stdout.write(f"Version {task.version}.")


def _task(study: Study, of_grading: bool) -> Task:
    tasks = grading.tasks_of(study) if of_grading else [StudyForm(instance=study).task]
    task = next(iter(tasks), None)
    if task is None:
        raise CommandError("This study asks for no grades.")
    return task


def _form(study: Study, of_grading: bool, given: dict[str, str], change: str) -> Any:
    """The form of the page, filled in as it is but for what is given."""
    kind: Any = StudyForm
    if of_grading:
        kind = GradingTextsForm if study.opened_at else GradingForm
        blank = kind(instance=_task(study, of_grading))
        changed = given
    else:
        blank = kind(instance=study)
        changed = {FIELDS.get(name, name): text for name, text in given.items()}
    filled = {name: blank.get_initial_for_field(field, name) for name, field in blank.fields.items()}
    return kind(filled | changed | {"change": change}, instance=blank.instance)


def _problems(form: forms.BaseForm) -> Iterator[str]:
    for name, errors in form.errors.items():
        label = form.fields[name].label if name in form.fields else ""
        option = " (--change)" if name == "change" else ""
        for error in errors:
            yield f"{label}{option}: {error}" if label else str(error)


def _difference(name: str, before: str, after: str) -> list[str]:
    """The lines that differ, under the name of the text; [] if none does."""
    if before == after:
        return []
    compared = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1)
    return [texts.NAMES[name] + ":", *list(compared)[2:]]
