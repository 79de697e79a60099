"""Names and sentences that a stranger can read: modules are nouns, and no sentence is a riddle."""

import re
import subprocess
from pathlib import Path

from tests.ground import ROOT

# Modules whose name ends like a verb's form, and why it stays.
NOUNS = {
    "ceilings": "the most that measures can be",
    "answering": "what an assessor does with a batch: arrive, answer, submit; `answers` are rows",
    "asking": "the store of questions, which tournaments ask and batches hold",
    "campaign_settings": "a noun",
    "dedicated": "the strategy of dedicated assessors, by its name in the paper",
    "drawing": "a drawing of questions for a batch",
    "grading": "the task of giving grades, a noun of the field",
    "hoeffding": "a person",
    "lasting": "a study of speed",
    "loading": "the loading of files, a noun",
    "measuring": "a part of the benches",
    "med": "maximized effectiveness difference",
    "opening": "the opening of a study, a noun",
    "recordings": "sound and film",
    "outgoing": "outgoing work: calls, mails and webhooks",
    "pairings": "what a round asks, a noun",
    "planning": "a noun",
    "ranking": "of systems by votes, a noun",
    "rankings": "a noun",
    "reading": "a study of speed",
    "settings": "Django's name",
    "sharing": "a part of the benches",
    "sitting": "one sitting of an assessor, a noun",
    "sittings": "a noun",
    "staging": "a staging area for rows that are not yet visible, a noun",
    "standings": "a noun",
    "streaming": "a noun",
    "timing": "a part of the benches",
    "typesetting": "a noun",
    "vote_ratings": "a noun",
    "watching": "a part of the benches",
    "wording": "a noun",
}
VERB = re.compile(r"(?:ing|ings|ed)$")
# Sentences of these kinds had to be read twice.
RIDDLES = re.compile(r"\bwhoever\b|\bbec(?:ame|omes) of\b|\bthat it is told\b|\btakings part\b", re.I)


def tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--", *patterns], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).exists()]


def test_modules_are_named_by_nouns():
    every = [path.relative_to(ROOT) for path in tracked("*.py")]
    own = [path for path in every if not {"tests", "migrations"} & {*path.parts}]
    named = {path.stem for path in own if VERB.search(path.stem)}
    assert len(own) > 400
    assert named == NOUNS.keys()


def test_no_sentence_is_a_riddle():
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:120]}"
        for path in tracked("*.py", "*.html", "*.md", "*.js", "*.css", "*.conf")
        if path != Path(__file__) and path.name != "CHANGELOG.md"
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if RIDDLES.search(line)
    ]
    assert found == []
