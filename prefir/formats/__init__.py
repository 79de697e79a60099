"""Readers and writers of files: topics, items, images, grades, runs, preferences and scores.

They know nothing of a database: the topics and items that a study already has are passed as `Known`. Each
reader reads its file to the end, and either returns all records or raises `BadFile` with every bad line.
"""

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
from .ids import UNKNOWN_TOPIC, Known, docno_problem, id_problem, text_problem
from .images import ImageLimits, ImageRecord, read_images_folder
from .lines import Progress, Source
from .parts import Part, parts_of, text_of
from .preferences import PreferenceRecord, each_preference, read_challenges, read_preferences
from .problems import BadFile, BadLine
from .recognition import HEAD, Guess, are_long, recognize
from .runs import GridPlace, GridRecord, RunRecord, Ties, read_grid, read_run
from .scores import ScoreRecord, read_scores
from .tables import read_table
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
    "UNKNOWN_TOPIC",
    "BadFile",
    "BadLine",
    "DescriptionRecord",
    "GradeRecord",
    "GridPlace",
    "GridRecord",
    "Guess",
    "ImageLimits",
    "ImageRecord",
    "ItemRecord",
    "Known",
    "Part",
    "PreferenceRecord",
    "Progress",
    "RunRecord",
    "ScoreRecord",
    "SerpPreferenceRecord",
    "Source",
    "Ties",
    "TopicRecord",
    "are_long",
    "defused",
    "description_problem",
    "docno_problem",
    "each_preference",
    "id_problem",
    "known_of",
    "parts_of",
    "read_challenges",
    "read_descriptions",
    "read_grid",
    "read_images_folder",
    "read_images_zip",
    "read_items",
    "read_preferences",
    "read_qrels",
    "read_run",
    "read_scores",
    "read_table",
    "read_topics",
    "read_xie_annotations",
    "read_xie_positions",
    "read_xie_relevance",
    "read_xie_serp_preferences",
    "recognize",
    "restored",
    "text_of",
    "text_problem",
    "write_preferences",
    "write_qrels",
    "write_scores",
    "write_xie_serp_preferences",
]
