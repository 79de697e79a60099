"""The form of a study's settings, which are stored in the study, its task of pairs or picks, and its plan."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.db import transaction

from collection import audit_log
from collection.models import Study
from collection.study import lifecycle
from judging.models import Task
from judging.questions import asking, grading, texts
from judging.questions.wording import wording_for
from judging.tasks.pick import Pick
from prefir.rules import STRATEGIES, SettingsError
from scoring.scores.stored_measures import MEASURED, USUAL, chosen
from scoring.scores.topic_scores import outdate
from tournament.models import Plan
from tournament.plans import plan_of, usual_settings
from tournament.services import raise_judgments
from web.forecast.concerns import RECOGNISED_BELOW
from web.organizer.forms import WHERE, WHO
from web.organizer.setup.aspect_fields import AspectFields
from web.organizer.setup.text_versions import TEXTS, change_field, say_what_changes
from web.shared import measure_names
from web.shared.form_words import reworded

# Settings that decide which pairs are asked, and how. They are fixed once judging is open; only the number of
# judgments of each pair can then be raised.
FIXED = (
    *("kind", "markup", "ground", "play_first", "levelled", "scale"),
    *("mode", "k", "final_size", "pairings", "grid_size", "appearances", "worst"),
    "seed",
)

# The page's field -> the task's.
TASK_FIELDS = {
    "question": "wording",
    "instructions": "instructions",
    "consent": "consent",
    "scale": "scale",
    "batch_pairs": "batch_size",
    "batch_challenges": "batch_challenges",
    "repeats": "repeats",
    "wrong_allowed": "wrong_allowed",
    "failing": "failing",
    "minutes": "minutes",
    "idle_minutes": "idle_minutes",
    "confirm_hasty": "confirm_hasty",
    "tell_agreement": "tell_agreement",
}


def _setting(name: str, label: str, help_text: str, *, required: bool = True) -> forms.IntegerField:
    """Return the number field of a strategy setting, with the strategy's limits.

    A field that is not required takes the strategy's default when empty.
    """
    least, most = next(s.limits[name] for s in STRATEGIES.values() if name in s.limits)
    return forms.IntegerField(
        min_value=least, max_value=most, label=label, help_text=help_text, required=required
    )


def _task_fields() -> dict[str, forms.Field]:
    """Return the number fields of a task, with the limits of its model."""
    told = {
        "batch_pairs": ("Pairs in a batch", "What one person judges in one sitting."),
        "batch_challenges": ("Challenges in a batch", "Pairs with a known answer, mixed in."),
        "repeats": (
            "Questions asked again in a batch",
            "Some of its questions come once more, later and with the sides swapped. The answers show how "
            "consistent people are with themselves; they take time and count nowhere else. In a batch of "
            f"fewer than {RECOGNISED_BELOW} questions people recognise them.",
        ),
        "wrong_allowed": (
            "Challenges that may be wrong",
            "With more wrong than this, a batch is discarded.",
        ),
        "minutes": (
            "Minutes for a batch",
            "Afterwards it is closed. What was answered in time is kept if its challenges were passed; "
            "all other questions go to others.",
        ),
        "idle_minutes": (
            "Minutes without an answer",
            "Afterwards the questions that somebody has not answered go to others. They can come back and "
            "go on with what is still free.",
        ),
        "confirm_hasty": (
            "Ask again about answers that came too fast",
            "After an answer that comes before anyone can have read a tenth of what is shown, the page asks "
            "once whether it stands. It is taken either way, and no pay depends on it.",
        ),
        "tell_agreement": (
            "Tell people how often others answered alike",
            "After each batch, on the questions that others answered too. People like to know; but they may "
            "begin to answer as they think that others do, so leave it off where that would matter.",
        ),
    }
    made = forms.fields_for_model(Task, [TASK_FIELDS[name] for name in told])
    fields = {name: made[TASK_FIELDS[name]] for name in told}
    for name, (label, help_text) in told.items():
        fields[name].label, fields[name].help_text = label, help_text
    fields["repeats"].required = False
    return fields


def told_measures(named: str) -> str:
    """Return the titles of a study's measures, joined by commas."""
    return ", ".join(measure_names.TITLES[name] for name in chosen(named))


