"""A study whose judgments are all from a file."""

from pathlib import Path

from collection.models import Study
from collection.upload import loading
from scoring import jobs
from tests.judging.organizing import staff_of
from tests.makers import add_run, make_study


def recorded(folder: Path, label: str = "", items: int = 3) -> Study:
    """A study that was never opened, with ten judgments of three topics from a file.

    label: the name of their person, after a blank; one pair is judged twice, then by ben. items: of each
    topic, three of which are judged.
    """
    study = staff_of(make_study(topics=3, items=items))
    for n, order in enumerate(("abc", "cba")):
        add_run(study, f"run-{n}", {f"t{t}": [f"t{t}-{letter}" for letter in order] for t in (1, 2, 3)})
    lines = [f"t{t} t{t}-{a} t{t}-{b} t{t}-{a}{label}" for t in (1, 2, 3) for a, b in ("ab", "bc", "ac")]
    path = folder / "judgments.txt"
    again = lines[0].removesuffix(label) + " ben" * bool(label)
    path.write_text("\n".join([*lines, again]) + "\n")
    loading.load(study, "judgments", path)
    jobs.sweep()
    return Study.objects.get(pk=study.pk)
