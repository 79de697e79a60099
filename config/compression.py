"""Compression of pages, as middleware."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware


class CompressPages(GZipMiddleware):
    """Compress pages without cookies, most of all batches of long texts.

    What an attacker could guess by the length of a compressed reply (BREACH) needs a page that a browser
    opens with its owner's cookies; the secret of these pages is their address. Pictures are compressed
    already.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Compress a page; leave anything else as it is."""
        if response.get("Content-Type", "").startswith("text/html"):
            return super().process_response(request, response)
        return response
