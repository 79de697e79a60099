"""Guides as pages: those of docs/ that are about using the program, with their pictures."""

import posixpath
import re
from functools import cache
from typing import NamedTuple

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

DOCS = settings.BASE_DIR / "docs"
GUIDES = {
    path.relative_to(DOCS).with_suffix("").as_posix(): path
    for pattern in ("*.md", "organizers/*.md", "measures/*.md")
    for path in sorted(DOCS.glob(pattern))
}
PICTURES = {path.name: path for path in DOCS.glob("pictures/*")}


# Guides that Help names, in its order, with what they are about.
FURTHER = {
    "organizers": ("For organizers", "from files to a decision"),
    "panels": ("Panels and money", "paid people"),
    "answers-of-models": ("Answers of models", "prompts, votes, language models"),
    "researchers": ("For researchers", "for a paper"),
    "measures": ("Measures", "each formula"),
    "operators": ("For operators", "running the server"),
}


class Guide(NamedTuple):
    """A guide: its heading and what follows as HTML, and its sections: anchors with headings."""

    title: str
    heading: str
    html: str
    sections: list[tuple[str, str]]


@login_required
@require_safe
def guide(request: HttpRequest, name: str) -> HttpResponse:
    """Show a guide; one of another name is not there."""
    if name not in GUIDES:
        raise Http404
    shown = laid_out(name)
    return render(request, "help.html", {"title": shown.title, "guide": shown, "further": FURTHER})


@login_required
@require_safe
def picture(request: HttpRequest, name: str) -> FileResponse:
    """Send a picture of the guides."""
    if name not in PICTURES:
        raise Http404
    return FileResponse(PICTURES[name].open("rb"))


@cache
def laid_out(name: str) -> Guide:
    """A guide, made of Markdown that is as trusted as templates are."""
    from markdown_it import MarkdownIt  # only where a guide is read: a web process stays small
    from mdit_py_plugins.anchors import anchors_plugin

    def attribute(found: re.Match[str]) -> str:
        return f'{found[1]}="{there}"' if (there := _address(found[2], name)) else ""

    source = GUIDES[name].read_text()
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"]).use(anchors_plugin, max_level=6)
    html = re.sub(r'\b(href|src)="([^"]*)"', attribute, parser.render(source))
    html = html.replace(' style="text-align:right"', ' class="num"').replace("<pre>", '<pre tabindex="0">')
    html = html.replace("<table>", '<div class="scroll wide small of-guide" tabindex="0"><table>')
    html = html.replace("</table>", "</table></div>")
    # A picture of a whole page is read in its own size.
    html = re.sub(r'<img src="([^"]*)"[^>]*>', r'<a href="\1">\g<0></a>', html)
    heading, _, rest = html.partition("</h1>")
    sections = re.findall(r'<h2 id="([^"]*)">(.*?)</h2>', rest)
    return Guide(source.partition("\n")[0].lstrip("# "), f"{heading}</h1>", rest, sections)


def _address(address: str, name: str) -> str:
    """Return where an address in a guide leads from its page; "" if to what is not shown, such as code."""
    path, mark, anchor = address.partition("#")
    if ":" in address or not path:
        return address
    stem, ending = posixpath.splitext(posixpath.normpath(posixpath.join(posixpath.dirname(name), path)))
    if ending == ".md" and stem in GUIDES:
        return reverse("guide", args=[stem]) + mark + anchor
    picture_name = posixpath.basename(path)
    return reverse("guide-picture", args=[picture_name]) if picture_name in PICTURES else ""
