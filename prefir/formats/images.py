"""Reader of images, sound and film in a folder, and the checks that the reader of zip files shares."""

import hashlib
import io
import math
import os
import unicodedata
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from prefir.extras import require

from .collection import TopicRecord
from .ids import Known, docno_problem, id_problem, quoted, topic_problem
from .lines import PROGRESS_CALLS, Progress, megabytes
from .metadata import without_metadata
from .problems import BadFile, BadLine, Problems, plain
from .recordings import ENDINGS, Recording, UnplayableError, recording

# Pillow is loaded where a picture is decoded.
if TYPE_CHECKING:
    from PIL import Image

EXTENSIONS = ("jpg", "jpeg", "png", "webp", "gif")
# Endings of all files that items are shown by, and of those by what a study compares.
SHOWN = {"image": EXTENSIONS, **ENDINGS}
ALL_SHOWN = (*(ending for endings in SHOWN.values() for ending in endings), "vtt")
MOST_CAPTIONS = 1024**2
# A JPEG that carries a second picture (phones write them) is an MPO to Pillow and a JPEG to browsers.
_FORMATS = {"JPEG": "jpeg", "MPO": "jpeg", "PNG": "png", "WEBP": "webp", "GIF": "gif"}
_JUNK_FILES = {".ds_store", "thumbs.db", "desktop.ini"}
_JUNK_FOLDER = "__MACOSX"
_ORIENTATION = 0x0112  # the EXIF tag; values from 5 on turn the image on its side


@dataclass(frozen=True, slots=True)
class ImageLimits:
    """Limits of a collection of images; the defaults suit a study, not an archive.

    files: all files, not only images. file_bytes, total_bytes: unpacked. pixels: width times height.
    ratio: unpacked to packed size, of a zip and of each file in it above 1 MB.
    """

    files: int = 50_000
    file_bytes: int = 20 * 1024**2
    total_bytes: int = 4 * 1024**3
    pixels: int = 25_000_000
    ratio: int = 200


DEFAULT_LIMITS = ImageLimits()
RECORDING_LIMITS = replace(DEFAULT_LIMITS, file_bytes=50 * 1024**2)


def limits_of(kind: str) -> ImageLimits:
    """The limits of the files of a kind of study."""
    return RECORDING_LIMITS if kind in ENDINGS else DEFAULT_LIMITS


@dataclass(frozen=True, slots=True)
class ImageRecord:
    """An image or recording of a topic, without its bytes, which `read()` gets.

    file: its name in the folder or zip. format: "jpeg", "png", "webp" or "gif", whatever the name says; of a
    recording its usual ending. width, height: pixels, as a browser shows it; of sound None. seconds: how long
    a recording is, None if it does not say. captions: of a film, as WebVTT. size: bytes. sha256: in hex.
    """

    topic: str
    docno: str
    file: str
    format: str
    width: int | None
    height: int | None
    size: int
    sha256: str
    _content: Callable[[], bytes] = field(repr=False, compare=False)
    seconds: float | None = field(default=None, kw_only=True)
    captions: bytes | None = field(default=None, kw_only=True, repr=False)

    @property
    def folder(self) -> str:
        """The name of its folder, as it was given."""
        return self.file.rsplit("/", 2)[-2]

    def read(self) -> bytes:
        """Read the bytes from the folder or zip. Raises BadFile if they changed after they were checked."""
        try:
            data = self._content()
        except UnreadableError as error:
            raise BadFile([BadLine(self.file, 0, str(error))]) from error
        if hashlib.sha256(data).hexdigest() != self.sha256:
            raise BadFile([BadLine(self.file, 0, "the file was changed while it was loaded")])
        return data

    def bare(self) -> bytes:
        """Read the bytes and leave out what shows nothing: places, comments. Raises BadFile as `read`."""
        data = self.read()
        for medium, endings in ENDINGS.items():
            if self.format in endings:
                return recording(data, medium).bare
        return without_metadata(data, self.format, _orientation_of(data))


