"""Compression of pages, as middleware."""

import re

import brotli
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import patch_vary_headers

_BROTLI = re.compile(r"\bbr\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))")
# As quick as gzip, and a sixth smaller.
QUALITY = 5
LEAST = 200  # bytes


class CompressPages(GZipMiddleware):
    """Compress pages without cookies, most of all batches of long texts, in Brotli or gzip.

    What an attacker could guess by the length of a compressed reply (BREACH) needs a page that a browser
    opens with its owner's cookies; the secret of these pages is their address. Pictures are compressed
    already.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Compress a page; leave anything else, and what was kept compressed, as it is."""
        if not response.get("Content-Type", "").startswith("text/html") or "Content-Encoding" in response:
            return response
        known = _BROTLI.search(request.META.get("HTTP_ACCEPT_ENCODING", ""))
        if not known or not isinstance(response, HttpResponse) or len(response.content) < LEAST:
            return super().process_response(request, response)
        response.content = brotli.compress(response.content, quality=QUALITY)
        response["Content-Length"] = str(len(response.content))
        response["Content-Encoding"] = "br"
        patch_vary_headers(response, ["Accept-Encoding"])
        return response
