"""Facts of a report, computed once by the functions of the pages that show them, for all of its forms."""

from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Sum
from django.http import HttpRequest, QueryDict

from collection.models import Run, Study
from config.version import version
from judging.audit import hash_chain
from judging.models import Task
from judging.tasks.pair import Pair
from panels.models import Budget, Posting
from panels.models.money import SPENDING
from scoring.analysis import run_comparison
from scoring.analysis.doubtful_judgments import DOUBTS
from scoring.board import history, leaderboard, standings
from scoring.board.leaderboard import Board
from tournament.models import Plan
from tournament.plans import plan_of
from web.coordinator.answers import trust_page, trust_verdict
from web.coordinator.board import rank_history
from web.coordinator.board.decision import decision_told, said
from web.coordinator.board.leaderboard import persistence_of
from web.coordinator.citations import Paper, of_study
from web.coordinator.compare import comparison_pages
from web.coordinator.report.example import Example, answers_offered, example_of
from web.coordinator.report.methods import methods
from web.coordinator.report.milestones import Milestones, milestones
from web.coordinator.report.sources import Sources, sources_of
from web.coordinator.significance_sentences import how_tested
from web.forecast.needed_topics import needed_sentence
from web.forecast.topic_work import judgments_a_topic
from web.live import leaderboard_headline
from web.live.leaderboard_headline import DrawnRow, Scale, Verdict
from web.live.missing_scores import missing_for_report
from web.live.rank_caution import first_two_never_met, two_questions
from web.shared import measure_names
from web.shared.interval_axis import DrawnAxis
from web.shared.latest_trust import agreed, latest_trust
from web.shared.phrases import count, isolated, listed, number
from web.shared.plots import ShownPlot

# Rows of the board; the others are counted. Further measures beside the first; the others are named.
MOST_ROWS, MOST_MEASURES = 20, 3
# From more works on they stand in three columns on paper; up to FEW_PAPERS, a field a line, beside methods of
# so many letters.
MANY_PAPERS, FEW_PAPERS, SHORT_METHODS = 8, 6, 1600
# With no more rows than these, more stands on the first sheet.
FEW_ROWS = 10
# What money went for, by kind of posting.
SPENT_FOR = {
    Posting.Kind.REWARD: "rewards",
    Posting.Kind.FEE: "fees",
    Posting.Kind.BONUS: "bonuses",
    Posting.Kind.BONUS_FEE: "fees on bonuses",
    Posting.Kind.ADJUST: "adjustments",
}
# Longer names are cut, so that sentences stay sentences and the report has two pages.
LONGEST_NAME = 48
# Letters from which a verdict and a name of a study are set smaller, and after which a wording is cut.
LONG_VERDICT, LONG_TITLE, LONGEST_WORDING = 120, 60, 140


@dataclass(frozen=True)
class Fact:
    """A name and its value, as a line of a table."""

    name: str
    value: str


@dataclass(frozen=True)
class BoardLine:
    """A run's line: its range of ranks, name, mean and interval, further means, and the drawn row."""

    ranks: str
    name: str
    mean: str
    interval: str
    further: list[str]
    drawn: DrawnRow


@dataclass(frozen=True)
class ReportBoard:
    """The board: headings of the first measure and the further ones, the lines, and what they leave out."""

    scale: Scale
    further: list[Scale]
    lines: list[BoardLine]
    rest: str
    notes: list[str]


@dataclass(frozen=True)
class ReportDecision:
    """Whether to change from the baseline, and what would settle it."""

    told: Verdict
    two_questions: str
    drawn: DrawnAxis
    least: float


@dataclass(frozen=True)
class TwoBest:
    """The two best runs compared: who is ahead by how much, and what each test says."""

    first: str
    second: str
    answer: str
    but: str
    needed: str
    tests: list[tuple[str, str, str]]


