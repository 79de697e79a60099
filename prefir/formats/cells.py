"""Cells of CSV files that a spreadsheet would take for formulas: written defused, and read back as they were.

A name that begins with = + - or @ is calculated when the file is opened in a spreadsheet, and may start
programs. Behind an apostrophe it is text. Numbers are written as they are.
"""

# Full-width forms count as the plain ones in some spreadsheets.
_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_MARK = "'"


def defused(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would calculate, or that `restored` would change."""
    return _MARK + text if text.startswith((*_STARTS, _MARK)) else text


def restored(cell: str) -> str:
    """Undo `defused`; any other cell stays as it is."""
    return cell[1:] if cell.startswith(_MARK) and cell[1:].startswith((*_STARTS, _MARK)) else cell
