"""README and datasheet of a release, with the questions of Gebru et al. (2021)."""

from dataclasses import dataclass
from textwrap import fill

from django.db.models import Count, Max, Min

from collection.models import Grade, Item, Run, Study, Topic
from config.version import version
from judging.models import FROM_FILES, Assessor, Assignment, Judgment, JudgmentQuerySet, Task
from judging.questions import challenges
from scoring.scores.stored_measures import chosen
from tournament.models import Plan
from web.shared import measure_names
from web.shared.phrases import count, listed

State = Assignment.State


@dataclass(frozen=True)
class Facts:
    """Numbers and words for the two texts."""

    study: Study
    version: str
    topics: int
    opened: int
    items: int
    pictures: bool
    grades: int
    runs: list[str]
    people: int
    excluded: int
    panels: list[str]
    judgments: int
    counting: int
    kept: int
    discarded: int
    first: str
    last: str
    tasks: list[Task]
    plan: Plan | None
    measures: list[str]


def answer_days(answers: JudgmentQuerySet) -> tuple[str, str]:
    """Return the days of the first and the last answer; "" without any. Reads all of them."""
    days = answers.exclude(assignment__state=State.LOADING).aggregate(
        first=Min("created_at"), last=Max("created_at")
    )
    first, last = (f"{days[end]:%Y-%m-%d}" if days[end] else "" for end in ("first", "last"))
    return first, last


def facts(study: Study, *, pictures: bool) -> Facts:
    """Count what a study holds. Cost grows with its rows."""
    answers = Judgment.objects.filter(topic__study=study)
    first, last = answer_days(answers)
    people = Assessor.objects.filter(study=study)
    states = dict(
        Assignment.objects.filter(assessor__study=study)
        .order_by()
        .values_list("state")
        .annotate(n=Count("pk"))
    )
    return Facts(
        study=study,
        version=version(),
        topics=Topic.objects.filter(study=study).count(),
        opened=Topic.objects.filter(study=study, opened_at__isnull=False).count(),
        items=Item.objects.filter(topic__study=study).count(),
        pictures=pictures and study.kind != Study.Kind.TEXT,
        grades=Grade.objects.filter(item__topic__study=study).count(),
        runs=list(Run.objects.filter(study=study).order_by("pk").values_list("name", flat=True)),
        people=people.count(),
        excluded=people.filter(excluded_at__isnull=False).count(),
        panels=sorted(set(people.order_by().values_list("panel", flat=True).distinct())),
        judgments=answers.exclude(assignment__state=State.LOADING).count(),
        counting=answers.settled().count(),
        kept=states.get(State.KEPT, 0),
        discarded=states.get(State.DISCARDED, 0),
        first=first,
        last=last,
        tasks=list(Task.objects.filter(study=study).order_by("position")),
        plan=Plan.objects.filter(study=study).first(),
        measures=[measure_names.TITLES[name] for name in chosen(study.measures)],
    )


# Each file of a release, and what it holds.
FILES = {
    "`study.json`": (
        "settings, tasks with their texts, the tournament's plan with its seed, the version of the software"
    ),
    "`topics.jsonl`": "topic, text, whether it was opened for judging",
    "`items.jsonl`": (
        "docno, topic, text, or the file and the description of its picture; in the order in which they "
        "were loaded, which draws depend on"
    ),
    "`grades.qrels`": "absolute labels, as TREC qrels",
    "`merged.qrels`": "the same with each topic's top items in order above all grades",
    "`runs.json`, `runs/`": (
        "the systems' rankings, as TREC run files; of grids with row, column and length of the row behind"
    ),
    "`pools.jsonl`": "the candidates that each topic's tournament began with",
    "`assessors.jsonl`": "pseudonym, panel, whether excluded",
    "`batches.jsonl`": (
        "what one person judged in one sitting: who, which task, its outcome (kept, "
        "discarded, lapsed), days, wrong challenges"
    ),
    "`questions.jsonl`": "what is compared, in the order that answers refer to, and the known answer if any",
    "`asked.jsonl`": "what each batch asked, in its order, and what stood where",
    "`judgments.jsonl`": (
        "every answer, also of discarded batches, of challenges, and those that were corrected: "
        "the highest revision is the answer, and one whose value is null withdraws the answer before it: "
        "its assessor cannot judge the question"
    ),
    "`unanswered.jsonl`": "questions that went to others, or that somebody could not judge",
    "`decisions.jsonl`": "what was decided about batches, people and questions",
    "`preferences.txt`": "what counts, in short: topic, a, b, winner (or `tie`), assessor, strength",
    "`scores.csv`": (
        "every run's score on every topic that has one, for every p; the means over all of these first"
    ),
    "`leaderboard.csv`": (
        "means with 95 % intervals and ranks, over the topics that the leaderboard had: those with a full "
        "round of answers, once there are two; `ceiling` is the best mean that any ranking could have"
    ),
    "`SHA256SUMS`": "checksums: `sha256sum -c SHA256SUMS`",
}