class StudyForm(AspectFields, forms.ModelForm):
    """The texts and settings of a study, its task and its plan, in one form.

    Once judging is open, FIXED fields keep their stored values, even if others are posted.
    """

    question = forms.CharField(
        max_length=300,
        label="Question to the assessor",
        help_text="Stands above every pair.",
        error_messages={"required": "Write the question that stands above every pair."},
    )
    instructions = forms.CharField(
        required=False,
        label="Instructions",
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text="Shown before an assessor's first batch. What makes one item better? "
        "Markdown: an empty line starts a new paragraph, **this** is bold, - begins a list.",
    )
    consent = forms.CharField(
        required=False,
        label="Consent",
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="What an assessor agrees to before the first pair. Empty: they are asked for nothing.",
    )
    scale = forms.ChoiceField(
        choices=[
            ("2", "Left or right"),
            ("3", "Left, tie, right"),
            ("4", "Definitely or slightly left, slightly or definitely right"),
            ("5", "Definitely or slightly left, tie, slightly or definitely right"),
        ],
        widget=forms.RadioSelect,
        label="Answers to pairs",
        help_text="Tournaments and scores count a definite answer like a slight one: one judgment, one "
        "winner. How sure it was is kept, in the ledger and in the file of judgments with labels.",
    )
    failing = forms.ChoiceField(
        choices=Task.Failing.choices,
        required=False,
        widget=forms.RadioSelect,
        label="Anyone who fails a batch",
        help_text="A warning is read before the next batch. Anyone who fails that, or a later one, is not "
        "asked again. Then nothing they answered counts; after a warning alone, only the failed batch "
        "does not.",
    )
    mode = forms.ChoiceField(
        choices=[(name, strategy.title) for name, strategy in STRATEGIES.items()],
        widget=forms.RadioSelect,
        label="Kind of tournament",
    )
    k = _setting("k", "Top items to find (k)", "A topic's tournament ends when its best k items are known.")
    final_size = _setting(
        "final_size",
        "Size of the final (F)",
        "Once F items or fewer are left, every pair of them is judged.",
    )
    pairings = _setting(
        "pairings",
        "Pairings of each item in a round (P)",
        "While more than F are left, each item meets P others at random, and goes on if "
        "it wins more than half of them.",
    )
    grid_size = _setting(
        "grid_size", "Items in a grid (g)", "Of picks alone: so many items are shown at once.", required=False
    )
    appearances = _setting(
        "appearances",
        "Grids for each item in a round (n)",
        "Of picks alone: while more than g are left, each item stands in n grids, and goes on if it is "
        "picked more often than by chance.",
        required=False,
    )
    language = forms.ChoiceField(
        required=False,
        choices=[("", "As each browser asks"), *settings.LANGUAGES],
        label="Language of the assessors' pages",
        help_text="Of buttons, instructions and messages that are ours. What you write yourself stays as you "
        "write it.",
    )
    worst = forms.BooleanField(
        required=False,
        label="Ask for the worst too",
        help_text="Of picks alone: an answer takes a little longer and says almost twice as much.",
    )
    judgments_per_pair = _setting(
        "judgments_per_pair",
        "Judgments of each pair or grid",
        "By different people; the majority decides. While judging is open it can be raised, and not "
        "lowered again: from 1 to 3 asks for twice as many answers more, also to the pairs of topics that "
        "had ended.",
    )

    measures = forms.MultipleChoiceField(
        required=False,
        choices=[(name, measure_names.TITLES[name]) for name in MEASURED],
        widget=forms.CheckboxSelectMultiple,
        label="Measures on the leaderboard",
        help_text="The first of them ranks the runs. None: PGC and compatibility. nDCG, RBP and PGC on "
        "grades need grades; win rate is for systems that give one answer each. Chosen anew, all "
        "scores are computed anew.",
    )

    case = forms.ChoiceField(
        required=False,
        choices=Study.Case.choices,
        widget=forms.RadioSelect,
        label="What the runs are",
        help_text="Pages of answers speak of prompts and models, and show win rates and chances first.",
    )

    currency = forms.ChoiceField(
        required=False,
        choices=[(one, one) for one in Study.CURRENCIES],
        label="Currency",
        help_text="Of pay, costs and budgets. A new campaign pays in it if its panel does: Prolific pays in "
        "USD or GBP, Mechanical Turk in USD.",
    )

    levelled = forms.ChoiceField(
        required=False,
        choices=[("True", "Yes: the browser turns the louder one down"), ("False", "No, as they are")],
        widget=forms.RadioSelect,
        label="Sound and film are made equally loud",
        help_text="No, where loudness is part of what is judged.",
    )

    change = change_field()

    class Meta:
        model = Study
        fields = [
            "name",
            "kind",
            "case",
            "markup",
            "ground",
            "play_first",
            "levelled",
            "language",
            "asked_by",
            "contact",
            "seed",
            "persistence",
            "measures",
            "kept_only",
            "currency",
            *lifecycle.LIMITS,
        ]
        labels = lifecycle.LIMITS | {
            "kind": "What is compared",
            "markup": "How texts are written",
            "ground": "Ground of pictures",
            "play_first": "Seconds of sound and film before an answer",
            "asked_by": lifecycle.ASKED_BY,
            "contact": lifecycle.CONTACT,
            "seed": "Seed",
            "persistence": "Persistence (p)",
            "kept_only": lifecycle.KEPT_ONLY,
        }
        help_texts = {
            "name": "Stands on all pages of the study, the assessors' too.",
            "markup": "Plain text keeps every space and line. Markdown and HTML are set: headings, lists, "
            "tables, code; in Markdown formulas too, between $ signs. Scripts, pictures and the targets of "
            "links are left out.",
            "ground": "Lies around pictures, and under transparent ones: the same for every assessor, in "
            "light and dark colour schemes.",
            "play_first": "So much of each recording is played before anyone can choose, or all of a "
            "shorter one. 0: nothing is asked for.",
            "asked_by": WHO,
            "contact": f"{WHERE} The open link needs this and who asks.",
            "seed": "Every draw follows from it: same seed and same answers, same tournament.",
            "persistence": "The one that the leaderboard begins with; all four are computed. The larger p, "
            "the further down a ranking the scores look: 0.80, 0.85, 0.90 and 0.95 weigh ranks about as nDCG "
            "at 3, 5, 10 and 20 do.",
            "kept_only": "Otherwise an answer counts at once, and no more if its batch fails. Turning the "
            "open link on turns this on: anybody who has it could move the leaderboard by unchecked answers.",
        }
        help_texts |= {
            "batches_each": "Empty: no limit. Anyone who has judged so many is thanked, and given no other. "
            "Batches that were not finished in time do not count.",
            "batches_a_day": "Empty: no limit. Of all people together, from midnight to midnight (UTC). "
            "People who come at the very same moment may each be given one more.",
            "judgments_most": "Empty: no limit. No batch is handed out once so many answers count or are "
            "being given, without challenges; the last batches may pass it by what they hold.",
            "closes_at": "UTC. Empty: it stays open until you close it. From then on no batch is handed out; "
            "those that were begun may be finished.",
        }
        widgets = {
            "kind": forms.RadioSelect,
            "markup": forms.RadioSelect,
            "ground": forms.RadioSelect,
            "closes_at": forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        }
        error_messages = {
            "name": {"required": "Give the study a name."},
            "closes_at": {"invalid": "Give a date and a time, or nothing."},
        }

    use_required_attribute = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        stored = self.instance.pk is not None
        self.task = asking.task_of(self.instance) if stored else Task()
        self.plan = plan_of(self.instance) if stored else Plan(settings=usual_settings("crowd"))
        if not stored:
            self.task.wording = wording_for(self.instance.kind, self.task.wording)
        self.fields |= _task_fields()
        self.fields["play_first"].required = False
        for name, attribute in TASK_FIELDS.items():
            self.initial.setdefault(name, getattr(self.task, attribute))
        self.of_task(self.task)
        self.initial.setdefault("mode", self.plan.strategy)
        self.initial["measures"] = list(chosen(self.instance.measures))
        usual = {name: value for each in STRATEGIES for name, value in usual_settings(each).items()}
        for name, default in usual.items():
            self.initial.setdefault(name, self.plan.settings.get(name, default))
        picks = self.task.kind == Pick.name
        self.initial.setdefault("worst", self.task.scale == Pick.WITH_WORST)
        if picks:
            # The scale of pairs, for when a strategy of pairs is chosen again.
            self.initial["scale"] = Task().scale
        if not self.instance.opened_at:
            del self.fields["change"]
        else:
            for name in FIXED:
                # Django keeps the stored value of a disabled field, whatever was posted.
                self.fields[name].disabled = True

    def clean_repeats(self) -> int:
        """Return the number; the stored one if the form has none."""
        given = self.cleaned_data["repeats"]
        return self.task.repeats if given is None else given

    def clean_play_first(self) -> int:
        """Return the number; the stored one if the form has none."""
        given = self.cleaned_data["play_first"]
        return self.instance.play_first if given is None else given

    def clean_levelled(self) -> bool:
        """Return the choice; the stored one if the form has none."""
        given = self.cleaned_data["levelled"]
        return given == "True" if given else self.instance.levelled

    def clean_case(self) -> str:
        """Return the choice; the stored one if the form has none."""
        return self.cleaned_data["case"] or self.instance.case

    def clean_currency(self) -> str:
        """Return the choice; the stored one if the form has none."""
        return self.cleaned_data["currency"] or self.instance.currency

    def clean_measures(self) -> str:
        """Return the names as stored; "" for the default measures, so that they follow later versions."""
        named = " ".join(self.cleaned_data["measures"])
        return "" if chosen(named) == USUAL else named

    def clean_judgments_per_pair(self) -> int:
        """Return the number; refuse to lower it once judging is open, since rounds took that many answers."""
        given = int(self.cleaned_data["judgments_per_pair"])
        stored = int(self.plan.settings.get("judgments_per_pair", 1))
        if self.instance.opened_at and given < stored:
            raise ValidationError(
                f"While judging is open this can only be raised: each pair is asked {stored} times already."
            )
        return given

    def clean_failing(self) -> str:
        """Return the choice; the stored one if the form has none."""
        return self.cleaned_data["failing"] or self.task.failing

    def clean(self) -> dict[str, Any]:
        """Check that settings fit together by the rules of task and strategy; set them on task and plan."""
        values = super().clean() or self.cleaned_data
        if self.errors:
            return values
        say_what_changes(self, TEXTS)
        if not self.instance.opened_at:
            asks = STRATEGIES[values["mode"]].asks
            values["question"] = wording_for(values["kind"], values["question"], asks)
        for name, attribute in TASK_FIELDS.items():
            setattr(self.task, attribute, values[name])
        if not self.instance.opened_at:
            self.task = asking.asking_for(self.task, STRATEGIES[values["mode"]].asks)
        self.set_on(self.task)
        if self.task.kind == Pick.name:
            self.task.scale = Pick.WITH_WORST if values["worst"] else "best"
        if values["kind"] in Study.RECORDED and self.task.kind == Pick.name:
            self.add_error("mode", "Sound and film are compared in pairs. Choose a tournament of pairs.")
            return values
        try:
            self.task.clean_fields(exclude=["study"])
            self.task.clean()
        except ValidationError as error:
            names = {attribute: name for name, attribute in TASK_FIELDS.items()}
            for attribute, problems in error.error_dict.items():
                name = names[attribute]
                self.add_error(name, reworded(self.fields[name], problems))
        strategy = STRATEGIES[values["mode"]]
        settings = {
            name: default if values[name] is None else values[name]
            for name, default in strategy.defaults.items()
        }
        try:
            strategy.check(settings)
        except SettingsError as error:
            self.add_error(error.field, str(error))
        self.plan.strategy, self.plan.settings, self.plan.seed = strategy.name, settings, values["seed"]
        return values

    def store(self, organizer: AbstractBaseUser | None = None) -> Study:
        """Store study, task and plan in one transaction.

        organizer: for a new study, the account that becomes its organizer. Changed measures or counting rules
        mark the scores as outdated; changed texts after opening make a new version.
        """
        with transaction.atomic():
            if organizer is not None:
                study = lifecycle.create_study(self.instance, organizer)
            else:
                study = self.instance
                if study.opened_at:
                    texts.put_on_record(study.pk)
                study.save(
                    update_fields=[name for name in self.Meta.fields if name in self.changed_data] or ["name"]
                )
                self._note(study)
                if "measures" in self.changed_data:
                    outdate(study.pk)
                elif "kept_only" in self.changed_data:
                    lifecycle.recount(study.pk)
            self.task.study = study
            if self.task.pk is None and study.tasks.exists():
                grading.put_first(self.task)
            self.task.save()
            if not study.opened_at:
                self.plan.study, self.plan.task = study, self.task
                self.plan.save()
                # Delete another task of picks, since tournaments would use it.
                study.tasks.filter(kind=Pick.name).exclude(pk=self.task.pk).delete()
            else:
                texts.renew(study.pk, self.cleaned_data["change"])
                if "judgments_per_pair" in self.changed_data:
                    raise_judgments(study.pk, self.cleaned_data["judgments_per_pair"])
        return study

    def _note(self, study: Study) -> None:
        """Record in the trail which settings change, by their labels on the page."""
        before, after = {}, {}
        for name, field in self.fields.items():
            if name == "change" or (study.opened_at and name in TEXTS):
                continue  # noted with the version
            was, label = self.get_initial_for_field(field, name), str(field.label or name)
            value = self.cleaned_data[name]
            if name == "measures":
                was, value = told_measures(" ".join(was)), told_measures(value)
            if name == "aspects_when" and not (self.cleaned_data["aspects"] or self.cleaned_data["claims"]):
                continue
            # None means no limit for LIMITS; for other fields, a setting of a strategy that is not chosen.
            if (value is not None or name in lifecycle.LIMITS) and was != value:
                before[label], after[label] = lifecycle.told(was), lifecycle.told(value)
        if after:
            audit_log.note(study.pk, audit_log.What.SETTINGS, before=before, after=after)
