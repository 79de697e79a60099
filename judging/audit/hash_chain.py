"""Sealing the ledger: a running hash of each study's judgments, closed batches, decisions and actions.

One job seals what is new, in blocks, outside of every answer's path; what it costs grows with the new rows.
`judging.audit.hash_chain_lines` says what is hashed, `judging.audit.verification` checks it.

Rows of PostgreSQL become visible in another order than that of their ids: a transaction may hold a lower id
and commit it later. A block must not pass over such a row, since nothing would ever come back for it. So a
call first reads the highest ids that it sees, then asks who holds the lock for writing these tables, and
waits until all those have ended. Anyone who was given a lower id had that lock before the higher one was
visible, and keeps it until the commit; anyone who comes later is given a higher id. Thereafter every row up
to those ids is there, or never will be. If the writers take too long, as an import may, nothing is sealed
this time. On SQLite one transaction writes at a time, and ids rise in the order of the commits.
"""

import logging
import time
from collections import defaultdict
from typing import NamedTuple

from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, Max, OuterRef, QuerySet
from django.utils import timezone

from collection.models import Action
from judging.audit import hash_chain_lines
from judging.audit.hash_chain_lines import ChainLine
from judging.models import Assignment, Decision, Judgment, Seal

logger = logging.getLogger(__name__)

# Rows of each kind that are read at once; a decision may bring a batch with all its places.
JUDGMENTS, DECISIONS, ACTIONS = 1000, 200, 1000
# Blocks of rows in one call: a ledger that was never sealed is caught up with over several.
MOST = 20
# Seconds in which a call waits for transactions that may hold lower ids.
PATIENCE = 2.0
# Verdicts that close a batch: with the first of them it is sealed.
CLOSING = (Decision.What.KEPT, Decision.What.DISCARDED, Decision.What.LAPSED)


class Mark(NamedTuple):
    """Highest ids up to which the ledger of all studies is sealed, or can be."""

    judgments: int = 0
    decisions: int = 0
    actions: int = 0


def seal() -> int:
    """Seal the rows added since the last call; return how many. May run twice at once.

    Blocks are stored in a short transaction; nothing is locked while rows are read.
    """
    mark, end = sealed_upto(), _settled_upto()
    sealed = 0
    for _ in range(MOST):
        if end is None or all(done >= there for done, there in zip(mark, end, strict=True)):
            break
        found, reached = _read(mark, end)
        try:
            blocks = _store(found, mark, reached)
        except IntegrityError:
            break  # somebody else has just sealed them
        for block in blocks:
            # A log lies outside of the database: anyone who removes seals there cannot remove them here.
            logger.info("Seal %s of study %s: %s", block.number, block.study_id, block.digest)
        sealed += sum(map(len, found.values()))
        mark = reached
    return sealed


def last(study_id: int) -> Seal | None:
    """The study's last seal, without its rows."""
    return Seal.objects.filter(study=study_id).defer("rows").order_by("number").last()


def sealed_upto() -> Mark:
    """The marks up to which the ledger of all studies is sealed."""
    latest = (
        Seal.objects.order_by("pk").values_list("judgments_upto", "decisions_upto", "actions_upto").last()
    )
    return Mark(*latest) if latest else Mark()


def closed_by(decisions: QuerySet[Decision]) -> QuerySet[Assignment]:
    """The batches that were first closed by one of these decisions."""
    closing = decisions.filter(what__in=CLOSING)
    earlier = Decision.objects.filter(
        assignment=OuterRef("assignment"), what__in=CLOSING, pk__lt=OuterRef("pk")
    )
    return Assignment.objects.filter(pk__in=closing.filter(~Exists(earlier)).values("assignment"))


def _settled_upto() -> Mark | None:
    """The ids up to which no row can appear any more; None if that is unknown now."""
    # Judgments last: anyone who closes a batch has every answer to it before their decision is seen.
    highest = Mark(actions=_highest(Action), decisions=_highest(Decision), judgments=_highest(Judgment))
    if connection.vendor != "postgresql":
        return highest
    until = time.monotonic() + PATIENCE
    writers = now = _writers()
    while writers & now:
        if time.monotonic() > until:
            return None
        time.sleep(0.02)
        now = _writers()
    return highest


def _highest(model: type[Judgment] | type[Decision] | type[Action]) -> int:
    return model.objects.aggregate(highest=Max("pk"))["highest"] or 0


def _writers() -> set[str]:
    """Other transactions that hold a write lock on the sealed tables."""
    tables = [model._meta.db_table for model in (Judgment, Decision, Action)]
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT virtualtransaction FROM pg_locks
            WHERE locktype = 'relation' AND granted AND mode = 'RowExclusiveLock'
                  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                  AND relation IN (SELECT to_regclass(name)::oid FROM unnest(%s::text[]) name)
                  AND pid IS DISTINCT FROM pg_backend_pid()
            """,
            [tables],
        )
        return {transaction_id for (transaction_id,) in cursor.fetchall()}


def _read(mark: Mark, end: Mark) -> tuple[dict[int, list[ChainLine]], Mark]:
    """Read the next rows of all studies, by study, and the marks that they reach."""
    answers = Judgment.objects.filter(pk__gt=mark.judgments, pk__lte=end.judgments)
    new = Decision.objects.filter(pk__gt=mark.decisions, pk__lte=end.decisions)
    trail = Action.objects.filter(pk__gt=mark.actions, pk__lte=end.actions)
    judged = hash_chain_lines.judgments(answers, JUDGMENTS)
    # A batch is sealed with or after its answers, never before: so one that comes later was slipped in.
    all_judged = len(judged) < JUDGMENTS
    decided = hash_chain_lines.decisions(new, DECISIONS if all_judged else 0)
    acted = hash_chain_lines.actions(trail, ACTIONS)
    if not all_judged:
        decided_upto = mark.decisions
    elif len(decided) == DECISIONS:
        decided_upto = decided[-1].pk
    else:
        decided_upto = max(mark.decisions, end.decisions)
    reached = Mark(
        max(mark.judgments, end.judgments) if all_judged else judged[-1].pk,
        decided_upto,
        acted[-1].pk if len(acted) == ACTIONS else max(mark.actions, end.actions),
    )
    closed = hash_chain_lines.batches(closed_by(new.filter(pk__lte=reached.decisions)))
    found: dict[int, list[ChainLine]] = defaultdict(list)
    for row in (*judged, *closed, *decided, *acted):
        found[row.study_id].append(row)
    return found, reached


@transaction.atomic
def _store(found: dict[int, list[ChainLine]], mark: Mark, reached: Mark) -> list[Seal]:
    """Add a block for each study and return them.

    Raises IntegrityError if another process sealed these rows.
    """
    # In this order: anyone who commits before the second look is noticed by it, and anyone who commits after
    # the first has taken the number of a block.
    earlier = {study: last(study) for study in sorted(found)}
    if sealed_upto() != mark:
        raise IntegrityError("the rows after this mark are sealed already")
    blocks = []
    for study, before in earlier.items():
        rows = found[study]
        block = Seal(
            study_id=study,
            number=before.number + 1 if before else 1,
            previous=before.digest if before else hash_chain_lines.FIRST,
            rows="".join(f"{row.kind} {row.pk} {row.digest}\n" for row in rows),
            count=len(rows),
            total=(before.total if before else 0) + len(rows),
            judgments_upto=reached.judgments,
            decisions_upto=reached.decisions,
            actions_upto=reached.actions,
            sealed_at=timezone.now(),
        )
        block.digest = hash_chain_lines.digest(block)
        block.save(force_insert=True)
        blocks.append(block)
    return blocks
