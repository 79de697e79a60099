"""Warnings about a file that can still be loaded, for the page, the command and the API."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from collection.material.hidden_parts import say_hidden
from collection.models import Item, Study
from prefir.formats import Answers, Known, PreferenceRecord, are_long, split_turns
from prefir.formats.answer_columns import MODEL

EXAMPLES = 3
_LONG = (
    "Half of these texts are as long as passages. Passages are no topics: they are loaded as items, each "
    "with its topic"
)


def of_records(kind: str, records: Sequence[Any], known: Known, *, alone: bool = False) -> list[str]:
    """Say what records of a kind leave open, in sentences. known: what the study has without them.
    alone: leave out what other files may answer.

    Time grows with the records, and where docnos have no item with the items of their topics.
    """
    topics: Iterable[str] = known.topics  # type: ignore[assignment]
    if kind == "topics":
        return [_LONG] if are_long(record.text for record in records) else []
    if kind in ("items", "images"):
        filled = {record.topic for record in records}
        empty = sorted(t for t in topics if t not in filled and not known.items.get(t))
        return [*_empty([] if alone else empty), *_spaces(records if kind == "images" else ())]
    if alone:
        return []
    if kind == "qrels":
        return _bare([(record.topic, record.docno) for record in records], known, "graded")
    if kind in ("run", "grid"):
        return [doubt for record in records for doubt in _of_run(record, set(topics), known)]
    return []


def of_answers(
    found: Answers, known: Known, columns: Mapping[str, str] | None = None, *, alone: bool = False
) -> list[str]:
    """Say what is doubtful: ids of rows, names that become one or are there already, models that did
    not answer all prompts, prompts with one answer, empty and equal answers, names with a ~, and votes that
    count as ties. columns: the role of each, where somebody said so. known: what the study has without them.
    alone: leave out what other files may answer.
    """
    topics = {record.topic for record in found.items}
    fewer = [
        f"{model} answers {len(own):,} of {count(len(topics), 'prompt')}"
        for model, own in found.rankings.items()
        if len(own) < len(topics)
    ]
    texts: dict[str, list[str]] = {}
    for record in found.items:
        texts.setdefault(record.topic, []).append(record.text)
    equal = [topic for topic, own in texts.items() if len(set(own)) < len(own)]
    have = "has" if len(equal) == 1 else "have"
    told = f"{count(len(equal), 'prompt')} {have} equal answers of several models: {some(equal)}"
    return [
        *_row_ids(found),
        *_merged(found),
        *_replaced(found, known),
        *([] if alone else _alone(found, texts, known)),
        *_further(found, columns or {}),
        *([some(fewer)] if fewer else []),
        *_unsaid(found),
        *([told] if equal else []),
        *_both_bad(len(found.both_bad)),
    ]


def _row_ids(found: Answers) -> list[str]:
    """Say that ids were left out, since each row has its own."""
    if not found.row_ids:
        return []
    prompts = count(len(found.prompts), "different prompt")
    return [
        f"{found.row_ids:,} ids stand for {prompts}, so they are ids of rows: equal prompts are taken as "
        "one, and get ids of their own"
    ]


def _merged(found: Answers) -> list[str]:
    """Say which names become one."""
    told = []
    for kind in ("model", "prompt"):
        own = [(ident, ways) for (what, ident), ways in found.written.items() if what == kind]
        for ident, ways in [(ident, ways) for ident, ways in own if len(ways) > 1][:EXAMPLES]:
            names = " and ".join(f"“{name}”" for name in ways)
            told.append(
                f"{names} are loaded as one {kind}, {ident}. If they are two, give one another name first"
            )
    return told


def notes_of_answers(found: Answers) -> list[str]:
    """Say which names are loaded otherwise than they are written: nothing is doubtful about that."""
    told = []
    for kind in ("model", "prompt"):
        own = [(ident, ways) for (what, ident), ways in found.written.items() if what == kind]
        if changed := [f"“{ways[0]}” is loaded as {ident}" for ident, ways in own if len(ways) == 1]:
            told.append(f"Names have no blanks: the {kind} {some(changed)}")
    return told


def notes_of_judgments(records: Iterable[PreferenceRecord]) -> list[str]:
    """Say how many of a judge's answers are about a pair that the same judge answered before."""
    given = [(one.assessor, one.topic, *sorted((one.a, one.b))) for one in records if one.assessor]
    again = len(given) - len(set(given))
    answers = "answers of a judge to a pair are" if again > 1 else "answer of a judge to a pair is"
    return [f"{again:,} second or later {answers} counted too"] if again else []


