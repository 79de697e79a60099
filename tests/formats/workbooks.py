"""Workbooks for tests, written by hand as XML: no spreadsheet library is needed to make them."""

from xml.sax.saxutils import escape

from tests.formats.pictures import zipped

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
DATE = 1  # the style of a cell that shows a date


def workbook(**sheets: list[list[object]]) -> bytes:
    """An .xlsx of these sheets: rows of strings, numbers, booleans, None, or XML of a cell as bytes."""
    return zipped(files_of({name: _sheet(rows) for name, rows in sheets.items()}))


def files_of(sheets: dict[str, str], strings: str = "") -> dict[str, bytes]:
    """The files of a workbook with these sheets, given as XML."""
    names = "".join(f'<sheet name="{name}" sheetId="{n}" r:id="r{n}"/>' for n, name in enumerate(sheets, 1))
    related = "".join(
        f'<Relationship Id="r{n}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in range(1, len(sheets) + 1)
    )
    related += f'<Relationship Id="s" Type="{OFFICE}/styles" Target="styles.xml"/>'
    if strings:
        related += f'<Relationship Id="t" Type="{OFFICE}/sharedStrings" Target="sharedStrings.xml"/>'
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="w" '
        f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{names}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        f"{related}</Relationships>",
        "xl/styles.xml": f'<styleSheet xmlns="{MAIN}">'
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
    }
    if strings:
        parts["xl/sharedStrings.xml"] = f'<sst xmlns="{MAIN}">{strings}</sst>'
    for n, xml in enumerate(sheets.values(), 1):
        parts[f"xl/worksheets/sheet{n}.xml"] = xml
    return {name: f'<?xml version="1.0" encoding="UTF-8"?>{xml}'.encode() for name, xml in parts.items()}


def sheet_of(rows: str) -> str:
    """The XML of a sheet with these rows."""
    return f'<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>'


def _sheet(rows: list[list[object]]) -> str:
    made = []
    for row, cells in enumerate(rows, 1):
        inside = "".join(_cell(f"{chr(64 + n)}{row}", value) for n, value in enumerate(cells, 1))
        made.append(f'<row r="{row}">{inside}</row>')
    return sheet_of("".join(made))


def _cell(place: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bytes):
        return value.decode().replace("PLACE", place)
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float):
        return f'<c r="{place}"><v>{value}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(str(value))}</t></is></c>'
