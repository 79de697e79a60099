"""The door of `python -m scoring`."""

import io
import sys

from scoring.commandline.program import main

if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        # Topics may be in any script, and a file's encoding should not depend on the terminal's.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.exit(main())
