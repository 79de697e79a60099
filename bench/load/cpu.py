"""What processes cost: CPU seconds and memory by group from /proc, and when they rest; the disk's speed.

Linux only.
"""

import os
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")
SYNCS = 50


def seconds(roots: Mapping[str, list[int]]) -> dict[str, float]:
    """CPU seconds so far of groups of processes: those named by their ids, with all their children.

    Children that have ended count as long as their parent waited for them.
    """
    spent, parents = _processes()
    return {
        name: sum(spent[pid] for pid in spent if _under(pid, pids, parents)) for name, pids in roots.items()
    }


def memory(roots: Mapping[str, list[int]]) -> dict[str, int]:
    """Bytes of memory of groups of processes with all children; what several share counts once (PSS)."""
    _, parents = _processes()
    return {
        name: sum(_proportional(pid) for pid in parents if _under(pid, pids, parents))
        for name, pids in roots.items()
    }


def _proportional(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    except OSError:
        return 0  # it has just ended
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def _processes() -> tuple[dict[int, float], dict[int, int]]:
    """CPU seconds and parent of every process there is, by its id."""
    spent: dict[int, float] = {}
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name stands in brackets and may itself hold spaces.
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        pid = int(path.parent.name)
        parents[pid] = int(fields[1])
        spent[pid] = sum(map(int, fields[11:15])) / TICK
    return spent, parents


def _under(pid: int, roots: list[int], parents: Mapping[int, int]) -> bool:
    while pid not in roots:
        if pid not in parents:
            return False
        pid = parents[pid]
    return True


def rest(roots: Mapping[str, list[int]], *, within: float = 60.0, busy: float = 0.1) -> float:
    """Wait until these processes hardly work for a second, at most `within` seconds; return how long it took.

    busy: what they may use of one core and still be at rest. The last second is not counted.
    """
    started = time.monotonic()
    while True:
        before = sum(seconds(roots).values())
        time.sleep(1.0)
        waited = time.monotonic() - started
        if sum(seconds(roots).values()) - before < busy or waited > within:
            return max(0.0, waited - 1.0)


def since(before: Mapping[str, float], roots: Mapping[str, list[int]]) -> dict[str, float]:
    """CPU seconds by group since an earlier reading."""
    return {name: spent - before[name] for name, spent in seconds(roots).items()}


def sync_time() -> float:
    """Seconds that one fdatasync of a short write takes where temporary files lie: the median of some."""
    times = []
    with tempfile.TemporaryFile() as file:
        for _ in range(SYNCS):
            file.write(b"0" * 512)
            file.flush()
            started = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - started)
    return sorted(times)[SYNCS // 2]
