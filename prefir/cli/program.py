"""The program: choose the command, parse its arguments, print its lines or what went wrong."""

import io
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module

import prefir
from prefir.formats import BadFile

from .commands import Command
from .output import note, write

PROGRAM = "prefir"
FAILED = 2
SHOWN = 10  # bad lines of a file
# Modules and the commands that each makes; those of measures, all in `scores`, are listed after the first.
FAMILIES = {
    "tables": ("evaluate", "compare", "rank"),
    "med": ("med",),
    "distances": ("hoeffding", "overlap", "map"),
    "distance_table": ("distances",),
    "rbo_beyond": ("rbo",),
    "recall_levels": ("rpp",),
    "violations": ("violations",),
    "statistics": ("agreement", "sensitivity", "pages"),
    "assessments": ("tops", "strength"),
    "plan": ("plan",),
    "image_systems": ("images",),
}


def command() -> int:
    """Entry point of the installed program: `main` with output in UTF-8; returns the exit code."""
    # Before numpy is loaded: threads for the small matrices of a command cost more than they save.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):
        # Topics may be in any script, and output to a file should not depend on the locale.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    return main()


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code: 0, or 2 with a sentence on standard error for bad input."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        return _run(words, PROGRAM, _Commands())
    except BrokenPipeError:
        # The reader, such as `head`, is done. Without this Python reports the error once more at exit.
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


class _Commands(Mapping[str, Command]):
    """All commands by name; only the module of the one that is asked for is loaded."""

    def __getitem__(self, name: str) -> Command:
        for family, names in FAMILIES.items():
            if name in names:
                made = import_module(f".{family}", __package__).commands()
                return next(command for command in made if command.name == name)
        from . import scores

        return scores.command(name)

    def __iter__(self) -> Iterator[str]:
        from . import scores

        first, *families = FAMILIES.values()
        yield from first
        yield from scores.names()
        for names in families:
            yield from names

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _run(words: Sequence[str], program: str, commands: Mapping[str, Command]) -> int:
    if words and words[0] in ("-h", "--help"):
        print(_help(program, commands))
        return 0
    if words == ["--version"]:
        print(f"prefir {prefir.__version__}")
        return 0
    if not words:
        note(_help(program, commands))
        return FAILED
    name, *rest = words
    if name not in commands:
        from difflib import get_close_matches

        near = [one for one in commands if one.startswith(name)] or get_close_matches(name, commands, 1)
        meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(commands)}"
        note(f"{program}: there is no command {name!r}; {meant}")
        return FAILED
    command, program = commands[name], f"{program} {name}"
    if command.commands:
        return _run(rest, program, command.commands)
    try:
        arguments = command.parser(program).parse_intermixed_args(rest)
    except SystemExit as stopped:  # argparse has printed why
        return int(stopped.code or 0)
    try:
        # All lines are computed first, so that nothing is printed where something is wrong.
        found = command.run(arguments)
        if isinstance(found, str):
            print(found.rstrip("\n"))
        else:
            write(list(found), arguments.json)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except BadFile as error:
        _tell(error)
        return FAILED
    except MemoryError:
        note(f"{program}: there is not enough memory; are -k or --depth meant to be so large?")
        return FAILED
    except (ValueError, ImportError) as error:
        note(f"{program}: {error}")
        return FAILED
    except OSError as error:
        note(f"{program}: {error.filename}: {error.strerror}" if error.filename else f"{program}: {error}")
        return FAILED
    return 0


def _tell(error: BadFile) -> None:
    """Print a file's first problems; where every line is bad, it is probably another kind of file."""
    for problem in error.problems[:SHOWN]:
        note(str(problem))
    if error.count > SHOWN:
        note(f"{error.problems[0].file}: {error.count - SHOWN:,} more lines cannot be read")


def _help(program: str, commands: Mapping[str, Command]) -> str:
    width = max(map(len, commands))
    listed = "\n".join(f"  {name:{width}}  {command.summary}" for name, command in commands.items())
    return (
        f"usage: {program} COMMAND ...\n\nCommands; each says more with -h:\n{listed}\n\n"
        f"Output is one value a line, `run topic measure value` with tabs between, or JSON with --json."
    )
