"""Forms of the organizer's pages, except those of a study's settings: fields, checks and error messages."""

from dataclasses import asdict
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from collection.models import Membership, Run, Study
from collection.study import lifecycle
from collection.upload import unknown_topics
from collection.upload.kinds import Kind
from prefir.formats import Ties
from web.shared.form_words import Worded

# Hints for the fields `asked_by` and `contact`, in every form that has them.
WHO = "A person, a group, an institute. Assessors read it before they agree."
WHERE = "For assessors with a question: an e-mail address, best of all."
# Options that can be chosen for a file, if its kind has them.
OPTIONS = ("ties", "name", unknown_topics.OPTION)
MOST_INVITATIONS = 500
REASON: dict[str, Any] = {
    "label": "Reason",
    "help_text": "Only organizers see it.",
    "error_messages": {"required": "Say why, in a few words."},
}
TIES: list[tuple[Ties, str]] = [
    ("descending", "by docno, descending, as trec_eval does"),
    ("ascending", "by docno, ascending"),
    ("rank", "by the rank column"),
]


class TaskForm(Worded, forms.ModelForm):
    """A form for a task and for settings of its kind.

    Subclasses declare a setting by the kind's `form_field`, and list it in `Meta.fields` to place it.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, value in asdict(self.instance.settings_of_kind).items():
            self.initial.setdefault(name, value)

    def clean(self) -> dict[str, Any]:
        """Give the task its settings; `Task.clean` then checks them."""
        given = super().clean() or self.cleaned_data
        known = self.instance.way.settings.model_fields()
        stored = asdict(self.instance.settings_of_kind)
        self.instance.settings = stored | {name: given[name] for name in known if name in given}
        return given


class LoadForm(Worded, forms.Form):
    """Upload of one or several files of one kind, with the options of that kind."""

    ties = forms.ChoiceField(
        choices=TIES, required=False, label="Equal scores are ordered", initial="descending"
    )
    name = forms.CharField(
        max_length=200,
        required=False,
        label="Name of the run",
        help_text="Empty: the file's name without its ending.",
    )

    leave_out = forms.BooleanField(
        required=False,
        label="Leave out topics that are not loaded",
        help_text="For files about more topics than the study has. Otherwise such a file is refused.",
    )

    def __init__(self, *args: Any, key: str, kind: Kind, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.auto_id = f"{key}-%s"
        self.several = kind.several
        for option in OPTIONS:
            if option not in kind.options:
                del self.fields[option]
        ending = kind.example_name.rpartition(".")[2]
        self.fields["files"] = Files(
            label="Files" if self.several else "File",
            help_text="You may choose several; each is one run." if self.several else "",
            widget=ManyFiles(attrs={"accept": ".zip"} if ending == "zip" else {}, several=self.several),
            error_messages={"required": "Choose a file first."},
        )
        self.order_fields(["files"])

    def clean(self) -> dict[str, Any]:
        """Refuse a single name for several files."""
        values = super().clean() or self.cleaned_data
        if values.get("name") and len(values.get("files", [])) > 1:
            self.add_error(
                "name", "Several files cannot have one name. Leave it empty, or load them one by one."
            )
        return values


class ManyFiles(forms.ClearableFileInput):
    """A file input that may take several files."""

    allow_multiple_selected = True
    template_name = "django/forms/widgets/file.html"

    def __init__(self, attrs: dict[str, Any] | None = None, *, several: bool) -> None:
        super().__init__({"multiple": several, **(attrs or {})})


class Files(forms.FileField):
    """A list of uploaded files, none of them empty."""

    def clean(self, data: Any, initial: Any = None) -> Any:
        """Check each file as Django's own field checks one; return the list."""
        files = data if isinstance(data, list | tuple) else [data]
        return [super(Files, self).clean(file, initial) for file in files or [None]]


