"""Static files under names that hold a hash, compressed, so that browsers cache them for a year; and bundles.

`scripts/environment.py` and the image collect them once for each edition of static/ (`manage.py
collectstatic`). Where that is not done, as in tests and on a development server, files have plain names and
there are no bundles.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any
from urllib.parse import urldefrag

from django.conf import settings
from django.contrib.staticfiles.storage import StaticFilesStorage, staticfiles_storage
from django.core.files.base import ContentFile
from django.templatetags.static import static
from whitenoise.storage import CompressedManifestStaticFilesStorage

from config.bundles import joined_modules, joined_sheets

# What a judging page needs of any kind, and what helps to look closely at texts, pictures or many items, or
# to listen.
PAGE = ("tokens", "assessor", "judging", "question", "choices", "texts")
# The scripts of a kind of question; "details" are pairs that ask more than which is better.
KINDS = {
    "pair": ("pair",),
    "details": ("pair", "aspects"),
    "pages": ("pair", "pages", "moving"),
    "grade": ("grade",),
    "pick": ("pick",),
}
AIDS = {
    "reading": ("reading",),
    # Of two texts, which words only one has.
    "compared": ("reading", "difference"),
    # Pictures may move.
    "zoom": ("zoom", "moving"),
    "overlay": ("zoom", "overlay", "moving"),
    # Pictures to pick from are looked at in a grid, without a script.
    "pick": ("moving",),
    "players": ("players",),
}
# Which of them pages of a kind have.
AIDED = {
    "pair": ("compared", "overlay", "players"),
    "details": ("compared", "overlay", "players"),
    "pages": ("compared",),
    "grade": ("reading", "zoom", "players"),
    "pick": ("reading", "pick", "players"),
}
# The sheets of an aid, or of a kind with its own where the aid is for reading.
SHEETS = {
    "reading": (),
    "zoom": ("zoom",),
    "pick": ("pick",),
    "details": ("aspects",),
    "grade": ("grading",),
}
BUNDLES: dict[str, tuple[str, ...]] = {
    **{
        f"css/judging-{aid}.css": tuple(f"css/{name}.css" for name in (*PAGE, *more))
        for aid, more in SHEETS.items()
    },
    **{
        f"js/{main}-{kind}-{aid}.js": tuple(
            f"js/judge/{name}.js" for name in (*KINDS[kind], main, *AIDS[aid])
        )
        for main, (kind, aids) in product(("judge", "practice"), AIDED.items())
        for aid in aids
    },
}


def files_of(bundle: str) -> Sequence[str]:
    """Addresses of a bundle's files, in order: the one that was collected, or all it is made of."""
    collected = {} if settings.DEBUG else getattr(staticfiles_storage, "hashed_files", {})
    return [static(name) for name in ([bundle] if bundle in collected else BUNDLES[bundle])]


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """Storage of collected files; modules import each other by hashed names too."""

    support_js_module_import_aggregation = True
    # Each pass renames what the files of the pass before import, so as many as imports are deep.
    max_post_process_passes = 12

    def url(self, name: str | None, force: bool = False) -> str:
        """Return the address of a file: the hashed one if it was collected."""
        if self.hash_key(self.clean_name(urldefrag(name or "")[0])) in self.hashed_files:
            return super().url(name, force)
        return StaticFilesStorage.url(self, name)

    def post_process(self, paths: dict[str, Any], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        """Write the bundles beside what was collected, then hash and compress all."""
        if not dry_run:
            for bundle, files in BUNDLES.items():
                joined = joined_sheets if bundle.endswith(".css") else joined_modules
                self.delete(bundle)
                self.save(bundle, ContentFile(joined(files, self._text).encode()))
                paths[bundle] = (self, bundle)
        yield from super().post_process(paths, dry_run, **options)

    def _text(self, name: str) -> str:
        with self.open(name) as file:
            return str(file.read().decode())