@dataclass(frozen=True)
class Report:
    """Everything that a report says.

    empty: what to do next where nothing can be reported; the rest is then of no use. numbers: figures at a
    glance. asked: how people were asked, in sentences; pair: a real question. trust: sentences.
    seal: the last hash of the ledger. race: of the best runs, and milestones, its numbers; None below two
    standings with means.
    """

    study: Study
    empty: str
    question: str
    at: datetime
    verdict: Verdict
    decision: ReportDecision | None
    numbers: list[Fact]
    board: ReportBoard | None
    race: ShownPlot | None
    milestones: Milestones | None
    against: TwoBest | None
    asked: list[str]
    offered: list[str]
    pair: Example | None
    trust: list[str]
    cost: list[str]
    parameters: list[Fact]
    seal: str
    methods: str
    papers: list[Paper]

    @property
    def compares_first(self) -> bool:
        """Whether the two best are compared on the first sheet, below a short board."""
        return self.board is not None and len(self.board.lines) <= FEW_ROWS

    @property
    def long(self) -> str:
        """Classes by which long words are set smaller."""
        sizes = {
            "long-title": len(self.study.name) > LONG_TITLE,
            "long-verdict": len(self.first.answer) > LONG_VERDICT,
            "many-papers": len(self.papers) > (MANY_PAPERS if self.compares_first else FEW_PAPERS),
            "few-papers": self.compares_first
            and len(self.papers) <= FEW_PAPERS
            and len(self.methods) <= SHORT_METHODS,
            "many-measures": self.board is not None and len(self.board.further) > 1,
        }
        return "".join(f" {name}" for name, holds in sizes.items() if holds)

    @property
    def first(self) -> Verdict:
        """What the report says first: the decision, where a baseline is named, else the verdict."""
        return self.decision.told if self.decision else self.verdict

    @property
    def glance(self) -> str:
        """The figures at a glance, as a sentence."""
        return f"{', '.join(f'{fact.value} {fact.name}' for fact in self.numbers)}."

    @property
    def bibtex(self) -> str:
        """The entries of all works that are cited."""
        return "\n\n".join(paper.bibtex for paper in self.papers)


def short(name: str, most: int = LONGEST_NAME) -> str:
    """A name, cut if it is long, that stands in a sentence whatever its script."""
    return isolated(name if len(name) <= most else f"{name[: most - 1].rstrip()}…")


def report_of(request: HttpRequest, study: Study) -> Report:
    """Compute a report as its reader may see it. Cost is that of the board, two runs compared, and trust."""
    standing = standings.current(study)
    board = leaderboard.board_of(standing, persistence_of(QueryDict(), study))
    board = replace(board, rows=[replace(row, name=short(row.name)) for row in board.rows])
    drawing = leaderboard_headline.drawing(board, study.words)
    plan = plan_of(study)
    task = plan.task
    found = latest_trust(study)[0]
    trust = found.value.trust if found and found.value.trust.all.answers else None
    kinds = Task.objects.filter(study=study).in_bulk()
    sources = sources_of(study, task, trust)
    race, numbers = _race(study, board)
    decision = _decision(request, study)
    told = methods(study, board, drawing.scales, sources, task, plan, agreed(trust))
    return Report(
        study=study,
        empty=missing_for_report(study, board),
        question=_question(study, board, task, sources),
        at=standing.created_at,
        verdict=_verdict(study, board, study.baseline if decision else ""),
        decision=decision,
        numbers=_numbers(study, board, sources),
        board=_board(study, board, drawing) if board.rows else None,
        race=race,
        milestones=numbers,
        # A decision says how many more topics it takes itself: another question than that of two runs.
        against=_against(study, board, says_needed=decision is None),
        asked=list(map(study.words.put_in, _asked(task, sources))),
        offered=answers_offered(task) if sources.asked else [],
        pair=example_of(study, task) if sources.asked else None,
        trust=[*_trust_said(trust, kinds), *_doubts_said(study)],
        cost=_cost(study, board.judgments),
        parameters=_parameters(study, board, drawing.scales, task, plan, standing.number, sources),
        seal=_seal(study),
        methods=told.text,
        papers=[of_study(study, standing.created_at), *told.papers],
    )


