"""Forms to copy, archive or delete a study, and what is said beside them."""

from typing import Any

from django import forms

from collection.models import Run, Study, Topic
from judging.models import Assessor
from panels.recruitment import closure
from web.organizer.setup import whole_study
from web.shared.form_words import Worded
from web.shared.phrases import count, listed


class CopyForm(Worded, forms.Form):
    """Name of a copy, and what it takes over."""

    name = forms.CharField(
        max_length=120,
        label="Name of the copy",
        help_text="Stands on all its pages, the assessors' too.",
        error_messages={"required": "Give the copy a name."},
    )
    what = forms.ChoiceField(
        choices=[
            (whole_study.RUNS, "Settings, texts, topics, items, pictures, grades and runs"),
            (whole_study.ITEMS, "The same without the runs"),
            (whole_study.NOTHING, "Settings and texts alone"),
        ],
        widget=forms.RadioSelect,
        label="What it takes over",
        help_text="People who judge, their answers, campaigns, challenges and examples stay here. Challenges "
        "are made anew when the copy is opened.",
    )
    members = forms.BooleanField(
        required=False, label="Its organizers, coordinators and viewers have the same part in the copy"
    )
    use_required_attribute = False


class DeleteForm(Worded, forms.Form):
    """Confirmation of a deletion: the study's name, typed."""

    typed = forms.CharField(
        label="Type the study's name to delete it",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        error_messages={"required": "Type the study's name as it stands above."},
    )
    use_required_attribute = False

    def __init__(self, *args: object, name: str, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.name = name

    def clean_typed(self) -> str:
        """Refuse another name, so that nobody with two studies open deletes the wrong one."""
        typed = self.cleaned_data["typed"].strip()
        if typed != self.name.strip():
            raise forms.ValidationError(f"This study is called “{self.name}”. Type that.")
        return str(typed)


def keeping(
    study: Study, copy: CopyForm | None = None, delete: DeleteForm | None = None, refused: str = ""
) -> dict[str, Any]:
    """Return what the last section of the settings shows; refused: why a study stays as it is."""
    name = f"{study.name[:112]} (copy)"
    return {
        "copy": copy or CopyForm(auto_id="copy-%s", initial={"name": name, "what": whole_study.RUNS}),
        "delete": delete or DeleteForm(name=study.name),
        "holds": _holds(study),
        "refused": refused,
        "campaigns": listed(closure.going_on(study.pk)),
        "wrong": copy or delete,
        "open": bool(refused or copy or delete),
    }


def _holds(study: Study) -> str:
    """Return in words what is lost when the study is deleted: its topics, runs and people."""
    rows = {
        "topic": Topic.objects.filter(study=study),
        "run": Run.objects.filter(study=study),
        "person": Assessor.objects.filter(study=study),
    }
    return study.words.counted_in(listed([count(some.count(), noun) for noun, some in rows.items()]))
