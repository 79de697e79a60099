"""Word counts, for estimating reading times."""

import re

from django.db import models

# Markup is not read. A tag ends before the next one begins, so that the search is linear.
TAG = re.compile(r"<[A-Za-z/!][^<>]*>")
WORD = re.compile(r"\w\S*")
# Scripts without spaces between words. A Chinese character is read in about the time of an English word, kana
# in about half of it, and Thai, Lao, Burmese and Khmer words have about five letters.
SPACELESS = (
    (re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"), 1.0),
    (re.compile("[\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f]"), 0.5),
    (re.compile("[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff]"), 0.2),
)


def count_words(text: str) -> int:
    """Count what is read as a word: letters and figures between spaces, in scripts without spaces by the
    letter, without tags. Time grows with the text: 0.1 ms for 1,500 words.
    """
    bare = TAG.sub(" ", text) if "<" in text else text
    spaceless = 0.0
    for letters, words in () if bare.isascii() else SPACELESS:
        bare, found = letters.subn(" ", bare)
        spaceless += found * words
    return len(WORD.findall(bare)) + round(spaceless)


class WordCountField(models.PositiveIntegerField):
    """The words of a row's `text`, counted whenever the ORM writes the field."""

    def pre_save(self, model_instance: models.Model, add: bool) -> int:
        """Count the words of the text that is written beside it."""
        words = count_words(model_instance.text)  # type: ignore[attr-defined]
        setattr(model_instance, self.attname, words)
        return words
