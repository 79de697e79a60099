"""Static files under names that hold a hash, compressed, so that browsers cache them for a year.

`scripts/environment.py` and the image collect them once for each edition of static/ (`manage.py
collectstatic`). Where that is not done, as in tests and on a development server, files have plain names.
"""

from urllib.parse import urldefrag

from django.contrib.staticfiles.storage import StaticFilesStorage
from whitenoise.storage import CompressedManifestStaticFilesStorage


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
