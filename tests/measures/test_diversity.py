"""The diversity form of compatibility against a plain version, and by hand."""

from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefir.measures import compatibility, diversity_compatibility, ideal_from_subtopics

from . import plain

DOCNOS = "abcdef"
subtopics = st.dictionaries(st.sampled_from(DOCNOS), st.sets(st.integers(1, 4)))
runs = st.permutations([*DOCNOS, "x", "y"]).flatmap(lambda all_: st.integers(0, 8).map(lambda n: all_[:n]))


def slow_ideal(run, found):
    """Item by item, with lists alone."""
    rest, ideal = sorted(docno for docno, own in found.items() if own), []
    while rest:
        times = {}
        for one in {one for own in found.values() for one in own}:
            if any(one in found[docno] for docno in rest):
                times[one] = sum(one in found[docno] for docno in ideal)
        least = [one for one in times if times[one] == min(times.values())]
        keys = []
        for docno in rest:
            place = run.index(docno) if docno in run else len(run)
            keys.append((-sum(one in found[docno] for one in least), place, docno))
        ideal.append(min(keys)[2])
        rest.remove(ideal[-1])
    return tuple(ideal)


@given(runs, subtopics, st.sampled_from([0.5, 0.9, 0.95]), st.integers(1, 9), st.booleans())
def test_the_ideal_ranking_and_its_rbo_are_those_of_a_plain_version(run, found, p, depth, nrbo):
    ideal = slow_ideal(run, found)
    assert ideal_from_subtopics(run, found) == ideal
    value = diversity_compatibility(run, found, p=p, depth=depth, nrbo=nrbo)
    if not ideal:
        assert isnan(value)
        return
    own = plain.rbo(ideal, ideal, p, depth, normalize=True) if nrbo else 1.0
    assert value == pytest.approx(plain.rbo(run, ideal, p, depth, normalize=True) / own)


def test_each_subtopic_is_answered_once_before_any_is_answered_twice():
    """By hand: "both" answers two at once; then 1 and 2 are level, and the run's order decides."""
    found = {"one": {1}, "two": {2}, "both": {1, 2}, "three": {3}, "none": set()}
    assert ideal_from_subtopics(["two", "one", "none"], found) == ("both", "three", "two", "one")
    assert diversity_compatibility(["both", "three", "two", "one"], found) == pytest.approx(1.0)


@given(runs, st.sets(st.sampled_from(DOCNOS)))
def test_with_one_subtopic_it_is_compatibility(run, relevant):
    value = diversity_compatibility(run, {docno: {1} for docno in relevant})
    assert value == pytest.approx(compatibility(run, dict.fromkeys(relevant, 1.0)), nan_ok=True)


def test_what_compatibility_refuses_is_refused():
    with pytest.raises(ValueError, match="NRBO"):
        diversity_compatibility(["a"], {"a": {1}}, normalize=False)
    with pytest.raises(ValueError, match="a"):
        diversity_compatibility(["a", "a"], {"a": {1}})
