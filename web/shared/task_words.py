"""Names of task kinds and scales on pages."""

from judging.tasks.grade import GradeTask
from judging.tasks.pair import Pair
from judging.tasks.pick import Pick
from judging.tasks.serp import Pages

NAMES = {
    Pair.name: "Pairs",
    Pick.name: "Picks from a grid",
    GradeTask.name: "Grades",
    Pages.name: "Result pages",
}
SCALES = {
    (Pair.name, "2"): "left or right",
    (Pair.name, "3"): "left, tie, right",
    (Pair.name, "4"): "definitely or slightly, no tie",
    (Pair.name, "5"): "definitely or slightly, and tie",
    (Pick.name, "best"): "the best",
    (Pick.name, Pick.WITH_WORST): "the best and the worst",
    (GradeTask.name, "0-1"): "0 or 1",
    (GradeTask.name, "0-2"): "0 to 2",
    (GradeTask.name, "0-4"): "0 to 4",
    (GradeTask.name, "0-100"): "0 to 100",
}
