"""Registers the pages, so that Django finds their commands."""

import os
from typing import Any

from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "web"

    def ready(self) -> None:
        from django.conf import settings
        from django.contrib.auth.models import User
        from django.db import transaction
        from django.db.models.signals import post_delete, post_save

        from collection.models import Membership, Watch
        from collection.study.lifecycle import judging_steered
        from config.task_queue import nudge_at_most_every, run_in_background
        from scoring.board.standings import standing_written
        from scoring.models import Standing
        from tournament.services import tournament_advanced
        from web import jobs
        from web.live import database_watch, live_board, live_topics
        from web.release import loading_job  # noqa: F401 - a worker knows its job by this import
        from web.shared import access, finished_figures

        def left(instance: Membership, **_: Any) -> None:
            live_board.revoke(instance.study_id, instance.user_id)

        def joined(instance: Membership, **_: Any) -> None:
            # Assessors follow nothing, also those who were coordinators a moment ago.
            sees = instance.role in access.SEEING
            (live_board.restore if sees else live_board.revoke)(instance.study_id, instance.user_id)

        def saved(instance: User, created: bool, **_: Any) -> None:
            if not created and not instance.is_active:
                for study_id in instance.memberships.values_list("study_id", flat=True):
                    live_board.revoke(study_id, instance.pk)

        def moved(study_id: int, ended: bool = False, **_: Any) -> None:
            transaction.on_commit(lambda: live_topics.note(study_id), robust=True)
            if ended and Watch.objects.filter(study=study_id, topics=True).exists():
                run_in_background(jobs.notice, study_id)

        def scored(standing: Standing, **_: Any) -> None:
            live_topics.note(standing.study_id)
            nudge_at_most_every(finished_figures.pause(), jobs.prepare_figures, standing.study_id)

        def steered(study_id: int, **_: Any) -> None:
            live_topics.note(study_id)

        standing_written.connect(live_board.spread, dispatch_uid="web")
        judging_steered.connect(steered, weak=False, dispatch_uid="web")
        standing_written.connect(scored, weak=False, dispatch_uid="web.topics")
        tournament_advanced.connect(moved, weak=False, dispatch_uid="web")
        post_delete.connect(left, Membership, weak=False, dispatch_uid="web")
        post_save.connect(joined, Membership, weak=False, dispatch_uid="web")
        post_save.connect(saved, User, weak=False, dispatch_uid="web")
        # Django's development server, which no gunicorn starts: its process that serves.
        if os.environ.get("RUN_MAIN") == "true" and not settings.REDIS_URL:
            database_watch.start()
