"""Bundles: the scripts, or the style sheets, of a kind of page joined into one file.

`config.static_files` makes them when static files are collected; elsewhere pages name the files one by one.
Modules may import and export as those of static/js/judge do: on one line each, no cycles, no `export let`, no
`export default`. Anything else raises BadModule.
"""

import re
from collections.abc import Callable, Iterable
from posixpath import dirname, join, normpath

Read = Callable[[str], str]

_FROM = r'"(?P<file>\./[\w/-]+\.js)";$'
_IMPORT = re.compile(
    rf"^import (?:(?:{{ (?P<names>[^}}]+) }}|\* as (?P<all>\w+)) from )?{_FROM}", re.MULTILINE
)
_PASSED_ON = re.compile(rf"^export {{ (?P<names>[^}}]+) }} from {_FROM}", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:(?:async )?function\*?|const|class) (?P<name>\w+))", re.MULTILINE)
_UNREAD = re.compile(r"^(?:import|export)\b.*$|\bimport(?:\(|\.meta)", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*(?://[^\n]*|/\*.*?\*/[ \t]*)\n", re.MULTILINE | re.DOTALL)
_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)
# A template of which one line has the beginning alone.
_BROKEN = re.compile(r"^[^`\n]*`(?:[^`\n]*`[^`\n]*`)*[^`\n]*$", re.MULTILINE)
_SPACES, _SPACE_IN_SHEET = re.compile(r"\s+"), re.compile(r" ?([{};,>]) ?")
_COMMENT_IN_SHEET = re.compile(r"/\*.*?\*/\s*", re.DOTALL)


class BadModule(Exception):
    """A module imports or exports in a form that cannot be joined."""


def joined_sheets(paths: Iterable[str], read: Read) -> str:
    """Join style sheets of one folder in this order, without comments and spare white space."""
    text = "\n".join(_COMMENT_IN_SHEET.sub("", read(path)) for path in paths)
    return _SPACE_IN_SHEET.sub(r"\1", _SPACES.sub(" ", text))


def joined_modules(entries: Iterable[str], read: Read) -> str:
    """Join these modules, and all that they import, into one script without imports, comments and indents.

    Each module becomes a function that is called once, in the order in which a browser would run them.
    Raises BadModule.
    """
    written: dict[str, str] = {}
    for entry in entries:
        _write(entry, read, written, ())
    return "\n".join(written.values())


def _write(path: str, read: Read, written: dict[str, str], above: tuple[str, ...]) -> None:
    if path in written:
        return
    if path in above:
        raise BadModule(f"{path} imports itself by {above[-1]}")
    source = _COMMENT.sub("", read(path))
    found = [*_IMPORT.finditer(source), *_PASSED_ON.finditer(source)]
    for one in sorted(found, key=re.Match.start):
        _write(_of(path, one["file"]), read, written, (*above, path))
    exports = {one["name"]: one["name"] for one in _EXPORT.finditer(source)}
    for one in _PASSED_ON.finditer(source):
        module = _variable(_of(path, one["file"]))
        exports |= {outer: f"{module}.{inner}" for inner, outer in _pairs(one["names"])}
    body = _EXPORT.sub("", _PASSED_ON.sub("", _IMPORT.sub(lambda one: _given(path, one), source))).strip()
    if _BROKEN.search(body):
        raise BadModule(f"{path}: a template that goes on in another line would lose its indents")
    if unread := _UNREAD.search(body):
        raise BadModule(f"{path}: {unread[0]!r} is none of the forms that can be joined")
    told = ", ".join(outer if outer == inner else f"{outer}: {inner}" for outer, inner in exports.items())
    body = _INDENT.sub("", body)
    written[path] = f"const {_variable(path)} = (() => {{\n{body}\nreturn {{ {told} }};\n}})();"


def _given(path: str, one: re.Match[str]) -> str:
    """What stands for an import: the names that it brings, taken from the module's own object."""
    module = _variable(_of(path, one["file"]))
    if one["all"]:
        return f"const {one['all']} = {module};"
    if not one["names"]:
        return ""
    names = (outer if outer == inner else f"{inner}: {outer}" for inner, outer in _pairs(one["names"]))
    return f"const {{ {', '.join(names)} }} = {module};"


def _pairs(names: str) -> list[tuple[str, str]]:
    """(name, its new name) for each of "a, b as c"."""
    parts = (one.strip().partition(" as ") for one in names.split(","))
    return [(inner, outer or inner) for inner, _, outer in parts]


def _of(path: str, file: str) -> str:
    return normpath(join(dirname(path), file))


def _variable(path: str) -> str:
    return "$" + re.sub(r"\W", "_", path.removesuffix(".js"))
