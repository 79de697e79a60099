"""The faces of the assessors' pages: a sign that a small file is fetched for stands in it."""

import re

from django.conf import settings
from fontTools.ttLib import TTFont

STATIC = settings.BASE_DIR / "static"
FACE = re.compile(r'url\("\.\./(fonts/[\w-]+\.woff2)"\)[^}]*?unicode-range:([^;]+);')


def test_each_face_is_fetched_for_the_signs_that_it_has_and_no_others():
    """For a sign that its file lacks a browser fetches the next one too."""
    faces = [face for sheet in (STATIC / "css").glob("*.css") for face in FACE.findall(sheet.read_text())]
    assert {file for file, _ in faces} >= {"fonts/inter-usual.woff2", "fonts/literata.woff2"}
    for file, told in faces:
        assert ranges_of(told) <= set(TTFont(STATIC / file).getBestCmap()), file


def test_pages_of_assessors_have_no_sign_that_fetches_a_larger_face():
    """One such sign, on a button, cost each first page 26 KB."""
    faces = dict(FACE.findall((STATIC / "css" / "assessor.css").read_text()))
    small = (faces["fonts/inter-usual.woff2"], faces["fonts/inter-letters.woff2"])
    usual = {chr(sign) for told in small for sign in ranges_of(told)}
    larger = set(map(chr, TTFont(STATIC / "fonts" / "inter.woff2").getBestCmap()))
    files = [
        *(settings.BASE_DIR / "templates" / "assessor").glob("*.html"),
        *(STATIC / "js" / "judge").glob("*.js"),
    ]
    signs = {sign: file.name for file in files for sign in strings_in(file.read_text()) if ord(sign) > 126}
    assert not {sign: file for sign, file in signs.items() if sign in larger - usual}


def ranges_of(told: str) -> set[int]:
    """The signs of a `unicode-range`."""
    ranges = [part.strip().removeprefix("U+").split("-") for part in told.split(",")]
    return {sign for part in ranges for sign in range(int(part[0], 16), int(part[-1], 16) + 1)}


def strings_in(text: str) -> str:
    """A template or script without its comments."""
    return re.sub(r"\{#.*?#\}|/\*.*?\*/|^\s*//.*?$", "", text, flags=re.DOTALL | re.MULTILINE)