def _replaced(found: Answers, known: Known) -> list[str]:
    """Say which models have answers already that those of the file take the place of."""
    told = []
    for model, own in found.rankings.items():
        if there := sum(any(known.has_item(topic, docno) for docno in own[topic]) for topic in own):
            told.append(f"{model} ({there:,})")
    if not told:
        return []
    return [
        "Models with such names have answers to some of these prompts already, which these take the place "
        f"of: {some(told)}. If one is another model, give it another name first"
    ]


def _alone(found: Answers, texts: Mapping[str, Sequence[str]], known: Known) -> list[str]:
    """Warn where no prompt has answers of two models, although the file has several models."""
    met = any(len(own) > 1 or known.items.get(topic) for topic, own in texts.items())
    if met or len(found.rankings) < 2:
        return []
    return [
        "No prompt has answers of two models, so there is nothing to compare. Are the prompts' ids right?"
    ]


def _further(found: Answers, columns: Mapping[str, str]) -> list[str]:
    """Say what a name such as model~2 means; where half of the answers have one, ask which column is the
    model, unless the file says so by a name that is known.
    """
    names = [docno for own in found.rankings.values() for docnos in own.values() for docno in docnos[1:]]
    if not names:
        return []
    if len(names) * 2 >= len(found.items) and (columns or len(found.rankings) == 1):
        model = next((name for name, what in columns.items() if what == MODEL), "")
        ask = f"Is “{model}” the model?" if model else "Which column is the model? Say what each column is."
        said = f"{len(names):,} of {count(len(found.items), 'answer')} are further answers of the same model"
        return [f"{said} to the same prompt ({some(sorted(set(names)))}). {ask}"]
    what = "is a second or later answer" if len(names) == 1 else "are second or later answers"
    said = f"{count(len(names), 'answer')} {what} of a model to the same prompt, and count for the model too"
    said = said.replace("and count", "and counts") if len(names) == 1 else said
    return [f"{said}: {some(sorted(set(names)))}"]


def _unsaid(found: Answers) -> list[str]:
    """Name the answers without a letter."""
    turns = [(one, split_turns(one.text)) for one in found.items]
    blank = [one for one, own in turns if own and not any(turn.text for turn in own)]
    if not blank:
        return []
    named = some([f"{one.docno} to {one.topic} (line {one.line})" for one in blank])
    are = "is empty, and is" if len(blank) == 1 else "are empty, and are"
    return [f"{count(len(blank), 'answer')} {are} judged as such: {named}"]


def _both_bad(votes: int) -> list[str]:
    """Say how votes for neither are counted."""
    if not votes:
        return []
    return [
        f"{count(votes, 'vote')} “both bad” {'is counted as a tie' if votes == 1 else 'are counted as ties'}"
    ]


def of_texts(records: Sequence[Any], markup: str) -> list[str]:
    """Say how many item texts are not shown in full, by the study's markup. Time grows with the texts."""
    hidden = say_hidden((record.text for record in records), markup)
    return [hidden] if hidden else []


def of_descriptions(study: Study, records: Sequence[Any]) -> list[str]:
    """Name the described items without a file."""
    pictured = _pictured(study, records)
    bare = [record.docno for record in records if (record.topic, record.docno) not in pictured]
    have = "has" if len(bare) == 1 else "have"
    what = f"no {study.shows}"
    return [f"{count(len(bare), 'described item')} {have} {what}: {some(bare)}"] if bare else []


def of_replaced(study: Study, records: Sequence[Any]) -> list[str]:
    """Name the pictures that are replaced and keep their descriptions."""
    described = {key for key, description in _pictured(study, records).items() if description}
    kept = [record.docno for record in records if (record.topic, record.docno) in described]
    if not kept:
        return []
    keep = "keeps its description" if len(kept) == 1 else "keep their descriptions"
    return [f"{count(len(kept), 'replaced picture')} {keep}; load others where they differ: {some(kept)}"]


