"""Makes the two demonstration studies: loads them, opens them, and has simulated assessors judge a part."""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from django.contrib.auth.models import User
from django.db import transaction

from collection import audit_log
from collection.models import Membership, Study
from collection.models.study import link_token
from collection.upload import loading
from judging.batches import examples
from judging.models import Assignment, Question, Task
from simulation.demo.material import IMAGES, TEXT, read_truth
from simulation.replay import docnos_of, replay
from tournament import services
from tournament.plans import plan_of

Say = Callable[[str], None]


@dataclass(frozen=True)
class Recipe:
    """Settings of a demonstration study.

    runs: the kind of file its runs are. batches: how many simulated assessors judge in advance.
    because: why the better one is, in examples and practice; "": there are none.
    """

    slug: str
    name: str
    kind: str
    question: str
    instructions: str
    runs: str
    batches: int
    because: str = ""


CONSENT = (
    "This is a demonstration: what you answer stays on this machine. In a real study this text says who "
    "asks, what for, what is stored, and that you may stop at any time without giving a reason."
)
PASSAGES = Recipe(
    slug="passages",
    name="Everyday questions",
    kind=Study.Kind.TEXT,
    question="Which passage answers the question better?",
    instructions=(
        "You will see a question and two passages. Choose the one that you would rather have found. "
        "A passage that answers the whole question is better than one that answers a part, and a plain "
        "answer is better than a clever one. If you cannot tell them apart, call it a tie."
    ),
    runs="run",
    batches=24,
    because="it answers the question, which the other one does not",
)
PICTURES = Recipe(
    slug="pictures",
    name="Picture search",
    kind=Study.Kind.IMAGE,
    question="Which picture would you rather find?",
    instructions=(
        "You will see what somebody searched for and two pictures. Choose the picture that shows it better: "
        "the right scene first, then how well it is made. If you cannot tell them apart, call it a tie."
    ),
    runs="grid",
    batches=13,
)


class Taste:
    """Oracle that prefers the item of higher true quality, with ties and errors as people make them.

    The nearer two qualities, the likelier a tie or an error. Chance is seeded by the pair's docnos, so that
    a pair always gets the same answer.
    """

    def __init__(self, truth: dict[str, dict[str, float]]) -> None:
        self.quality = truth  # topic -> docno -> quality

    def answer(self, question: Question) -> int:
        topic = question.topic.name
        a, b = docnos_of(question)
        doubt = random.Random(":".join((topic, *sorted((a, b))))).random()
        gap = self.quality[topic][a] - self.quality[topic][b]
        if abs(gap) < 0.2 and doubt < 0.5:
            return 0
        right = 1 / (1 + math.exp(-abs(gap) / 0.25))
        better = 1 if gap > 0 else -1
        return better if doubt < right else -better


def make(recipe: Recipe, organizer: User, coordinator: User, say: Say) -> Study:
    """Make, load, open and partly judge a study, skipping the steps that are done already.

    The seed is fixed, so that every demonstration looks the same. `say` gets a line before each slow step.
    """
    with transaction.atomic():
        study, _ = Study.objects.get_or_create(
            slug=recipe.slug,
            defaults={
                "name": recipe.name,
                "kind": recipe.kind,
                "seed": "demonstration",
                "asked_by": "The makers of this demonstration",
                "contact": "the person who sent you this link",
                "join_token": link_token(),  # and answers still count at once, so that scores move
            },
        )
        texts = {"wording": recipe.question, "instructions": recipe.instructions, "consent": CONSENT}
        Task.objects.get_or_create(study=study, position=1, defaults=texts)
        plan_of(study)
        for user, role in (
            (organizer, Membership.Role.ORGANIZER),
            (coordinator, Membership.Role.COORDINATOR),
        ):
            Membership.objects.get_or_create(study=study, user=user, defaults={"role": role})
    if study.opened_at is None:
        say(f"Loading “{recipe.name}” ...")
        _load(recipe, study)
        if recipe.because:
            _explain(recipe, study)
        services.start(study.pk)
        services.catch_up()
        study.refresh_from_db()
    missing = _missing(recipe, study)
    if missing:
        audit_log.note(study.pk, audit_log.What.REPLAYED, after={"answers from": "the demonstration"})
        say(f"Letting simulated assessors judge a part of “{recipe.name}” ...")
        replay(study, Taste(read_truth(_folder(recipe))), max_batches=missing, failing=0.1)
    return study


def _explain(recipe: Recipe, study: Study) -> None:
    """Make an example and two practice questions of challenges, each of another topic."""
    task = Task.objects.get(study=study, position=1)
    known = examples.candidates(task)
    items = examples.items_of(known)
    of_topic = {items[one.subjects[0]].topic_id: one for one in known}
    uses = (examples.IN_INSTRUCTIONS, examples.AS_PRACTICE, examples.AS_PRACTICE)
    chosen = zip(uses, of_topic.values(), strict=False)
    told = [one._replace(why=recipe.because, use=use) for use, one in chosen]
    Task.objects.filter(pk=task.pk).update(examples=examples.stored(told))


def made(recipe: Recipe) -> Study | None:
    """The demonstration study if `make` has nothing left to do for it."""
    study = Study.objects.filter(slug=recipe.slug, opened_at__isnull=False).first()
    return None if study is None or _missing(recipe, study) else study


def _missing(recipe: Recipe, study: Study) -> int:
    """Batches that simulated assessors are still to judge."""
    if not study.judging_is_open:
        return 0
    judged = Assignment.objects.filter(assessor__study=study, submitted_at__isnull=False)
    return max(0, recipe.batches - judged[: recipe.batches].count())


def _folder(recipe: Recipe) -> Path:
    return IMAGES if recipe.kind == Study.Kind.IMAGE else TEXT


def _load(recipe: Recipe, study: Study) -> None:
    folder = _folder(recipe)
    loading.load(study, "topics", folder / "topics.tsv")
    if recipe.kind == Study.Kind.IMAGE:
        loading.load(study, "images", folder / "pictures")
    else:
        loading.load(study, "items", folder / "items.jsonl")
    loading.load(study, "qrels", folder / "qrels.txt")
    for path in sorted((folder / "runs").iterdir()):
        loading.load(study, recipe.runs, path)
    loading.load(study, "challenges", folder / "challenges.txt")