class InviteForm(Worded, forms.Form):
    """Number of invitations to make, and their labels."""

    number = forms.IntegerField(
        min_value=1,
        max_value=MOST_INVITATIONS,
        required=False,
        label="Number of invitations",
        error_messages={
            "max_value": f"At most {MOST_INVITATIONS} at once.",
            "min_value": "Make at least one.",
        },
    )
    labels = forms.CharField(
        required=False,
        label="Labels",
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="If you like, one a line, to tell the links apart: a name, an address, a seat. Only "
        "organizers see them.",
    )

    def clean_labels(self) -> list[str]:
        """Return the lines that are not empty, as labels."""
        labels = [line.strip() for line in self.cleaned_data["labels"].splitlines() if line.strip()]
        if len(labels) > MOST_INVITATIONS:
            raise ValidationError(f"{len(labels):,} labels; at most {MOST_INVITATIONS} at once.")
        if long := [label for label in labels if len(label) > 120]:
            raise ValidationError(f'"{long[0][:40]}..." is longer than 120 characters.')
        return labels

    def clean(self) -> dict[str, Any]:
        """Set `labels` to one label for each invitation; missing ones are empty."""
        values = super().clean() or self.cleaned_data
        if self.errors:
            return values
        labels, number = values["labels"], values.get("number")
        if not number and not labels:
            self.add_error("number", "Say how many, or give a label for each.")
        elif number and number < len(labels):
            self.add_error(
                "number", f"{len(labels)} labels for {number}: leave the number empty, or raise it."
            )
        else:
            values["labels"] = labels + [""] * ((number or 0) - len(labels))
        return values


class MemberForm(Worded, forms.Form):
    """An account to make a member of the study, and its role."""

    username = forms.CharField(
        max_length=150, label="Username", error_messages={"required": "Enter the name of an account."}
    )
    role = forms.ChoiceField(
        choices=Membership.Role.choices,
        label="Part",
        initial=Membership.Role.COORDINATOR,
        widget=forms.RadioSelect,
    )
    runs = forms.CharField(
        required=False,
        label="Runs",
        help_text="For a participant: the names of their own runs, with spaces between.",
    )
    # Id of an assessor of the study who judged by a link until now, to be connected with the account.
    person = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.study = study

    def clean_runs(self) -> list[Run]:
        """Return the named runs of the study; participants need at least one, other roles may have none."""
        names = set(self.cleaned_data["runs"].split())
        found = list(Run.objects.filter(study=self.study, name__in=names).order_by("name"))
        unknown = sorted(names - {run.name for run in found})
        if unknown:
            raise forms.ValidationError(f"The study has no run {', '.join(unknown)}.")
        participant = self.cleaned_data.get("role") == Membership.Role.PARTICIPANT
        if participant and not found:
            raise forms.ValidationError("Name the runs that the participant is to see.")
        if found and not participant:
            raise forms.ValidationError("Only participants have runs. Choose that part, or leave this empty.")
        return found


class WhoAsksForm(Worded, forms.ModelForm):
    """Who asks and whom to write to; the open link needs both."""

    use_required_attribute = False

    class Meta:
        model = Study
        fields = ["asked_by", "contact"]
        labels = {"asked_by": lifecycle.ASKED_BY, "contact": lifecycle.CONTACT}
        help_texts = {"asked_by": WHO, "contact": WHERE}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.required = True
            field.error_messages["required"] = (
                "Anyone who comes by the open link is to know who asks and whom to write to."
            )


class ExcludeJoinedForm(Worded, forms.Form):
    """Exclusion of all who joined by the open link since a moment (UTC), with the reason."""

    since = forms.DateTimeField(
        label="Joined since",
        help_text="UTC.",
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        error_messages={"required": "Give a moment.", "invalid": "Give a date and a time."},
    )
    reason = forms.CharField(max_length=200, **REASON)


class ReasonForm(Worded, forms.Form):
    """The reason for a decision, stored with it."""

    why = forms.CharField(max_length=200, **REASON)


class StopForm(Worded, forms.Form):
    """Whether open batches are closed when judging is paused or ended."""

    batches = forms.BooleanField(
        required=False,
        label="Close the batches that are open as well: their answers will not count, and their questions "
        "are open again",
    )


class PanelIdForm(Worded, forms.Form):
    """A person's id at a panel, to search for."""

    given = forms.CharField(
        max_length=100, label="Id at the panel", error_messages={"required": "Enter the id to look for."}
    )