def _question(study: Study, board: Board, task: Task, sources: Sources) -> str:
    which = f"Which of {count(len(board.rows), study.words.run)} is best?"
    topics = count(board.topics_judged, study.words.topic)
    if not sources.asked:
        return f"{which} {count(board.judgments, 'judgment')} for {topics} were loaded from files."
    who = f"{count(sources.people, 'person')} answered" if sources.people else "People answered"
    return f"{which} {who} for {topics}: “{short(task.wording, LONGEST_WORDING)}”"


def _verdict(study: Study, board: Board, baseline: str) -> Verdict:
    told = leaderboard_headline.verdict(board, study.words, baseline)
    return replace(told, but=f"{told.but} {first_two_never_met(study, board)}".strip())


def _decision(request: HttpRequest, study: Study) -> ReportDecision | None:
    told = decision_told(request, study)
    found = told["decision"]
    if found is None:
        return None
    answer, but = said(found, short(told["candidate"]), short(study.baseline))
    between = f"Interval of the difference: {told['interval']} in {told['over']}"
    between += f", corrected for {told['corrected']} (Holm)."
    return ReportDecision(
        told=Verdict(answer, " ".join(filter(None, (but, between, told["never_met"], told["settles"])))),
        two_questions=two_questions(found.comparisons, short(study.baseline), study.words),
        drawn=told["drawn"],
        least=found.least,
    )


def _numbers(study: Study, board: Board, sources: Sources) -> list[Fact]:
    words, people = study.words, sources.people
    found = [Fact("judgments", f"{board.judgments:,}")]
    if people or sources.asked:
        found.append(Fact("people" if people != 1 else "person", f"{people:,}" if people else "–"))
    found += [
        Fact(f"of {board.topics:,} {words.topics} judged", f"{board.topics_judged:,}"),
        Fact(words.runs, f"{len(board.rows):,}"),
    ]
    if sources.asked:
        found.append(Fact(f"batches kept, {sources.discarded:,} discarded", f"{sources.kept:,}"))
    return found


def _board(study: Study, board: Board, drawing: leaderboard_headline.DrawnBoard) -> ReportBoard:
    scale, *further = drawing.scales
    lines = []
    for row in drawing.rows[:MOST_ROWS]:
        first, *others = row.cells
        interval = "–"
        if first.mean.low is not None and first.mean.high is not None:
            interval = f"{number(first.mean.low, 3)} to {number(first.mean.high, 3)}"
        lines.append(
            BoardLine(
                ranks=row.rank,
                name=row.row.name,
                mean=number(first.mean.value, 3),
                interval=interval,
                further=[number(cell.mean.value, 3) for cell in others[:MOST_MEASURES]],
                drawn=row,
            )
        )
    left = len(drawing.rows) - MOST_ROWS
    rest = ""
    if left > 0:
        are = "is" if left == 1 else "are"
        rest = f"{count(left, study.words.run)} of lower rank {are} left out. The leaderboard has all."
    unnamed = [one.title for one in further[MOST_MEASURES:]]
    notes = [
        drawing.counts,
        leaderboard_headline.over_now(study, board, leaderboard.board(study, board.p, every=True)),
        drawing.tiers,
        f"Not shown: {listed(unnamed, len(unnamed))}." if unnamed else "",
    ]
    return ReportBoard(scale, further[:MOST_MEASURES], lines, rest, [note for note in notes if note])


def _race(study: Study, board: Board) -> tuple[ShownPlot, Milestones] | tuple[None, None]:
    kept = history.numbers(study)
    if not kept or not board.rows:
        return None, None
    racing = rank_history.racing_of(QueryDict(), board)
    found = milestones(study, board, racing, kept)
    if len(found.lines) < 2:
        return None, None
    steered = bool(history.steered(study))
    shown = rank_history.race_shown(
        study, board, racing, board.leading, board.p, False, kept, steered=steered
    )
    return shown, found


