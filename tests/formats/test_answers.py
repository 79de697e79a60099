"""Answers of models: prompts, answers and votes of tables and chats, by the roles of their columns."""

import json

import pytest

from collection.upload.unknown_topics import Every
from prefir.formats import (
    BadFile,
    Known,
    guess_roles,
    plain_turns,
    read_answers,
    read_judgments,
    recognize_columns,
    split_turns,
    suggest_roles,
)
from tests.formats.layouts import chat

KNOWN = Known(topics={"q1", "q2"})


def lines(*rows: object) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def read(content: bytes, name: str = "file.jsonl", known: Known = KNOWN, **more):
    return read_answers(name, content, known, **more)


def told(content: bytes, **more) -> list[str]:
    with pytest.raises(BadFile) as refused:
        read(content, **more)
    return [f"{one.line}: {one.reason}" for one in refused.value.problems]


def test_prompts_without_ids_are_numbered_and_found_again_by_their_text():
    rows = [{"prompt": f"Why {n}?", "model": m, "answer": f"{m}{n}"} for m in ("a", "b") for n in (1, 2)]
    found = read(lines(*rows), prompts={"Why 2?": "q2"})
    assert [(one.topic, one.text) for one in found.prompts] == [("p1", "Why 1?"), ("q2", "Why 2?")]
    assert found.rankings == {"a": {"p1": ["a"], "q2": ["a"]}, "b": {"p1": ["b"], "q2": ["b"]}}


def test_prompts_are_numbered_also_where_every_topic_counts_as_known():
    """As while another file of a drop, which may name topics, cannot be read."""
    found = read(lines({"prompt": "New?", "model": "a", "answer": "x"}), known=Known(topics=Every()))
    assert [one.topic for one in found.prompts] == ["p1"]


def test_numbers_that_are_taken_are_left_out():
    known = Known(topics={"p1"})
    found = read(lines({"prompt": "New?", "model": "a", "answer": "x"}), known=known)
    assert [one.topic for one in found.prompts] == ["p2"]


@pytest.mark.parametrize("name", ["question_id", "prompt_id", "topic"])
def test_an_id_of_rows_by_any_name_is_no_id_where_prompts_come_again(name):
    """As the arenas name the ids of votes. Prompts that come once or twice by chance keep theirs."""
    pairs = [("a", "b"), ("b", "c"), ("a", "c")]
    rows = [
        {name: f"v{n}{q}", "prompt": q, "model_a": one, "model_b": two, "response_a": one, "response_b": two}
        for q in ("Why?", "How?")
        for n, (one, two) in enumerate(pairs)
    ]
    found = read(lines(*rows))
    assert [(p.topic, p.text) for p in found.prompts] == [("p1", "Why?"), ("p2", "How?")]
    assert (len(found.items), found.row_ids) == (6, 6)
    few = [*rows[:1], *(row | {"prompt": f"Which {n}?"} for n, row in enumerate(rows[1:]))]
    assert [p.topic for p in read(lines(*few)).prompts] == [row[name] for row in few]


def test_an_id_of_rows_is_no_id_of_prompts():
    rows = [{"id": n, "prompt": "Why?", "model": m, "answer": m} for n, m in enumerate("ab")]
    found = read(lines(*rows))
    assert [one.topic for one in found.prompts] == ["p1"]
    assert {one.docno for one in found.items} == {"a", "b"}


def test_a_second_answer_of_a_model_has_a_number():
    rows = [{"prompt": "Why?", "model": "a", "answer": text} for text in ("one", "two", "one")]
    found = read(lines(*rows))
    assert [(one.docno, one.text) for one in found.items] == [("a", "one"), ("a~2", "two")]
    assert found.rankings == {"a": {"p1": ["a", "a~2"]}}


def test_an_empty_cell_of_a_wide_table_is_no_answer():
    content = b"prompt,first,second\nWhy so?,Because it is so.,Just so it is.\nAnd then?,Nobody knows it.,\n"
    found = read(content, name="wide.csv")
    assert found.rankings == {"first": {"p1": ["first"], "p2": ["first"]}, "second": {"p1": ["second"]}}


def test_an_empty_answer_is_kept_as_one():
    found = read(lines({"prompt": "Why?", "model": "a", "answer": ""}))
    assert split_turns(found.items[0].text) == [("assistant", "")]


