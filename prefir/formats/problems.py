"""Errors of readers: every bad line of a file, with the reason."""

from dataclasses import dataclass

SHOWN = 50
KEPT = 1000  # problems of a file that are told; of the others, how many there are
MOST = 10_000  # at so many reading stops


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
    """Raised for a file that cannot be loaded. `problems` has its first 1,000 bad lines; `str` shows 50.

    count: how many there are, or 10,000 if the file was read no further.
    """

    def __init__(self, problems: list[BadLine], count: int = 0) -> None:
        super().__init__(problems)
        self.problems = problems
        self.count = max(count, len(problems))

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems[:SHOWN]]
        if self.count > SHOWN:
            lines.append(f"... and {self.count - SHOWN:,} more")
        return "\n".join(lines)


class Problems:
    """Collector of the bad lines of one file, so that all of them are found in one reading.

    The first 1,000 are kept, the others counted; at the 10,000th BadFile is raised, for a file so wrong is of
    another kind, or meant to do harm.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: list[BadLine] = []
        self.count = 0

    def add(self, line: int, reason: str) -> None:
        """Note a bad line (from 1; 0 for the whole file). Raises BadFile if there are too many."""
        self._note(BadLine(self.file, line, reason))

    def add_inside(self, name: str, reason: str) -> None:
        """Note a bad file inside a zip or folder. Raises BadFile if there are too many."""
        self._note(BadLine(f"{self.file}/{plain(name)}", 0, reason))

    def _note(self, problem: BadLine) -> None:
        self.count += 1
        if self.count <= KEPT:
            self.found.append(problem)
        if self.count >= MOST:
            # First, or a page that shows some of them would not say it.
            reason = f"more than {MOST - 1:,} things are wrong, so it was read no further"
            raise BadFile([BadLine(self.file, 0, reason), *self.found], self.count)

    def stop(self, reason: str) -> BadFile:
        """Make the error for a file that cannot be read any further: `raise problems.stop(...)`."""
        return BadFile([*self.found, BadLine(self.file, 0, reason)], self.count)

    def settle(self) -> None:
        """Raise BadFile, in line order, if anything was noted."""
        if self.found:
            raise BadFile(sorted(self.found, key=lambda problem: problem.line), self.count)
