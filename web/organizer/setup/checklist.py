"""The checklist of a study: what it holds, what comes next, and what can go wrong."""

from dataclasses import dataclass, replace

from django.urls import reverse

from collection.models import Study
from judging.models import Task
from judging.questions.asking import task_of
from judging.tasks.pick import Pick
from scoring.board.leaderboard import MANY_WAITING
from scoring.scores.topic_scores import to_be_scored
from tournament.plans import plan_of
from web.alerts import health
from web.alerts.health import Trouble
from web.forecast import concerns, overview
from web.forecast.overview import People, Stock
from web.organizer.setup.checklist_step import DONE, LATER, LOOK, NEXT, OPTIONAL, ChecklistStep
from web.organizer.setup.money_step import money_step
from web.shared import stage
from web.shared.phrases import count, listed
from web.shared.stage import Stage, stage_of


@dataclass(frozen=True)
class Checklist:
    """All steps of a study, with a headline.

    results: whether there are any to look at. stage: where the study stands. to_open: how many topics of an
    open study are not open yet but have something to compare.
    """

    steps: list[ChecklistStep]
    headline: str
    can_open: bool
    results: bool
    stage: Stage
    to_open: int = 0

    @property
    def ordered(self) -> list[ChecklistStep]:
        """The steps, the one that is next first.

        Without numbers: those of the navigation are of other steps.
        """
        return sorted(self.steps, key=lambda step: step.state != NEXT)


def checklist(study: Study) -> Checklist:
    """Describe where a study stands, step by step. The number of queries does not grow with it."""
    stock = overview.stock(study)
    task = task_of(study)
    people, now = overview.people(study), stage_of(study)
    asking = now.name not in (stage.CLOSED, stage.PAUSED, stage.OVER, stage.FINISHED)
    trouble = health.first_block(study) if asking else None
    invite = trouble if trouble and trouble.address == reverse("people", args=[study.slug]) else None
    runs = overview.runs(study)
    if study.case == Study.Case.ANSWERS:
        material = answers_steps(study, stock, runs)
    else:
        material = [
            topics_step(stock),
            items_step(study, stock),
            grades_step(study, stock),
            runs_step(stock, runs),
        ]
    steps = [
        *material,
        challenges_step(study, stock, task, stock.challenges),
        people_step(study, people, invite),
        money_step(study),
        open_step(study, stock, now, trouble, waits_for_people=invite is not None),
        results_step(study, stock, people, to_be_scored(study), finished=now.name == stage.FINISHED),
    ]
    watched = people.recorded > 0 and study.opened_at is None
    steps = _with_next(steps, study, watched=watched)
    return Checklist(
        steps,
        headline=_headline(now, steps),
        can_open=study.opened_at is None and bool(stock.playable),
        results=study.opened_at is not None or people.recorded > 0,
        stage=now,
        to_open=len(stock.to_open) if study.opened_at else 0,
    )


def _headline(now: Stage, steps: list[ChecklistStep]) -> str:
    """Say where the study stands, in a few words; the same for organizers and coordinators."""
    if now.name == stage.FINISHED:
        return "All questions are answered"
    if now.name != stage.CLOSED:
        return f"Judging is {now.name if now.name in (stage.PAUSED, stage.OVER) else 'open'}"
    coming = next((step for step in steps if step.state == NEXT), None)
    action = (coming.label or coming.title) if coming else ""
    return f"Next: {action[0].lower()}{action[1:]}" if action else "Not open for judging"


def _with_next(steps: list[ChecklistStep], study: Study, *, watched: bool) -> list[ChecklistStep]:
    """Fill in the addresses, and mark the first step still to take as NEXT, the page's main action,
    unless something keeps judging from going on: that comes before all else.

    watched: all judgments so far were loaded, so that nobody needs to be asked before there are results.
    """
    steps = [replace(step, address=_address(study, step)) for step in steps]
    if watched:
        spared = {"people", "open"}
        steps = [
            replace(step, state=OPTIONAL) if step.key in spared and step.state == LATER else step
            for step in steps
        ]
    if any(step.state == NEXT or (step.key == "open" and step.state == LOOK) for step in steps):
        return steps
    for at, step in enumerate(steps):
        if step.state == LATER and (step.key != "results" or study.opened_at or watched):
            return [*steps[:at], replace(step, state=NEXT), *steps[at + 1 :]]
    return steps