class UnreadableError(Exception):
    """Raised for a file that cannot be loaded, with the reason."""


@dataclass(frozen=True, slots=True)
class ImageEntry:
    """A file in a folder or zip: its name with /, its size as stated there, and how to read it."""

    name: str
    size: int
    content: Callable[[], bytes]


def read_images_folder(
    path: Path, known: Known, *, limits: ImageLimits | None = None, progress: Progress | None = None
) -> list[ImageRecord]:
    """Read files named `<topic>/<docno>.<ending>` from a folder, sorted by name; SHOWN has the endings.

    Spaces in the names of files become _ in docnos; folders with spaces stand for topics with _ or - there.

    Every image is decoded once. Symbolic links are refused. `progress` is called with (images done,
    images in total).
    Raises BadFile naming every file that cannot be loaded.
    """
    problems, limits = Problems(path.name), limits or limits_of(known.kind)
    if not path.is_dir():
        raise problems.stop("no such folder")
    entries: list[ImageEntry] = []
    seen = 0
    folders: set[str] = set()
    for parent, subfolders, files in os.walk(path, onerror=_fail(problems)):
        seen += len(subfolders) + len(files)
        if seen > limits.files:
            raise problems.stop(f"more than {limits.files:,} files")
        subfolders[:] = sorted(name for name in subfolders if not is_junk(name))
        for name in sorted([*subfolders, *files]):
            place = Path(parent, name)
            inside = place.relative_to(path).as_posix()
            if is_junk(inside):
                continue
            if place.is_symlink():
                problems.add_inside(inside, "a symbolic link; put the file itself there")
            elif place.is_dir():
                folders.add(inside)
            elif not place.is_file():
                problems.add_inside(inside, "not an ordinary file")
            else:
                entries.append(ImageEntry(inside, place.stat().st_size, _file_content(place, limits)))
    return check_images(entries, folders, known, limits, problems, progress)


def check_images(
    entries: list[ImageEntry],
    folders: set[str],
    known: Known,
    limits: ImageLimits,
    problems: Problems,
    progress: Progress | None,
) -> list[ImageRecord]:
    """Check `entries` and return them as records, in their order. Raises BadFile naming every bad file.

    folders: all folders of the collection, with files in them or not. Decodes one image at a time.
    """
    if known.kind not in SHOWN:
        raise problems.stop("this study compares texts; load a JSONL file of items, not images")
    endings = SHOWN[known.kind]
    if sum(entry.size for entry in entries) > limits.total_bytes:
        raise problems.stop(f"more than {megabytes(limits.total_bytes)} of files")
    if not entries and not problems.found:
        other = ", ".join(ending for ending in endings[1:] if ending != "jpeg")
        what = "images" if known.kind == "image" else "recordings"
        raise problems.stop(f"there are no {what}; expected <topic>/<docno>.{endings[0]} (or {other})")
    skip = _wrapper(entries, known)
    entries, captions = _captions(entries, problems) if known.kind == "film" else (entries, {})
    filled = {parent for entry in entries for parent in _parents(entry.name)}
    for folder in sorted(folders - filled):
        problems.add_inside(folder, "the folder is empty")
    records: list[ImageRecord] = []
    first: dict[tuple[str, str], str] = {}
    step = math.ceil(len(entries) / PROGRESS_CALLS)
    for done, entry in enumerate(entries, 1):
        try:
            record = _record(entry, entry.name[len(skip) :], known, limits)
            if earlier := first.get((record.topic, record.docno)):
                raise UnreadableError(f"has the same topic and docno as {plain(earlier)}")
            first[record.topic, record.docno] = entry.name
            records.append(replace(record, captions=captions.get(_stem(entry))))
        except UnreadableError as error:
            problems.add_inside(entry.name, str(error))
        if progress and (done % step == 0 or done == len(entries)):
            progress(done, len(entries))
    problems.settle()
    return records


def _stem(entry: ImageEntry) -> str:
    return entry.name.rpartition(".")[0]


