"""SQL statements that read an assessor with all that their pages need, or the sender of a form."""

from collection.models import Study
from config.sql import ModelColumns, execute
from judging.models import Assessor, Assignment, Task

ASSESSOR, STUDY = ModelColumns(Assessor, "assessor"), ModelColumns(Study, "study")
TASK, ASSIGNMENT = ModelColumns(Task, "task"), ModelColumns(Assignment, "assignment")

# A row for each task of the study, in their order, with their open batch, else the last that they took.
PERSON = f"""
SELECT {ASSESSOR.text}, {STUDY.text}, {TASK.text}, {ASSIGNMENT.text}
FROM judging_assessor assessor
JOIN collection_study study ON study.id = assessor.study_id
LEFT JOIN judging_task task ON task.study_id = study.id
LEFT JOIN judging_assignment assignment
     ON assignment.id = (SELECT id FROM judging_assignment WHERE assessor_id = assessor.id
                         ORDER BY CASE WHEN state IN ('working', 'idle') THEN 0 ELSE 1 END, id DESC LIMIT 1)
WHERE assessor.panel = %s AND assessor.reference = %s
ORDER BY assessor.id, task.position
"""  # noqa: S608 - names of columns


def person(panel: str, reference: str) -> Assessor | None:
    """Read the assessor whom a panel knows by a reference, with `study`, `tasks` and `latest`; or None.

    The ORM form is the assessor's row, whose attributes read what is missing.
    """
    rows = execute(PERSON, [panel, reference])
    assessor = ASSESSOR.read(rows[0]) if rows else None
    if assessor is None:
        return None
    # The same person may be asked in several studies: as through the ORM, the first is meant.
    rows = [row for row in rows if row[0] == rows[0][0]]
    study = STUDY.read(rows[0], start := ASSESSOR.number)
    assert study is not None
    assessor.study = study
    tasks = [TASK.read(row, start + STUDY.number) for row in rows]
    assessor.tasks = [task for task in tasks if task is not None]
    for task in assessor.tasks:
        task.study = study
    latest = ASSIGNMENT.read(rows[0], start + STUDY.number + TASK.number)
    if latest is not None:
        latest.assessor = assessor
        latest.task = next(task for task in assessor.tasks if task.pk == latest.task_id)
    assessor.latest = latest
    return assessor


SENDER = f"""
SELECT {ASSESSOR.text} FROM judging_assignment assignment
JOIN judging_assessor assessor ON assessor.id = assignment.assessor_id
WHERE assignment.id = %s
"""  # noqa: S608 - names of columns


def sender_of(assignment_id: int) -> Assessor:
    """Read the assessor of an assignment. Raises Assignment.DoesNotExist."""
    rows = execute(SENDER, [assignment_id])
    assessor = ASSESSOR.read(rows[0]) if rows else None
    if assessor is None:
        raise Assignment.DoesNotExist(f"There is no assignment {assignment_id}.")
    return assessor