def _address(study: Study, step: ChecklistStep) -> str:
    if not step.link:
        return step.address
    return reverse(step.link, args=[study.slug]) + (f"?kind={step.part}#{step.part}" if step.part else "")


def answers_steps(study: Study, stock: Stock, runs: list[tuple[str, int]]) -> list[ChecklistStep]:
    """Return the steps for prompts, answers and models, which come with the same files."""
    if not stock.items:
        said = ["Prompts, and what each model answered: tables, chats, pairs, one file a model."]
        label = "Load your files"
        return [ChecklistStep("items", "Prompts and answers", LATER, said, link="files", label=label)]
    said = [f"{count(stock.topics, 'prompt')}, {count(stock.items, 'answer')}."]
    warnings = []
    if stock.without_items:
        warnings.append(
            f"{count(len(stock.without_items), 'prompt')} without answers, about which nothing can be asked: "
            f"{listed(stock.without_items)}."
        )
    state = LOOK if warnings and not study.opened_at else DONE
    answers = ChecklistStep(
        "items", "Prompts and answers", state, said, warnings, "files", "Load further files"
    )
    if not runs:
        return [answers]
    said = [f"{count(len(runs), 'model')}: {listed([name for name, _ in runs])}."]
    partial = [f"{name} ({answered:,})" for name, answered in runs if answered < stock.topics]
    if partial:
        said.append(
            f"Not all answered all {count(stock.topics, 'prompt')}; one without an answer does not count for "
            f"its model. Answered by {listed(partial)}."
        )
    return [answers, ChecklistStep("runs", "Models", DONE, said, [], "files", "Load further models")]


def topics_step(stock: Stock) -> ChecklistStep:
    """Return the step for topics, which comes first, since everything else names its topic."""
    if not stock.topics:
        said = [
            "A topic is a query or question. Everything else names its topic, so topics are loaded first."
        ]
        # Link to the page of several files, since people usually have the other files at hand too.
        return ChecklistStep("topics", "Topics", LATER, said, link="files", label="Load your files")
    said = [f"{count(stock.topics, 'topic')} loaded."]
    return ChecklistStep("topics", "Topics", DONE, said, link="files", label="Load topics", part="topics")


def items_step(study: Study, stock: Stock) -> ChecklistStep:
    """Return the step for items: how many are loaded, and whether they have something to show."""
    named = {Study.Kind.TEXT: "passages", Study.Kind.SOUND: "recordings"}
    items = named.get(Study.Kind(study.kind), f"{study.kind}s")
    what, part = study.shows, "items" if study.kind == Study.Kind.TEXT else "images"
    label = f"Load {items}"
    if not stock.items:
        said = [f"{items.capitalize()} are what assessors compare within a topic."]
        return ChecklistStep("items", "Items", LATER, said, link="files", label=label, part=part)
    warnings = []
    said = [f"{count(stock.items, 'item')} loaded."]
    if stock.bare == stock.items:
        said = [f"{count(stock.items, 'item')} known by docno only."]
        warnings.append(
            f"No item has its {what}, so a person would have nothing to compare. That is enough to load "
            "recorded judgments and to replay them; to ask people, load the items."
        )
    elif stock.bare_candidates:
        warnings += concerns.bare_candidates(study, stock)
    elif stock.bare:
        said.append(
            f"{stock.bare:,} of them have no {what}; none of these is a candidate, so nobody is shown one."
        )
    else:
        said.append(f"Each has its {what}.")
    if (study.kind == Study.Kind.IMAGE and stock.bare < stock.items) or stock.described:
        said.append(_descriptions(what, stock.items - stock.bare, stock.described))
    if stock.without_items:
        warnings.append(
            f"{count(len(stock.without_items), 'topic')} without items, about which nothing can be asked: "
            f"{listed(stock.without_items)}."
        )
    state = LOOK if warnings and not study.opened_at else DONE
    return ChecklistStep("items", "Items", state, said, warnings, "files", label, part)


