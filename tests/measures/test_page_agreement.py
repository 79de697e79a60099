"""Which measure is said to agree with page preferences most clearly, and how sure that is."""

import pytest
from scipy.stats import binomtest

from prefir.measures.page_agreement import PageAgreements, agreement_of, corrected
from tests.measures.plain_images import plain_holm

PAGES = [-1.0] * 10 + [1.0] * 10


def agreements(**decided: tuple[int, int]) -> PageAgreements:
    """Measures that agree with the pages on so many topics, contradict them on so many, and else are tied."""
    measures = {}
    for name, (agrees, contradicts) in decided.items():
        gaps = [1.0] * agrees + [-1.0] * contradicts + [0.0] * (20 - agrees - contradicts)
        pairs = [(-gap * page, 0.0) for gap, page in zip(gaps, PAGES, strict=True)]
        measures[name] = agreement_of(pairs, PAGES)
    return PageAgreements(measures, {}, {}, (10, 10, 0), corrected(measures))


def test_the_clearest_is_the_least_likely_by_chance_and_not_the_highest_share():
    found = agreements(wr=(1, 0), pwp=(16, 2), pmr_d=(12, 8))
    assert found.measures["wr"].test.share == 1.0
    assert found.clearest() == "pwp"


def test_what_contradicts_people_agrees_with_them_never_however_surely():
    found = agreements(wr=(1, 19), pmr_d=(11, 9))
    assert found.measures["wr"].test.binomial_p < found.measures["pmr_d"].test.binomial_p
    assert found.clearest() == "pmr_d"
    assert agreements(wr=(1, 19), pmr_d=(10, 10)).clearest() is None
    assert agreements().clearest() is None


def test_the_penalty_within_pwp_and_what_decides_nothing_are_not_tested():
    found = agreements(pb=(15, 0), pwp=(16, 2), wr=(0, 0))
    assert set(found.holm_p) == {"pwp"}
    assert found.clearest() == "pwp"


def test_tests_are_corrected_for_all_measures_as_holm_has_it():
    """Beside a plain Holm of scipy's exact tests."""
    decided = {"wr": (17, 3), "pwp": (16, 2), "pmr_d": (12, 8), "pgc_default": (15, 5)}
    plain = [binomtest(agrees, agrees + others).pvalue for agrees, others in decided.values()]
    found = agreements(**decided).holm_p
    assert list(found) == list(decided)
    assert list(found.values()) == pytest.approx(list(plain_holm(plain)))


def test_the_best_mixture_is_the_highest_and_an_absent_one_never():
    nan = float("nan")
    found = PageAgreements({}, {("D", 0.0): nan, ("N", 0.7): 0.2, ("N", 0.8): 0.1}, {}, (0, 0, 0), {})
    assert found.best_mixture() == ("N", 0.7)
    assert PageAgreements({}, {("D", 0.0): nan}, {}, (0, 0, 0), {}).best_mixture() is None
