"""Which tests run on PostgreSQL as well as on SQLite, and which code must be reached there.

Pages, exports, forms and words come out the same on either database; `make test` tries them on SQLite. What
depends on the database runs on both: statements written by hand, locks, conflict clauses, constraints and
triggers. `make test-all` runs everything on both.
"""

import ast
import sys
from functools import cache
from types import CodeType

from tests.ground import ROOT
from tests.rooms import ROOMS

# Files of tests, or their folders, that run on both.
ON_BOTH = (
    "tests/api/test_judging.py",
    "tests/api/test_loading.py",
    "tests/api/test_tokens.py",
    "tests/judging/test_answering.py",
    "tests/judging/test_append_only.py",
    "tests/judging/test_asked_again.py",
    "tests/judging/test_assessor_answers.py",
    "tests/judging/test_assessor_pages.py",
    "tests/judging/test_batch_reopen.py",
    "tests/judging/test_bulk_judgments.py",
    "tests/judging/test_decisions.py",
    "tests/judging/test_declined_by_three.py",
    "tests/judging/test_declines.py",
    "tests/judging/test_desk_pages.py",
    "tests/judging/test_doubtful.py",
    "tests/judging/test_drafts.py",
    "tests/judging/test_drawing.py",
    "tests/judging/test_grading.py",
    "tests/judging/test_grading_pages.py",
    "tests/judging/test_hash_chain.py",
    "tests/judging/test_judgment_export.py",
    "tests/judging/test_judgment_import.py",
    "tests/judging/test_keeping.py",
    "tests/judging/test_ledger.py",
    "tests/judging/test_limits.py",
    "tests/judging/test_loading.py",
    "tests/judging/test_practice.py",
    "tests/judging/test_rebuilding.py",
    "tests/judging/test_recordings.py",
    "tests/judging/test_releases.py",
    "tests/judging/test_result_pages.py",
    "tests/judging/test_revising_machine.py",
    "tests/judging/test_roles.py",
    "tests/judging/test_roster.py",
    "tests/judging/test_schedule_machine.py",
    "tests/judging/test_schedules.py",
    "tests/judging/test_sending_pages.py",
    "tests/judging/test_sittings.py",
    "tests/judging/test_staging.py",
    "tests/judging/test_tasks_page.py",
    "tests/judging/test_texts.py",
    "tests/judging/test_texts_command.py",
    "tests/judging/test_verification.py",
    "tests/judging/test_withdrawn_answers.py",
    "tests/panels/test_addresses.py",
    "tests/panels/test_forgetting.py",
    "tests/panels/test_hours.py",
    "tests/panels/test_mails.py",
    "tests/panels/test_more_wishes.py",
    "tests/panels/test_people.py",
    "tests/scoring/test_rescore.py",
    "tests/test_sweeps.py",
    "tests/test_task_queue.py",
    "tests/tournament/test_planning_page.py",
    "tests/tournament/test_rebuilding.py",
    "tests/tournament/test_revised.py",
    "tests/tournament/test_services.py",
    "tests/tournament/test_taken_back.py",
    "tests/tournament/test_waves.py",
    "tests/tournament/test_what_is_stored.py",
    "tests/web/test_account_links.py",
    "tests/web/test_changed_accounts.py",
    "tests/web/test_database_watch.py",
    "tests/web/test_health.py",
    "tests/web/test_notices.py",
)
# What a function calls, or says in a call, if it depends on the database.
CALLS = {"select_for_update", "cursor", "RawSQL", "execute"}
KEYWORDS = {"ignore_conflicts", "update_conflicts"}
# They have databases of their own, which are SQLite whatever the product runs on.
OTHERS = ("config/sqlite3/", "judging/transfer/spool.py", "simulation/")
# Functions that tests reach on PostgreSQL in another part of the run, among those that need services.
ELSEWHERE = {
    "collection/triggers.py:append_only_but": "tests/upgrading/test_upgrading.py",
    "collection/triggers.py:_run": "tests/upgrading/test_upgrading.py",
    "panels/calls/call_rate.py:turn": "tests/panels/test_scenarios_publishing.py",
    "panels/calls/effects.py:_prepared": "tests/panels/test_scenarios_publishing.py",
    "panels/calls/outbox.py:_ask_anew": "tests/panels/test_scenarios_publishing.py",
    "panels/calls/outbox.py:settle": "tests/panels/test_scenarios_publishing.py",
    "panels/participants/panel_exclusions.py:_change": "tests/panels/test_scenarios_working.py",
    "panels/participants/participations.py:_take": "tests/panels/test_scenarios_working.py",
    "panels/prolific/calls.py:_members": "tests/panels/test_scenarios_prolific.py",
    "web/organizer/recruitment/purchase_request.py:ask_for": "tests/web/test_purchase_request.py",
    "web/live/database_watch.py:DatabaseWatch.look": "tests/services/test_stream.py",
}


@cache
def dependent_functions() -> set[str]:
    """Functions of the product that depend on the database, as `file:name`."""
    found = set()
    for path in (path for room in ROOMS for path in (ROOT / room).rglob("*.py")):
        name = str(path.relative_to(ROOT))
        if "migrations" not in path.parts and not name.startswith(OTHERS):
            found |= {f"{name}:{one}" for one in _dependent(ast.parse(path.read_text()), "")}
    return found


def _dependent(node: ast.AST, prefix: str) -> set[str]:
    found = set()
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            if any(_says_so(one) for one in ast.walk(child) if isinstance(one, ast.Call)):
                found.add(prefix + child.name)
        elif isinstance(child, ast.ClassDef):
            found |= _dependent(child, f"{prefix}{child.name}.")
    return found


def _says_so(call: ast.Call) -> bool:
    named = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return named in CALLS or any(keyword.arg in KEYWORDS for keyword in call.keywords)


class Reached:
    """The dependent functions that sent a statement, themselves or by what they called."""

    def __init__(self) -> None:
        self.functions: set[str] = set()
        self._names: dict[CodeType, str | None] = {}

    def __call__(self, execute, sql, params, many, context):
        """Execute a statement, and note who wanted it. For `connection.execute_wrappers`."""
        frame = sys._getframe(1)
        while frame is not None:
            code = frame.f_code
            if code not in self._names:
                self._names[code] = self._name(code)
            if name := self._names[code]:
                self.functions.add(name)
            frame = frame.f_back
        return execute(sql, params, many, context)

    def _name(self, code: CodeType) -> str | None:
        if not code.co_filename.startswith(f"{ROOT}/"):
            return None
        name = f"{code.co_filename.removeprefix(f'{ROOT}/')}:{code.co_qualname}".replace(".<locals>", "")
        return next((one for one in dependent_functions() if name == one or name.startswith(f"{one}.")), None)


reached = Reached()
