"""Fields of a study's aspects and reasons, a part of the form of its settings."""

from dataclasses import asdict
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from judging.models import Judgment, Task
from judging.tasks.aspects import (
    LONGEST_NAME,
    LONGEST_REMARK,
    MOST_ASPECTS,
    MOST_CLAIMS,
    MOST_REASONS,
    AspectSettings,
    When,
    problem_of_change,
)
from judging.tasks.pair import Pair
from web.shared.form_words import Worded

FIELDS = ("aspects", "claims", "aspects_when", "aspects_needed", "reasons", "remark")
# What a ticked box stores; "" if it is not ticked.
BOXES = {"aspects_needed": "all", "remark": "asked", "claims": "asked"}


class AspectFields(Worded, forms.Form):
    """What a pair asks besides the answer."""

    aspects = forms.CharField(
        required=False,
        label="Aspects",
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Pairs alone. One a line, such as Correct, Complete, Clear, Safe: at most "
        f"{MOST_ASPECTS}, of {LONGEST_NAME} letters. Each is answered left, same or right. Empty: none is "
        "asked. Once a judgment is in, names stay, and others can be added below them.",
    )
    claims = forms.BooleanField(
        required=False,
        label="Sentences that cite are marked as supported or not",
        help_text="Pairs of answers with sources. Each sentence that cites a source by its number, such as "
        f"[2], is shown beside it: supported, not supported, cannot tell, or skipped; at most {MOST_CLAIMS} "
        "of an answer. It takes time.",
    )
    aspects_when = forms.ChoiceField(
        required=False,
        choices=When.choices,
        widget=forms.RadioSelect,
        label="Aspects and sentences that cite are asked",
        help_text="Before: people weigh each aspect first, and their answer is more considered and slower. "
        "After: the answer is a first impression, and the aspects say why.",
    )
    aspects_needed = forms.BooleanField(
        required=False,
        label="Every aspect must be answered",
        help_text="Otherwise each can be skipped.",
    )
    reasons = forms.CharField(
        required=False,
        label="Reasons",
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Pairs alone. One a line, such as Cites its sources or Shorter: at most "
        f"{MOST_REASONS}. People are asked why what they chose is better, and give each or not by one key.",
    )
    remark = forms.BooleanField(
        required=False,
        label="A sentence may be added",
        help_text=f"Why, in their own words, at most {LONGEST_REMARK} letters. It is sealed by its hash, and "
        "in no release.",
    )

    def of_task(self, task: Task) -> None:
        """Let the fields begin with what the task has."""
        settings = task.settings_of_kind
        self.aspects_before = settings if isinstance(settings, AspectSettings) else AspectSettings()
        for name in FIELDS:
            value = getattr(self.aspects_before, name)
            self.initial.setdefault(name, bool(value) if name in BOXES else value)

    def set_on(self, task: Task) -> None:
        """Set what was given on a task of pairs; a form without these fields leaves it as it is."""
        if task.kind != Pair.name or "aspects" not in self.data:
            return
        values: dict[str, Any] = {name: self.cleaned_data[name] for name in FIELDS}
        values |= {name: ticked if values[name] else "" for name, ticked in BOXES.items()}
        values["aspects_when"] = values["aspects_when"] or self.aspects_before.aspects_when
        try:
            given = AspectSettings.checked(values)
        except ValidationError as error:
            for name, problems in error.error_dict.items():
                self.add_error(name, problems)
            return
        if task.pk and Judgment.objects.filter(assignment__task=task).exists():
            for name, problem in problem_of_change(self.aspects_before, given).items():
                self.add_error(name, problem)
        task.settings = asdict(given)
