"""What a measurement ran on, in general words."""

import platform


def processor() -> str:
    """The processor's name, as the system gives it."""
    try:
        with open("/proc/cpuinfo") as told:
            names = (row.partition(":")[2].strip() for row in told if row.startswith("model name"))
            return next(names, platform.machine())
    except OSError:
        return platform.machine()
