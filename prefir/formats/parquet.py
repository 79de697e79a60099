"""Program that prints a Parquet file as lines of JSON; `parts` runs it in a process of its own, as `sheets`.

Standard input: the file. Argument: how many bytes are printed at most. Standard output: a line with the
table's name, a list with the names of its columns, then a list a row. What goes wrong is a line
{"error": ...}.
"""

import contextlib
import io
import json
import math
import os
import sys
from collections.abc import Iterator

MEMORY = 3 * 1024**3  # bytes
SECONDS = 120  # of computing
ROWS = 1000  # in a batch


def main() -> None:
    """Print the table on standard input."""
    # Arrow's own allocators, and OpenBLAS's threads on many processors, ask for more addresses than the
    # limit has.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with contextlib.suppress(ImportError, ValueError, OSError):  # where a system knows no such limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    left = int(sys.argv[1])
    for line in _lines(sys.stdin.buffer.read()):
        text = json.dumps(_plain(line), ensure_ascii=False).encode() + b"\n"
        left -= len(text)
        sys.stdout.buffer.write(text if left >= 0 else b'{"error": "large"}\n')
        if left < 0:
            return


def _lines(data: bytes) -> Iterator[object]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        yield {"error": "pyarrow is not installed; save the file as CSV or JSON lines"}
        return
    try:
        table = parquet.ParquetFile(io.BytesIO(data), pre_buffer=False)
        names = table.schema_arrow.names
        yield {"sheet": ""}
        yield names
        for batch in table.iter_batches(batch_size=ROWS, use_threads=False):
            for row in batch.to_pylist():
                yield [row[name] for name in names]
    except (pyarrow.ArrowException, ValueError, OSError, MemoryError) as error:
        yield {"error": str(error).splitlines()[0] if str(error) else "it is damaged"}


def _plain(value: object) -> object:
    """A value as JSON has it: bytes are left out, dates and numbers of other kinds are texts."""
    if isinstance(value, dict):
        return {str(name): _plain(own) for name, own in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(own) for own in value]
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if value is None or isinstance(value, str | int | bool):
        return value
    return None if isinstance(value, bytes) else str(value)


if __name__ == "__main__":
    main()
    # Arrow's threads may crash while the interpreter ends, after everything was read.
    sys.stdout.flush()
    os._exit(0)
