"""What is asked of whom cannot be foretold from what a release or a guess tells."""

from random import Random

import pytest

from judging.batches import answering
from judging.secret_random import secret_random
from tests.makers import invite, make_study, open_study


def test_the_same_parts_give_the_same_numbers_and_others_others(settings):
    first = secret_random("seed", "batch", 1, 2).random()
    assert secret_random("seed", "batch", 1, 2).random() == first
    assert secret_random("seed", "batch", 12, "").random() != first
    settings.SECRET_KEY = "another"
    assert secret_random("seed", "batch", 1, 2).random() != first


@pytest.mark.django_db
def test_the_seed_and_all_keys_do_not_tell_a_batch(monkeypatch):
    """Every generator that draws a batch is asked of the server's secret: none is made of the seed alone."""
    study = open_study(make_study(topics=2, items=6, batch_pairs=6, batch_challenges=2))
    made = []
    monkeypatch.setattr("random.Random", lambda seed=None: made.append(seed) or Random(seed))
    answering.arrive(invite(study).pk)
    assert made
    assert not [seed for seed in made if isinstance(seed, str) and study.seed in seed]
