"""Figures of people: how each answers, kept for lists that are sorted by it."""

from django.db import models

from judging.models.ledger import Assessor


class PersonFigures(models.Model):
    """One person's figures as `judging.people.assessor_stats` last computed them: a cache of the ledger.

    challenges: the share answered rightly, in percent; empty where none was. judgments_upto, decisions_upto:
    the ids up to which the ledger of all studies was looked at as the row was made.
    """

    assessor = models.OneToOneField(Assessor, models.CASCADE, primary_key=True, related_name="figures")
    challenges = models.FloatField(null=True)
    judgments_upto = models.BigIntegerField()
    decisions_upto = models.BigIntegerField()
    made_at = models.DateTimeField()
