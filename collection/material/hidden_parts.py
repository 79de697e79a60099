"""Parts of texts that pages do not show: comments, drawings, scripts, pictures without a description.

Judges cannot see these parts, so loading says how many texts have them.
"""

import re
from collections import Counter
from collections.abc import Iterable

from collection.material.html_source import bare_pictures, readable
from collection.models import Study

# What is longer is shown as it was written: there are texts on which a parser's time grows with the square.
LONGEST = 30_000
# Characters that show the letters after them in another order than they are written. The marks that belong
# to languages written from right to left are others.
OVERRIDES = ("\u202d", "\u202e")
BARE_PICTURE = re.compile(r"!\[\s*\]\(")


def count_hidden(text: str, markup: str) -> Counter[str]:
    """Count the parts of a text that its pages do not show, by kind.

    Time grows with the text; a text without markup is only scanned.
    """
    found = Counter({"signs that turn the order of letters": sum(map(text.count, OVERRIDES))})
    if len(text) <= LONGEST:
        if markup == Study.Markup.HTML and "<" in text:
            found += readable(text)[1]
        elif markup == Study.Markup.MARKDOWN:
            found["pictures without a description"] = len(BARE_PICTURE.findall(text)) + bare_pictures(text)
    return +found


def say_hidden(texts: Iterable[str], markup: str) -> str:
    """Say how many texts have hidden parts, and of which kinds; "" if none has."""
    every, number = Counter[str](), 0
    for text in texts:
        if found := count_hidden(text, markup):
            every += found
            number += 1
    if not number:
        return ""
    kinds = ", ".join(f"{kind} ({count:,})" for kind, count in every.most_common())
    return f"{number:,} text{'s are' if number > 1 else ' is'} not shown whole: {kinds}"
