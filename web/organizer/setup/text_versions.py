"""Changes of texts after opening: each makes a new version, with a note of what changed."""

from collections.abc import Sequence

from django import forms

# Fields of a study's settings that assessors read.
TEXTS = ("asked_by", "contact", "question", "instructions", "consent")


def change_field() -> forms.CharField:
    """Return the field in which an organizer who changes texts after opening notes what changes."""
    return forms.CharField(
        max_length=200,
        required=False,
        label="What changes in these texts",
        help_text="A sentence, such as “A typo in the second example.” The new texts are kept beside the old "
        "ones, and each batch says which of them its assessor saw. Open pages go on with what they show.",
    )


def say_what_changes(form: forms.BaseForm, names: Sequence[str]) -> None:
    """Add an error to the form if one of these texts changes after opening without that note."""
    if "change" not in form.fields or form.cleaned_data["change"]:
        return
    if any(name in form.changed_data for name in names):
        form.add_error("change", "Say in a sentence what changes: people may have read the older texts.")
