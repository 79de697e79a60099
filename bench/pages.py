"""Writing what was measured into a page of docs/, between two marks."""

from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
END = "<!-- end of the tables -->"


def begin(command: str) -> str:
    """The mark that stands before the tables of a command."""
    return f"<!-- tables of `{command} --write` -->"


def put(name: str, command: str, text: str) -> None:
    """Put text between a command's marks on a page. Raises SystemExit where the page lacks them."""
    page = DOCS / name
    before, mark, rest = page.read_text().partition(begin(command))
    _, end, after = rest.partition(END)
    if not mark or not end:
        raise SystemExit(f"{name} lacks the two marks that the tables of `{command}` stand between")
    page.write_text(f"{before}{mark}\n\n{text}\n\n{END}{after}")
