"""Parts of a file, as browsers ask for them where they wind sound and film (RFC 9110, section 14)."""

import re
from collections.abc import Iterator
from http import HTTPStatus
from typing import IO

from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse

# One range alone, which is all that players ask for; others get the whole file, as the standard allows.
RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")
PIECE = 64 * 1024


def ranged(request: HttpRequest, file: IO[bytes], content_type: str) -> HttpResponseBase:
    """Respond with a file, or with the range of it that the request names. Closes the file in the end."""
    size = file.seek(0, 2)
    file.seek(0)
    asked = RANGE.fullmatch(request.headers.get("Range", ""))
    if not asked or not any(asked.groups()):
        response: HttpResponseBase = FileResponse(file, content_type=content_type)
    else:
        first, last = asked.groups()
        start = int(first) if first else max(0, size - int(last))
        end = min(size, int(last) + 1) if first and last else size
        if start >= end:
            file.close()
            return HttpResponse(
                status=HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE,
                headers={"Content-Range": f"bytes */{size}"},
            )
        file.seek(start)
        response = StreamingHttpResponse(
            _pieces(file, end - start), status=HTTPStatus.PARTIAL_CONTENT, content_type=content_type
        )
        response["Content-Length"] = str(end - start)
        response["Content-Range"] = f"bytes {start}-{end - 1}/{size}"
    response["Accept-Ranges"] = "bytes"
    return response


def _pieces(file: IO[bytes], left: int) -> Iterator[bytes]:
    with file:
        while left > 0 and (piece := file.read(min(left, PIECE))):
            left -= len(piece)
            yield piece
