"""RBO extrapolated and bounded: values of the program of Corsi & Urbano, and means over orders of ties."""

from itertools import permutations, product
from math import isnan
from statistics import mean

import pytest

from prefir.measures import RboBounds, rbo_bounds, tied_ranking

# From test.csv of https://github.com/julian-urbano/sigir2024-rbo: rankings, p, and of w, a and b the
# extrapolated value, the minimum and the maximum.
PUBLISHED = [
    (
        "(i5 i9 i13 i15 i16 i19 i20) (i3 i8)",
        "i6 (i4 i18) i2 i7 i8 i17 i14 (i11 i12) i1",
        0.958074765324023,
        (0.0816485573277354, 0.0370062754797617, 0.59493569657566),
        (0.0808189832771587, 0.0354671825076603, 0.593396603603558),
        (0.0813693619867344, 0.0356267307324464, 0.593556151828344),
    ),
    (
        "i13 (i1 i4 i5 i6)",
        "i3 i14 i11 (i10 i15) i12 (i6 i9) i4 i2",
        0.92238320668128,
        (0.117578490431637, 0.0763135264223449, 0.53999366118093),
        (0.114619469221414, 0.0733545052121218, 0.537945108035391),
        (0.11474835409049, 0.0734833900811979, 0.538589532380772),
    ),
    (
        "(i4 i7 i15) (i2 i11) i8 i18",
        "i4 i8 i17 i11 (i2 i3 i5 i7 i9 i13 i14)",
        0.955836875418683,
        (0.601671359995661, 0.310498723372055, 0.820912519608734),
        (0.584235464666522, 0.295503371358027, 0.805839323150565),
        (0.632087129618464, 0.322093781902212, 0.833840285843908),
    ),
    (
        "(i1 i9 i15 i17) i13 i4 i3 i2",
        "(i1 i17) i15 i9 i13 i4 (i2 i3) i14",
        0.959906916802432,
        (0.966438584453973, 0.512284507728805, 0.966438584453973),
        (0.939211367148046, 0.485057290422878, 0.939211367148046),
        (0.970894528910972, 0.516740452185804, 0.970894528910972),
    ),
    (
        "i21 i20 (i1 i16 i19) (i5 i10) i4",
        "(i12 i17) (i2 i3 i8 i11) (i15 i18) (i6 i13) (i7 i14) i9",
        0.930074017489188,
        (0, 0, 0.389142712252727),
        (0, 0, 0.38977330351866),
        (0, 0, 0.390116806797613),
    ),
    (
        "i26 (i1 i2 i3 i4 i5 i6 i7 i8 i9 i10)",
        "(i19 i25) (i2 i3) (i7 i9 i12 i26) (i18 i22) (i1 i10 i14) (i5 i8)",
        0.947995253587843,
        (0.567020436833909, 0.362931177029673, 0.682972748293291),
        (0.512406299904543, 0.317657317687162, 0.63798714430746),
        (0.542244994152802, 0.345144157486949, 0.665645938046088),
    ),
]


def read(text):
    """A ranking of a text, with brackets around what is tied."""
    ranking, tied = [], None
    for word in text.replace("(", "( ").replace(")", " )").split():
        if word == "(":
            tied = []
        elif word == ")":
            ranking.append(set(tied))
            tied = None
        else:
            (ranking if tied is None else tied).append(word)
    return ranking


@pytest.mark.parametrize(("first", "second", "p", "w", "a", "b"), PUBLISHED)
@pytest.mark.parametrize("swapped", [False, True])
def test_values_are_those_of_the_authors_program(first, second, p, w, a, b, swapped):
    pair = [read(second), read(first)] if swapped else [read(first), read(second)]
    for ties, (extrapolated, minimum, maximum) in {"w": w, "a": a, "b": b}.items():
        found = rbo_bounds(*pair, p=p, ties=ties)
        expected = RboBounds(extrapolated, minimum, maximum, maximum - minimum)
        for name in ("extrapolated", "minimum", "maximum", "residual"):
            assert getattr(found, name) == pytest.approx(getattr(expected, name), abs=1e-12), name


def orders(ranking):
    """Every order of what is tied."""
    ways = [list(permutations(entry)) if isinstance(entry, set) else [(entry,)] for entry in ranking]
    return [[item for part in way for item in part] for way in product(*ways)]


def test_treatment_a_is_the_mean_over_all_orders():
    first, second = [{"x", "y"}, "z", {"u", "v"}], ["y", {"x", "w", "u"}, "q"]
    every = [rbo_bounds(one, other, p=0.8) for one in orders(first) for other in orders(second)]
    found = rbo_bounds(first, second, p=0.8, ties="a")
    assert found.minimum == pytest.approx(mean(one.minimum for one in every), abs=1e-15)
    assert found.maximum == pytest.approx(mean(one.maximum for one in every), abs=1e-15)


def test_a_ranking_agrees_fully_with_itself_where_ties_lose_nothing():
    ranking = ["x", {"y", "z"}, "u"]
    assert rbo_bounds(ranking, ranking, ties="w").extrapolated == pytest.approx(1)
    assert rbo_bounds(ranking, ranking, ties="b").extrapolated == pytest.approx(1)
    assert rbo_bounds(ranking, ranking, ties="a").extrapolated < 1


def test_without_ties_the_three_treatments_are_one():
    first, second = list("abcdefg"), list("cabhd")
    found = [rbo_bounds(first, second, p=0.9, ties=ties) for ties in "wab"]
    for one in found[1:]:
        assert one.extrapolated == pytest.approx(found[0].extrapolated, abs=1e-15)
        assert one.residual == pytest.approx(found[0].residual, abs=1e-15)


def test_empty_rankings_leave_everything_open():
    for second in ([], ["a", "b"]):
        found = rbo_bounds([], second, p=0.9)
        assert isnan(found.extrapolated)
        assert (found.minimum, found.maximum) == (0, pytest.approx(1))


def test_scores_become_a_ranking_with_ties():
    assert tied_ranking({"a": 1.0, "b": 3.0, "c": 1.0}) == ["b", frozenset("ac")]
    with pytest.raises(ValueError, match="the score of 'a' is not a number"):
        tied_ranking({"a": float("nan")})


@pytest.mark.parametrize(
    ("ranking", "options", "said"),
    [
        (["a", {"b", "a"}], {}, "'a' is in a ranking more than once"),
        (["a"], {"p": 1}, "p is 1; the persistence"),
        (["a"], {"ties": "c"}, "ties is 'c'; ties are treated as w, a, b"),
        ({"a": 1}, {}, "a ranking is a sequence, best first, not a dict"),
    ],
)
def test_what_is_no_ranking_is_refused(ranking, options, said):
    with pytest.raises((ValueError, TypeError), match=said):
        rbo_bounds(ranking, ["a"], **options)
