"""The faces of the assessors' pages: a sign that a small file is fetched for stands in it."""

import re

from django.conf import settings
from fontTools.ttLib import TTFont

STATIC = settings.BASE_DIR / "static"
FACE = re.compile(r'url\("\.\./(fonts/[\w-]+\.woff2)"\).*?unicode-range:([^;]+);', re.DOTALL)


def test_each_sign_that_a_usual_face_is_fetched_for_stands_in_it():
    faces = FACE.findall((STATIC / "css" / "assessor.css").read_text())
    assert [file for file, _ in faces] == ["fonts/inter-usual.woff2", "fonts/literata-usual.woff2"]
    for file, told in faces:
        ranges = [part.strip().removeprefix("U+").split("-") for part in told.split(",")]
        asked = {sign for part in ranges for sign in range(int(part[0], 16), int(part[-1], 16) + 1)}
        usual, whole = (set(TTFont(STATIC / one).getBestCmap()) for one in (file, file.replace("-usual", "")))
        assert usual == asked & whole, file
