"""Parts of a file, as browsers ask for them where they wind sound and film (RFC 9110, section 14)."""

import re
from http import HTTPStatus
from typing import IO

from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase

# One range alone, which is all that players ask for; others get the whole file, as the standard allows.
RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")


class Part:
    """So many bytes of an open file from its place on. The server reads it and holds no thread meanwhile."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        self._file, self._left = file, size

    def read(self, size: int = -1) -> bytes:
        """Read the next bytes; none at the end of the part."""
        piece = self._file.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(piece)
        return piece

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def ranged(request: HttpRequest, file: IO[bytes], content_type: str) -> HttpResponseBase:
    """Respond with a file, or with the range of it that the request names. Closes the file in the end."""
    size = file.seek(0, 2)
    file.seek(0)
    asked = RANGE.fullmatch(request.headers.get("Range", ""))
    first, last = asked.groups() if asked else ("", "")
    if not (first or last) or (first and last and int(last) < int(first)):
        response = FileResponse(file, content_type=content_type)
    else:
        start = int(first) if first else max(0, size - int(last))
        end = min(size, int(last) + 1) if first and last else size
        if start >= end:
            file.close()
            return HttpResponse(
                status=HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE,
                headers={"Content-Range": f"bytes */{size}"},
            )
        file.seek(start)
        part = Part(file, end - start)
        response = FileResponse(part, status=HTTPStatus.PARTIAL_CONTENT, content_type=content_type)
        response["Content-Length"] = str(end - start)
        response["Content-Range"] = f"bytes {start}-{end - 1}/{size}"
    response["Accept-Ranges"] = "bytes"
    return response
