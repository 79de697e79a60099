"""Page preferences: answers about two runs' result pages for a topic that were collected elsewhere."""

from collections.abc import Iterable

from collection.models import Import, Run, Study
from collection.upload import record_store
from collection.upload.kinds.base import (
    GROUPS,
    IMAGE,
    CannotLoad,
    Finish,
    Kind,
    Progress,
    Source,
    halves,
    register,
    text_of,
)
from judging.questions.result_pages import task_for_files
from judging.transfer import judgment_import
from prefir.formats import (
    Known,
    PreferenceRecord,
    each_preference,
    read_table,
    read_xie_serp_preferences,
    topic_by_text,
)
from prefir.formats.xie import ENGINES


def known_runs(study: Study) -> Known:
    """The topics and, of each, the runs that a file may name."""
    runs = set(Run.objects.filter(study=study).values_list("name", flat=True))
    topics = record_store.topics_of(study)
    return Known(topics=topics.keys(), items=dict.fromkeys(topics, runs), new_items=False)


@register
class PagePreferences(Kind):
    """Answers about result pages made elsewhere, which count like any other."""

    key = "pages"
    title = "Page preferences"
    format = (
        "Topic, run a, run b, winner (a's name, b's name, or the word tie); "
        "then, if you like, the assessor's label, and after it the strength: 1, 2 (definitely), 0 with a tie."
        " Or a table (CSV, JSON, .xlsx) with the columns topic, run_a, run_b, winner."
    )
    group = "Judging"
    example_name = "pages.txt"
    locked_by_opening = False
    once = True

    def example(self) -> bytes:
        """Two people's answers about two runs, which have to be loaded before, one of them a tie."""
        return text_of(["tides system-a system-b system-a anna", "tides system-a system-b tie ben"])

    def load(self, source: Source, progress: Progress) -> Finish:
        read, write = halves(progress)
        known = known_runs(source.study)
        records = read_table(
            "judgments",
            source.name,
            source.path,
            lambda given: each_preference(source.name, given, known, progress=read, about="run"),
            topic_of=topic_by_text(known, record_store.prompts(source.study)),
        )
        return judgment_import.stage_judgments(source.row, records, write, task_of=task_for_files)

    def undo(self, row: Import) -> None:
        judgment_import.undo_judgments(row)


@register
class XiePages(PagePreferences):
    """The image data set's preferences between the result pages of Sogou and Baidu."""

    key = "xie-pages"
    title = "SERP_level_preference (Xie et al. 2020)"
    format = "Each query's better result page: 0 Sogou, 1 tie, 2 Baidu. Load Image_position.json first."
    group = GROUPS[-1]
    example_name = "SERP_level_preference"
    fits = (IMAGE,)

    def example(self) -> bytes:
        """One query."""
        return text_of(["Query\tWinner(0: Sogou, 1: Tie, 2: Baidu)", "lighthouse\t0"])

    def load(self, source: Source, progress: Progress) -> Finish:
        read, write = halves(progress)
        known = known_runs(source.study)
        sogou, baidu = ENGINES.values()
        if Run.objects.filter(study=source.study, name__in=[sogou, baidu]).count() < 2:
            raise CannotLoad(f"The study has not both runs {sogou} and {baidu}: load their grids first.")
        found = read_xie_serp_preferences(source.name, source.path, known, progress=read)
        records: Iterable[PreferenceRecord] = (
            PreferenceRecord(one.topic, sogou, baidu, one.winner, line=one.line) for one in found
        )
        return judgment_import.stage_judgments(source.row, records, write, task_of=task_for_files)
