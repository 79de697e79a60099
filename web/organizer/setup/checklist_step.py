"""A line of the checklist of a study."""

from dataclasses import dataclass, field

DONE, NEXT, LATER, OPTIONAL, LOOK = "done", "next", "later", "optional", "look"


@dataclass(frozen=True)
class ChecklistStep:
    """One line of the checklist, with the page it leads to.

    link: the URL name of that page. label: the text of the link. part: the kind of file to unfold on
    *Files*. address: the URL; where there is a link, filled in by `checklist`.
    """

    key: str
    title: str
    state: str
    said: list[str]
    warnings: list[str] = field(default_factory=list)
    link: str = ""
    label: str = ""
    part: str = ""
    address: str = ""

    @property
    def word(self) -> str:
        """The state as the page prints it."""
        return {DONE: "Done", NEXT: "Next", LATER: "Later", OPTIONAL: "Optional", LOOK: "Look at this"}[
            self.state
        ]
