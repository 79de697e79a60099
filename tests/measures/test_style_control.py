"""Strengths under control for style: against plain Bradley-Terry, a slow likelihood, and a known bias."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize

from prefir.measures import (
    PreferenceGraph,
    bradley_terry,
    control_style,
    duels_of,
    duels_of_items,
    style_differences,
    styles_of,
)

TRUE = np.array([0.8, 0.3, 0.0, -0.4, -0.7])
# The weaker a system, the longer its answers.
LENGTHS = np.array([200.0, 300.0, 500.0, 800.0, 1200.0])
BIAS = 4.0


def played(topics, *, nu=0.6, bias=BIAS, seed=1):
    """Duels of all systems on each topic, drawn by Davidson's model with a bias towards longer answers."""
    random = np.random.default_rng(seed)
    duels, differences = [], []
    for topic in range(topics):
        lengths = LENGTHS * random.lognormal(0.0, 0.5, len(TRUE))
        headings = random.integers(0, 3, len(TRUE))
        for a, b in combinations(range(len(TRUE)), 2):
            own = style_differences([lengths[a], headings[a]], [lengths[b], headings[b]])
            half = np.exp((TRUE[a] - TRUE[b] + bias * own[0]) / 2)
            weights = np.array([half, 1 / half, nu])
            duels.append((topic, a, b, *np.eye(3)[random.choice(3, p=weights / weights.sum())]))
            differences.append(own)
    return np.array(duels), np.array(differences)


def order(values) -> list[int]:
    return np.argsort(-np.asarray(values)).tolist()


@pytest.mark.parametrize("nu", [0.0, 0.6])
def test_without_differences_it_is_plain_bradley_terry(nu):
    duels, differences = played(20, nu=nu)
    found = control_style(duels, 0 * differences, len(TRUE))
    plain = bradley_terry(duels, len(TRUE))
    for name in ("strengths", "lows", "highs"):
        assert getattr(found.strengths, name).tolist() == getattr(plain, name).tolist()
    assert np.isnan(found.coefficients).all()


@pytest.mark.parametrize("nu", [0.0, 0.6])
def test_the_maximum_is_that_of_the_plain_likelihood(nu):
    """One duel after the other, by a general method."""
    duels, differences = played(12, nu=nu)
    spread = np.sqrt((differences**2).mean(axis=0))

    def lost(values):
        strengths, effects, tie = values[:5], values[5:7], np.exp(values[7]) if nu else 0.0
        total = (effects**2).sum() / 2 + strengths.sum() ** 2
        for (_, a, b, *result), own in zip(duels, differences, strict=True):
            half = np.exp((strengths[int(a)] - strengths[int(b)] + (effects * own / spread).sum()) / 2)
            weights = np.array([half, 1 / half, tie])
            total -= np.log((weights / weights.sum())[np.argmax(result)])
        return total

    slow = minimize(lost, np.zeros(8), method="BFGS", options={"gtol": 1e-7}).x
    found = control_style(duels, differences, len(TRUE))
    assert found.strengths.strengths.tolist() == pytest.approx(slow[:5].tolist(), abs=1e-4)
    assert found.coefficients.tolist() == pytest.approx(slow[5:7].tolist(), abs=1e-4)
    if nu:
        assert found.strengths.tie == pytest.approx(np.exp(slow[7]), abs=1e-4)


def test_a_known_bias_is_found_and_taken_out():
    duels, differences = played(400)
    found = control_style(duels, differences, len(TRUE))
    assert order(found.plain.strengths) == [4, 3, 2, 1, 0]
    assert order(found.strengths.strengths) == [0, 1, 2, 3, 4]
    assert found.strengths.strengths.tolist() == pytest.approx(TRUE.tolist(), abs=0.25)
    assert found.coefficients[0] / found.spreads[0] == pytest.approx(BIAS, abs=0.5)
    assert found.lows[0] > 0
    assert found.lows[1] < 0 < found.highs[1]
    half = np.exp(BIAS / 3 / 2)
    expected = (half + 0.3) / (half + 1 / half + 0.6)
    assert found.chances(0, 1 / 3)[0] == pytest.approx(expected, abs=0.03)