def _against(study: Study, board: Board, *, says_needed: bool) -> TwoBest | None:
    ranked = [row for row in board.rows if row.means[board.leading].value is not None]
    if len(ranked) < 2:
        return None
    first, second = ranked[:2]
    # Runs that were deleted since are in the standing still.
    runs = Run.objects.filter(study=study).in_bulk([first.run_id, second.run_id])
    if len(runs) < 2:
        return None
    found = run_comparison.compare(study, first.run_id, second.run_id, board.leading, board.p, None)
    title = measure_names.TITLES[board.leading]
    each = judgments_a_topic(study, found.judgments_a_topic)
    # That they never met stands beside the verdict.
    met = comparison_pages.tally_sentence(study, runs[first.run_id], runs[second.run_id])
    answer = comparison_pages.answer(found, first.name, second.name, title, study.words)
    return TwoBest(
        first=first.name,
        second=second.name,
        answer=answer.answer,
        but=f"{answer.but} {met}".strip(),
        needed=needed_sentence(found, study.words, each) if says_needed else "",
        tests=comparison_pages.tests(found, study.words) if found.shown.topics > 1 else [],
    )


def _asked(task: Task, sources: Sources) -> list[str]:
    if not sources.asked:
        return ["Judgments were loaded from files; how people were asked is not recorded here."]
    known = f"{count(sources.challenges, 'challenge')} with a known answer"
    batch = f"A batch had {count(task.batch_size, 'question')} and "
    batch += known if sources.challenges else "no challenges"
    if task.repeats:
        batch += f"; {task.repeats:,} were asked a second time"
    sides = ["Each item stood equally often on the left and on the right."] if task.kind == Pair.name else []
    files = ["Further judgments were loaded from files."] if sources.loaded else []
    return [f"{batch}.", *sides, *files]


def _trust_said(trust: trust_page.Trust | None, kinds: dict[int, Task]) -> list[str]:
    if trust is None:
        return ["Agreement is being computed, or nothing counts yet. Look again in a minute."]
    first, rests = trust_page.answer(trust, kinds)
    return [first, *rests]


def _doubts_said(study: Study) -> list[str]:
    """How many judgments are doubtful, where that is known of the present ones; looks for none."""
    found = DOUBTS.cached(study)
    return [trust_verdict.headline(found)] if found else []


def _cost(study: Study, judgments: int) -> list[str]:
    """Money spent by kind of posting, a sentence for each currency; rehearsals left out."""
    found = []
    for budget in Budget.objects.filter(study=study, rehearsal=False, spent__gt=0).order_by("currency"):
        postings = Posting.objects.filter(budget=budget, kind__in=SPENDING)
        sums = postings.order_by().values_list("kind").annotate(sum=Sum("amount")).order_by("kind")
        money = budget.currency
        parts = [f"{amount:,.2f} {money} for {SPENT_FOR[kind]}" for kind, amount in sums if amount]
        each = f", which is {budget.spent / judgments:,.2f} {money} a judgment" if judgments else ""
        found.append(f"{budget.spent:,.2f} {money} were spent{each}: {listed(parts, len(parts))}.")
    return found or ["No money was spent through Faceoff."]


def _parameters(
    study: Study, board: Board, scales: list[Scale], task: Task, plan: Plan, standing: int, sources: Sources
) -> list[Fact]:
    settings = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in plan.settings.items())
    measures = [f"{one.title}{f' {one.depth}' if one.depth else ''}" for one in scales]
    tests = f"{how_tested(study.words)} for all pairs of {study.words.runs}"
    if study.baseline:
        tests += "; that of the decision for the comparisons with the baseline alone"
    counted = "kept batches" if study.kept_only else "kept batches, and those still being judged"
    asked = [
        Fact("Strategy", f"{plan.rules.title}; {settings}"),
        Fact("Seed", plan.seed),
        Fact("Task", f"{task.kind}, scale {task.scale}, texts of version {task.version}"),
        Fact("What counts", counted),
    ]
    found = [
        Fact("Measures", listed(measures, len(measures))),
        *(asked if sources.asked else []),
        Fact("Tests", tests),
        Fact("Software", f"Faceoff {version()}; standing {standing:,}"),
    ]
    if study.baseline:
        least = f"{short(study.baseline)}; least difference that matters {study.least_difference:g}"
        found.insert(1, Fact("Baseline", least))
    return found


def _seal(study: Study) -> str:
    last = hash_chain.last(study.pk)
    return f"{last.digest} (seal {last.number:,}, {last.total:,} rows)" if last else "not sealed yet"
