"""Program that prints an HTML page as PDF; `web.shared.pdf` runs it in a process of its own.

Standard input: the page. Arguments: the site's address, the path of its static files there, their folder.
Standard output: the PDF. Ends with NO_PANGO where the system lacks the library that sets text. A page gets
static files and data: addresses, and nothing else from network or disk.
"""

import contextlib
import mimetypes
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

MEMORY = 2 * 1024**3  # bytes
SECONDS = 30  # of computing
NO_PANGO = 3


def main(site: str, static_path: str, folder: str) -> int:
    """Print the page on standard input."""
    with contextlib.suppress(ImportError, ValueError, OSError):  # where a system knows no such limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        import weasyprint
    except OSError as error:  # how it reports a shared library that is not there
        print(error, file=sys.stderr)
        return NO_PANGO
    from weasyprint.urls import URLFetcher, URLFetcherResponse

    root = Path(folder).resolve()

    class Fetcher(URLFetcher):
        """Opens static files and data: addresses; refuses the rest."""

        def fetch(self, url: str, headers: dict[str, str] | None = None) -> Any:
            if url.lower().startswith("data:"):
                return super().fetch(url, headers)
            found = static_file(url, site, static_path, root)
            if found is None:
                raise ValueError(f"not a static file: {url[:200]}")
            kind = mimetypes.guess_type(found.name)[0] or "application/octet-stream"
            return URLFetcherResponse(url, found.read_bytes(), {"Content-Type": kind})

    page = weasyprint.HTML(
        string=sys.stdin.buffer.read().decode(),
        base_url=site,
        media_type="print",
        url_fetcher=Fetcher(allowed_protocols=["data"]),
    )
    sys.stdout.buffer.write(page.write_pdf(pdf_tags=True))
    return 0


def static_file(url: str, site: str, static_path: str, root: Path) -> Path | None:
    """The static file at an address of this site; None if it is elsewhere or there is none."""
    asked, own = urlsplit(url), urlsplit(site)
    if (asked.scheme, asked.netloc) != (own.scheme, own.netloc) or not asked.path.startswith(static_path):
        return None
    found = (root / unquote(asked.path.removeprefix(static_path))).resolve()
    return found if found.is_relative_to(root) and found.is_file() else None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
