"""Page of a study's settings, and of a new one: sections that are folded, each saying what is set."""

from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from collection.material.hidden_parts import say_hidden
from collection.models import Grade, Item, Study
from collection.presets import ANSWERS, PICTURES, PRESETS, RANKINGS, RECORDINGS
from collection.study import lifecycle
from judging.questions import texts
from judging.tasks.aspects import names_in
from prefir.rules import STRATEGIES
from web.organizer.setup import tasks
from web.organizer.setup.aspect_fields import FIELDS
from web.organizer.setup.keeping_forms import keeping
from web.organizer.setup.sections import Section, Values, batches, folded
from web.organizer.setup.study_form import StudyForm, told_measures
from web.shared.access import for_organizers
from web.shared.view_choices import choice_of

# How many texts are checked for parts that pages will not show, when the markup is changed.
MOST_TEXTS = 2_000
# Fields of a new study that its preset decides, and does not show.
CHOSEN_BY_PRESET = {
    RANKINGS: ("kind", "case", "ground", "play_first", "levelled"),
    ANSWERS: ("kind", "case", "ground", "play_first", "levelled"),
    PICTURES: ("kind", "case", "markup", "play_first", "levelled"),
    # Sound or film is left to choose.
    RECORDINGS: ("case", "markup", "ground"),
}


def _unused(study: Study | None, strategy: str) -> set[str]:
    """Return the fields that say nothing of what an open study compares and asks; none of any other."""
    if study is None or not study.opened_at:
        return set()
    picks = STRATEGIES[strategy].asks == "pick"
    every = {name for each in STRATEGIES.values() for name in each.defaults}
    unused = every - STRATEGIES[strategy].defaults.keys() | {"scale" if picks else "worst"}
    if study.kind != Study.Kind.IMAGE:
        unused.add("ground")
    if study.kind not in Study.RECORDED:
        unused |= {"play_first", "levelled"}
    return unused


def _study(now: Values) -> list[str]:
    case = now["case"] if now.form["case"].value() == Study.Case.ANSWERS else now["kind"]
    return [now["name"], case.lower()]


def _read(now: Values) -> list[str]:
    return [f"“{now['question']}”", "with instructions" if now["instructions"] else "no instructions"]


def _aspects(now: Values) -> list[str]:
    named = [", ".join(names_in(now[name])) for name in ("aspects", "reasons")]
    return [name for name in named if name] or ["none"]


def _agreed(now: Values) -> list[str]:
    asked_by = f"asked by {now['asked_by']}" if now["asked_by"] else "nobody is named"
    return [asked_by, now["contact"], "" if now["consent"] else "no consent is asked for"]


def _tournament(now: Values) -> list[str]:
    each = now["judgments_per_pair"]
    judgments = f"{each} judgment{'' if each == '1' else 's'} of each"
    return [now["mode"], f"the top {now['k']}", judgments]


def _limits(now: Values) -> list[str]:
    given = [f"{label.lower()}: {now[name]}" for name, label in lifecycle.LIMITS.items() if now[name]]
    return given or ["none"]


def _scores(now: Values) -> list[str]:
    measures = told_measures(" ".join(now.form["measures"].value() or []))
    return [measures, "" if _has_no_depth(now.form) else f"p = {now['persistence']}"]


def _has_no_depth(form: BaseForm) -> bool:
    """Whether runs have one answer of a topic, as models have, so that no rank weighs more than another."""
    return str(form["case"].value()) == Study.Case.ANSWERS


def _money(now: Values) -> list[str]:
    return [now["currency"]]


SECTIONS = (
    Section(
        "study",
        "The study",
        ("name", "kind", "case", "markup", "ground", "play_first", "levelled", "language"),
        _study,
    ),
    Section("read", "What assessors read", ("question", "instructions", "scale"), _read),
    Section("aspects", "Aspects and reasons", FIELDS, _aspects),
    Section("agreed", "What they agree to", ("asked_by", "contact", "consent", "change"), _agreed),
    Section(
        "tournament",
        "Tournament",
        (
            *("mode", "k", "final_size", "pairings", "grid_size", "appearances", "worst"),
            *("judgments_per_pair", "seed"),
        ),
        _tournament,
    ),
    Section(
        "batches",
        "Batches",
        (
            *("batch_pairs", "batch_challenges", "repeats"),
            *("wrong_allowed", "failing", "minutes", "idle_minutes"),
            *("confirm_hasty", "tell_agreement"),
        ),
        batches("batch_pairs", "pairs"),
    ),
    Section("limits", "Limits", tuple(lifecycle.LIMITS), _limits),
    Section("scores", "Scores", ("persistence", "measures", "kept_only"), _scores),
    Section("money", "Money", ("currency",), _money),
)


