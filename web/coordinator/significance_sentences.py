"""Which tests a page rests on, and how a run differs from the baseline in those against it alone."""

from math import comb

from collection.models import Run, Study
from collection.models.study import Words
from scoring.analysis import run_comparison
from web.live.rank_caution import two_questions
from web.shared.phrases import interval, signed


def how_tested(words: Words) -> str:
    """Return the test, its correction and its level: the same on every page."""
    return f"paired t-tests over {words.topics} at the 5 % level, with Holm’s correction"


def tests_of_ranks(runs: int, words: Words) -> str:
    """Return in a sentence which tests the ranks of so many runs rest on."""
    return f"Ranks rest on {comb(runs, 2):,} tests, one for each pair of {words.runs}: {how_tested(words)}."


def verdict_and_strengths(runs: int, words: Words) -> str:
    """Return in sentences why the verdict of a board and strengths can differ; "" for two models."""
    if runs < 3:
        return ""
    return (
        f"The verdict above compares mean win rates, in which each {words.topic} counts alike, by "
        f"{comb(runs, 2):,} tests with Holm’s correction. Strengths count each judgment alike and are "
        f"compared pair by pair, each by its own 95 % interval. So a {words.run} can be the strongest here "
        "while its lead above is not significant, and can lead above while a chance here is not sure."
    )


def beside_baseline(study: Study, run: Run, measure: str, p: float, whole: bool) -> tuple[str, str]:
    """Return in a sentence how a run differs from the baseline in the tests against it alone, and how these
    fit with ranks; two times "" where there are none.
    """
    base = Run.objects.filter(study=study, name=study.baseline).exclude(pk=run.pk).first()
    if base is None:
        return "", ""
    _, lines = run_comparison.to_baseline(study, base.pk, measure, p, whole)
    one = next(line for line in lines if line.run == run.pk)
    if one.low is None or one.high is None or one.difference is None:
        return "", ""
    how = "neither significantly better nor worse"
    if one.sure:
        how = f"significantly {'better' if one.difference > 0 else 'worse'}"
    said = f"Against the baseline {base.name} alone it is {how}"
    tests = sum(line.holm_p_value is not None for line in lines)
    return (
        f"{said}: {signed(one.difference)} ({interval(one.low, one.high)}).",
        two_questions(tests, base.name, study.words),
    )
