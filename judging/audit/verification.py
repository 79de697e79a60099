"""Verification of a study's ledger against its seals: finds the first row that was changed.

Every block's hash is computed again from its rows' digests, and every digest from the row itself. Between the
ids of two blocks there may be no row of the study that neither of them has. No answer may come in a later
block than its batch, which is sealed when it is first closed, unless a decision reopened the batch: then it
was given since, and stands in no later block than the decision that closed the batch again. States of
batches, people and challenges are not sealed, since decisions change them: they must follow from the
decisions, which are.

The last seals can be removed without a trace in the others. So anyone who verifies is told what is not
sealed, and since when it should be: sealing stands still then, or seals were removed. Once what is left was
sealed anew, only a hash that was noted earlier tells.

May run while people judge. Reads everything, a block at a time.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count, Exists, Min, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from collection.models import Action, Study
from judging.audit import hash_chain_lines
from judging.audit.derived_state import VERDICTS, state_of
from judging.audit.hash_chain import CLOSING, Mark, sealed_upto
from judging.audit.hash_chain_lines import ChainLine
from judging.models import Assessor, Assignment, Decision, Judgment, Question, Seal
from judging.verdicts.decisions import OUT_OR_IN, PAUSED_OR_ON

What = Decision.What
Key = tuple[str, int]
# Below every id that a row can be given by hand.
LOWEST = Mark(*[-(2**63)] * 3)
Told = Callable[[int, int], None]
# Rows older than so many times the interval of sealing should be sealed.
PATIENCE = 4


@dataclass
class VerificationReport:
    """Result of a verification. problems: sentences, in ledger order. seal: the last one.

    noted: whether the ledger has the seal that the caller had noted. waiting: rows not sealed yet. since:
    when the oldest of them was added.
    """

    seal: Seal | None = None
    rows: int = 0
    waiting: int = 0
    since: datetime | None = None
    noted: bool = False
    problems: list[str] = field(default_factory=list)

    @property
    def overdue(self) -> bool:
        """Whether a row is unsealed long after its time."""
        patience = timedelta(seconds=PATIENCE * settings.SEAL_SECONDS)
        return self.since is not None and self.since < timezone.now() - patience


def verify(
    study: Study, *, noted: str = "", most: int = 1000, progress: Told = lambda done, total: None
) -> VerificationReport:
    """Check a study's ledger, audit log and states against its seals; report at most `most` problems.

    noted: the hash of a seal that somebody wrote down, or its beginning. Only this shows whether somebody who
    owns the database rewrote the whole ledger with its seals.
    """
    report = VerificationReport()
    for problem in _problems(study, report, noted, progress):
        report.problems.append(problem)
        if len(report.problems) >= most:
            break
    return report


def blocks(study_id: int) -> Iterator[tuple[Seal, dict[Key, ChainLine]]]:
    """Yield a study's seals in order, each with the rows that lie between its ids now."""
    mark = LOWEST
    for seal in Seal.objects.filter(study=study_id).order_by("number").iterator(10):
        end = _upto(seal)
        batches = [pk for kind, pk in listed(seal) if kind == "batch"]
        yield seal, _stored(study_id, mark, end, batches)
        mark = end


def listed(seal: Seal) -> dict[Key, str]:
    """The rows that a seal lists, each with its digest, in order."""
    lines = (line.split(" ") for line in seal.rows.splitlines())
    return {(kind, int(pk)): digest for kind, pk, digest in lines}


def _problems(study: Study, report: VerificationReport, noted: str, progress: Told) -> Iterator[str]:
    total = Seal.objects.filter(study=study).count()
    before = Seal(number=0, digest=hash_chain_lines.FIRST, total=0)
    closed: dict[int, int] = {}
    reopened = _reopened(study)
    for seal, stored in blocks(study.pk):
        yield from _of_block(seal, before, stored)
        answers_there = ((row.pk, row.batch, row.at) for row in stored.values())
        yield from _late(answers_there, closed, reopened, f"seal {seal.number}")
        closed |= {pk: seal.number for kind, pk in listed(seal) if kind == "batch"}
        # Sealed with this block: what comes in a later one was not given before.
        endings = {pk for kind, pk in listed(seal) if kind == "decision"} & reopened.endings
        reopened.sealed.update(endings)
        report.noted |= bool(noted) and seal.digest.startswith(noted)
        report.seal, report.rows, before = seal, seal.total, seal
        progress(seal.number, total)
    mark, end = _upto(before) if report.seal else LOWEST, sealed_upto()
    for row in _stored(study.pk, mark, end, []).values():
        yield f"{_called(row.kind, row.pk)} was added later, or its seal was removed: no seal has it."
    answers, decided, acted = _between(study.pk, end, None)
    for rows in (answers, decided, acted):
        found = rows.aggregate(count=Count("pk"), since=Min("created_at"))
        report.waiting += found["count"]
        report.since = min(filter(None, (report.since, found["since"])), default=None)
    not_sealed = answers.order_by("pk").values_list("pk", "assignment", "created_at")
    yield from _late(not_sealed, closed, reopened, "no seal")
    yield from _states(study)


