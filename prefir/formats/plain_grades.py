"""Grades in plain files, read as arrays: a topic's become a dictionary only when they are asked for."""

from collections.abc import Iterator, Mapping
from typing import Self

import numpy as np
from numpy.typing import NDArray

from .columns import Columns, Keys, keys_of, mixed
from .ids import MAX_ID, TIE, Known, topic_problem
from .lines import Progress, is_comment, most_bytes, text_bytes
from .plain_runs import salts
from .problems import Problems

_PIECE = 8 * 1024 * 1024  # bytes that are split at once
_MADE = 100_000  # grades in the dictionaries that are kept
_TOPIC, _DOCNO, _GRADE = 0, 2, 3


class PlainGrades(Mapping[str, dict[str, float]]):
    """Topic -> docno -> grade, in file order. Keeps the file's text, and dictionaries of a few topics."""

    def __init__(self) -> None:
        self._pieces: list[tuple[Columns, NDArray[np.float64]]] = []
        self._parts: dict[
            str, list[tuple[int, int, int]]
        ] = {}  # topic -> piece, first line, line after the last
        self._made: dict[str, dict[str, float]] = {}
        self._kept = 0

    @classmethod
    def of(
        cls, source: bytes, problems: Problems, known: Known, progress: Progress | None = None
    ) -> Self | None:
        """Read qrels; None if any line may be bad, which reading line by line then finds.

        Raises BadFile at once where `read_lines` does.
        """
        data = text_bytes(source, problems, most_bytes(known.free))[0]
        grades, start = cls(), 0
        keys: list[Keys] = []
        while start < len(data):
            end = data.rfind(b"\n", start, start + _PIECE) + 1
            if end <= start or end == len(data):
                end = len(data)
            columns = Columns.of_lines(
                data[start:end] if end < len(data) else data[start:].rstrip() + b"\n", 4
            )
            found = grades._add(columns, known) if columns else None
            if found is None:
                return None
            keys.append(found)
            start = end
            if progress:
                progress(len(source) * start // len(data), len(source))
        every = np.concatenate(keys)
        every.sort()
        # One docno twice in a topic, in all likelihood.
        return None if (every[1:] == every[:-1]).any() else grades

    def _add(self, columns: Columns, known: Known) -> Keys | None:
        """Add the lines of a piece; a number for each line's topic and docno, or None."""
        if max(columns.longest(_TOPIC), columns.longest(_DOCNO)) > MAX_ID and not known.free:
            return None
        if not all(columns.fits(column) for column in (_TOPIC, _DOCNO, _GRADE)):
            return None
        grades = columns.numbers(_GRADE)
        topics, lengths = columns.blocks(_TOPIC)
        if grades is None or any(topic_problem(topic, known) for topic in set(topics) - self._parts.keys()):
            return None
        if known.free and any(map(is_comment, topics)):
            return None
        docnos = keys_of(columns.words(_DOCNO))
        if not known.free and (docnos == keys_of(Columns.of_cells([TIE]).words(0))).any():
            return None
        ends = lengths.cumsum()
        for topic, start, end in zip(topics, (ends - lengths).tolist(), ends.tolist(), strict=True):
            self._parts.setdefault(topic, []).append((len(self._pieces), start, end))
        self._pieces.append((columns.only(_DOCNO), grades))
        return mixed(docnos + salts(topics).repeat(lengths))

    def __getitem__(self, topic: str) -> dict[str, float]:
        if topic not in self._made:
            found: dict[str, float] = {}
            for piece, start, end in self._parts[topic]:
                docnos, grades = self._pieces[piece]
                found.update(zip(docnos.texts(1, start, end), grades[start:end].tolist(), strict=True))
            self._kept += len(found)
            if self._kept > _MADE:
                self._made.clear()
                self._kept = len(found)
            self._made[topic] = found
        return self._made[topic]

    def __contains__(self, topic: object) -> bool:
        return topic in self._parts

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)
