"""Runs: the systems' rankings, and the placement of each item in them."""

from django.db import models
from django.db.models import Q

from collection.models.items import Item, Topic
from collection.models.study import Study


class ShownRuns(models.Manager["Run"]):
    """Runs that are loaded whole and not replaced."""

    def get_queryset(self) -> models.QuerySet["Run"]:
        return super().get_queryset().filter(shown=True)


class ShownPlacements(models.Manager["Placement"]):
    """Placements of runs that are loaded whole and not replaced."""

    def get_queryset(self) -> models.QuerySet["Placement"]:
        return super().get_queryset().filter(run__shown=True)


class Run(models.Model):
    """One system's rankings over the study's topics.

    shown: False while the run is loaded, and after a newer run of its name has replaced it.
    """

    study = models.ForeignKey(Study, models.PROTECT, related_name="runs")
    name = models.CharField(max_length=200)
    shown = models.BooleanField(default=True)
    # How many topics it ranks: its placements are too many to be counted for every page.
    topics = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ShownRuns()
    every = models.Manager["Run"]()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], condition=Q(shown=True), name="run_name_once")
        ]

    def __str__(self) -> str:
        return self.name


class Placement(models.Model):
    """An item at a rank of a run (1 is best); on an image grid also its cell and its row's length.

    Its foreign keys have no index of their own: two of the constraints begin with one, and nobody asks for
    the placements of an item.
    """

    run = models.ForeignKey(Run, models.CASCADE, related_name="placements", db_index=False)
    topic = models.ForeignKey(Topic, models.PROTECT, related_name="placements", db_index=False)
    item = models.ForeignKey(Item, models.PROTECT, related_name="placements")
    rank = models.PositiveIntegerField()
    row = models.PositiveSmallIntegerField(null=True, blank=True)
    column = models.PositiveSmallIntegerField(null=True, blank=True)
    row_length = models.PositiveSmallIntegerField(null=True, blank=True)

    objects = ShownPlacements()
    every = models.Manager["Placement"]()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "item"], name="placement_item_once"),
            models.UniqueConstraint(fields=["topic", "run", "rank"], name="placement_rank_once"),
            models.CheckConstraint(condition=Q(rank__gte=1), name="placement_rank_from_one"),
            models.CheckConstraint(
                condition=Q(row=None, column=None, row_length=None)
                | Q(row__isnull=False, column__isnull=False, row_length__gt=models.F("column")),
                name="placement_grid_cell_whole",
            ),
        ]
