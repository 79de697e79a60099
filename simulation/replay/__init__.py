"""Replaying recorded answers: simulated assessors who come, judge batches and submit as people do.

The answer to a pair depends on nothing but the pair, the record and the seed. So a replay ends with
the same rounds and the same top k whatever the order of arrivals, how many assessors fail, and
however often it is stopped and started again.
"""

from simulation.replay.desk import PageDesk, ServiceDesk, Stuck
from simulation.replay.driver import Outcome, replay
from simulation.replay.fingerprint import digest
from simulation.replay.oracle import Recorded

__all__ = ["Outcome", "PageDesk", "Recorded", "ServiceDesk", "Stuck", "digest", "replay"]
