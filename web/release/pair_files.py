"""Preference pairs as a data set: JSON lines, Parquet, and a card by which tools find and read them."""

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from django.conf import settings

from collection.models import Study
from config.version import version
from judging.transfer.preference_pairs import fields_of, preference_pairs
from scoring.compute import child_process
from web.release.folder import File
from web.release.parquet_table import parquet_table

LINES, TABLE, CARD = "preference-pairs.jsonl", "preference-pairs.parquet", "croissant.json"


def pair_files(study: Study) -> Iterator[File]:
    """Yield the files of a study's preference pairs. Time and memory grow with the texts of judged pairs."""
    rows = list(preference_pairs(study))
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    columns = {name: [row[name] for row in rows] for name in fields_of(study)}
    table = child_process.call(parquet_table, columns)
    yield LINES, [text]
    yield TABLE, [table]
    yield CARD, [json.dumps(card(study, text, table), ensure_ascii=False, indent=1).encode() + b"\n"]


def card(study: Study, text: bytes, table: bytes) -> dict[str, Any]:
    """Describe the files as a data set: Croissant 1.0 (mlcommons.org/croissant), JSON-LD."""
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"pairs/{name}",
            "name": name,
            "description": said,
            "dataType": kind,
            "source": {"fileObject": {"@id": TABLE}, "extract": {"column": name}},
        }
        for name, (said, kind) in fields_of(study).items()
    ]
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": f"{study.slug}-preference-pairs",
        "description": "Pairs of answers and which of them people preferred, judged in the study "
        f"“{study.name}” with Faceoff {version()}.",
        "url": f"{settings.PUBLIC_URL}/studies/{study.slug}/",
        "creator": {"@type": "sc:Organization", "name": study.asked_by or "not named"},
        "datePublished": f"{study.closed_at or study.opened_at or study.created_at:%Y-%m-%d}",
        "version": "1.0.0",
        "distribution": [
            _file(LINES, "application/jsonlines", text),
            _file(TABLE, "application/x-parquet", table),
        ],
        "recordSet": [{"@type": "cr:RecordSet", "@id": "pairs", "name": "pairs", "field": fields}],
    }


def _file(name: str, kind: str, content: bytes) -> dict[str, str]:
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "encodingFormat": kind,
        "contentSize": f"{len(content)} B",
        "sha256": sha256(content).hexdigest(),
    }


# The names that Croissant 1.0 gives to its terms.
_CROISSANT = (
    *("citeAs", "column", "dataType", "extract", "field", "fileProperty", "fileObject", "fileSet", "format"),
    *(
        "includes",
        "isLiveDataset",
        "jsonPath",
        "key",
        "md5",
        "parentField",
        "path",
        "recordSet",
        "references",
    ),
    *("regex", "repeated", "replace", "separator", "source", "subField", "transform"),
)
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    **{name: f"cr:{name}" for name in _CROISSANT},
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
}
