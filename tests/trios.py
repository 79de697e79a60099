"""A second kind of task, for tests alone: which of three items is the best. Nothing here is about pairs."""

from dataclasses import dataclass
from itertools import permutations

from collection.models import Item, Study, Topic
from config.static_files import BUNDLES
from judging.models import Task
from judging.questions import asking
from judging.tasks import KINDS, BadAnswer, Lean, TaskKind
from judging.tasks.settings import Settings, number

# A page names the scripts of its kind.
BUNDLES["js/judge-trio-reading.js"] = ("js/judge/judge.js",)
WORDS = ("left", "middle", "right")
TEMPLATES = {
    "_trio.html": """
        {% from "assessor/_side.html" import place %}
        {% macro question(asked, sitting, task, home) %}
        <section data-position="{{ asked.position }}" data-choice="{{ asked.chosen }}">
        {% for side in asked.sides %}{{ place(asked, side, side.name, side.name) }}{% endfor %}
        </section>
        {% endmacro %}""",
    "_trio_keys.html": "<div><dt>1, 2, 3</dt><dd>the best of the three</dd></div>",
}


@dataclass(frozen=True)
class TrioSettings(Settings):
    """looks: how often each of the three is to be looked at."""

    looks: int = number(2, 1, 9)


class Trio(TaskKind):
    """Three items; a value is the place on the page of the one that was picked, from 0."""

    name = "trio"
    template = "assessor/_trio.html"
    keys = "assessor/_trio_keys.html"
    scales = {"best": (0, 1, 2)}
    places = WORDS
    settings = TrioSettings
    orders = tuple("".join(order) for order in permutations("012"))

    def parse(self, form):
        if form.get("choice") not in WORDS:
            raise BadAnswer("An answer is left, middle or right.")
        return WORDS.index(form["choice"])

    def word(self, value):
        return WORDS[value]

    def check(self, value, scale):
        if type(value) is not int or value not in self.scales[scale]:
            raise BadAnswer("An answer is left, middle or right.")

    def leans(self, value, shown):
        """The best is named first, wherever its id stands among the others."""
        best = picked(value, shown)
        return [Lean(best, other, 1) for other in range(3) if other != best]

    def is_right(self, value, shown, expected):
        return picked(value, shown) == expected

    def order_of_challenge(self, expected, turn):
        """Each place in turn, and each order of the others."""
        others = [str(subject) for subject in range(3) if subject != expected]
        others = others[::-1] if turn >= 3 else others
        others.insert(turn % 3, str(expected))
        return "".join(others)


def picked(value: int, shown: str) -> int:
    """The position of the subject that stood at this place."""
    return int(shown[value]) if shown else value


def know_trios(monkeypatch) -> None:
    """Let the product know this kind until the test ends."""
    monkeypatch.setitem(KINDS, "trio", Trio())


def show_trios(settings, folder) -> None:
    """Give this kind its parts of the judging page until the test ends, out of files in a folder."""
    (folder / "assessor").mkdir()
    for name, text in TEMPLATES.items():
        (folder / "assessor" / name).write_text(text)
    settings.TEMPLATES = [engine | {"DIRS": [*engine["DIRS"], folder]} for engine in settings.TEMPLATES]


def ask_trios(study: Study, topic: Topic, *, position: int = 2, challenges: int = 0, **fields) -> Task:
    """A task of a study that asks every trio of a topic's items once, some of them as challenges instead.

    The expected answer of a challenge is its first item.
    """
    made = {"kind": "trio", "scale": "best", "batch_challenges": challenges} | fields
    task = Task.objects.create(study=study, position=position, **made)
    items = Item.objects.filter(topic=topic).order_by("pk").values_list("pk", flat=True)
    trios = [
        asking.Asked(topic.pk, trio, 1) for trio in sorted({tuple(sorted(p)) for p in permutations(items, 3)})
    ]
    known = [trio._replace(value=0) for trio in trios[:challenges]]
    asking.store(task, trios[challenges:], "wanted")
    asking.store(task, known, "expected")
    return task
