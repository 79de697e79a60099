"""Errors of readers: every bad line of a file, with the reason."""

from dataclasses import dataclass

SHOWN = 50


def plain(text: str) -> str:
    """Escape invisible and broken characters, so that text can be shown on a page or terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


@dataclass(frozen=True, slots=True)
class BadLine:
    """One error in a file. `line` counts from 1; 0 means the file as a whole."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        place = f"{self.file}, line {self.line}" if self.line else self.file
        return f"{place}: {self.reason}"


class BadFile(Exception):
    """Raised for a file that cannot be loaded. `problems` has every bad line; `str` shows the first 50."""

    def __init__(self, problems: list[BadLine]) -> None:
        super().__init__(problems)
        self.problems = problems

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems[:SHOWN]]
        if len(self.problems) > SHOWN:
            lines.append(f"... and {len(self.problems) - SHOWN:,} more")
        return "\n".join(lines)


class Problems:
    """Collector of the bad lines of one file, so that all of them are found in one reading."""

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
        """Make the error for a file that cannot be read any further: `raise problems.stop(...)`."""
        return BadFile([*self.found, BadLine(self.file, 0, reason)])

    def settle(self) -> None:
        """Raise BadFile, in line order, if anything was noted."""
        if self.found:
            raise BadFile(sorted(self.found, key=lambda problem: problem.line))