def _upto(seal: Seal) -> Mark:
    return Mark(seal.judgments_upto, seal.decisions_upto, seal.actions_upto)


def _of_block(seal: Seal, before: Seal, stored: dict[Key, ChainLine]) -> Iterator[str]:
    """Problems of a block: of the block itself first, then of its rows in order."""
    if seal.number != before.number + 1:
        yield f"Seal {before.number + 1} is missing."
    elif seal.previous != before.digest:
        yield f"Seal {seal.number} does not continue the one before."
    if hash_chain_lines.digest(seal) != seal.digest:
        yield f"Seal {seal.number} was changed: its hash is not that of its rows."
    said = listed(seal)
    for key, digest in said.items():
        row = stored.get(key)
        if row is None:
            yield f"{_called(*key)} is missing: seal {seal.number} has it."
        elif row.digest != digest:
            yield f"{_called(*key)} was changed since seal {seal.number}; now it is {row.line}"
    for key in sorted(stored.keys() - said.keys()):
        yield f"{_called(*key)} was added later: seal {seal.number} passed over its number without it."


@dataclass(frozen=True)
class _Reopened:
    """When batches were reopened, by batch: since when, and which decision closed them again (None: not yet).

    endings: these decisions; sealed: those of them in the blocks read so far.
    """

    times: Mapping[int, list[tuple[datetime, int | None]]]
    endings: set[int]
    sealed: set[int] = field(default_factory=set)

    def allows(self, batch: int, at: datetime | None) -> bool:
        """Tell whether an answer with this time may have been given while the batch was reopened."""
        return at is not None and any(
            since <= at and ending not in self.sealed for since, ending in self.times.get(batch, ())
        )


def _reopened(study: Study) -> _Reopened:
    """Read when the batches of a study were reopened."""
    about = Decision.objects.filter(assignment__assessor__study=study, what__in=(*CLOSING, What.REOPENED))
    again = Decision.objects.filter(assignment=OuterRef("assignment"), what=What.REOPENED)
    rows = about.filter(Exists(again)).order_by("assignment", "-pk")
    times: dict[int, list[tuple[datetime, int | None]]] = defaultdict(list)
    ending, of = None, None
    for pk, batch, what, at in rows.values_list("pk", "assignment", "what", "created_at"):
        ending, of = (ending, of) if batch == of else (None, batch)
        if what == What.REOPENED:
            times[batch].append((at, ending))
        else:
            ending = pk
    return _Reopened(times, {pk for own in times.values() for _, pk in own if pk is not None})


def _late(
    answers: Iterable[tuple[int, int | None, datetime | None]],
    closed: Mapping[int, int],
    reopened: _Reopened,
    where: str,
) -> Iterator[str]:
    """Answers (id, batch, time) that were added after their batch was closed and sealed (batch -> seal)."""
    for pk, batch, at in answers:
        if batch is not None and batch in closed and not reopened.allows(batch, at):
            yield (
                f"{_called('judgment', pk)} was added to batch {batch} after this was closed: seal "
                f"{closed[batch]} has the batch, {where} the judgment."
            )


def _called(kind: str, pk: int) -> str:
    return f"{kind.capitalize()} {pk}"


