"""Readers and writers of files: topics, items, images, grades, runs, preferences and scores.

They know nothing of a database: the topics and items that a study already has are passed as `Known`. Each
reader reads its file to the end, and either returns all records or raises `BadFile` with every bad line.
"""

from .answer_columns import LABELS, guess_roles, has_votes, suggest_roles
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
    read_items,
    read_qrels,
    read_topics,
)
from .conversations import Turn, join_turns, plain_turns, split_turns
from .groups import GroupsRecord, read_groups
from .ids import UNKNOWN_TOPIC, Known, docno_problem, id_problem, text_problem
from .images import ImageLimits, ImageRecord, read_images_folder, topics_of_images
from .lines import Progress, Source, first_text
from .parts import Part, parts_of, text_of
from .preferences import PreferenceRecord, each_preference, read_challenges, read_preferences
from .problems import BadFile, BadLine
from .recognition import HEAD, Guess, are_long, is_text, recognize, recognize_columns
from .rows import first_rows, table_names
from .runs import GridPlace, GridRecord, RunRecord, Ties, read_grid, read_run
from .scores import ScoreRecord, read_scores
from .sources import CitedSource, SourcesRecord, read_sources, sources_of
from .tables import read_table
from .votes import read_judgments
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

__all__ = [
    "HEAD",
    "LABELS",
    "UNKNOWN_TOPIC",
    "Answers",
    "BadFile",
    "BadLine",
    "CitedSource",
    "DescriptionRecord",
    "GradeRecord",
    "GridPlace",
    "GridRecord",
    "GroupsRecord",
    "Guess",
    "ImageLimits",
    "ImageRecord",
    "ItemRecord",
    "Known",
    "Part",
    "PreferenceRecord",
    "Progress",
    "PromptRecord",
    "RunRecord",
    "ScoreRecord",
    "SerpPreferenceRecord",
    "Source",
    "SourcesRecord",
    "Ties",
    "TopicRecord",
    "Turn",
    "are_long",
    "defused",
    "description_problem",
    "docno_problem",
    "each_preference",
    "first_rows",
    "first_text",
    "guess_roles",
    "has_votes",
    "id_problem",
    "is_text",
    "join_turns",
    "known_of",
    "parts_of",
    "plain_turns",
    "prompt_key",
    "read_answers",
    "read_challenges",
    "read_descriptions",
    "read_grid",
    "read_groups",
    "read_images_folder",
    "read_images_zip",
    "read_items",
    "read_judgments",
    "read_preferences",
    "read_qrels",
    "read_run",
    "read_scores",
    "read_sources",
    "read_table",
    "read_topics",
    "read_xie_annotations",
    "read_xie_positions",
    "read_xie_relevance",
    "read_xie_serp_preferences",
    "recognize",
    "recognize_columns",
    "restored",
    "sources_of",
    "split_turns",
    "suggest_roles",
    "table_names",
    "text_of",
    "text_problem",
    "topics_of_images",
    "write_preferences",
    "write_qrels",
    "write_scores",
    "write_xie_serp_preferences",
]
