"""Navigation of a study: its sections, the tabs in each, and their pages.

One table says where each page stands. The page that is shown is found by the name of its URL, so that views
say nothing about it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from django.http import QueryDict
from django.urls import reverse

from collection.models import Study
from web.shared.access import PARTS, May
from web.shared.view_choices import carried


@dataclass(frozen=True)
class Page:
    """A page with a link of its own, by the name of its URL.

    title: may hold {topics}, {runs} and the like, the words of the study. below: names of the pages that
    stand under it. case: the only case of studies that has it. grades: whether a study that is open has it
    only where it asks for grades.
    """

    name: str
    title: str
    may: May = May.RESULTS
    below: tuple[str, ...] = ()
    case: str = ""
    grades: bool = False


@dataclass(frozen=True)
class Tab:
    """Some pages of a section; the first that a person may see is its address."""

    title: str
    pages: tuple[Page, ...]


@dataclass(frozen=True)
class Section:
    """A section of a study: one tab, or several."""

    title: str
    tabs: tuple[Tab, ...]
    carries: bool = False  # whether its links pass on what is chosen


RANKINGS, ANSWERS = Study.Case.RANKINGS.value, Study.Case.ANSWERS.value
WATCH = Section(
    "Watch",
    (
        Tab(
            "Standing",
            (
                Page("leaderboard", "Leaderboard", below=("run-page", "run-report", "leaderboard-baseline")),
                Page("groups", "By group"),
                Page("history", "History"),
                Page("baseline", "Against a baseline"),
                Page("pairs", "All pairs"),
                Page("aspects", "Aspects"),
                Page("style", "Control for style", case=ANSWERS),
                Page("votes", "Earlier votes", case=ANSWERS),
                Page("report", "Report", May.WATCH, ("report-pdf",)),
            ),
        ),
        Tab("Two {runs}", (Page("compare", "Two {runs}"),)),
        Tab(
            "{topics}",
            (
                Page("leaderboard-topics", "Scores"),
                Page("topics", "Rounds", below=("topic", "topic-judgments")),
            ),
        ),
        Tab(
            "Trust",
            (
                Page("trust", "Can the judgments be trusted?", May.WATCH),
                Page("challenges", "Challenges", May.STEER, ("set-aside", "declined-one")),
                Page("disagreements", "Disagreements", May.STEER),
            ),
        ),
        Tab(
            "Progress",
            (
                Page("progress", "Progress", May.WATCH, ("progress-ask",)),
                Page("study", "Checklist", May.WATCH, ("tournament-start", "study-close")),
                Page("study-send", "Send the links", May.STEER),
            ),
        ),
        Tab(
            "For a paper",
            (
                Page("duels", "Duels", case=RANKINGS),
                Page("map", "Nearest {runs}", case=RANKINGS),
                Page("measures", "Measures compared"),
                Page("page-agreement", "Measures and result pages", case=RANKINGS),
            ),
        ),
    ),
    carries=True,
)
PEOPLE = Section(
    "People",
    (
        Tab(
            "",
            (
                Page(
                    "people",
                    "Assessors and members",
                    May.STEER,
                    (
                        *("person", "person-sentences", "exclude", "readmit"),
                        *("exclude-joined", "people-chosen"),
                        *("person-panel-id", "panel-ids"),
                    ),
                ),
                Page("mails", "Invitations by e-mail", May.STEER, ("mails-load",)),
            ),
        ),
    ),
)
MONEY = Section(
    "Money",
    (
        Tab(
            "",
            (
                Page(
                    "campaigns",
                    "Panels and campaigns",
                    May.STEER,
                    ("campaign",),
                ),
            ),
        ),
    ),
)
DATA = Section(
    "Data",
    (
        Tab(
            "",
            (
                Page("data", "{topics} and {items}", May.WATCH, ("data-topic", "data-item")),
                Page("files", "Load files", May.STEER, ("import",)),
            ),
        ),
    ),
)
SETTINGS = Section(
    "Settings",
    (
        Tab(
            "",
            (
                Page(
                    "study-settings",
                    "All settings",
                    May.STEER,
                    ("study-copy", "study-archive", "study-delete"),
                ),
                Page("study-seen", "Preview", May.STEER),
                Page("examples", "Examples", May.STEER),
                Page("grading", "Grading", May.STEER, ("grading-more", "grading-take"), grades=True),
                Page("result-pages", "Result pages", May.STEER, ("result-pages-stop",), RANKINGS),
            ),
        ),
    ),
)
RECORDS = Section(
    "Records",
    (
        Tab(
            "",
            (
                Page("records", "Files and seal", May.WATCH),
                Page("trail", "Trail", May.STEER),
                Page("notices", "Notifications", May.WATCH),
                Page("share-links", "Links for others", May.WATCH),
            ),
        ),
    ),
)
OWN = Section(
    "Your {runs}", (Tab("", (Page("own-runs", "Your {runs}", May.OWN, ("run-page", "run-report")),)),)
)
SECTIONS = (WATCH, PEOPLE, MONEY, DATA, SETTINGS, RECORDS, OWN)


@dataclass(frozen=True)
class Step:
    """A step of setting a study up: its page, and the sections that it leads to before judging is open."""

    page: Page
    sections: tuple[Section, ...] = ()

    @property
    def pages(self) -> tuple[Page, ...]:
        """Its own page first, then those of its sections that are no step themselves."""
        steps = {step.page.name for step in STEPS}
        pages = [page for section in self.sections for tab in section.tabs for page in tab.pages]
        own = [page for page in pages if page.name == self.page.name] or [self.page]
        return (*own, *(page for page in pages if page.name not in steps))


# From files to the first judgment, before judging is open.
STEPS = (
    Step(Page("study-settings", "Name and question", May.STEER), (SETTINGS,)),
    Step(Page("files", "Files", May.STEER), (DATA,)),
    Step(Page("study-seen", "Preview", May.STEER)),
    Step(Page("people", "People", May.STEER), (PEOPLE, MONEY)),
    Step(Page("tournament-start", "Open", May.STEER)),
    Step(Page("study-send", "Judge", May.STEER)),
)


@dataclass(frozen=True)
class Link:
    """A link of the navigation; current: "page" for the page shown, "true" above it, else ""."""

    title: str
    address: str
    current: str = ""


@dataclass(frozen=True)
class Navigation:
    """All links of a study's navigation on one of its pages.

    home: whether the page shown is the checklist of a study that is not open. steps: those of setting it
    up, before judging is open. sections: those that no step leads to. tabs: of the section shown. pages: of
    the step or tab shown.
    """

    steps: list[Link] = field(default_factory=list)
    sections: list[Link] = field(default_factory=list)
    tabs: list[Link] = field(default_factory=list)
    pages: list[Link] = field(default_factory=list)
    home: bool = False

    @property
    def here(self) -> str:
        """The title of the tab shown, or of the page where there are no tabs."""
        return next((link.title for link in self.tabs or self.pages if link.current), "Pages")


def shows_results(shown: str) -> bool:
    """Whether the page whose URL has a name goes by what is chosen for all pages of results."""
    return any(_holds(tab.pages, shown) for section in SECTIONS if section.carries for tab in section.tabs)


def navigation(study: Study | None, shown: str, asked: QueryDict) -> Navigation:
    """The navigation of a study, with the reader's `role`, on the page whose URL has the name `shown`.

    Without a study, which is yet to be made: its steps, without addresses. No query.
    """
    if study is None:
        first = STEPS[0].page.name
        return Navigation([_step(number, step, "", first) for number, step in enumerate(STEPS, 1)])
    allowed = PARTS.get(getattr(study, "role", None) or "", frozenset())
    if May.STEER not in allowed or study.opened_at:
        found = Navigation()
        _add_sections(found, SECTIONS, study, allowed, shown, asked)
        return found
    found = Navigation(
        [_step(number, step, study.slug, shown) for number, step in enumerate(STEPS, 1)],
        home=shown == "study",
    )
    for step in STEPS:
        if _holds(step.pages, shown):
            found.pages.extend(_pages(_seen(step.pages, study, allowed, shown), study, "", shown))
    led_to = {section.title for step in STEPS for section in step.sections}
    rest = [section for section in SECTIONS if section.title not in led_to]
    at_a_step = found.home or any(link.current for link in found.steps)
    _add_sections(found, rest, study, allowed, "" if at_a_step else shown, asked)
    return found


def _add_sections(
    found: Navigation,
    sections: Iterable[Section],
    study: Study,
    allowed: frozenset[May],
    shown: str,
    asked: QueryDict,
) -> None:
    for section in sections:
        tabs = [(tab, pages) for tab in section.tabs if (pages := _seen(tab.pages, study, allowed, shown))]
        if not tabs:
            continue
        at = next((n for n, (_, pages) in enumerate(tabs) if _holds(pages, shown)), None)
        query = carried(asked) if section.carries else ""
        current = "true" if at is not None else ""
        found.sections.append(_link(section.title, tabs[0][1][0], study, query, current))
        if at is None:
            continue
        if len(tabs) > 1:
            for n, (tab, pages) in enumerate(tabs):
                found.tabs.append(_link(tab.title, pages[0], study, query, "true" if n == at else ""))
        found.pages.extend(_pages(tabs[at][1], study, query, shown))


def _pages(pages: list[Page], study: Study, query: str, shown: str) -> list[Link]:
    """Return the links of some pages; none for one alone."""
    if len(pages) < 2:
        return []
    now = {page.name: "page" if page.name == shown else "true" for page in pages if _holds([page], shown)}
    return [_link(page.title, page, study, query, now.get(page.name, "")) for page in pages]


def _seen(pages: Iterable[Page], study: Study, allowed: frozenset[May], shown: str) -> list[Page]:
    # A page of another case says that it is none of this study; there it has its place all the same.
    fits = (page for page in pages if _fits(page, study) or page.name == shown)
    return [page for page in fits if page.may in allowed]


def _fits(page: Page, study: Study) -> bool:
    asked = not page.grades or not study.opened_at or getattr(study, "asks_grades", True)
    return asked and page.case in ("", study.case)


def _holds(pages: Iterable[Page], shown: str) -> bool:
    return any(shown == page.name or shown in page.below for page in pages)


def _link(title: str, page: Page, study: Study, query: str, current: str) -> Link:
    words = study.words
    said = title.format(runs=words.runs, topics=words.topics, items=words.items)
    address = reverse(page.name, args=[study.slug])
    return Link(said[0].upper() + said[1:], f"{address}?{query}" if query else address, current)


def _step(number: int, step: Step, slug: str, shown: str) -> Link:
    current = "step" if _holds(step.pages, shown) else ""
    address = reverse(step.page.name, args=[slug]) if slug else ""
    return Link(f"{number}. {step.page.title}", address, current)
