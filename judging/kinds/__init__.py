"""The kinds of files that hold judgments or challenges; `judging.apps` registers them with the others."""

from judging.kinds import challenges, judgments, serp_judgments, xie_judgments  # noqa: F401
