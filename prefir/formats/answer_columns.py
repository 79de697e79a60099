"""Columns of tables of answers: the role of each, guessed by its name and its first values."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from statistics import mean

from .conversations import read_turns
from .headers import ALIASES, EXTRAS, PROMPTS, plain_name

TOPIC, PROMPT, MODEL, TEXT, NAMED = "topic", "prompt", "model", "text", "named"
TEXT_A, TEXT_B, MODEL_A, MODEL_B = "text_a", "text_b", "model_a", "model_b"
WINNER, ASSESSOR, TURN = "winner", "assessor", "turn"
MESSAGES, MESSAGES_A, MESSAGES_B = "messages", "messages_a", "messages_b"
PROMPT_TURNS, ANSWER_TURNS = "prompt_turns", "answer_turns"
WON_A, WON_B, WON_NEITHER = "won_a", "won_b", "won_neither"
CHOSEN, REJECTED = "chosen", "rejected"
# Of tables of passages, grades and runs.
DOCNO, GRADE, RANK, SCORE, TAG = "docno", "grade", "rank", "score", "tag"
# Of topics and prompts.
GROUP, DESCRIPTION, WEIGHT = "group", "description", "weight"

_ANSWERS = (
    "response",
    "answer",
    "output",
    "completion",
    "generation",
    "generated_text",
    "actual_output",
    "model_output",
    "prediction",
    "answer_text",
)
_MODELS = ("model", "generator", "system", "model_name", "model_id", "engine", "llm")
# Names of the columns of each role, in any case of letters; the first that a table has counts.
NAMES: Mapping[str, Sequence[str]] = {
    TOPIC: (*ALIASES["topics"]["topic"], "uid", "instance_id"),
    PROMPT: PROMPTS,
    MODEL: _MODELS,
    TEXT: _ANSWERS,
    TEXT_A: tuple(f"{name}_{side}" for side in ("a", "1") for name in _ANSWERS),
    TEXT_B: tuple(f"{name}_{side}" for side in ("b", "2") for name in _ANSWERS),
    CHOSEN: ("chosen", "preferred_output"),
    REJECTED: ("rejected", "non_preferred_output"),
    MODEL_A: (*(f"{name}_{side}" for side in ("a", "1") for name in _MODELS), "chosen_model"),
    MODEL_B: (*(f"{name}_{side}" for side in ("b", "2") for name in _MODELS), "rejected_model"),
    WINNER: ("winner", "preference", "preferred", "vote"),
    WON_A: ("winner_model_a",),
    WON_B: ("winner_model_b",),
    WON_NEITHER: ("winner_tie",),
    ASSESSOR: ("judge", "annotator", "assessor", "annotator_id", "worker", "worker_id", "user_id", "user"),
    TURN: ("turn",),
    MESSAGES: ("messages", "conversation", "conversations"),
    MESSAGES_A: ("conversation_a", "messages_a"),
    MESSAGES_B: ("conversation_b", "messages_b"),
    PROMPT_TURNS: ("turns",),
    ANSWER_TURNS: ("choices",),
}
# What pages call the roles, in the order in which they offer them.
LABELS: Mapping[str, str] = {
    TOPIC: "id of the prompt or topic",
    PROMPT: "prompt or query",
    TEXT: "answer or passage",
    MODEL: "model",
    NAMED: "answers of this model",
    DOCNO: "id of the item (docno)",
    GRADE: "grade",
    RANK: "rank",
    SCORE: "score",
    TAG: "run",
    GROUP: "group of the prompt or topic",
    DESCRIPTION: "description for assessors",
    WEIGHT: "weight in means",
    TEXT_A: "first answer",
    TEXT_B: "second answer",
    MODEL_A: "first model",
    MODEL_B: "second model",
    WINNER: "winner",
    ASSESSOR: "who judged",
    MESSAGES: "chat",
    MESSAGES_A: "first chat",
    MESSAGES_B: "second chat",
    CHOSEN: "chosen answer",
    REJECTED: "rejected answer",
    WON_A: "first model won",
    WON_B: "second model won",
    WON_NEITHER: "nobody won",
    TURN: "turn",
    PROMPT_TURNS: "turns of the question",
    ANSWER_TURNS: "turns of the answer",
}
# Roles that the columns of a kind of file have as a rule, those of pairs of answers apart.
_PAIR = (TOPIC, PROMPT, TEXT_A, TEXT_B, MODEL_A, MODEL_B, WINNER, ASSESSOR)
_USUAL: Mapping[str, Sequence[str]] = {
    "answers": (TOPIC, PROMPT, TEXT, MODEL, NAMED),
    "topics": (TOPIC, PROMPT, DESCRIPTION, WEIGHT, GROUP),
    "items": (TOPIC, DOCNO, TEXT),
    "qrels": (TOPIC, DOCNO, GRADE),
    "run": (TOPIC, DOCNO, RANK, SCORE, TAG),
    "groups": (TOPIC, GROUP),
    "judgments": (TOPIC, PROMPT, MODEL_A, MODEL_B, WINNER, ASSESSOR, TURN),
}


def usual_roles(kind: str, found: Collection[str]) -> list[str]:
    """Return the roles that columns of such a file have as a rule, and those that were found in it.

    kind: "" of a file that was not recognized, which may be of any kind but pairs.
    """
    kinds = [kind] if kind in _USUAL else [one for one in _USUAL if one != "judgments"]
    usual = {*found, *(role for one in kinds for role in _USUAL[one])}
    if kind == "answers" and usual & {*_PAIR[2:6]}:
        usual |= {*_PAIR}
    return [role for role in LABELS if role in usual]


# Ids of a row as often as of a prompt.
UNSURE_IDS = ("id", "_id", "uid")
# Columns that tables of prompts have beside the answers of models.
_OTHERS = {
    *("category", "categories", "tags", "tag", "source", "dataset", "datasplit", "split", "language", "lang"),
    *("reference", "reference_answer", "ref_answer", "expected_output", "ground_truth", "gold", "target"),
    *("context", "contexts", "retrieved_contexts", "timestamp", "tstamp", "date", "notes", "note", "comment"),
    *(
        "difficulty",
        "type",
        "label",
        "index",
        "description",
        "narrative",
        "title",
        "metadata",
        "domain",
        "url",
    ),
    *("system_prompt", "text", "docno", "grade", "relevance", "rank", "score", "row", "column", "strength"),
}
_VOTES = (WINNER, ASSESSOR, WON_A, WON_B, WON_NEITHER)
_FEW_ROWS = 4
_SHORT = 12  # characters: what is shorter on the average is no answer


def guess_roles(names: Iterable[str], rows: Sequence[Mapping[str, object]]) -> dict[str, str]:
    """Guess the role of each column that has one, by names and first values; {} for no table of answers.

    Wide tables have a column for each model, beside the prompts: those with texts that have no other name.
    """
    given = {plain_name(name): name for name in names}
    if given.keys() & {"docno", "doc_id", "docid", "pid", "passage_id", "rank", "esci_label", "product_id"}:
        return {}
    found = {
        given[name]: role
        for role, known in NAMES.items()
        if (name := next((name for name in known if name in given), ""))
    }
    roles = set(found.values())
    if {MESSAGES_A, MESSAGES_B} <= roles:
        return _kept(found, (TOPIC, MESSAGES_A, MESSAGES_B, MODEL_A, MODEL_B, *_VOTES, TURN))
    if {TEXT_A, TEXT_B} <= roles and roles & {PROMPT, TOPIC}:
        return _kept(found, (TOPIC, PROMPT, TEXT_A, TEXT_B, MODEL_A, MODEL_B, *_VOTES))
    if {CHOSEN, REJECTED} <= roles and (PROMPT in roles or _is_chat(found, rows)):
        return _kept(found, (TOPIC, PROMPT, CHOSEN, REJECTED, MODEL_A, MODEL_B, ASSESSOR))
    if {ANSWER_TURNS, TOPIC} <= roles:
        return _kept(found, (TOPIC, MODEL, ANSWER_TURNS))
    if {PROMPT_TURNS, TOPIC} <= roles:
        return _kept(found, (TOPIC, PROMPT_TURNS))
    if MESSAGES in roles:
        return _kept(found, (TOPIC, MODEL, MESSAGES))
    if MODEL in roles and TEXT not in roles and roles & {TOPIC, PROMPT} and "text" in given:
        found[given["text"]] = TEXT
        roles.add(TEXT)
    if TEXT in roles and (PROMPT in roles or {TOPIC, MODEL} <= roles):
        return _kept(found, (TOPIC, PROMPT, MODEL, TEXT))
    if (
        PROMPT in roles
        and not roles & {MODEL, TEXT, WINNER}
        and not given.keys() & set(ALIASES["qrels"]["grade"])
    ):
        wide = [
            name
            for key, name in given.items()
            if name not in found and key not in _OTHERS and _has_texts(name, rows)
        ]
        if len(wide) > 1:
            return _kept(found, (TOPIC, PROMPT)) | dict.fromkeys(wide, NAMED)
    return {}


def suggest_roles(names: Sequence[str], rows: Sequence[Mapping[str, object]]) -> dict[str, str]:
    """Guess what columns may be, also those of a table that is not recognized; for a page that asks."""
    extras = {name: role for name in names for role, own in EXTRAS.items() if plain_name(name) in own}
    if guessed := guess_roles(names, rows):
        return extras | guessed
    graded = {one: ALIASES["qrels"][one] for one in (DOCNO, GRADE)}
    known = {**NAMES, **graded, RANK: (RANK,), SCORE: (SCORE,)}
    found = dict(extras)
    for name in names:
        if name in found:
            continue
        role = next((one for one, own in known.items() if plain_name(name) in own), "")
        # Names of models come again and again; texts do not.
        values = [str(row[name]) for row in rows if row.get(name) is not None]
        once = len(set(values)) == len(values)
        is_text = role in (MODEL, MODEL_A, MODEL_B) and once and _has_texts(name, rows)
        if role and role not in found.values() and not is_text:
            found[name] = role
    left = [name for name in names if name not in found]
    if not set(found.values()) & {MODEL, NAMED}:
        found |= _long_table(left, rows, {found[name]: name for name in found})
        left = [name for name in names if name not in found]
    if TOPIC not in found.values():
        prompt = next((name for name, role in found.items() if role == PROMPT), "")
        ids = [name for name in left if _are_ids([row.get(name) for row in rows])]
        # Ids of prompts come with their prompts; others are of rows, or no ids.
        ids = [one for one in ids if not prompt or _are_same(_words(prompt, rows), _words(one, rows))]
        found |= dict.fromkeys(ids[:1], TOPIC)
    texts = [name for name in left if name not in found and _has_texts(name, rows, least=1)]
    if not set(found.values()) & {PROMPT, TEXT}:
        found |= dict.fromkeys(texts[:1], PROMPT)
    if not set(found.values()) & {MODEL, TEXT, DOCNO}:
        answers = [name for name in texts if name not in found and plain_name(name) not in _OTHERS]
        found |= dict.fromkeys(answers, NAMED)
    return found


def _long_table(
    names: Sequence[str], rows: Sequence[Mapping[str, object]], known: Mapping[str, str]
) -> dict[str, str]:
    """Guess prompt, model, answer and group of a table with a row for each answer; {} if it does not look
    like one. known: the columns of roles that are known.

    Models and prompts come again and again, models in fewer letters; answers are different texts. Each prompt
    has answers of several models, and one group.
    """
    if len(rows) < _FEW_ROWS:
        return {}
    values = {name: _words(name, rows) for name in names}
    again = [name for name in names if len(set(values[name])) * 4 <= len(rows) * 3 and any(values[name])]
    again = [name for name in again if not all(_is_number(value) for value in values[name])]
    again.sort(key=lambda name: mean(map(len, values[name])))
    texts = [name for name in names if name not in again and _has_texts(name, rows, least=1)]
    texts = [known[TEXT]] if TEXT in known else texts
    asked = _words(known.get(PROMPT) or known.get(TOPIC, ""), rows)
    # Ids of a row as often as of a prompt.
    is_asked = PROMPT in known or 1 < len(set(asked)) < len(rows)
    if len(again) < 2 - is_asked or len(texts) != 1:
        return {}
    found = {texts[0]: TEXT}
    asked = asked if is_asked else values[again[-1]]
    if PROMPT not in known:
        prompts = [name for name in again if _are_same(asked, values[name])][-1:]
        found |= dict.fromkeys(prompts, PROMPT)
        again = [name for name in again if name not in found]
    if not again:
        return {}
    model = next((name for name in again if _crosses(asked, values[name])), "")
    groups = [name for name in again if name != model and _divides(asked, values[name])]
    model = model or next((name for name in again if name not in groups), "")
    if not model:
        return found | {again[0]: MODEL}
    grouped = [] if GROUP in known else groups[:1]
    return found | {model: MODEL} | dict.fromkeys(grouped, GROUP)


def _words(name: str, rows: Sequence[Mapping[str, object]]) -> list[str]:
    return [str(row.get(name) or "") for row in rows]


def _are_same(prompts: Sequence[str], values: Sequence[str]) -> bool:
    """Whether each prompt has one value, and another than the other prompts."""
    return len(set(prompts)) == len(set(values)) == len(set(zip(prompts, values, strict=True)))


def _crosses(prompts: Sequence[str], values: Sequence[str]) -> bool:
    """Whether prompts come again, and each time with another value."""
    return len(set(prompts)) < len(prompts) == len(set(zip(prompts, values, strict=True)))


def _divides(prompts: Sequence[str], values: Sequence[str]) -> bool:
    """Whether each prompt has one value, and values are fewer than prompts, as groups are."""
    return 1 < len(set(values)) < len(set(prompts)) == len(set(zip(prompts, values, strict=True)))


def _is_number(value: str) -> bool:
    return value.replace(".", "", 1).isdigit()


def _are_ids(values: Sequence[object]) -> bool:
    """Whether these may be ids: short, without blanks, each once."""
    words = [str(value) for value in values if value not in (None, "")]
    return bool(words) and len(set(words)) == len(words) and all(len(w) < 40 and " " not in w for w in words)


def _kept(found: Mapping[str, str], roles: Sequence[str]) -> dict[str, str]:
    return {name: role for name, role in found.items() if role in roles}


def _is_chat(found: Mapping[str, str], rows: Sequence[Mapping[str, object]]) -> bool:
    """Whether chosen answers are whole conversations, which hold their prompts."""
    names = [name for name, role in found.items() if role == CHOSEN]
    return any(read_turns(row.get(name)) for row in rows[:1] for name in names)


def _has_texts(name: str, rows: Sequence[Mapping[str, object]], least: int = _SHORT) -> bool:
    """Whether half of a column's values or more are texts, of `least` characters on the average."""
    values = [row.get(name) for row in rows]
    texts = [value for value in values if isinstance(value, str) and value.strip()]
    return (
        bool(texts)
        and len(texts) * 2 >= len(values)
        and mean(map(len, texts)) >= least
        and any(" " in text for text in texts)
    )


def has_votes(roles: Iterable[str]) -> bool:
    """Whether rows of these roles say which of two answers won."""
    given = set(roles)
    pairs = {TEXT_A, TEXT_B} <= given or {MESSAGES_A, MESSAGES_B} <= given
    return CHOSEN in given or (pairs and bool(given & {WINNER, WON_A}))
