"""Scores out as CSV, and such a file checked against the ledger, naming every line that differs."""

import pytest
from django.core.management import CommandError, call_command

from collection.models import Study
from judging.batches import answering
from prefir.formats import read_scores
from scoring import jobs
from scoring.board import score_export
from scoring.scores.stored_measures import options
from scoring.scores.topic_scores import PERSISTENCES
from tests.judging.organizing import logged_in, staff_of
from tests.makers import add_run, answer, invite, make_study, open_study, sit, whim
from tests.scoring import stored
from tournament.services import catch_up

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def judged(module_data):
    """Two topics, the first judged; two runs."""
    study = open_study(staff_of(make_study(topics=2, batch_challenges=0)))
    add_run(study, "dense, tuned", {"t1": ["t1-b", "t1-a", "t1-e"], "t2": ["t2-a"]})
    add_run(study, "lexical", {"t1": ["t1-c", "t1-junk0", "t1-d"]})
    sit(invite(study), choose=whim)
    catch_up()
    jobs.sweep()
    return study.pk


@pytest.fixture
def study(db, judged):
    return Study.objects.get(pk=judged)


@pytest.fixture
def exported(study, tmp_path):
    """The scores of the study in a file, as the command writes them."""
    path = tmp_path / "scores.csv"
    call_command("export_scores", study.slug, output=path)
    return path


def test_the_file_holds_every_run_topic_measure_and_p_once_and_the_means(study, exported):
    with exported.open("rb") as file:
        records = read_scores("scores.csv", file)
    assert len(records) == 2 * 2 * len(PERSISTENCES) * (2 + 1)
    scores = stored.named()
    for record in records:
        if record.topic != "t2":  # the only judged topic is the mean
            assert record.value == scores[record.run, "t1", record.measure, options(record.p)]
        else:
            assert record.value is None


def test_the_page_gives_the_same_file(study, exported):
    response = logged_in("bob").get(f"/studies/{study.slug}/scores.csv")
    assert response.streaming
    assert response["Content-Disposition"] == f'attachment; filename="{study.slug}-scores.csv"'
    assert b"".join(response.streaming_content) == exported.read_bytes()


def test_the_files_name_says_how_many_judgments_may_yet_be_discarded(study):
    answer(answering.arrive(invite(study).pk), most=4)
    jobs.sweep()
    response = logged_in("bob").get(f"/studies/{study.slug}/scores.csv")
    assert f'"{study.slug}-scores-4-of-14-provisional.csv"' in response["Content-Disposition"]


def test_a_file_that_says_what_the_ledger_gives_passes(study, exported, capsys):
    call_command("check_scores", study.slug, exported)
    assert "All 48 scores are what the ledger gives." in capsys.readouterr().out


def test_topics_weigh_in_the_check_as_they_do_on_the_leaderboard(study, tmp_path, capsys):
    """Of the second topic's ten pairs three are answered: it weighs three tenths in the means."""
    answer(answering.arrive(invite(study).pk), most=3)
    jobs.sweep()
    jobs.write_standing(study.pk)
    path = tmp_path / "later.csv"
    call_command("export_scores", study.slug, output=path)
    call_command("check_scores", study.slug, path)
    assert "All 48 scores are what the ledger gives." in capsys.readouterr().out


def test_scores_are_checked_against_the_ledger_and_not_against_stored_scores(study, exported):
    stored.spoil(0.123)
    call_command("check_scores", study.slug, exported)


def test_every_line_that_differs_is_named(study, exported, capsys):
    lines = exported.read_text().splitlines()
    changed = next(n for n, line in enumerate(lines) if line.startswith("lexical,t1,pgc,0.9,"))
    lines[changed] = "lexical,t1,pgc,0.9,0.25"
    filled = next(n for n, line in enumerate(lines) if line == '"dense, tuned",t2,pgc,0.8,')
    lines[filled] += "0"
    lines.remove("lexical,t2,compatibility,0.95,")
    lines.append("lexical,t9,pgc,0.9,0.5")
    exported.write_text("\n".join(lines) + "\n")
    with pytest.raises(CommandError, match="4 differences in 48 lines"):
        call_command("check_scores", study.slug, exported)
    said = capsys.readouterr().out
    expected = stored.value("lexical", "pgc", 0.9)
    filled_line = next(n for n, line in enumerate(lines, 1) if line == '"dense, tuned",t2,pgc,0.8,0')
    assert (
        f"line {changed + 1}: pgc of lexical for topic t1 at p = 0.9: "
        f"the file has 0.25, the ledger gives {expected!r}" in said
    )
    assert (
        f"line {filled_line}: pgc of dense, tuned for topic t2 at p = 0.8: "
        "the file has 0.0, the ledger gives no value" in said
    )
    assert "compatibility of lexical for topic t2 at p = 0.95 is missing; the ledger gives no value" in said
    assert "line 49: pgc of lexical for topic t9 at p = 0.9: the study has no such score" in said


def test_a_file_that_is_no_scores_is_refused_with_its_lines(study, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("run,topic,measure,p,value\nlexical,t1,pgc,7,0.1\n")
    with pytest.raises(CommandError, match=r"bad\.csv, line 2: p is"):
        call_command("check_scores", study.slug, path)


@pytest.mark.parametrize("command", ["export_scores", "check_scores", "rescore"])
def test_an_unknown_study_is_named(command, tmp_path):
    more = [tmp_path / "x.csv"] if command == "check_scores" else []
    with pytest.raises(CommandError, match="no study 'nowhere'"):
        call_command(command, "nowhere", *more)


def test_rescoring_drops_and_computes_the_same(study, exported, capsys, tmp_path):
    stored.spoil(0.5)
    call_command("rescore", study.slug)
    assert "32 scores of 2 topics from 10 judgments." in capsys.readouterr().out
    call_command("export_scores", study.slug, output=tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == exported.read_bytes()


def test_without_runs_there_is_a_header_only():
    study = make_study()
    assert list(score_export.scores(study)) == []
    assert list(score_export.fresh(study)) == []
