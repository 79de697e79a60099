"""The package as a whole: it stands alone, and says what it holds."""

import subprocess
import sys
from pathlib import Path

import prefir.measures

ROOT = Path(__file__).parents[2]


def test_the_measures_load_nothing_of_the_rest():
    """Nothing of Django, and none of the project's other rooms."""
    script = "import prefir.measures, sys; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    out = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"django", "celery", "judging", "tournament", "config"} & set(out.stdout.split())
    assert "numpy" in out.stdout.split()


def test_every_public_name_is_there_and_says_what_it_is():
    for name in prefir.measures.__all__:
        public = getattr(prefir.measures, name)
        assert not callable(public) or public.__doc__, name
