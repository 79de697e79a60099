"""What the crowd of CAsT 2019 costs: the estimate before anybody is asked, beside what its tournaments use.

The paper paid $2.00 for ten pairs, and the marketplace's 20 % (Clarke, Vtyurina and Smucker, TOIS 2021).
"""

import random
from collections import Counter, defaultdict
from decimal import Decimal
from math import ceil

import pytest

from collection.models import Grade, Item, Study, Topic
from collection.upload import loading
from panels.recruitment.cost_estimate import estimate
from tests.makers import make_study
from tests.panels.campaigning import campaign_of
from tests.public_data import DATA, needs_data
from tournament import services
from tournament.models import Tournament
from tournament.plans import plan_of
from web.forecast.outlook import outlook

pytestmark = [pytest.mark.django_db, *needs_data]
CAST = DATA / "cast2019"


def recorded() -> dict:
    """The winners of each recorded pair, by topic and docnos."""
    found = defaultdict(list)
    for line in (CAST / "TREC-CAsT-2019.pref").read_text().splitlines():
        topic, a, b, winner = line.split()
        found[topic, frozenset((a, b))].append(winner)
    return found


def judgments_of(study: Study) -> int:
    """How many judgments the tournaments ask for: played by the rules alone, round by round, answered by the
    recorded majority, else the higher grade, else the seed.
    """
    votes, plan, asked = recorded(), plan_of(study), 0
    docnos = dict(Item.objects.filter(topic__study=study).values_list("pk", "docno"))
    grades = dict(Grade.objects.filter(item__topic__study=study).values_list("item", "value"))

    def winner(topic: Topic, pair: tuple[int, ...]) -> str:
        names = [docnos[one] for one in pair]
        if given := votes.get((topic.name, frozenset(names))):
            times = Counter(given)
            return max(given, key=lambda name: times[name])
        one, other = (grades[item] for item in pair)
        if one != other:
            return names[0] if one > other else names[1]
        first, second = sorted(names)
        return random.Random(f"{study.seed}:{topic.name}:{first}:{second}").choice((first, second))

    for tournament in Tournament.objects.filter(topic__study=study).select_related("topic"):
        answers: dict = {}
        state = services.replayed(plan, tournament, tournament.topic, answers)
        while not state.finished:
            for pair in state.open_pairs:
                first = winner(tournament.topic, pair) == docnos[pair[0]]
                answers.setdefault(pair, []).append(1 if first else -1)
                asked += 1
            state = services.replayed(plan, tournament, tournament.topic, answers)
    return asked


def test_the_estimate_of_cast_2019_stands_beside_what_its_tournaments_use():
    """14,118 is what `manage.py replay` counts through the pages' own services (docs/real-data.md)."""
    study = make_study(topics=0, seed="cast-2019", k=5)
    loading.load(study, "topics", CAST / "evaluation_topics_annotated_resolved_v1.0.tsv")
    loading.load(study, "qrels", CAST / "2019qrels.txt")
    campaign = campaign_of(study, "mturk", cap="4000", places=1500)
    found = estimate(campaign, outlook(study).batches.about)
    assert (found.reward, found.fee, found.each) == (Decimal("2.00"), Decimal("0.40"), Decimal("2.40"))
    assert (found.needed, found.with_repeats, found.total) == (1440, 1600, Decimal("3600.00"))

    services.start(study.pk)
    used = judgments_of(study)
    assert used == 14_118
    batches = ceil(used / 10)
    assert batches == 1412
    assert abs(found.needed - batches) / batches < 0.05
    assert (found.each * found.needed, found.each * batches) == (Decimal("3456.00"), Decimal("3388.80"))
