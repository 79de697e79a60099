"""Answers of models: prompts, answers, and a run of each model, from one table or from chats."""

from collection.models import Import
from collection.upload import doubts, record_store
from collection.upload.kinds.base import TEXT, Finish, Kind, Progress, Source, halves, register, text_of
from prefir.formats import read_answers

EXAMPLE = {
    "Why is the sky blue?": {
        "model-a": "Air scatters blue light more than red light.",
        "model-b": "Because the sea is blue.",
    },
    "Name three prime numbers.": {"model-a": "2, 3 and 5.", "model-b": "1, 2 and 3."},
}


@register
class ModelAnswers(Kind):
    """Answers of models to prompts: each prompt becomes a topic, each model a run."""

    key = "answers"
    title = "Answers of models"
    format = (
        "A table (CSV, JSON, .xlsx) with the columns prompt, model and answer; or with prompt and a column "
        "for each model; or pairs of answers; or chats with messages. Also the files of MT-Bench, AlpacaEval "
        "and the arenas. Prompts without ids are numbered."
    )
    group = "Systems"
    of_answers = True
    example_name = "answers.csv"
    fits = (TEXT,)
    several = True
    locked_by_opening = False
    of_new_topics = True

    def example(self) -> bytes:
        """Two prompts, each answered by two models."""
        rows = [f'"{prompt}",{m},"{text}"' for prompt, own in EXAMPLE.items() for m, text in own.items()]
        return text_of(["prompt,model,answer", *rows])

    def load(self, source: Source, progress: Progress) -> Finish:
        _, write = halves(progress)
        known = record_store.known(source.study, adding=True)
        found = read_answers(
            source.name,
            source.path,
            known,
            prompts=record_store.prompts(source.study),
            columns=source.columns,
        )
        source.doubts.extend(doubts.of_answers(found, known, source.columns))
        source.notes.extend(doubts.notes_of_answers(found))
        source.doubts.extend(doubts.of_texts(found.items, source.study.markup))
        return record_store.stage_answers(source.row, found, write)

    def undo(self, row: Import) -> None:
        record_store.remove_staged(row)
