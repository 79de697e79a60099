"""bench/measures times what it says: each case, on next to nothing, agrees with its peer."""

import pytest

from bench.measures import distances, graphs, inputs, shell, timing, tracks

pytestmark = pytest.mark.slow

TRACK = inputs.track(inputs.TINY)
GROUPS = {
    "one PGC": lambda: graphs.cases(inputs.TINY),
    "a track": lambda: tracks.track_cases(inputs.TINY, TRACK, tracks.Rankings(TRACK.runs)),
    "beside peers": lambda: tracks.peer_cases(inputs.TINY, TRACK),
    "distances": lambda: distances.cases(inputs.TINY),
}


@pytest.mark.parametrize("group", GROUPS)
def test_each_case_runs_and_agrees_with_its_peer(group):
    lacking = []
    for case in GROUPS[group]():
        ours = case.ours.run()
        if isinstance(case.peer, timing.Call):
            theirs = case.peer.run()
            assert case.same is None or case.same(ours, theirs), (case.what, case.peer.timed)
        elif case.peer:
            lacking.append(case.peer)
    if lacking:
        pytest.skip(f"{', '.join(sorted(set(lacking)))}: pip install -r bench/requirements.txt")


def test_programs_from_the_shell_run_and_agree(tmp_path):
    shell.write_files(tmp_path, topics=3, depth=shell.DEPTH, runs=2, lines=3000)
    lines = [shell.line(case, rounds=0) for case in shell.cases(tmp_path)]
    assert all(len(line) == len(shell.HEADER) for line in lines)
    assert "3,000 lines of grades" in lines[-1][0]
    if any("is missing" in line[4] for line in lines):
        pytest.skip("pip install -r bench/requirements.txt")


def test_means_agree_to_the_digits_that_are_printed():
    ours = shell.Used(1.0, 1.0, ["0.66804", "0.5"])
    assert shell.agree(ours, shell.Used(1.0, 1.0, ["0.6680", "0.5000"]))
    assert not shell.agree(ours, shell.Used(1.0, 1.0, ["0.6682", "0.5000"]))


def test_a_value_that_differs_from_the_peers_is_seen():
    case = next(case for case in tracks.track_cases(inputs.TINY, TRACK, tracks.Rankings(TRACK.runs)))
    scores = case.ours.run()
    same = {run: scores.of(run) for run in scores.runs}
    assert tracks.same_values(scores, same)
    run, topic = scores.runs[0], scores.topics[0]
    same[run][topic] += 1e-6
    assert not tracks.same_values(scores, same)
    assert not tracks.same_means(scores, {run: mean + 1e-6 for run, mean in scores.means.items()})


def test_a_table_says_what_was_wanted_and_whether_it_was_met(monkeypatch):
    monkeypatch.setattr(timing, "ROUND", 0.0)

    def work(count):
        return timing.Call("counting", lambda: sum(range(count)))

    met = timing.line(timing.Case("sums", work(10), work(10_000), at_least=2))
    missed = timing.line(timing.Case("sums", work(10_000), work(10), at_least=2))
    alone = timing.line(timing.Case("sums", work(10), "peer is missing", at_least=2))
    assert [line[-1] for line in (met, missed, alone)] == [
        "at least 2: met",
        "at least 2: missed",
        "at least 2: not measured",
    ]
    assert timing.written(0.00123456) == "1.23 ms"