def _captions(entries: list[ImageEntry], problems: Problems) -> tuple[list[ImageEntry], dict[str, bytes]]:
    """Take the captions out of a collection of films: the films, and the captions by a film's name."""
    films = [entry for entry in entries if not entry.name.lower().endswith(".vtt")]
    named, found = set(map(_stem, films)), {}
    for entry in entries:
        if not entry.name.lower().endswith(".vtt"):
            continue
        try:
            if _stem(entry) not in named:
                raise UnreadableError("captions without a film of the same name beside them")
            found[_stem(entry)] = checked_captions(entry.content())
        except (UnreadableError, ValueError) as error:
            problems.add_inside(entry.name, str(error))
    return films, found


def checked_captions(data: bytes) -> bytes:
    """Captions as they are stored. Raises ValueError with the reason if they are no WebVTT."""
    if len(data) > MOST_CAPTIONS:
        raise ValueError(f"larger than the limit of {megabytes(MOST_CAPTIONS)}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError("not UTF-8; save the captions as UTF-8") from error
    if not text.startswith("WEBVTT"):
        raise ValueError("not WebVTT: its first line must begin with WEBVTT")
    return text.encode()


def topics_of_images(records: Iterable[ImageRecord]) -> list[TopicRecord]:
    """Make a topic of each folder, in the order of its first image: its text is the folder's name."""
    texts: dict[str, str] = {}
    for record in records:
        texts.setdefault(record.topic, unicodedata.normalize("NFC", record.folder).replace("_", " ").strip())
    return [TopicRecord(topic, text or topic) for topic, text in texts.items()]


def is_junk(name: str) -> bool:
    """Check whether a path is one of the hidden files that macOS and Windows leave behind."""
    parts = name.split("/")
    return _JUNK_FOLDER in parts or parts[-1].lower() in _JUNK_FILES or parts[-1].startswith("._")


def _record(entry: ImageEntry, name: str, known: Known, limits: ImageLimits) -> ImageRecord:
    """Check one image. Raises UnreadableError with the reason."""
    parts = name.split("/")
    stem, dot, extension = parts[-1].rpartition(".")
    endings = SHOWN[known.kind]
    if not dot or extension.lower() not in endings:
        raise UnreadableError(f"the name must end in .{', .'.join(endings[:-1])} or .{endings[-1]}")
    if len(parts) != 2:
        what = "an image" if known.kind == "image" else "a recording"
        place = f"<topic>/<docno>.{endings[0]}"
        raise UnreadableError(f"{what} stands in a folder named after its topic: {place}")
    topic = _spelt(parts[0], known.topics)
    if known.new_topics:
        topic = topic.replace(" ", "_")
    docno = _spelt(stem, known.items.get(topic, ()))
    if " " in topic:
        own = topic.replace(" ", "_")
        raise UnreadableError(
            f"ids have no spaces, so no topic is called {quoted(topic)}; load one with the id {quoted(own)}, "
            "for which this folder is then taken"
        )
    docno = docno.replace(" ", "_")
    topic_wrong = id_problem("topic", topic) if known.new_topics else topic_problem(topic, known)
    if reason := topic_wrong or docno_problem(docno):
        raise UnreadableError(reason)
    data = entry.content()
    digest = hashlib.sha256(data).hexdigest()
    if known.kind == "image":
        kind, width, height = picture(data, limits.pixels)
        return ImageRecord(topic, docno, entry.name, kind, width, height, len(data), digest, entry.content)
    try:
        found = recording(data, known.kind)
    except UnplayableError as error:
        raise UnreadableError(str(error)) from error
    sides = (found.width or None, found.height or None)
    return ImageRecord(
        *(topic, docno, entry.name, found.format, *sides, len(data), digest, entry.content),
        seconds=found.seconds or None,
    )


def picture(data: bytes, pixels: int) -> tuple[str, int, int]:
    """Decode an image in full; return its format, width and height.

    Raises UnreadableError if it is no image, is broken, or has more than `pixels` pixels.
    """
    require("PIL")
    from PIL import Image

    if not data:
        raise UnreadableError("the file is empty")
    formats = ("JPEG", "PNG", "WEBP", "GIF")  # no other decoder may see the bytes
    side = math.isqrt(pixels)
    too_large = (
        f"more than {pixels:,} pixels; make it smaller, at most {side:,} x {side:,}: every assessor loads it"
    )
    try:
        with Image.open(io.BytesIO(data), formats=formats) as image:
            width, height = image.size  # from the header: nothing is decoded yet
            if width * height > pixels:
                raise UnreadableError(too_large)
            image.verify()
        with Image.open(io.BytesIO(data), formats=formats) as image:
            image.load()
            kind = _FORMATS[image.format or ""]
            turned = _is_turned(image)
    except UnreadableError:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise UnreadableError(too_large) from error
    except Image.UnidentifiedImageError as error:
        raise UnreadableError("not a JPEG, PNG, WebP or GIF image, whatever its name says") from error
    except Exception as error:  # decoders meet broken input with nearly every built-in exception
        raise UnreadableError(f"a broken image ({error or type(error).__name__})") from error
    return (kind, height, width) if turned else (kind, width, height)


def checked_picture(data: bytes, limits: ImageLimits = DEFAULT_LIMITS) -> tuple[bytes, int, int]:
    """A picture's bytes without metadata, its width and its height.

    Raises ValueError with the reason, as `picture` does.
    """
    try:
        kind, width, height = picture(data, limits.pixels)
    except UnreadableError as error:
        raise ValueError(str(error)) from error
    return without_metadata(data, kind, _orientation_of(data)), width, height


def checked_recording(data: bytes, medium: str) -> Recording:
    """Read the head of a recording. Raises ValueError with the reason, as `checked_picture` does."""
    try:
        return recording(data, medium)
    except UnplayableError as error:
        raise ValueError(str(error)) from error


def _orientation_of(data: bytes) -> int:
    """The orientation that a picture's EXIF data give; 1, upright, where there are none."""
    require("PIL")
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data), formats=("JPEG", "PNG", "WEBP", "GIF")) as image:
            return int(image.getexif().get(_ORIENTATION, 1))
    except Exception:  # as in `_is_turned`
        return 1