def _between(
    study_id: int, mark: Mark, end: Mark | None
) -> tuple[QuerySet[Judgment], QuerySet[Decision], QuerySet[Action]]:
    """The study's rows after one mark, and up to another if given."""
    highest = end or (None, None, None)
    answers, decided, acted = (
        Q(pk__gt=low) if high is None else Q(pk__gt=low, pk__lte=high)
        for low, high in zip(mark, highest, strict=True)
    )
    return (
        Judgment.objects.filter(answers, topic__study=study_id),
        Decision.objects.alias(study=hash_chain_lines.DECIDED_IN).filter(decided, study=study_id),
        Action.objects.filter(acted, study=study_id),
    )


def _stored(study_id: int, mark: Mark, end: Mark, batches: list[int]) -> dict[Key, ChainLine]:
    answers, decided, acted = _between(study_id, mark, end)
    closed = Assignment.objects.filter(pk__in=batches, assessor__study=study_id)
    rows = (
        *hash_chain_lines.judgments(answers),  # type: ignore[arg-type]
        *hash_chain_lines.batches(closed),
        *hash_chain_lines.decisions(decided),
        *hash_chain_lines.actions(acted),
    )
    return {(row.kind, row.pk): row for row in rows}


def _states(study: Study) -> Iterator[str]:
    """States that do not follow from the decisions. Each check is one statement, so it sees one moment."""
    mend = f"`manage.py rebuild {study.slug}` makes it follow again."
    about = Decision.objects.filter(assignment=OuterRef("pk"))
    verdicts = about.filter(what__in=VERDICTS).order_by("-pk")
    rows = Assignment.objects.filter(assessor__study=study).annotate(
        lapsed=Exists(about.filter(what=What.LAPSED)),
        presence=Subquery(
            about.filter(what__in=[What.IDLE, What.RESUMED]).order_by("-pk").values("what")[:1]
        ),
        verdict=Subquery(verdicts.values("what")[:1]),
        person=_last_about_a_person(OuterRef("assessor")),
    )
    values = ("pk", "state", "submitted_at", "lapsed", "verdict", "person", "presence")
    said = rows.order_by("pk").values_list(*values).iterator()
    for pk, state, submitted, lapsed, verdict, person, presence in said:
        follows = state_of(
            submitted=submitted is not None,
            lapsed=lapsed,
            verdict=verdict,
            excluded=person == What.EXCLUDED,
            idle=presence == What.IDLE,
        )
        # What a file brings counts, and is decided about, once all of it is there.
        loading = state == Assignment.State.LOADING and verdict is None
        if state != follows and not loading:
            yield f"Batch {pk} is “{state}”, and by its decisions “{follows}”. {mend}"
    people = Assessor.objects.filter(study=study).annotate(person=_last_about_a_person(OuterRef("pk")))
    out = Q(person=What.EXCLUDED)
    wrong = people.filter(out & Q(excluded_at=None) | ~out & Q(excluded_at__isnull=False))
    wrong |= people.filter(person=None, excluded_at__isnull=False)
    for pk in wrong.order_by("pk").values_list("pk", flat=True):
        yield f"Assessor {pk} is excluded, or not, against the decisions. {mend}"
    paused = Decision.objects.filter(assessor=OuterRef("pk"), what__in=PAUSED_OR_ON).order_by("-pk")
    held = Assessor.objects.filter(study=study).annotate(paused=Subquery(paused.values("what")[:1]))
    told = Q(paused=What.PAUSED)
    against = told & Q(paused_at=None) | Q(paused_at__isnull=False) & (~told | Q(paused=None))
    for pk in held.filter(against).order_by("pk").values_list("pk", flat=True):
        yield f"Assessor {pk} is paused, or not, against the decisions. {mend}"
    decided = Decision.objects.filter(question__study=study)
    last = decided.filter(question=OuterRef("pk")).order_by("-pk").values("what")[:1]
    questions = Question.objects.filter(
        Q(pk__in=decided.values("question")) | Q(set_aside_at__isnull=False), study=study
    ).annotate(last=Subquery(last))
    aside = Q(last=What.SET_ASIDE)
    against = aside & Q(set_aside_at=None) | Q(set_aside_at__isnull=False) & (~aside | Q(last=None))
    for pk in questions.filter(against).order_by("pk").values_list("pk", flat=True):
        yield f"Question {pk} is set aside, or not, against the decisions. {mend}"


def _last_about_a_person(assessor: OuterRef) -> Subquery:
    decided = Decision.objects.filter(assessor=assessor, what__in=OUT_OR_IN)
    return Subquery(decided.order_by("-pk").values("what")[:1])
