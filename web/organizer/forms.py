"""The organizer's forms: what they accept, and in which words they refuse."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from collection.kinds import Kind
from collection.models import Membership, Study
from prefir.formats import Ties

# What decides which pairs are asked, and what assessors were told. Fixed once judging is open.
FIXED = (
    *("kind", "question", "instructions", "consent", "ties_allowed"),
    *("mode", "k", "final_size", "pairings", "judgments_per_pair", "seed"),
)
MOST_INVITATIONS = 500
TIES: list[tuple[Ties, str]] = [
    ("descending", "by docno, descending, as trec_eval does"),
    ("ascending", "by docno, ascending"),
    ("rank", "by the rank column"),
]


class StudyForm(forms.ModelForm):
    """A study's texts and settings. Once judging is open, FIXED fields keep their values whatever is sent."""

    class Meta:
        model = Study
        fields = [
            *("name", "kind", "question", "instructions", "consent", "ties_allowed"),
            *("mode", "k", "final_size", "pairings", "judgments_per_pair", "seed"),
            *("batch_pairs", "batch_challenges", "wrong_allowed", "minutes", "persistence"),
        ]
        labels = {
            "kind": "What is compared",
            "question": "Question to the assessor",
            "instructions": "Instructions",
            "consent": "Consent",
            "ties_allowed": "Assessors may answer that neither is better",
            "mode": "Kind of tournament",
            "k": "Top items to find (k)",
            "final_size": "Size of the final (F)",
            "pairings": "Pairings of each item in a round (P)",
            "judgments_per_pair": "Judgments of each pair",
            "seed": "Seed",
            "batch_pairs": "Pairs in a batch",
            "batch_challenges": "Challenges in a batch",
            "wrong_allowed": "Challenges that may be wrong",
            "minutes": "Minutes for a batch",
            "persistence": "Persistence (p)",
        }
        help_texts = {
            "name": "Stands on all pages of the study, the assessors' too.",
            "question": "Stands above every pair.",
            "instructions": "Shown before an assessor's first batch. What makes one item better? "
            "An empty line starts a new paragraph.",
            "consent": "What an assessor agrees to before the first pair. Empty: they are asked for nothing.",
            "k": "A topic's tournament ends when its best k items are known.",
            "final_size": "Once F items or fewer are left, every pair of them is judged.",
            "pairings": "While more than F are left, each item meets P others at random, and goes on if "
            "it wins more than half of them.",
            "judgments_per_pair": "By different people; the majority decides.",
            "seed": "Every draw follows from it: same seed and same answers, same tournament.",
            "batch_pairs": "What one person judges in one sitting.",
            "batch_challenges": "Pairs with a known answer, mixed in.",
            "wrong_allowed": "With more wrong than this, a batch is discarded and its assessor not asked "
            "again.",
            "minutes": "Afterwards its questions go to others.",
            "persistence": "The one that the leaderboard begins with; all four are computed. The larger p, "
            "the further down a ranking the scores look: 0.80, 0.85, 0.90 and 0.95 weigh ranks about as nDCG "
            "at 3, 5, 10 and 20 do.",
        }
        widgets = {
            "kind": forms.RadioSelect,
            "mode": forms.RadioSelect,
            "instructions": forms.Textarea(attrs={"rows": 8}),
            "consent": forms.Textarea(attrs={"rows": 4}),
        }
        error_messages = {
            "name": {"required": "Give the study a name."},
            "question": {"required": "Write the question that stands above every pair."},
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _describe(self)
        if self.instance.opened_at:
            for name in FIXED:
                # Django keeps the stored value of a disabled field, whatever was posted.
                self.fields[name].disabled = True

    def clean(self) -> dict[str, Any]:
        """Settings that contradict each other."""
        values = super().clean() or self.cleaned_data
        k, final = values.get("k"), values.get("final_size")
        if k and final and final < k:
            self.add_error(
                "final_size", f"The final has to hold at least the {k} items that it is to find (k)."
            )
        challenges, wrong = values.get("batch_challenges"), values.get("wrong_allowed")
        if challenges and wrong is not None and wrong >= challenges:
            self.add_error(
                "wrong_allowed",
                f"If {wrong} of {challenges} challenges may be wrong, every batch passes. Allow fewer.",
            )
        return values


class LoadForm(forms.Form):
    """One or several files of one kind."""

    ties = forms.ChoiceField(
        choices=TIES, required=False, label="Equal scores are ordered", initial="descending"
    )
    name = forms.CharField(
        max_length=200,
        required=False,
        label="Name of the run",
        help_text="Empty: the file's name without its ending.",
    )

    def __init__(self, *args: Any, key: str, kind: Kind, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.auto_id = f"{key}-%s"
        self.several = kind.several
        for option in ("ties", "name"):
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
        _describe(self)

    def clean(self) -> dict[str, Any]:
        """A name fits one run only."""
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
        """Each file checked as Django checks one."""
        files = data if isinstance(data, list | tuple) else [data]
        return [super(Files, self).clean(file, initial) for file in files or [None]]


class InviteForm(forms.Form):
    """How many invitations to make, and what to call them."""

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

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _describe(self)

    def clean_labels(self) -> list[str]:
        """The lines that are not empty."""
        labels = [line.strip() for line in self.cleaned_data["labels"].splitlines() if line.strip()]
        if len(labels) > MOST_INVITATIONS:
            raise ValidationError(f"{len(labels):,} labels; at most {MOST_INVITATIONS} at once.")
        if long := [label for label in labels if len(label) > 120]:
            raise ValidationError(f'"{long[0][:40]}..." is longer than 120 characters.')
        return labels

    def clean(self) -> dict[str, Any]:
        """One label for each invitation; those beyond the labels have none."""
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


class MemberForm(forms.Form):
    """Who is to take part in running the study, and how."""

    username = forms.CharField(max_length=150, label="Username")
    role = forms.ChoiceField(
        choices=Membership.Role.choices,
        label="Part",
        initial=Membership.Role.COORDINATOR,
        widget=forms.RadioSelect,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _describe(self)


class ExcludeForm(forms.Form):
    """Why an assessor is excluded; kept with them."""

    why = forms.CharField(max_length=200, label="Reason", help_text="Only organizers see it.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _describe(self)


def _describe(form: forms.BaseForm) -> None:
    """Required fields need no star where nearly all are; the browser's own bubbles would hide our errors."""
    form.use_required_attribute = False
