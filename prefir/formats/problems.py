"""What a reader says about a file that cannot be loaded: each bad line with its reason."""

from dataclasses import dataclass

SHOWN = 50


def plain(text: str) -> str:
    """Text as it may be shown on a page or terminal: invisible and broken characters spelt out."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


@dataclass(frozen=True, slots=True)
class BadLine:
    """One thing wrong with a file. `line` counts from 1; 0 means the file as a whole."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        place = f"{self.file}, line {self.line}" if self.line else self.file
        return f"{place}: {self.reason}"


class BadFile(Exception):
    """A file that cannot be loaded. `problems` holds every bad line; `str` shows the first 50."""

    def __init__(self, problems: list[BadLine]) -> None:
        super().__init__(problems)
        self.problems = problems

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems[:SHOWN]]
        if len(self.problems) > SHOWN:
            lines.append(f"... and {len(self.problems) - SHOWN:,} more")
        return "\n".join(lines)


class Problems:
    """Collects the bad lines of one file, so that reading can go on to its end."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: list[BadLine] = []

    def add(self, line: int, reason: str) -> None:
        """Note a bad line (from 1; 0 for the whole file)."""
        self.found.append(BadLine(self.file, line, reason))

    def add_inside(self, name: str, reason: str) -> None:
        """Note a bad file inside a zip or folder."""
        self.found.append(BadLine(f"{self.file}/{plain(name)}", 0, reason))

    def stop(self, reason: str) -> BadFile:
        """The error for a file in which there is nothing to read on: `raise problems.stop(...)`."""
        return BadFile([*self.found, BadLine(self.file, 0, reason)])

    def settle(self) -> None:
        """Raise BadFile, in line order, if anything was noted."""
        if self.found:
            raise BadFile(sorted(self.found, key=lambda problem: problem.line))
