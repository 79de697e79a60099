"""Copying and deleting a study across all rooms, for its page and the commands."""

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from collection.models import Import, Study
from collection.study import study_copy, study_deletion
from collection.study.lifecycle import CannotSteer
from judging.questions.task_copies import copy_tasks
from panels.recruitment import closure
from tournament.models import Plan
from web.shared.phrases import count, listed

NOTHING, ITEMS, RUNS = "settings", "items", "runs"


@transaction.atomic
def copy(
    study: Study, name: str, organizer: AbstractBaseUser, *, what: str = RUNS, members: bool = False
) -> tuple[Study, Import | None]:
    """Copy a study; return the copy and the import that waits to load its material (None for NOTHING).

    The caller loads the import, or starts the job that does. what: RUNS copies all material, ITEMS all but
    the runs, NOTHING only settings and texts. members: whether the copy gets the same members.
    """
    # Locked so that the original is not deleted meanwhile.
    original = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    made = study_copy.copy_settings(original, name, organizer, members=members)
    tasks = copy_tasks(original, made)
    plan = Plan.objects.filter(study=original).first()
    if plan is not None:
        Plan.objects.create(
            study=made,
            task=tasks[plan.task_id],
            strategy=plan.strategy,
            settings=plan.settings,
            seed=made.seed,
        )
    return made, None if what == NOTHING else study_copy.begin_material(original, made, runs=what == RUNS)


@transaction.atomic
def begin_deletion(study_id: int) -> None:
    """Hide a study from everybody and mark it for deletion. The caller starts or runs the job that deletes.

    Raises CannotSteer, with what to do first, while somebody judges, loads or copies, or while a campaign is
    not closed.
    """
    study_deletion.begin(study_id)
    if campaigns := closure.going_on(study_id):
        raise CannotSteer(
            f"{count(len(campaigns), 'campaign')} of this study is not closed: {listed(campaigns)}. "
            "People may still come by it, or be owed something. Close it first."
        )
