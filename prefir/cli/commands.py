"""`Command`, and the options that commands share or take from a measure's signature."""

import inspect
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import Any, get_args

from prefir.formats import Ties
from prefir.measures.measure_names import is_measure, read_option, split_measures
from prefir.measures.scores import Line

TIES: tuple[str, ...] = get_args(Ties)


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the program, or a family of commands (`commands`).

    summary: a sentence without a full stop. example: what follows `prefir` on the line. run: gives the lines
    of the output, or a table as text.
    """

    name: str
    summary: str
    example: str
    description: str = ""
    configure: Callable[[ArgumentParser], None] = lambda parser: None
    run: Callable[[Namespace], Iterable[Line] | str] = lambda options: ()
    commands: Mapping[str, "Command"] = field(default_factory=dict)

    def parser(self, prog: str) -> ArgumentParser:
        """Make the parser of the command's arguments."""
        parser = ArgumentParser(
            prog=prog,
            description=f"{self.summary}.\n\n{self.description}".strip(),
            epilog=f"example:\n  prefir {self.example}",
            formatter_class=RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        self.configure(parser)
        return parser


def add_output_options(parser: ArgumentParser) -> None:
    """Add --per-topic and --json."""
    parser.add_argument(
        "--per-topic", action="store_true", help="each topic's lines too, before those of all"
    )
    parser.add_argument("--json", action="store_true", help="one JSON list of objects instead of lines")


def add_ties_option(parser: ArgumentParser) -> None:
    """Add --ties, for commands that read runs."""
    parser.add_argument(
        "--ties",
        choices=TIES,
        default="descending",
        help="order of equal scores in a run: by docno, descending as trec_eval has it or ascending as "
        "compatibility.py has it, or by the rank column (default: %(default)s)",
    )


def add_present_only_option(parser: ArgumentParser) -> None:
    """Add --present-only, for commands that score runs."""
    parser.add_argument(
        "--present-only",
        action="store_true",
        help="leave topics that a run lacks out of its mean, as trec_eval without -c does",
    )


def add_measures_option(parser: ArgumentParser, default: str) -> None:
    """Add -m, which may be given several times; default: in words."""
    parser.add_argument(
        "-m",
        "--measure",
        action="append",
        default=[],
        metavar="M,...",
        help=f"measures, with commas between, such as ndcg@10,compatibility (default: {default})",
    )


def measures_of(arguments: Namespace) -> list[str]:
    """Measures that are asked for by -m, in order."""
    return [measure for word in arguments.measure for measure in split_measures(word)]


def refuse_measures(files: Sequence[str], asked: Sequence[str]) -> None:
    """Raise ValueError where a measure stands among the files, and no file has its name."""
    meant = [file for file in files if is_measure(file) and not Path(file).exists()]
    if meant:
        told = f"{meant[0]} is a measure" if len(meant) == 1 else f"{', '.join(meant)} are measures"
        raise ValueError(f"{told}: -m {quote(','.join([*asked, *meant]))}")


def options_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Keyword-only parameters of a function, by name."""
    parameters = inspect.signature(function).parameters
    return {name: each for name, each in parameters.items() if each.kind is inspect.Parameter.KEYWORD_ONLY}


HELP = {
    "p": "persistence, between 0 and 1",
    "psi": "persistence, between 0 and 1",
    "k": "look at the first K items only",
    "depth": "look at the first DEPTH items only",
    "gain": "linear: the grade; exponential: 2^grade - 1",
    "max_grade": "the highest grade that there can be",
    "relevant": "the lowest grade that counts as relevant",
    "normalize": "without normalisation",
    "bound": "how many shared items may be relevant at once, or none for any number",
    "tail": "rankings end where the files end, instead of going on unseen",
    "exact": "try all assignments where at most 2^EXACT matter",
    "seed": "of the random search",
    "q": "weights t^-Q; 0 weighs all ranks alike",
    "n": "how many items there are to rank",
}
CHOICES = {"gain": ("linear", "exponential")}


def add_measure_options(
    parser: ArgumentParser, options: Mapping[str, inspect.Parameter], told: Mapping[str, str] | None = None
) -> None:
    """Add an option for each keyword of a measure: `-k`, `--max-grade` for max_grade, `--no-tail` for tail.

    told: keyword -> help text, where this measure needs another than `HELP` has.
    """
    for name, option in options.items():
        dashed = name.replace("_", "-")
        text = (told or {}).get(name) or HELP.get(name, "")
        default = option.default
        if isinstance(default, bool):
            flag, action = (f"--no-{dashed}", "store_false") if default else (f"--{dashed}", "store_true")
            parser.add_argument(flag, dest=name, action=action, help=text)
            continue
        shown = "" if default in (None, inspect.Parameter.empty) else f" (default: {default})"
        parser.add_argument(
            f"-{name}" if len(name) == 1 else f"--{dashed}",
            dest=name,
            type=_reader(option.annotation),
            default=None if default is inspect.Parameter.empty else default,
            choices=CHOICES.get(name),
            metavar=None if name in CHOICES else name.upper(),
            help=text + shown,
        )


def given(arguments: Namespace, options: Mapping[str, inspect.Parameter]) -> dict[str, Any]:
    """Values of these keywords in the parsed arguments."""
    return {name: getattr(arguments, name) for name in options if hasattr(arguments, name)}


def called(name: str, options: Mapping[str, Any]) -> str:
    """Name of a measure in the output: with `@k` where it is cut at k."""
    return name if options.get("k") is None else f"{name}@{options['k']}"


def _reader(annotation: Any) -> Callable[[str], Any]:
    """Make a converter from a word to the annotated type."""

    def read(text: str) -> Any:
        try:
            return read_option(annotation, text)
        except ValueError as error:
            raise ArgumentTypeError(str(error)) from error

    return read
