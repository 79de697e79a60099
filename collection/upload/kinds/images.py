"""Images, sound and film: a zip (or, on the command line, a folder) with one folder per topic."""

import io
import wave
import zipfile
from math import pi, sin

from collection.models import Import
from collection.upload import doubts, record_store
from collection.upload.kinds.base import (
    FILM,
    IMAGE,
    SOUND,
    TEXT,
    CannotLoad,
    Finish,
    Kind,
    Progress,
    Source,
    halves,
    register,
)
from collection.upload.kinds.example_material import PICTURES
from prefir.formats import read_images_folder, read_images_zip, topics_of_images


def _tone(hertz: float, rate: int = 8000, seconds: float = 2.0) -> bytes:
    packed = io.BytesIO()
    with wave.open(packed, "wb") as sound:
        sound.setparams((1, 2, rate, 0, "NONE", ""))
        levels = (round(12_000 * sin(2 * pi * hertz * n / rate)) for n in range(int(seconds * rate)))
        sound.writeframes(b"".join(level.to_bytes(2, "little", signed=True) for level in levels))
    return packed.getvalue()


@register
class Images(Kind):
    """Pictures or recordings, each named by its docno, in a folder named by its topic."""

    key = "images"
    title = "Images, sound, film"
    format = (
        "A zip with one folder a topic, named by the topic's id; in it its pictures (jpg, png, webp, gif), "
        "sounds (wav, mp3, ogg, opus, m4a, flac) or films (mp4, webm), as the study compares, each named by "
        "its docno. A study without topics takes its folders as topics."
    )
    group = "Collection"
    locked_by_opening = False
    of_new_topics = True
    example_name = "images.zip"
    fits = (IMAGE, SOUND, FILM)

    def example(self) -> bytes:
        """A zip of four pictures of one colour in the folder of their topic."""
        from PIL import Image

        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for docno, colour in PICTURES.items():
                picture = io.BytesIO()
                Image.new("RGB", (64, 48), colour).save(picture, "PNG")
                archive.writestr(f"lighthouse/{docno}.png", picture.getvalue())
        return packed.getvalue()

    def example_of(self, kind: str) -> bytes:
        """For sound a zip of four tones in the folder of their topic; for film, which nothing here can make,
        pictures.
        """
        if kind != SOUND:
            return self.example()
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for number, docno in enumerate(PICTURES, 1):
                archive.writestr(f"lighthouse/{docno}.wav", _tone(110.0 * number))
        return packed.getvalue()

    def load(self, source: Source, progress: Progress) -> Finish:
        if source.study.kind == TEXT:
            raise CannotLoad("This study compares passages of text: images cannot be loaded into it.")
        read, write = halves(progress)
        known = record_store.known(source.study, adding=True)
        if source.path.is_dir():
            records = read_images_folder(source.path, known, progress=read)
        else:
            records = read_images_zip(source.name, source.path, known, progress=read)
        if known.new_topics:
            record_store.stage_topics(source.row, topics_of_images(records), ["text"])
        source.doubts.extend(doubts.of_records("images", records, known))
        source.doubts.extend(doubts.of_replaced(source.study, records))
        return record_store.stage_images(source.row, records, write, stored=source.stored)

    def undo(self, row: Import) -> None:
        record_store.remove_staged(row)
