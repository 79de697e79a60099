"""The packages as a whole: they stand alone, say what they hold, and load it when it is used."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import prefir
import prefir.formats
import prefir.measures

ROOT = Path(__file__).parents[2]
LAZY = [prefir, prefir.measures, prefir.formats]


def loaded(statement):
    script = f"import sys\n{statement}\nprint(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(out.stdout.split())


def test_the_measures_load_nothing_of_the_rest():
    """Nothing of Django, and none of the project's other rooms; nothing at all before a name is used."""
    found = loaded("from prefir.measures import *")
    assert not {"django", "celery", "judging", "tournament", "config", "numba", "scipy"} & found
    assert "numpy" in found
    assert "numpy" not in loaded("import prefir, prefir.measures, prefir.formats")


def test_the_entry_points_load_no_more_than_numpy_until_they_need_it():
    words = "prefir.read, prefir.evaluate, prefir.rank, prefir.BadFile"
    assert not {"numba", "scipy", "networkx", "sklearn", "pandas"} & loaded(f"import prefir\n{words}")


def test_every_public_name_is_there_and_says_what_it_is():
    for name in prefir.measures.__all__:
        public = getattr(prefir.measures, name)
        assert not callable(public) or public.__doc__, name


@pytest.mark.parametrize("package", LAZY, ids=lambda package: package.__name__)
def test_type_checkers_see_the_names_where_they_are(package):
    tree = ast.parse(Path(package.__file__).read_text())
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level]
    assert package._homes == {one.name: node.module for node in imports for one in node.names}
    assert set(package.__all__) <= set(dir(package))
    assert all(hasattr(package, name) for name in package.__all__)


def test_a_name_is_the_function_even_where_its_module_has_the_same_name():
    first = "import prefir.measures.rbo, prefir.measures.hoeffding"  # Python sets modules on their package
    assert loaded(f"{first}\nassert callable(prefir.measures.rbo) and callable(prefir.measures.hoeffding)")
    with pytest.raises(ImportError, match="nothing_of_this"):
        from prefir.measures import nothing_of_this  # noqa: F401
