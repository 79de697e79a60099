"""Readers and writers of files: topics, items, images, grades, runs, preferences and scores.

They know nothing of a database: the topics and items that a study already has are passed as `Known`. Each
reader reads its file to the end, and either returns all records or raises `BadFile` with every bad line.
"""

from typing import TYPE_CHECKING

from prefir.lazy_package import make_lazy

if TYPE_CHECKING:
    from .answer_columns import LABELS, guess_roles, has_votes, suggest_roles, usual_roles
    from .answers import Answers, PromptRecord, prompt_key, read_answers
    from .archives import read_images_zip
    from .cells import defused, restored
    from .collection import (
        DescriptionRecord,
        GradeRecord,
        ItemRecord,
        TopicRecord,
        description_problem,
        read_descriptions,
        read_grades,
        read_items,
        read_qrels,
        read_topics,
    )
    from .conversations import Turn, join_turns, plain_turns, split_turns
    from .groups import GroupsRecord, read_groups
    from .ids import ANYTHING, UNKNOWN_TOPIC, Known, docno_problem, id_problem, text_problem
    from .images import ImageLimits, ImageRecord, read_images_folder, topics_of_images
    from .lines import Progress, Source, first_text
    from .parts import Part, parts_of, text_of
    from .plain_runs import ItemLists
    from .preferences import PreferenceRecord, each_preference, read_challenges, read_preferences
    from .problems import BadFile, BadLine
    from .recognition import HEAD, Guess, are_long, is_text, recognize, recognize_columns
    from .rows import first_rows, table_names
    from .runs import (
        GridPlace,
        GridRecord,
        RunRecord,
        Ties,
        read_grid,
        read_run,
        read_run_scores,
        read_runs,
        read_runs_places,
    )
    from .scores import ScoreRecord, read_scores
    from .sources import CitedSource, SourcesRecord, read_sources, sources_of
    from .tables import check_rows, read_table
    from .votes import read_judgments, topic_by_text
    from .writers import write_preferences, write_qrels, write_scores
    from .xie import (
        SerpPreferenceRecord,
        known_of,
        read_xie_annotations,
        read_xie_positions,
        read_xie_relevance,
        read_xie_serp_preferences,
        write_xie_serp_preferences,
    )

__all__ = make_lazy(
    __name__,
    {
        "answer_columns": "LABELS guess_roles has_votes suggest_roles usual_roles",
        "answers": "Answers PromptRecord prompt_key read_answers",
        "archives": "read_images_zip",
        "cells": "defused restored",
        "collection": (
            "DescriptionRecord GradeRecord ItemRecord TopicRecord description_problem read_descriptions "
            "read_grades read_items read_qrels read_topics"
        ),
        "conversations": "Turn join_turns plain_turns split_turns",
        "groups": "GroupsRecord read_groups",
        "ids": "ANYTHING UNKNOWN_TOPIC Known docno_problem id_problem text_problem",
        "images": "ImageLimits ImageRecord read_images_folder topics_of_images",
        "lines": "Progress Source first_text",
        "parts": "Part parts_of text_of",
        "plain_runs": "ItemLists",
        "preferences": "PreferenceRecord each_preference read_challenges read_preferences",
        "problems": "BadFile BadLine",
        "recognition": "HEAD Guess are_long is_text recognize recognize_columns",
        "rows": "first_rows table_names",
        "runs": (
            "GridPlace GridRecord RunRecord Ties read_grid read_run read_run_scores read_runs "
            "read_runs_places"
        ),
        "scores": "ScoreRecord read_scores",
        "sources": "CitedSource SourcesRecord read_sources sources_of",
        "tables": "check_rows read_table",
        "votes": "read_judgments topic_by_text",
        "writers": "write_preferences write_qrels write_scores",
        "xie": (
            "SerpPreferenceRecord known_of read_xie_annotations read_xie_positions read_xie_relevance "
            "read_xie_serp_preferences write_xie_serp_preferences"
        ),
    },
)