# What a new study cannot do without.
NEEDED = ("name", "question")
# What holds of a section once judging is open: said where it is about.
RULES_WHEN_OPEN = {
    "read": "Correct mistakes, but do not change what is asked: all judgments must answer the same question. "
    "Each correction is kept as a new version.",
    "agreed": "Each correction is kept as a new version.",
    "tournament": "The tournament stands still. Judgments of each pair can be raised.",
    "batches": "Sizes hold for batches drawn from now on, wrong challenges for those sent from now on.",
}
# And before, of what stays or goes then.
RULES_BEFORE = {
    "read": "Once judging is open, each correction is kept as a new version.",
    "tournament": "Fixed once judging is open.",
    "batches": "Can be changed while people judge, too.",
}


@login_required
def new(request: HttpRequest) -> HttpResponse:
    """Create a study. Staff only, since a study costs assessors' time."""
    if not request.user.is_staff:
        raise PermissionDenied("New studies are made by staff. Ask the server's administrator.")
    preset = choice_of(request.POST or request.GET, "preset", PRESETS, RANKINGS)
    form = StudyForm(request.POST or None, instance=Study(**PRESETS[preset]))
    if (chosen := request.POST.get("choose", "")) in PRESETS:
        return settings_page(request, None, form=_as_typed(form, chosen), preset=chosen)
    if request.method == "POST" and form.is_valid():
        study = form.store(request.user)
        messages.success(request, f"{study.name} was made. Its address is {study.slug}.")
        return redirect("files", study.slug)
    return settings_page(request, None, form=form, preset=preset)


def _as_typed(form: StudyForm, preset: str) -> StudyForm:
    """Return the form of another preset, with what was typed so far, but for what presets decide."""
    decided = {name for values in PRESETS.values() for name in values}
    typed = {name: form[name].value() for name in form.changed_data if name not in decided}
    return StudyForm(instance=Study(**PRESETS[preset]), initial=typed)


@for_organizers
def settings(request: HttpRequest, study: Study) -> HttpResponse:
    """Read or change a study's texts and settings."""
    if request.method != "POST":
        return settings_page(request, study)
    with transaction.atomic():
        # Locked so that the study cannot be opened between the check and the change.
        held = Study.objects.select_for_update().get(pk=study.pk)
        form = StudyForm(request.POST, instance=held)
        if form.is_valid():
            form.store()
    if not form.is_valid():
        return settings_page(request, study, form=form)
    messages.success(request, "The settings are saved.")
    # After the transaction, since checking the texts takes a while and would keep the study locked.
    if "markup" in form.changed_data and (hidden := _hidden_now(held)):
        messages.warning(request, hidden)
    return redirect("study", study.slug)


def _hidden_now(study: Study) -> str:
    """Say which parts of the study's first MOST_TEXTS texts its markup hides; "" if none."""
    texts = Item.objects.filter(topic__study=study).exclude(text="").order_by("pk")
    hidden = say_hidden(texts.values_list("text", flat=True)[:MOST_TEXTS], study.markup)
    if not hidden:
        return ""
    return f"{hidden}{f' (of the first {MOST_TEXTS:,})' if texts.count() > MOST_TEXTS else ''}."


def settings_page(
    request: HttpRequest,
    study: Study | None,
    *,
    form: StudyForm | None = None,
    preset: str = "",
    status: int = HTTPStatus.OK,
    **kept: Any,
) -> HttpResponse:
    """Show the settings of a study, or of one that is to be made; kept: of its last section, by `keeping`."""
    form = form or StudyForm(instance=study)
    chosen = CHOSEN_BY_PRESET.get(preset, ())
    if _has_no_depth(form):
        chosen = (*chosen, "persistence")
    needed = () if study else NEEDED
    rules = RULES_WHEN_OPEN if study and study.opened_at else RULES_BEFORE if study else {}
    left_out = (*chosen, *needed, *_unused(study, form.plan.strategy))
    lines = tasks.lines(study) if study else []
    unchecked = any(line.task == form.task and not line.in_batch for line in lines)
    sections = [
        folded(form, one, left_out=left_out, rule=rules.get(one.key, ""), checked=not unchecked)
        for one in SECTIONS
    ]
    context = {
        "form": form,
        "needed": [(form[name], None) for name in needed],
        "sections": sections,
        "opens": any(one["open"] for one in sections),
        "study": study,
        "preset": preset,
        "hidden": [form[name] for name in chosen],
    }
    if study:
        context |= {"lines": lines, "keep": keeping(study, **kept)}
        if not getattr(study, "asks_grades", False):
            context["loaded_grades"] = Grade.objects.filter(item__topic__study=study).count()
        if study.opened_at:
            agreed = next(one for one in sections if one["key"] == "agreed")
            agreed["versions"] = texts.versions(form.task)
    return render(request, "organizer/settings.html", context, status=status)
