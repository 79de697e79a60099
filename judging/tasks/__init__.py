"""Task kinds (ways of asking), one module each; to add one, add it to the line below."""

from judging.tasks import pair, grade, serp, pick  # isort: skip # noqa: F401
from judging.tasks.base import KINDS, BadAnswer, Lean, TaskKind, register

__all__ = ["KINDS", "BadAnswer", "Lean", "TaskKind", "register"]
