"""The badge of a shared leaderboard: what it says, to whom, and that no text is wider than its field."""

import re
from pathlib import Path

import matplotlib
import pytest
from defusedxml import ElementTree
from django.test import Client
from django.utils import timezone
from fontTools.ttLib import TTFont

from collection.models import Run, Share, Study
from scoring import jobs
from scoring.board import leaderboard, standings
from tests.judging.organizing import logged_in, staff_of
from tests.judging.studies import make_study
from tests.makers import finish
from tests.scoring.test_leaderboard_pages import with_runs
from tests.scoring.test_shared_board import made
from web.coordinator.board.badge import badge_of, leads
from web.live.leaderboard_headline import TOO_EARLY, verdict
from web.shared import svg_text

FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
NAMES = [
    "hybrid",
    "W" * 190,
    "<script>alert(1)</script>",
    '"/><image href="http://example.org/x.png"/>',
    "مقارنة‮evil",
    "日本語の長い名前" * 20,
    "👨‍👩‍👧 emoji 🙂" * 9,
    "a\x00b\nc\ufffe",
    "ȧ̶̷̸" * 60,
]


@pytest.fixture
def study(db):
    study = with_runs(topics=7, runs=3)
    finish(study)
    jobs.sweep()
    return Study.objects.get(pk=study.pk)


def drawn(address: str) -> tuple[list[str], str]:
    """The texts of a badge, and its source."""
    answer = Client().get(f"{address}badge.svg")
    assert answer.status_code == 200
    root = ElementTree.fromstring(answer.content)
    texts = [text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text")]
    return texts, answer.content.decode()


@pytest.mark.parametrize("name", NAMES)
def test_a_badge_holds_any_name_as_text_within_its_field(study, name):
    board = leaderboard.board(study, 0.95)
    Run.objects.filter(pk=board.rows[0].run_id).update(name=name.replace("\x00", "")[:200])
    standings.write(study)
    texts, source = drawn(made(study, "named"))
    assert texts[0] == "Faceoff"
    assert len(texts) == 3
    assert "<script" not in source
    assert not re.search(r"<image|href", source)
    assert "\u202e" not in source
    badge = badge_of(leaderboard.board(study, 0.95))
    assert all(svg_text.width(part.text, 11) <= part.width for part in badge.parts)
    assert badge.width < 480


def test_no_letter_of_the_widest_usual_font_is_wider_than_it_is_taken_to_be():
    for file in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"):
        font = TTFont(FONTS / file)
        unit = font["head"].unitsPerEm
        for code, glyph in font.getBestCmap().items():
            letter = chr(code)
            taken = svg_text.width(letter, 1.0)
            # Marks stand over the letter before them, and only cost no room of their own.
            if letter.isprintable() and svg_text.clean(letter) == letter and taken:
                assert font["hmtx"][glyph][0] / unit <= taken + 1e-9, hex(code)


def test_a_badge_says_what_the_verdict_says(study):
    board = leaderboard.board(study, 0.95)
    texts, _ = drawn(made(study, "named"))
    said, _ = leads(board)
    assert texts[1] == said
    assert texts[2] == f"{board.judgments:,} judgments"
    leader = board.rows[0].name
    sure = verdict(board).answer == f"{leader} leads."
    early = verdict(board).answer.startswith(TOO_EARLY)
    assert said == (TOO_EARLY if early else f"{leader} leads, {'sure' if sure else 'not sure'}")


def test_a_blind_badge_names_no_run_and_shows_no_study(study):
    texts, source = drawn(made(study, "blind"))
    assert re.fullmatch(r"Run [A-C] leads, (not )?sure", texts[1])
    assert "run-" not in source
    assert study.slug not in source


def test_a_badge_ends_with_its_link(study):
    address = made(study)
    first = Client().get(f"{address}badge.svg")
    assert first["Cache-Control"] == "public, no-cache"
    assert Client().get(f"{address}badge.svg", HTTP_IF_NONE_MATCH=first["ETag"]).status_code == 304
    assert not first.cookies
    Share.objects.update(ends_at=timezone.now())
    assert Client().get(f"{address}badge.svg").status_code == 404
    revoked = made(study)
    Share.objects.update(revoked_at=timezone.now())
    assert Client().get(f"{revoked}badge.svg").status_code == 404


def test_the_page_of_links_has_what_to_paste(study):
    page = logged_in("bob").post(f"/studies/{study.slug}/leaderboard/links/", {"runs": "blind", "days": "7"})
    body = page.content.decode()
    secret = re.search(r"/shared/([\w-]{43})/badge.svg", body)[1]
    picture, address = (f"http://testserver/shared/{secret}/{end}" for end in ("badge.svg", ""))
    assert f"[![Leaderboard]({picture})]({address})" in body
    assert f"&lt;img src=&quot;{picture}&quot; alt=&quot;Leaderboard&quot;&gt;" in body


def test_before_the_first_score_a_badge_says_so(db):
    study = staff_of(make_study())
    assert drawn(made(study))[0][1:] == ["no scores yet", "0 judgments"]