def _descriptions(what: str, files: int, described: int) -> str:
    """Say whether a screen reader can read out what the pictures show or the recordings hold."""
    if described == files:
        return f"Each {what} has a description for screen readers."
    without = f"{files - described:,} of {count(files, what)}" if described else f"The {what}s"
    so = ", so people who use a screen reader cannot judge this study" if what == "picture" else ""
    return f"{without} have no description{so}."


def grades_step(study: Study, stock: Stock) -> ChecklistStep:
    """Return the step for grades, which are optional, and what happens without them."""
    label, part = "Load grades", "qrels"
    if not stock.grades:
        said = [
            "Absolute labels (qrels), if there are any. With them, a tournament is held among a topic's "
            "best-graded items, and challenges can be made.",
            "Without them all items of a topic are candidates, and challenges have to be loaded.",
        ]
        return ChecklistStep("grades", "Grades", OPTIONAL, said, link="files", label=label, part=part)
    said = [
        f"{count(stock.grades, 'grade')} for {count(stock.graded_topics, 'topic')}. Candidates are the "
        f"best-graded items of a topic: whole grades from the top until there are at least "
        f"{plan_of(study).k}, never grade 0."
    ]
    ungraded = stock.topics - stock.graded_topics - len(stock.without_items)
    if ungraded > 0:
        said.append(f"{count(ungraded, 'topic')} without grades: there, all items are candidates.")
    return ChecklistStep("grades", "Grades", DONE, said, link="files", label=label, part=part)


def runs_step(stock: Stock, runs: list[tuple[str, int]]) -> ChecklistStep:
    """Return the step for runs, which the leaderboard compares."""
    if not runs:
        said = [
            "A run is one system's rankings. The leaderboard compares runs; assessors never see them. "
            "They may also be loaded while people judge."
        ]
        return ChecklistStep("runs", "Runs", LATER, said, link="files", label="Load runs", part="run")
    said = [f"{count(len(runs), 'run')}: {listed([name for name, _ in runs])}."]
    partial = [f"{name} ({ranked:,})" for name, ranked in runs if ranked < stock.topics]
    warnings = []
    if partial:
        warnings.append(
            f"Not all runs rank all {count(stock.topics, 'topic')}; a topic that a run leaves out scores 0. "
            f"Ranked by {listed(partial)}."
        )
    return ChecklistStep("runs", "Runs", DONE, said, warnings, "files", "Load runs", "run")


def challenges_step(study: Study, stock: Stock, task: Task, known: int) -> ChecklistStep:
    """Return the step for challenges: loaded, to be made from grades, or missing, and the consequences.

    known: how many are there; if 0, before opening, those that could be made are counted.
    """
    made = known or (0 if study.opened_at else stock.challenges_possible)
    warnings = concerns.challenges(study, task, made)
    each = task.batch_challenges
    if not each:
        return ChecklistStep(
            "challenges", "Challenges", LOOK, [], warnings, "study-settings", "Change the settings"
        )
    said, what = [], "grids" if task.kind == Pick.name else "pairs"
    if known:
        said.append(f"{count(known, 'challenge')}: {what} with a known answer, {each} in each batch.")
    elif made:
        said.append(f"None were loaded: opening the study makes {made:,} of them from its grades.")
    if made >= each:
        said.append(
            f"Nobody meets a challenge twice, so one assessor can judge up to {count(made // each, 'batch')}."
        )
    state = LOOK if warnings else (DONE if known else OPTIONAL)
    if known and not warnings:
        return ChecklistStep(
            "challenges", "Challenges", state, said, link="challenges", label="See challenges"
        )
    return ChecklistStep(
        "challenges", "Challenges", state, said, warnings, "files", "Load challenges", "challenges"
    )


