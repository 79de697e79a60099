"""Shapes of the API's responses about a study."""

from datetime import datetime
from typing import Literal

from ninja import Field, Schema

NEXT = "pass it as `cursor` to get what follows; null: this is the end"


class StudyShape(Schema):
    """A study, and your role in it."""

    slug: str = Field(description="what addresses call it")
    name: str
    kind: str = Field(description="text or image")
    role: str = Field(description="organizer or coordinator")
    state: Literal["preparing", "open", "paused", "closed"]
    persistence: float = Field(description="the p at which its leaderboard opens")
    opened_at: datetime | None


class Studies(Schema):
    """A page of studies, newest first."""

    studies: list[StudyShape]
    next: str | None = Field(description=NEXT)


class MeanShape(Schema):
    """A run's mean of one measure; null if no topic has a value, or too few for an interval."""

    value: float | None
    low: float | None = Field(description="of the 95 % interval")
    high: float | None
    topics: int = Field(description="that have a value")
    best_rank: int | None = Field(description="that tests of all pairs leave open")
    worst_rank: int | None
    ceiling: float | None = Field(
        description="mean of the best values that any ranking could have; null if not yet computed"
    )
    ceiling_is_bound: bool = Field(description="whether no ranking may reach the ceiling; none exceeds it")


class RunShape(Schema):
    """A run's row of the leaderboard."""

    run: str
    means: dict[str, MeanShape] = Field(description="by measure")


class Leaderboard(Schema):
    """The leaderboard: every number and sentence of its page."""

    version: str = Field(description="another one: some number may have changed")
    p: float
    over: Literal["whole", "all"] = Field(description="topics with a full round of answers, or all judged")
    answer: str = Field(description="which run leads")
    but: str = Field(description="and how surely")
    remark: str = Field(description="over which topics the means are, where that needs saying")
    topics: int
    topics_judged: int
    topics_whole: int
    topics_placed: int = Field(description="whose top items are known")
    judgments: int
    provisional: int = Field(description="judgments of batches that may yet be discarded")
    kept_only: bool = Field(description="whether provisional judgments are left out")
    waiting: int = Field(description="topics that are being scored anew")
    runs: list[RunShape] = Field(description="the best first")
    next: str | None = Field(description=NEXT)


class ScoreShape(Schema):
    """A run's scores on one topic; null is absent, not 0."""

    topic: str
    run: str
    scores: dict[str, float | None] = Field(description="by measure")
    ceilings: dict[str, float | None] = Field(
        description="by measure, the best score of any ranking on the topic"
    )


class Scores(Schema):
    """A page of scores, topic by topic as they were loaded, the runs of each by name."""

    p: float
    scores: list[ScoreShape]
    next: str | None = Field(description=NEXT)


class TopicShape(Schema):
    """A topic."""

    topic: str
    text: str
    asked: int = Field(description="judgments that tournaments asked for so far")
    full_rounds: int


class Topics(Schema):
    """A page of topics in the order of loading."""

    topics: list[TopicShape]
    next: str | None = Field(description=NEXT)


class JudgmentShape(Schema):
    """A preference between two items of a topic, as exports have it."""

    topic: str
    a: str = Field(description="docno")
    b: str = Field(description="docno")
    winner: str | None = Field(description="docno; null is a tie")
    strength: int = Field(description="2: definitely, 1: better, 0: a tie")
    assessor: str = Field(description="a pseudonym, the same within a release")
    aspects: dict[str, str | None] = Field(
        description="docno of the better one in each aspect that was answered; null: neither"
    )
    reasons: list[str] = Field(description="that were given for the answer")
    claims: dict[str, list[Literal["yes", "no", "cannot tell"] | None]] = Field(
        description="by docno: of each sentence that cites, whether its sources support it; null: not marked"
    )


class Judgments(Schema):
    """A page of judgments of kept batches, in the order of the ledger."""

    release: str = Field(description="whose pseudonyms these are")
    judgments: list[JudgmentShape]
    next: str | None = Field(description=NEXT)


class ImportShape(Schema):
    """An uploaded file and its state."""

    id: int
    kind: str
    name: str
    state: Literal["waiting", "running", "done", "refused"] = Field(
        description="refused: nothing of it was loaded"
    )
    summary: str = Field(description="what was loaded")
    doubts: list[str] = Field(description="what the file leaves open, such as docnos that have no item")
    problems: list[str] = Field(description="every bad line, a sentence each: the first thousand")
    problem_count: int = Field(description="all that were found")
