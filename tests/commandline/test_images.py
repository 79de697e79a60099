"""images: the published figures of the image data set come out, and its small errors are named."""

import json
from math import comb

import pytest

from .conftest import IMAGES, on_data

BOTH = "sogou|baidu"


@pytest.fixture(scope="module")
def printed():
    """One run of the command for all tests of its output."""
    from contextlib import redirect_stdout
    from io import StringIO

    from prefir.cli.program import main

    with redirect_stdout(StringIO()) as out:
        assert main(["images", str(IMAGES), "--json"]) == 0
    return {
        (line["run"], line["topic"], line["measure"]): line["value"] for line in json.loads(out.getvalue())
    }


def table(printed, measure):
    sides = ("sogou", "baidu", "tie")
    return [[printed[BOTH, "all", f"table({measure},{says},{page})"] for page in sides] for says in sides]


@on_data
@pytest.mark.parametrize(
    ("form", "pearson", "spearman"),
    [("d", 0.255, 0.226), ("w", 0.250, 0.225), ("m", 0.244, 0.210), ("n", 0.260, 0.243)],
)
def test_each_form_of_pmr_correlates_as_published(printed, form, pearson, spearman):
    """Xie et al., table 7."""
    assert round(printed[BOTH, "all", f"pearson(pmr_{form})"], 3) == pearson
    assert round(printed[BOTH, "all", f"spearman(pmr_{form})"], 3) == spearman


@on_data
def test_tables_and_tests_are_the_published_ones(printed):
    """Luo's thesis, figures 5.6 to 5.8, 5.10 and 5.11."""
    assert table(printed, "wr") == [[9, 3, 3], [19, 25, 42], [0, 0, 1]]
    assert table(printed, "pwp") == [[17, 3, 10], [11, 25, 36], [0, 0, 0]]
    assert table(printed, "pgc_default") == [[6, 3, 4], [22, 25, 42], [0, 0, 0]]
    assert round(printed[BOTH, "all", "chi2(wr)"], 4) == 3.8182
    assert round(printed[BOTH, "all", "chi2(pwp)"], 4) == 15.2444
    assert round(printed[BOTH, "all", "tau(wr)"], 4) == -0.4052
    assert round(printed[BOTH, "all", "tau(pwp)"], 4) == -0.2293
    assert table(printed, "ndcg_own") == [[16, 7, 16], [12, 21, 30], [0, 0, 0]]
    assert table(printed, "ndcg_both") == [[11, 3, 2], [17, 25, 44], [0, 0, 0]]
    assert round(printed[BOTH, "all", "tau(ndcg_own)"], 4) == 0.2475
    assert printed[BOTH, "all", "split_p(wr)"] == pytest.approx(
        2 * sum(comb(56, n) for n in range(13)) / 2**56
    )


@on_data
def test_pwp_and_the_labels_have_the_published_figures(printed):
    """Xie et al.: .4763; pages and kappa as this set has them."""
    assert round(printed[BOTH, "all", "pearson(pwp)"], 4) == 0.4763
    assert [printed["all", "all", f"pages({side})"] for side in ("sogou", "tie", "baidu")] == [28, 46, 28]
    assert [printed["all", "all", name] for name in ("pairs", "judgments")] == [41_538, 124_614]
    assert printed["all", "all", "split_pairs"] == 5
    # Xie et al., table 5, has .551 and .587 on pairs that are not public.
    assert round(printed["all", "all", "strength_pearson(gap)"], 3) == 0.287
    assert round(printed["all", "all", "strength_spearman(gap)"], 3) == 0.307
    assert round(printed["all", "all", "fleiss_kappa_merged"], 3) == 0.509


@on_data
def test_every_order_of_examination_has_its_means(printed):
    for order in ("default", "reverse", "middle", "manhattan", "euclidean"):
        sogou, baidu = (printed[run, "all", f"pgc_{order}"] for run in ("sogou", "baidu"))
        assert 0 < sogou < baidu < 1


POSITIONS = {"cat": {"0": {"0": [0, 0, 2], "1": [0, 1, 2]}, "1": {"0": [0, 0, 1]}}}
PAIRS = [
    ("sogou", 0, "sogou", 1, -1, 0, 1),
    ("sogou", 0, "baidu", 0, 2, 1, 1),
    ("sogou", 1, "baidu", 0, 1, 1, 0),
]


@pytest.fixture
def small(tmp_path):
    """One query: Sogou shows two images, on which the vote is split; Baidu's one image beats both."""
    (tmp_path / "Image_position.json").write_text(json.dumps(POSITIONS))
    lines = ["Query\tPair\tA\tB\tC\n"]
    for a, i, b, j, *labels in PAIRS:
        lines.append(f"cat\t{a}/cat_{i}.jpg,{b}/cat_{j}.jpg\t" + "\t".join(map(str, labels)) + "\n")
    (tmp_path / "image_pairs_annotation").write_text("".join(lines))
    (tmp_path / "SERP_level_preference").write_text("Query\tPreference\ncat\t2\n")
    return tmp_path


@pytest.mark.parametrize(("options", "pmr"), [("", 1), ("--split left", 1), ("--split tie", 1)])
def test_a_small_set_by_hand(small, values, options, pmr):
    """Both of Sogou's images lose to all of Baidu's: PB is .1 squared."""
    found = values(f"images {small} {options} --per-topic")
    assert found["sogou", "cat", "pmr_d"] == found["sogou", "all", "pmr_d"] == pmr
    assert ("baidu", "cat", "pmr_d") not in found  # one image has no order
    assert [found[run, "cat", "wr"] for run in ("sogou", "baidu")] == [0, 1]
    assert found["sogou", "cat", "pb"] == pytest.approx(0.01)
    assert found["sogou", "cat", "pwp"] == pytest.approx(0.7 * 0.01)
    assert found[BOTH, "all", "table(wr,baidu,baidu)"] == 1
    assert found["all", "all", "split_pairs"] == 1


def test_a_split_vote_goes_left_or_is_a_tie(small, values):
    """Turned round, the left image is the later one: only a tie counts as well ordered."""
    path = small / "image_pairs_annotation"
    path.write_text(
        path.read_text().replace("sogou/cat_0.jpg,sogou/cat_1.jpg", "sogou/cat_1.jpg,sogou/cat_0.jpg")
    )
    assert values(f"images {small}")["sogou", "all", "pmr_d"] == 0
    assert values(f"images {small} --split tie")["sogou", "all", "pmr_d"] == 1


def test_the_penalty_and_the_mixture_are_options(small, values):
    found = values(f"images {small} --lam 1 --gamma .5")
    assert found["sogou", "all", "pwp"] == pytest.approx(0.25)


def test_images_that_the_positions_lack_are_named(small, call):
    path = small / "image_pairs_annotation"
    path.write_text(path.read_text().replace("baidu/cat_0", "baidu/cat_9"))
    result = call(f"images {small}")
    assert result.code == 2
    assert 'line 3: topic "cat" has no image "baidu/cat_9.jpg"' in result.err