def people_step(study: Study, people: People, invite: Trouble | None) -> ChecklistStep:
    """Return the step for people: how many are invited, joined, from panels, or excluded.

    invite: says that an open study waits for people; None if it does not.
    """
    label = "Invite people"
    if not people.invited and not people.joined and not people.others and not study.join_token:
        said = [
            "Assessors need no account: each gets a link of their own, or all come through one open link."
        ]
        if invite:
            said = [invite.said, *said]
        return ChecklistStep("people", "People", NEXT if invite else LATER, said, link="people", label=label)
    said = [invite.said] if invite else []
    if people.invited:
        came = f"{people.came:,} came so far" if people.came else "none came yet"
        said.append(f"{count(people.invited, 'assessor')} with a personal link; {came}.")
    if people.joined:
        said.append(f"{count(people.joined, 'assessor')} joined by the open link.")
    if people.others:
        said.append(f"{count(people.others, 'assessor')} from other panels.")
    if study.join_token:
        said.append("The open link is on: anyone who has it can join.")
    if people.excluded:
        said.append(f"{people.excluded:,} excluded: their answers count nowhere.")
    if invite:
        return ChecklistStep("people", "People", NEXT, said, link="people", label=invite.mend)
    return ChecklistStep("people", "People", DONE, said, link="people", label="See people")


def open_step(
    study: Study, stock: Stock, now: Stage, trouble: Trouble | None, *, waits_for_people: bool
) -> ChecklistStep:
    """Return the step for opening: what it needs, what will be compared, and what it locks.

    trouble: what keeps an open study from going on. waits_for_people: whether that is the step for people's.
    """
    title = "Open for judging"
    if study.opened_at:
        if study.closed_at or study.is_past:
            how = "paused: assessors are asked to come back later" if study.paused else "over"
            said = [f"Judging is {how}. Nobody gets a new batch; those that were begun may be finished."]
        elif waits_for_people:
            said = []
        else:
            said = [now.said, *([trouble.said] if trouble and trouble.said != now.said else [])]
        if stock.to_open:
            is_or_are = "is" if len(stock.to_open) == 1 else "are"
            said.append(f"{count(len(stock.to_open), study.words.topic)} {is_or_are} not open yet.")
        if trouble and not waits_for_people:
            state = NEXT if trouble.mend else LOOK
            return ChecklistStep("open", title, state, said, label=trouble.mend, address=trouble.address)
        return ChecklistStep("open", title, DONE, said)
    pools = stock.playable
    if not pools:
        return ChecklistStep(
            "open",
            title,
            LATER,
            [f"No {study.words.topic} has two {study.words.items} to compare yet."],
        )
    sizes = f"{min(pools):,}" if min(pools) == max(pools) else f"{min(pools):,} to {max(pools):,}"
    said = [
        f"{count(len(pools), study.words.topic)} with at least two candidates, {sizes} each, "
        f"{sum(pools):,} in all.",
        f"From then on these {study.words.topics}, their {study.words.items} and grades, and the "
        "tournament's settings stand still.",
    ]
    warnings = concerns.short_topics(study, stock)
    return ChecklistStep("open", title, LATER, said, warnings)


def results_step(
    study: Study, stock: Stock, people: People, waiting: int, *, finished: bool = False
) -> ChecklistStep:
    """Return the step for results: batches judged so far, and top items found.

    waiting: how many topics still have to be scored. finished: whether all that was asked is answered.
    """
    if study.opened_at is None and not people.recorded:
        said = ["The leaderboard fills while people judge. Judgments, grades and scores can be taken away."]
        return ChecklistStep("results", "Results", LATER, said)
    said = []
    of = count(stock.topics, study.words.topic)
    if people.kept or people.discarded or people.working:
        said.append(
            f"{count(people.kept, 'batch')} kept, {people.discarded:,} discarded, "
            f"{people.working:,} being judged now."
        )
    if people.recorded:
        said.append(f"Recorded judgments of {count(people.recorded, 'label')} were loaded from files.")
    if waiting >= MANY_WAITING:
        said.append(
            f"Scores of {stock.topics - waiting:,} of {of} are up to date; the others are being computed."
        )
    if study.opened_at and not stock.placed:
        said.append(
            f"No tournament has ended yet. When one ends, the top {study.words.items} of its "
            f"{study.words.topic} are known."
        )
    elif study.opened_at:
        said.append(f"The top {study.words.items} of {stock.placed:,} of {of} are known.")
    state = DONE if finished else LATER
    return ChecklistStep("results", "Results", state, said, link="leaderboard", label="See the leaderboard")
