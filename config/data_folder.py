"""The data folder, readable by its owner only: it holds sessions, links and password hashes."""

import errno
import os
import stat
import warnings
from pathlib import Path

OTHERS = stat.S_IRWXG | stat.S_IRWXO
# How the names begin of all that Faceoff puts there; a disk of its own has the last one.
OWN = (
    "faceoff.sqlite3",
    "secret-key",
    "media",
    "demo-logins.",
    "server.lock",
    "beat-schedule",
    "mails",
    "compiled-",
    "lost+found",
)


def data_folder() -> Path:
    """Return the data folder, created or made private. Raises SystemExit if it is not writable."""
    folder = Path(os.environ.get("FACEOFF_DATA") or Path(__file__).resolve().parent.parent / "data")
    keep_private(folder)
    return folder


def keep_private(folder: Path) -> None:
    """Make a folder for its owner alone, or narrow one that is there and Faceoff's own; else warn.

    One that belongs to somebody else, or holds other things too, may be shared on purpose: `/srv`, say.
    Raises SystemExit where nothing can be written there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        # A sentence without a traceback: who starts the program can mend this.
        raise SystemExit(
            f"Faceoff cannot write into {folder}, where its data would lie: {error.strerror}. Give it a "
            "folder of its own with FACEOFF_DATA=/path/to/folder, or make this one writable."
        ) from error
    found = folder.stat()
    if not found.st_mode & OTHERS:
        return
    if found.st_uid != os.geteuid():
        why = "it belongs to another user"
    elif found.st_mode & stat.S_ISVTX or not all(path.name.startswith(OWN) for path in folder.iterdir()):
        why = "it holds other things too"
    else:
        folder.chmod(0o700)
        return
    warnings.warn(
        f"Others on this machine can look into {folder}, where passwords, links and judgments are kept, and "
        f"Faceoff did not change that because {why}. Say `chmod 700 {folder}`, or give Faceoff a folder of "
        "its own with FACEOFF_DATA.",
        stacklevel=2,
    )
