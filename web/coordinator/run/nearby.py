"""The runs near a run, by means and by rankings, and the copies that it shows."""

from dataclasses import dataclass
from typing import Any

from collection.material.duplicates import DUPLICATES
from collection.models import Run, Study
from scoring.analysis import run_profile, system_maps
from scoring.analysis.run_profile import RunProfile
from web.coordinator.likeness import NEARLY_SAME, least_different
from web.coordinator.placements import by_id
from web.shared import waiting_pages
from web.shared.phrases import signed

# The distance of rankings by which nearest runs are found: one less rank-biased overlap.
DISTANCE = "rbo"
COPIES = 10


@dataclass(frozen=True)
class NearRun:
    """Another run, and the difference from it or the distance to it as written."""

    pk: int
    name: str
    said: str


def neighbours(study: Study, found: RunProfile) -> list[NearRun]:
    """Return the runs from which the run does not differ significantly, the nearest means first."""
    names = dict(Run.objects.filter(study=study).values_list("pk", "name"))
    return [
        NearRun(one.run, names[one.run], signed(one.difference))
        for one in found.neighbours
        if one.run in names
    ]


def nearest(study: Study, run: Run) -> dict[str, Any]:
    """Return the runs that rank most alike, of the map of systems; "mapped" tells whether it is computed.

    "unlike": how the nearest differs, in words; "" where it is nearly the same.
    """
    found = waiting_pages.result(system_maps.MAPS, study, DISTANCE)
    if found is None:
        waiting = waiting_pages.waiting(system_maps.MAPS, study, DISTANCE)
        return {"mapped": False, "nearest": [], "waiting": waiting}
    of = system_maps.systems(study)
    place = next((place for place, (pk, _) in enumerate(of.runs) if pk == run.pk), None)
    near = [] if place is None else dict(zip(found.drawn, found.nearest, strict=False)).get(place, [])
    rows = [NearRun(*of.runs[other], f"{distance:.2f}") for other, distance in near]
    distance = near[0][1] if near else 0.0
    unlike = "" if distance < NEARLY_SAME else least_different(distance)
    return {"mapped": True, "nearest": rows, "unlike": unlike, "map_depth": system_maps.DEPTH}


def copies(study: Study, run: Run, depth: int) -> dict[str, Any]:
    """Return the copies among the run's first items; "compared" tells whether copies are looked for yet."""
    found = waiting_pages.result(DUPLICATES, study)
    if found is None:
        return {"compared": False, "copies": [], "copied": 0}
    groups: dict[int, list[list[int]]] = {}
    names = {}
    for group in found.groups:
        groups.setdefault(group.topic, []).append([pk for pk, _ in group.items])
        names[group.topic] = group.name
    twice = run_profile.shown_twice(run, depth, groups) if groups else {}
    every = [(names[topic], pk) for topic, items in twice.items() for pk in items]
    items = by_id([pk for _, pk in every[:COPIES]])
    return {
        "compared": True,
        "copied": len(every),
        "copies": [(name, items[pk]) for name, pk in every[:COPIES] if pk in items],
    }