def _table() -> str:
    lines = [f"| {name} | {what} |" for name, what in FILES.items()]
    return "\n".join(["| file | what |", "|---|---|", *lines, ""])


def _wrapped(text: str) -> str:
    """Wrap a text's paragraphs; tables, lists, headings and code stay as they are."""
    found = []
    for paragraph in text.strip().split("\n\n"):
        as_it_is = paragraph.startswith(("|", "#", "-", "    "))
        found.append(
            paragraph if as_it_is else fill(" ".join(paragraph.split()), 100, break_on_hyphens=False)
        )
    return "\n\n".join(found) + "\n"


def _pictures(facts: Facts) -> str:
    if facts.study.kind == Study.Kind.TEXT:
        return ""
    what = "Recordings" if facts.study.recorded else "Pictures"
    return f"{what} are in `images/`." if facts.pictures else f"{what} are left out."


def readme(facts: Facts) -> str:
    """README.md of a release."""
    study = facts.study
    return _wrapped(f"""# {study.name}

Preference judgments collected with Faceoff {facts.version}: {count(facts.topics, "topic")},
{count(facts.items, "item")}, {count(len(facts.runs), "run")}, {count(facts.judgments, "answer")} by
{count(facts.people, "assessor")}{f", {facts.first} to {facts.last}" if facts.first else ""}.
{facts.counting:,} answers count; the others are challenges, corrected, or of batches that were discarded
or never sent.

{_table()}
## How to read an answer

`shown` says what stood where: "10" means that the second of the question's `compared` stood on the left.
The
`value` of an answer to a pair is 1 or 2 (definitely) for what stood on the left, -1 or -2 for the right,
0 for
a tie; where `shown` is empty, it speaks of `compared` itself. `seconds` are those in view, `away` those
with
the page hidden; both are null where an answer came without times, as from a browser without scripts.
`seen`, where the page told it, is the percent of each passage or picture that came into view, in the order
of the page. `details`, where the study asked them, has the `aspects` of a pair: 1 for what stood on the left,
-1 for
the right, 0 for neither; the `reasons` that were given; as `claims`, of what stood on the left and on the
right, for each sentence that cites a source in turn 1 for supported, -1 for not, 0 for cannot tell, null for
skipped or not answered; and as `remark` the hash of a sentence, which itself is in no release.
Answers with `challenge` are about the assessor, and count nowhere.

## Load it again

    manage.py load_release FOLDER_OR_ZIP

makes a study of it, with the same scores to the last digit, or says what differs. `prefir` computes the
measures
from the files alone.
""")


def _is_loaded(facts: Facts) -> bool:
    """Tell whether all answers are from files."""
    return facts.panels == [FROM_FILES]


def _sampled(facts: Facts, settings: str) -> str:
    if _is_loaded(facts) and not facts.opened:
        return "those of the loaded files."
    plan = facts.plan
    by = f" ({plan.strategy}: {settings}, seed {plan.seed})" if plan else ""
    opened = f"{facts.opened:,} of {facts.topics:,} topics were opened for judging."
    return f"an elimination tournament chose which to ask about{by}. {opened}"