def _is_turned(image: "Image.Image") -> bool:
    """Check whether browsers show the image with width and height exchanged."""
    try:
        return image.getexif().get(_ORIENTATION, 1) in (5, 6, 7, 8)
    except Exception:  # browsers show images with broken EXIF data; so do we
        return False


def _spelt(name: str, known: Container[str]) -> str:
    """Spell a name as the study does: macOS writes é as two characters, which look the same as one, and ids
    have _ or - where a name of a file has spaces.
    """
    composed = unicodedata.normalize("NFC", name)
    spellings = (name, composed, composed.replace(" ", "_"), composed.replace(" ", "-"))
    return next((spelling for spelling in spellings if spelling in known), composed)


def _wrapper(entries: list[ImageEntry], known: Known) -> str:
    """Find the folder around all topics, such as "images/", if the folder itself was zipped; else ""."""
    tops = {entry.name.split("/", 1)[0] for entry in entries}
    if len(tops) == 1 and all(entry.name.count("/") >= 2 for entry in entries):
        top = tops.pop()
        return "" if top in known.topics else f"{top}/"
    return ""


def _parents(name: str) -> list[str]:
    parts = name.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]


def _file_content(path: Path, limits: ImageLimits) -> Callable[[], bytes]:
    def content() -> bytes:
        try:
            with path.open("rb") as file:
                data = file.read(limits.file_bytes + 1)
        except OSError as error:
            raise UnreadableError(f"cannot be read: {error.strerror or error}") from error
        if len(data) > limits.file_bytes:
            raise UnreadableError(f"larger than the limit of {megabytes(limits.file_bytes)}")
        return data

    return content


def _fail(problems: Problems) -> Callable[[OSError], None]:
    def fail(error: OSError) -> None:
        problems.add(0, f"a folder cannot be read: {error.strerror or error}")

    return fail
