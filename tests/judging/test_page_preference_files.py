"""Files of page preferences: what is exported loads again, line for line, and a bad file loads nothing."""

import io

import pytest
from django.core.management import call_command

from collection.models import Study
from collection.upload import loading
from judging.models import Assignment, Judgment, Question, Task
from judging.questions import result_pages
from prefir.formats import BadFile
from tests.judging.paged import ask_all, paged_study, prefer
from tests.judging.released import names_of
from tests.makers import make_study
from tests.public_data import DATA, needs_data

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]
RUNS = "SECRET-oak SECRET-elm"


def exported(study: Study, what: str) -> str:
    out = io.StringIO()
    call_command("export", study.slug, what, stdout=out)
    return out.getvalue()


def test_what_was_answered_is_exported_and_loads_again_line_for_line(load):
    study, task = paged_study(topics=2, assessors=2)
    ask_all(task)
    for winner in ("SECRET-oak", None):
        assert prefer(study, {"t1": winner, "t2": "SECRET-elm"}).state == "kept"
    lines = exported(study, "pages")
    assert len(lines.splitlines()) == 4
    other, other_task = paged_study(topics=2)
    load(other, "pages", lines)
    assert exported(other, "pages") == lines
    third, _ = paged_study(topics=2)
    load(third, "pages", f"topic run_a run_b winner\n{lines}".replace(" ", ";"))
    assert exported(third, "pages") == lines
    mine, theirs = (
        [(one.first, one.second, one.ties) for one in result_pages.collected(each)]
        for each in (task, other_task)
    )
    assert mine == theirs
    assert set(other_task.questions.values_list("subjects__item", flat=True)) == {None}
    # They count: what is answered is not asked again.
    other_task.settings["assessors"] = 2
    ask_all(other_task)
    assert not any(question.taken < question.wanted for question in other_task.questions.all())


def test_every_bad_line_is_named_and_nothing_is_loaded(load):
    study, task = paged_study()
    with pytest.raises(BadFile) as caught:
        load(
            study,
            "pages",
            f"t1 {RUNS} SECRET-oak\nt1 SECRET-oak other tie\nt9 {RUNS} tie\n"
            f"t1 SECRET-oak SECRET-oak tie\nt1 {RUNS} left\n",
        )
    said = [str(problem) for problem in caught.value.problems]
    assert [problem.line for problem in caught.value.problems] == [2, 3, 4, 5]
    assert 'topic "t1" has no run "other"; load the runs first' in said[0]
    assert 'run "SECRET-oak" is compared with itself' in said[2]
    assert not Judgment.objects.exists()
    assert not Question.objects.filter(task=task).exists()
    assert not Assignment.objects.exists()


def test_the_same_file_counts_once_and_strength_and_label_are_kept(load):
    study, task = paged_study(opened=False)
    lines = f"t1 {RUNS} SECRET-oak anna 2\nt1 {RUNS} tie ben 0\n"
    load(study, "pages", lines)
    found = result_pages.records(task, names=names_of(task.study))
    assert [(r.winner, r.assessor, r.strength) for r in found] == [
        ("SECRET-oak", "import-anna", 2),
        (None, "import-ben", 0),
    ]
    with pytest.raises(loading.CannotLoad, match="count twice"):
        load(study, "pages", lines)


@needs_data[0]
@needs_data[1]
def test_the_image_data_sets_page_preferences_load_and_come_out_equal():
    folder = DATA / "image-preferences"
    study = make_study(topics=0, kind=Study.Kind.IMAGE)
    with pytest.raises(loading.CannotLoad):
        loading.load(study, "xie-pages", folder / "SERP_level_preference")
    loading.load(study, "xie-positions", folder / "Image_position.json")
    loading.load(study, "xie-pages", folder / "SERP_level_preference")
    assert Task.objects.get(study=study, kind="pages").questions.count() == 102
    assert exported(study, "serp") == (folder / "SERP_level_preference").read_text()
