"""Makes the two demonstration studies: loads them, opens them, and has simulated assessors judge a part."""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from django.contrib.auth.models import User
from django.db import transaction

from collection import loading
from collection.models import Membership, Study
from collection.models.study import link_token
from judging.models import Assignment, Choice, Question
from simulation.demo.material import IMAGES, TEXT, read_truth
from simulation.replay import replay
from tournament import services

Say = Callable[[str], None]


@dataclass(frozen=True)
class Recipe:
    """What a demonstration study is made of. `batches`: how many are judged before anybody comes."""

    slug: str
    name: str
    kind: str
    question: str
    instructions: str
    runs: str
    batches: int


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
    batches=20,
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
    """Answers like people with one taste and some doubt: the nearer two items, the likelier a tie or a slip.

    The doubt comes from the pair's docnos, so that a pair has one answer.
    """

    def __init__(self, truth: dict[str, dict[str, float]]) -> None:
        self.quality = truth  # topic -> docno -> quality

    def answer(self, question: Question) -> Choice:
        topic = question.topic.name
        a, b = question.item_a.docno, question.item_b.docno
        doubt = random.Random(":".join((topic, *sorted((a, b))))).random()
        gap = self.quality[topic][a] - self.quality[topic][b]
        if abs(gap) < 0.2 and doubt < 0.5:
            return Choice.TIE
        right = 1 / (1 + math.exp(-abs(gap) / 0.25))
        better = Choice.A if gap > 0 else Choice.B
        worse = Choice.B if gap > 0 else Choice.A
        return better if doubt < right else worse


def make(recipe: Recipe, organizer: User, coordinator: User, say: Say) -> Study:
    """Make, load, open and partly judge a study; what was done already is not done again.

    The seed is fixed, so that everybody's demonstration looks the same.
    """
    with transaction.atomic():
        study, _ = Study.objects.get_or_create(
            slug=recipe.slug,
            defaults={
                "name": recipe.name,
                "kind": recipe.kind,
                "question": recipe.question,
                "instructions": recipe.instructions,
                "consent": CONSENT,
                "seed": "demonstration",
                "join_token": link_token(),
            },
        )
        for user, role in (
            (organizer, Membership.Role.ORGANIZER),
            (coordinator, Membership.Role.COORDINATOR),
        ):
            Membership.objects.get_or_create(study=study, user=user, defaults={"role": role})
    if study.opened_at is None:
        say(f"Loading “{recipe.name}” ...")
        _load(recipe, study)
        services.start(study.pk)
        services.catch_up()
        study.refresh_from_db()
    missing = (
        recipe.batches - Assignment.objects.filter(assessor__study=study, submitted_at__isnull=False).count()
    )
    if missing > 0 and study.judging_is_open:
        say(f"Letting simulated assessors judge a part of “{recipe.name}” ...")
        replay(study, Taste(read_truth(_folder(recipe))), max_batches=missing, failing=0.1)
    return study


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