@pytest.mark.slow
def test_intervals_hold_the_truth_about_as_often_as_they_say():
    held = []
    for seed in range(200):
        found = control_style(*played(40, seed=seed), len(TRUE))
        held.append((found.strengths.lows <= TRUE) & (found.strengths.highs >= TRUE))
    assert 0.92 <= np.mean(held) <= 0.99


def test_the_first_of_a_duel_may_be_either():
    duels, differences = played(15)
    turned = duels[:, [0, 2, 1, 4, 3, 5]]
    one, other = control_style(duels, differences, 5), control_style(turned, -differences, 5)
    assert other.strengths.strengths.tolist() == pytest.approx(one.strengths.strengths.tolist())
    assert other.coefficients.tolist() == pytest.approx(one.coefficients.tolist())


def test_where_the_longer_answer_always_wins_there_is_a_maximum():
    duels = [(topic, 0, 1, *((1, 0, 0) if topic % 2 else (0, 1, 0))) for topic in range(10)]
    differences = [[0.5 if topic % 2 else -0.5] for topic in range(10)]
    found = control_style(duels, differences, 2)
    assert found.lows[0] > 0
    assert np.isfinite([*found.strengths.strengths, found.coefficients[0]]).all()


def test_who_won_all_stays_without_a_strength():
    duels = [(topic, 0, 1, 1, 0, 0) for topic in range(4)]
    found = control_style(duels, [[0.2]] * 4, 2)
    assert found.strengths.strengths.tolist() == [np.inf, -np.inf]
    assert np.isnan(found.coefficients).all()


def test_a_duel_without_a_difference_is_refused():
    with pytest.raises(ValueError, match="finite differences"):
        control_style([(0, 0, 1, 1, 0, 0)], [[0.1], [0.2]], 2)


def test_duels_of_items_add_up_to_those_of_systems():
    graph = PreferenceGraph(
        [("a", "b"), ("b", "a"), ("a", "b"), ("c", "a"), ("b", "d")], ties=[("a", "c"), ("d", "c")]
    )
    rows = [[0, 3], [1, -1], [2, 1]]
    found = duels_of_items(rows, graph)
    total = np.zeros((3, 3, 3))
    for i, j, won, lost, tied, *_ in found:
        total[int(i), int(j)] += [won, lost, tied]
        total[int(j), int(i)] += [lost, won, tied]
    expected = duels_of(rows, graph, shared=True)
    assert len(expected) > 0
    for i, j, *own in expected:
        assert total[int(i), int(j)].tolist() == pytest.approx(own)
    assert total.sum() / 2 == pytest.approx(expected[:, 2:].sum())


def test_style_counts_what_is_shown():
    text = (
        "# Head\n\nSome **bold** and __more__, 2 ** 3.\n\n- one\n- two\n 1. three\n\n"
        "```\n# no\n- no\n```\n## Next"
    )
    assert styles_of([text, "", "#tag *only* this"]).tolist() == [
        [len(text), 2, 2, 3],
        [0, 0, 0, 0],
        [16, 0, 0, 0],
    ]
    html = "<h2>Head</h2><p><b>x</b> <strong>y</strong><br><ul><li>one<li class=a>two</ul>"
    assert styles_of([html], "html").tolist() == [[len(html), 1, 2, 2]]


def test_counting_the_style_of_hostile_texts_takes_linear_time():
    """Quadratic searches would not end here within the test's time."""
    texts = ["`" * 400_000, "**" * 200_000, "#" * 400_000, " " * 400_000, "```\n" * 100_000, "**a" * 100_000]
    assert styles_of(texts)[:, 0].tolist() == [len(text) for text in texts]


def test_differences_are_shares():
    assert style_differences([2, 0, 3], [1, 0, 0]).tolist() == [1 / 3, 0.0, 1.0]
