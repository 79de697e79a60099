"""Replays recorded answers with simulated assessors, who arrive, judge batches and submit as people do.

The answer to a pair depends only on the pair, the record and the seed. A replay therefore ends with the
same rounds and the same top k in whatever order assessors arrive, however many of them fail, and however
often it is stopped and started again. Studies that ask anything but pairs are refused.
"""

from simulation.replay.desk import PageDesk, ServiceDesk, Stuck
from simulation.replay.driver import ReplayOutcome, replay
from simulation.replay.fingerprint import digest
from simulation.replay.oracle import RecordedAnswers, docnos_of

__all__ = [
    "PageDesk",
    "RecordedAnswers",
    "ReplayOutcome",
    "ServiceDesk",
    "Stuck",
    "digest",
    "docnos_of",
    "replay",
]