def _pictured(study: Study, records: Sequence[Any]) -> dict[tuple[str, str], str]:
    """Descriptions of the study's pictures of these topics, by (topic, docno)."""
    found: dict[tuple[str, str], str] = {}
    topics = sorted({record.topic for record in records})
    for start in range(0, len(topics), 500):
        rows = Item.objects.filter(topic__study=study, topic__name__in=topics[start : start + 500])
        told = rows.exclude(image="").values_list("topic__name", "docno", "description")
        found |= {(topic, docno): description for topic, docno, description in told}
    return found


def _empty(topics: Sequence[str]) -> list[str]:
    have = "has" if len(topics) == 1 else "have"
    return [f"{count(len(topics), 'topic')} {have} no item: {some(topics)}"] if topics else []


def _spaces(pictures: Sequence[Any]) -> list[str]:
    """Warn of pictures whose docnos differ from their file names because ids have no spaces."""
    found = [one.docno for one in pictures if " " in one.file.rpartition("/")[2]]
    return [f"{count(len(found), 'docno')} with _ or - for spaces: {some(found)}"] if found else []


def _of_run(record: Any, topics: Set[str], known: Known) -> list[str]:
    doubts = []
    if missing := sorted(topics - record.rankings.keys()):
        verbs = "is not ranked, and scores" if len(missing) == 1 else "are not ranked, and score"
        doubts.append(f"{count(len(missing), 'topic')} {verbs} 0: {some(missing)}")
    ranked = [(t, getattr(d, "docno", d)) for t, docnos in record.rankings.items() for d in docnos]
    return [*doubts, *_bare(ranked, known, "ranked")]


def _bare(named: Sequence[tuple[str, str]], known: Known, what: str) -> list[str]:
    """Name docnos without an item, which cannot be shown; none if the study has no items at all."""
    bare = [(topic, docno) for topic, docno in named if not known.has_item(topic, docno)]
    if not bare or not any(known.items.values()):
        return []
    told = some([f"{docno} of {topic}" for topic, docno in bare])
    if len(bare) == 1:
        first = f"1 {what} docno has no item, so nobody can be shown it: {told}"
    elif len(bare) < len(named):
        first = f"{len(bare):,} {what} docnos have no item, so nobody can be shown them: {told}"
    else:
        none = f"None of the {len(bare):,} {what} docnos has an item, so nobody can be shown any: {told}"
        first = f"{none}. Is this file about other items?"
    return [first, *_spelt_otherwise(bare, known.items)]


def _spelt_otherwise(bare: Sequence[tuple[str, str]], items: Mapping[str, Any]) -> list[str]:
    """Warn of docnos that differ from items' only in case or in Unicode normalization."""
    topics = {topic for topic, _ in bare}
    alike = {topic: {_plain(docno): docno for docno in items.get(topic, ())} for topic in topics}
    found = [(t, docno, own) for t, docno in bare if (own := alike[t].get(_plain(docno)))]
    encoded = [f"{docno} of {t}" for t, docno, own in found if _composed(docno) == _composed(own)]
    capitals = [f"{docno} for {own}" for _, docno, own in found if _composed(docno) != _composed(own)]
    doubts = []
    if encoded:
        doubts.append(
            f"{count(len(encoded), 'docno')} of these {_looks(encoded)} like an item's, with accents encoded "
            f"otherwise (NFC and NFD of Unicode): {some(encoded)}"
        )
    if capitals:
        doubts.append(
            f"{count(len(capitals), 'docno')} of these {'differs' if len(capitals) == 1 else 'differ'} from "
            f"an item's only in capital letters: {some(capitals)}"
        )
    return doubts


def _looks(names: Sequence[str]) -> str:
    return "looks" if len(names) == 1 else "look"


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _plain(text: str) -> str:
    return _composed(text).casefold()


def count(number: int, noun: str) -> str:
    """A number with its noun: "1 topic", "2 topics"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def some(names: Sequence[str], most: int = EXAMPLES) -> str:
    """The first few of names."""
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")