def test_what_chats_share_is_earlier_and_what_follows_is_the_answer():
    before = [{"role": "system", "content": "Be brief."}, *chat("Hi", "Hello.")]
    rows = [
        {"id": "c1", "model": m, "messages": [*before, *chat("Why?", f"{m}!", "Sure?", f"{m}?")]}
        for m in ("a", "b")
    ]
    found = read(lines(*rows))
    (prompt,) = found.prompts
    assert (prompt.topic, prompt.text) == ("c1", "Why?")
    assert plain_turns(prompt.earlier) == "System: Be brief.\n\nUser: Hi\n\nAssistant: Hello."
    assert split_turns(found.items[0].text) == [("assistant", "a!"), ("user", "Sure?"), ("assistant", "a?")]


def test_parts_of_a_message_are_joined_and_pictures_named():
    parts = [{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": {"url": "x"}}]
    messages = [{"role": "user", "content": parts}, {"role": "assistant", "content": "A cat."}]
    assert read(lines({"messages": messages})).prompts[0].text == "What is it?\n\n[image]"


def test_votes_on_several_turns_are_on_prompts_of_their_own():
    both = {"model_a": "a", "model_b": "b", "judge": "anna"}
    talks = {f"conversation_{m}": chat("Why?", m, "Sure?", m * 2) for m in "ab"}
    rows = [
        {"question_id": 81, "turn": turn, "winner": f"model_{w}", **both, **talks}
        for turn, w in ((1, "a"), (2, "b"))
    ]
    found = read(lines(*rows))
    assert [(one.topic, one.text) for one in found.prompts] == [("81-1", "Why?"), ("81-2", "Why?")]
    assert [one.text for one in found.items[:2]] == ["a", "b"]
    assert split_turns(found.items[2].text)[-1] == ("assistant", "aa")
    assert [(one.topic, one.winner, one.assessor) for one in found.votes] == [
        ("81-1", "a", "anna"),
        ("81-2", "b", "anna"),
    ]


@pytest.mark.parametrize(
    ("winner", "won"),
    [
        ("model_a", "m1"),
        ("m2", "m2"),
        ("tie (bothbad)", None),
        ("B", "m2"),
        (1, "m1"),
        (2, "m2"),
        (1.5, None),
    ],
)
def test_a_winner_is_named_by_its_model_its_side_or_a_number(winner, won):
    row = {
        "prompt": "?",
        "model_a": "m1",
        "model_b": "m2",
        "response_a": "x",
        "response_b": "y",
        "winner": winner,
    }
    (vote,) = read(lines(row)).votes
    assert (vote.a, vote.b, vote.winner) == ("m1", "m2", won)


def test_where_nobody_voted_there_is_no_vote():
    row = {"prompt": "?", "response_a": "x", "response_b": "y", "winner": None}
    found = read(lines(row))
    assert found.votes == []
    with pytest.raises(BadFile, match="no row says which answer won"):
        read_judgments("f", lines(row), KNOWN)


def test_votes_need_their_answers_where_items_have_texts():
    row = {
        "prompt_id": "q1",
        "response_a": "x",
        "response_b": "y",
        "model_a": "a",
        "model_b": "b",
        "winner": "a",
    }
    known = Known(topics={"q1"}, items={"q1": {"a"}}, new_items=False)
    with pytest.raises(BadFile, match='"b" has no answer to "q1"; load it first'):
        read_judgments("f", lines(row), known)


def test_every_bad_row_is_named():
    content = b"prompt,model,answer\nWhy?,m,Thus.\n,m,x\nWhy?,tie,y\n"
    assert told(content, name="a.csv") == [
        "3: there is neither a prompt nor its id",
        '4: a model cannot be called "tie": judgment files use this word for a tie',
    ]
    unknown = lines({"prompt_id": "zz", "model": "a", "answer": "x"})
    assert 'unknown topic "zz"' in told(unknown)[0]
    row = {"prompt": "Why?", "model": "m", "answer": {"x": [1]}}
    odd = lines({"messages": chat("Why?"), "model": "m"}, row)
    assert told(odd) == ["1: the conversation ends without an answer", "2: there is no answer in it"]


def test_one_id_with_two_prompts_is_refused():
    rows = [{"prompt_id": "x", "prompt": text, "model": "m", "answer": "y"} for text in ("Why?", "How?")]
    assert told(lines(*rows)) == ['2: the prompt "x" has another text than in row 1']


def test_groups_descriptions_and_weights_go_with_their_prompts():
    row = {"prompt": "Why?", "model": "a", "answer": "x", "category": "math", "language": "en", "weight": 2}
    (prompt,) = read(lines(row)).prompts
    assert prompt.groups == {"category": "math", "language": "en"}
    assert prompt.weight == 2
    assert told(lines(row | {"weight": -1})) == ['1: the weight "-1" is not a number above 0, at most 1e+06']


def test_columns_are_what_somebody_says_they_are():
    content = b"Frage;System A;System B;Art\nWarum?;Ja.;Nein.;x\n"
    columns = {"Frage": "prompt", "System A": "named", "System B": "named", "Art": "group"}
    found = read(content, name="a.csv", columns=columns)
    assert found.prompts[0].groups == {"Art": "x"}
    assert [(one.docno, one.text) for one in found.items] == [("System-A", "Ja."), ("System-B", "Nein.")]


@pytest.mark.parametrize(
    "row",
    [
        {"docno": "d", "topic": "q1", "text": "x" * 30},
        {"query_id": "q1", "query": "fern", "docno": "d", "rank": 1},
        {"topic": "q1", "text": "x" * 30, "category": "a long category of topics"},
        {"topic": "q1", "title": "x" * 30, "description": "y" * 30, "narrative": "z" * 30},
        {"qid": "q1", "query": "why is it so", "note": "x" * 30},
        {"topic": "q1", "a": "d1", "b": "d2", "winner": "d1"},
    ],
)
def test_other_tables_are_no_answers(row):
    assert guess_roles(list(row), [row]) == {}


def test_a_number_beside_each_answer_is_no_id_of_its_prompt():
    rows = [
        {
            "input text": f"Why {n % 3}, say?",
            "system name": f"m{n // 3}",
            "completion": f"So {n}, since {n}",
            "ms": 90 + n,
        }
        for n in range(9)
    ]
    expected = {"input text": "prompt", "system name": "model", "completion": "text"}
    assert suggest_roles(list(rows[0]), rows) == expected


def test_a_long_table_with_unknown_names_is_guessed_by_what_comes_again():
    rows = [
        {"qn": f"Why {q}?", "Which LLM": f"gpt {m}", "txt out": f"gpt {m} says {q}", "latency_ms": 100 + q}
        for q in range(4)
        for m in range(3)
    ]
    assert guess_roles(list(rows[0]), rows) == {}
    assert suggest_roles(list(rows[0]), rows) == {"qn": "prompt", "Which LLM": "model", "txt out": "text"}


@pytest.mark.parametrize("asked", [("q_body",), ("qid",), ("qid", "q_body"), ("prompt",)])
def test_models_are_what_crosses_the_prompts_and_a_group_is_what_each_prompt_has_one_of(asked):
    rows = [
        dict.fromkeys(asked, f"Why is it so in case {q}?")
        | {"sut": f"the model {m}", "zz_text": f"so says {m} of {q}", "skill": f"s{q % 3}", "seconds": q * m}
        for q in range(12)
        for m in range(4)
    ]
    roles = {"q_body": "prompt", "qid": "topic", "prompt": "prompt"}
    expected = {name: roles[name] for name in asked}
    expected |= {"sut": "model", "zz_text": "text", "skill": "group"}
    assert suggest_roles(list(rows[0]), rows) == expected
    by_model = sorted(rows, key=lambda row: row["sut"])
    assert suggest_roles(list(rows[0]), by_model) == expected


def test_names_that_are_changed_are_told_with_how_they_are_written():
    names = ("GPT 4", "GPT-4", " Claude 3 ", "bm25")
    rows = [{"id": "q 1", "prompt": "Why?", "model": m, "answer": m} for m in names]
    written = read(lines(*rows)).written
    assert written == {
        ("model", "GPT-4"): ["GPT 4", "GPT-4"],
        ("model", "Claude-3"): ["Claude 3"],
        ("prompt", "q-1"): ["q 1"],
    }
    wide = read(
        lines({"prompt": "Why?", "GPT 4": "x", "bm25": "y"}),
        columns={"prompt": "prompt", "GPT 4": "named", "bm25": "named"},
    )
    assert wide.written == {("model", "GPT-4"): ["GPT 4"]}


@pytest.mark.parametrize(
    "roles", [("text_a", "text_b"), ("messages_a", "messages_b"), ("chosen", "rejected"), ("messages",)]
)
def test_answers_that_hold_their_prompts_need_no_id(roles):
    """A column of ids of rows can be left out of chats and pairs."""
    assert recognize_columns({role: role for role in roles}).kind == "answers"
