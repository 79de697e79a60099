"""Seals: the running hash of a study's ledger, block by block."""

from django.db import models

from collection.models import Study


class Seal(models.Model):
    """One block of a study's ledger with its hash, which continues the block before: only ever added.

    rows: a line for each row, its kind, id and SHA-256. count: how many these are; total: how many up to
    here. digest: SHA-256 over the hash before and these lines; `judging.audit.hash_chain_lines` says exactly
    how. judgments_upto, decisions_upto, actions_upto: the ids up to which the ledger of all studies was
    sealed with this block.
    """

    study = models.ForeignKey(Study, models.PROTECT, related_name="seals")
    number = models.PositiveIntegerField()
    previous = models.CharField(max_length=64)
    digest = models.CharField(max_length=64)
    rows = models.TextField()
    count = models.PositiveIntegerField()
    total = models.PositiveIntegerField()
    judgments_upto = models.BigIntegerField()
    decisions_upto = models.BigIntegerField()
    actions_upto = models.BigIntegerField()
    sealed_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "number"], name="seal_number_once")]