def _collected(facts: Facts, asked: str) -> str:
    if _is_loaded(facts):
        return "The answers were loaded from files; how people were asked is not recorded here."
    more = "\n\nFurther answers were loaded from files." if FROM_FILES in facts.panels else ""
    return f"In a browser, by these questions:\n\n{asked}{more}"


def _involved(facts: Facts) -> str:
    if _is_loaded(facts):
        return "Not recorded: the answers were loaded from files."
    own = listed([panel for panel in facts.panels if panel != FROM_FILES])
    more = "; others are from files" if FROM_FILES in facts.panels else ""
    return f"{count(facts.people, 'assessor')}, by {own or 'no panel'}{more}."


def datasheet(facts: Facts) -> str:
    """DATASHEET.md of a release: the study's own answers, and "Not recorded." where it has none."""
    study, plan = facts.study, facts.plan
    in_batch = [(task, challenges.in_batch(task, challenges.count(task))) for task in facts.tasks]
    checked = any(each for _, each in in_batch)
    asked = "\n".join(
        f"- {task.kind}: “{task.wording}” (scale {task.scale}, {task.batch_size} questions and "
        f"{each} challenges in a batch)"
        for task, each in in_batch
    )
    consent = next((task.consent for task in facts.tasks if task.consent), "")
    instructions = next((task.instructions for task in facts.tasks if task.instructions), "")
    settings = ", ".join(f"{name} {value}" for name, value in plan.settings.items()) if plan else ""
    blank = "Not recorded."
    asked_here = not _is_loaded(facts)
    own = "The study has no text of its own; the page before the first batch is Faceoff's, which says"
    keys = f"{own} the question, how to answer, and the keys."
    agreed = (
        f"{own} what the study is for, that taking part is voluntary, what is kept and whom to ask; "
        "people agree by the button that begins."
    )
    return _wrapped(f"""# Datasheet: {study.name}

After Gebru et al., *Datasheets for datasets* (Communications of the ACM 64(12), 2021). What the study
recorded
is filled in; the rest is for anyone who publishes it.

## Motivation

**For what purpose was it made?** To find out which of {count(len(facts.runs), "system")} is better, by
asking
people which of two they prefer.

**Who made it?** {study.asked_by or blank} Contact: {study.contact or blank}

**Who funded it?** {blank}

## Composition

**What are the instances?** {count(facts.topics, "topic")} with {count(facts.items, "item")}
({study.get_kind_display().lower()}), {count(facts.grades, "grade")}, {count(facts.judgments, "answer")}.

**Is it a sample?** Of the pairs of items: {_sampled(facts, settings)}
Where the topics come from: {blank.lower()}

**Are there labels?** {f"{facts.grades:,} graded labels." if facts.grades else "No graded labels."} The
systems are
{listed(facts.runs, 20) or "none"}.

**Is anything missing?** Free words of assessors and organizers, exact times, and who anybody is.
{_pictures(facts)}

**Are there errors or noise?** Batches had
{"challenges, pairs with a known answer" if checked else "no challenges"}:
{count(facts.kept, "batch")} kept, {facts.discarded:,} discarded, {count(facts.excluded, "person")}
excluded.
Discarded answers are in the files, marked by the state of their batch.

**Does it hold confidential or personal data?** Assessors have pseudonyms that no other release shares. The
texts and pictures of the items: {blank.lower()}

## Collection

**How was it collected?** {_collected(facts, asked or blank)}

**Instructions.** {instructions or (keys if asked_here else blank)}

**Who was involved, and how were they paid?** {_involved(facts)} Pay: {blank.lower()}

**When?** {f"{facts.first} to {facts.last}." if facts.first else blank}

**Did they consent, to what?** {consent or (agreed if asked_here else blank)}

**Was there an ethical review?** {blank}

## Processing

**What was done to it?** Answers are as they were given. Preferences, rounds and scores follow from them;
measures: {listed(facts.measures, 20)}. Software: Faceoff {facts.version}.

## Uses

**What has it been used for?** {blank}

**What should it not be used for?** {blank}

## Distribution and maintenance

**Licence.** {blank}

**Who maintains it?** {study.contact or blank}
""")
