"""Small files in the public layouts of rankings, grades, answers and votes, and what each becomes.

Written after the documentation of the programs and collections that they are named after.
"""

import gzip
import io
import json
from typing import Any, NamedTuple

import pyarrow
from pyarrow.parquet import write_table


class Layout(NamedTuple):
    """name: as the table in docs/layouts.md has it. kind: what it is loaded as; "" where it is refused.
    loaded: its records, or a part of the sentence that says how to mend it. asked: the kinds that the page
    asks about, since the file alone does not say.
    """

    name: str
    file: str
    content: bytes
    kind: str
    loaded: Any
    asked: tuple[str, ...] = ()


def lines(*rows: object) -> bytes:
    return "".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows).encode()


def chat(*texts: str) -> list[dict[str, str]]:
    """Messages of a user and an assistant in turn."""
    return [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(texts)]


def parquet(columns: dict[str, list[Any]]) -> bytes:
    """A Parquet file of these columns."""
    file = io.BytesIO()
    write_table(pyarrow.table(columns), file)
    return file.getvalue()


TOPICS = [("q1", "Which fern?"), ("q2", "Why moss?")]
ITEMS = [("q1", "d1", "A fern."), ("q2", "d2", "Moss, of course.")]
GRADES = [("q1", "d1", 2.0), ("q1", "d2", 0.0)]
RUN = {"q1": ["d2", "d1"], "q2": ["d1"]}
VOTES = [("q1", "m1", "m2", "m2"), ("q2", "m1", "m3", None)]
# Of answers: prompts, answers and votes.
PROMPTED = [("p1", "Which fern?")]
PASSAGE = "A fern is a plant that has neither seeds nor flowers. " * 5

LAYOUTS = [
    Layout(
        "TREC run", "bm25.run", b"q1 Q0 d1 2 8.5 bm25\nq1 Q0 d2 1 9 bm25\nq2 Q0 d1 1 3 bm25\n", "run", RUN
    ),
    Layout("TREC qrels", "a.qrels", b"q1 0 d1 2\nq1 0 d2 0\n", "qrels", GRADES),
    Layout(
        "TREC topics in SGML or XML",
        "topics.301",
        b"<top>\n<num> Number: 301\n<title> Fern\n<desc> Description:\nWhich?\n</top>\n",
        "",
        "write a line for each, its number, a tab and its title",
    ),
    Layout(
        "BEIR queries.jsonl",
        "queries.jsonl",
        lines(*({"_id": topic, "text": text, "metadata": {}} for topic, text in TOPICS)),
        "topics",
        TOPICS,
    ),
    Layout(
        "BEIR corpus.jsonl",
        "corpus.jsonl",
        lines({"_id": "d1", "title": "Fern", "text": PASSAGE, "metadata": {}}),
        "",
        "add the column topic",
    ),
    Layout(
        "BEIR corpus.jsonl without titles",
        "corpus.jsonl",
        lines({"_id": "d1", "text": PASSAGE}, {"_id": "d2", "text": PASSAGE}),
        "topics",
        [("d1", PASSAGE.strip()), ("d2", PASSAGE.strip())],
        ("topics",),
    ),
    Layout(
        "BEIR qrels/test.tsv",
        "test.tsv",
        b"query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\n",
        "qrels",
        GRADES,
    ),
    Layout("MS MARCO queries.tsv", "queries.tsv", b"q1\tWhich fern?\nq2\tWhy moss?\n", "topics", TOPICS),
    Layout(
        "MS MARCO collection.tsv",
        "collection.tsv",
        f"0\t{PASSAGE}\n1\t{PASSAGE}\n".encode(),
        "topics",
        [("0", PASSAGE.strip()), ("1", PASSAGE.strip())],
        ("topics",),
    ),
    Layout("MS MARCO qrels.tsv", "qrels.dev.tsv", b"q1\t0\td1\t2\nq1\t0\td2\t0\n", "qrels", GRADES),
    Layout(
        "MS MARCO top1000.tsv",
        "top1000.dev",
        f"q1\td1\tWhich fern?\t{PASSAGE}\n".encode(),
        "",
        "put this line first, with tabs between: qid, pid, query, passage",
    ),
    Layout(
        "MS MARCO run (Anserini, Pyserini)",
        "run.tsv",
        b"q1\td2\t1\nq1\td1\t2\nq2\td1\t1\n",
        "",
        "put this line first, with tabs between: qid, docno, rank",
    ),
    Layout(
        "ir_datasets queries",
        "queries.jsonl",
        lines(*({"query_id": topic, "text": text} for topic, text in TOPICS)),
        "topics",
        TOPICS,
    ),
    Layout(
        "ir_datasets docs",
        "docs.jsonl",
        lines({"doc_id": "d1", "text": "A fern."}),
        "",
        "add the column topic",
    ),
    Layout(
        "ir_datasets qrels",
        "qrels.jsonl",
        lines(
            {"query_id": "q1", "doc_id": "d1", "relevance": 2, "iteration": "0"},
            {"query_id": "q1", "doc_id": "d2", "relevance": 0, "iteration": "0"},
        ),
        "qrels",
        GRADES,
    ),
    Layout(
        "ir_datasets scoreddocs",
        "scoreddocs.jsonl",
        lines(
            {"query_id": "q1", "doc_id": "d1", "score": 7.5},
            {"query_id": "q1", "doc_id": "d2", "score": 9.0},
            {"query_id": "q2", "doc_id": "d1", "score": 1.5},
        ),
        "run",
        RUN,
        ("run", "qrels"),
    ),
    Layout(
        "PyTerrier results",
        "results.csv",
        b"qid,docid,docno,rank,score,query\nq1,7,d2,0,9.5,fern\nq1,4,d1,1,7.5,fern\nq2,4,d1,0,3,moss\n",
        "run",
        RUN,
    ),
    Layout(
        "ranx and pytrec_eval run",
        "run.json",
        lines({"q1": {"d1": 0.5, "d2": 0.75}, "q2": {"d1": 0.25}}),
        "run",
        RUN,
        ("run", "qrels"),
    ),
    Layout(
        "ranx and pytrec_eval qrels",
        "qrels.json",
        lines({"q1": {"d1": 2, "d2": 0}}),
        "qrels",
        GRADES,
        ("run", "qrels"),
    ),
    Layout(
        "RankLLM and Pyserini hits",
        "retrieve.json",
        lines([{"query": "fern", "hits": [{"docid": "d1", "rank": 1, "score": 9.5}]}]),
        "",
        "write them as a TREC run",
    ),
    Layout(
        "LETOR and SVMlight",
        "train.txt",
        b"2 qid:q1 1:0.05 2:1 #docid = d1\n0 qid:q1 1:0.01 2:0 #docid = d2\n",
        "",
        "write lines of topic, 0, docno and grade",
    ),
    Layout(
        "Amazon ESCI",
        "examples.csv",
        b"example_id,query,query_id,product_id,product_locale,esci_label,split\n0,fern,q1,d1,us,E,train\n",
        "",
        "add the column grade with numbers, such as 3 for E",
    ),
    Layout(
        "LMArena battles, JSON",
        "battles.json",
        lines(
            [
                {
                    "question_id": topic,
                    "model_a": a,
                    "model_b": b,
                    "winner": winner,
                    "judge": "arena_user_9",
                    "conversation_a": [{"role": "user", "content": "fern"}],
                    "turn": 1,
                    "tstamp": 1682351000.5,
                }
                for topic, a, b, winner in (
                    ("q1", "m1", "m2", "model_b"),
                    ("q2", "m1", "m3", "tie (bothbad)"),
                )
            ]
        ),
        "judgments",
        VOTES,
    ),
    Layout(
        "LMArena battles, CSV",
        "battles.csv",
        b"question_id,model_a,model_b,winner,judge\nq1,m1,m2,model_b,u1\nq2,m1,m3,both_bad,u2\n",
        "judgments",
        VOTES,
    ),
    Layout(
        "Votes that name the prompt by its text",
        "votes.csv",
        b"prompt,model_a,model_b,winner,judge\nWhich fern?,m1,m2,model_b,u1\nWhy  moss?,m1,m3,tie,u2\n",
        "judgments",
        VOTES,
    ),
    Layout(
        "LMSYS human preferences (Kaggle)",
        "train.csv",
        b"id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie\n"
        b'7,m1,m2,"[""fern?""]","[""yes""]","[""no""]",0,1,0\n8,m1,m2,moss?,yes,no,0,0,1\n',
        "answers",
        (
            [("7", "fern?"), ("8", "moss?")],
            [("7", "m1", "yes"), ("7", "m2", "no"), ("8", "m1", "yes"), ("8", "m2", "no")],
            [("7", "m1", "m2", "m2"), ("8", "m1", "m2", None)],
        ),
    ),
    Layout(
        "MT-bench votes of people",
        "human.jsonl",
        lines(
            {
                "question_id": "q1",
                "model_a": "m1",
                "model_b": "m2",
                "winner": "model_b",
                "judge": "e",
                "turn": 1,
            },
            {"question_id": "q2", "model_a": "m1", "model_b": "m3", "winner": "tie", "judge": "e", "turn": 1},
        ),
        "judgments",
        VOTES,
    ),
    Layout(
        "MT-bench votes in several turns",
        "human.jsonl",
        lines(
            {
                "question_id": "q1",
                "model_a": "m1",
                "model_b": "m2",
                "winner": "model_b",
                "judge": "e",
                "turn": 1,
            },
            {"question_id": "q1", "model_a": "m1", "model_b": "m2", "winner": "tie", "judge": "e", "turn": 2},
        ),
        "judgments",
        'line 2: "q1" has turn 2 after turn 1: give each turn a topic of its own',
    ),
    Layout(
        "MT-bench grades",
        "gpt-4_single.jsonl",
        lines({"question_id": 81, "model": "m1", "judge": ["gpt-4", "single-v1"], "score": 7, "turn": 1}),
        "",
        "give each turn a topic of its own",
    ),
    Layout(
        "AlpacaEval outputs",
        "model_outputs.json",
        lines([{"instruction": "Which fern?", "output": "This one.", "generator": "m1", "dataset": "x"}]),
        "answers",
        (PROMPTED, [("p1", "m1", "This one.")], []),
    ),
    Layout(
        "AlpacaEval annotations",
        "annotations.json",
        lines(
            [
                {
                    "instruction": "Which fern?",
                    "output_1": "This one.",
                    "output_2": "None.",
                    "generator_1": "m1",
                    "generator_2": "m2",
                    "annotator": "gpt",
                    "preference": preference,
                }
                for preference in (1.0, 1.98, 1.5, None)
            ]
        ),
        "answers",
        (
            PROMPTED,
            [("p1", "m1", "This one."), ("p1", "m2", "None.")],
            [("p1", "m1", "m2", "m1"), ("p1", "m1", "m2", "m2"), ("p1", "m1", "m2", None)],
        ),
    ),
    Layout(
        "Preference pairs (Hugging Face, Argilla, OpenAI)",
        "train.jsonl",
        lines({"prompt": "Which fern?", "chosen": "This one.", "rejected": "None."}),
        "answers",
        (
            PROMPTED,
            [("p1", "chosen", "This one."), ("p1", "rejected", "None.")],
            [("p1", "chosen", "rejected", "chosen")],
        ),
    ),
    Layout(
        "Preference pairs as chats (UltraFeedback, HH-RLHF)",
        "train.jsonl",
        lines({"chosen": chat("Which fern?", "This one."), "rejected": chat("Which fern?", "None.")}),
        "answers",
        (
            PROMPTED,
            [("p1", "chosen", "This one."), ("p1", "rejected", "None.")],
            [("p1", "chosen", "rejected", "chosen")],
        ),
    ),
    Layout(
        "Label Studio export",
        "project-1.json",
        lines(
            [
                {
                    "id": 1,
                    "data": {"text1": "a", "text2": "b"},
                    "annotations": [{"result": [{"type": "pairwise", "value": {"selected": "left"}}]}],
                }
            ]
        ),
        "",
        "an export of Label Studio",
    ),
    Layout(
        "Potato annotations",
        "annotated_instances.jsonl",
        lines(
            {"id": "q1", "displayed_text": "a", "user_id": "u", "label_annotations": {"better": {"A": "1"}}}
        ),
        "",
        "annotations of Potato",
    ),
    Layout(
        "Pairs of answers in one row",
        "pairs.jsonl",
        lines({"question_id": 1, "prompt": "Which?", "model_a": "m1", "response_a": "a", "response_b": "b"}),
        "answers",
        ([("1", "Which?")], [("1", "m1", "a"), ("1", "b", "b")], []),
    ),
    Layout(
        "Evalica comparisons",
        "food.csv",
        b"Topic,Item X,Item Y,Winner\nq1,m1,m2,y\nq2,m1,m3,tie\n",
        "judgments",
        VOTES,
    ),
    Layout(
        "Winners and losers",
        "elo.csv",
        b"topic,winner,loser\nq1,m2,m1\n",
        "judgments",
        [("q1", "m2", "m1", "m2")],
        ("judgments", "challenges"),
    ),
    Layout(
        "Winners and losers without topics", "elo.csv", b"winner,loser\nm2,m1\n", "", "add the column topic"
    ),
    Layout(
        "OpenAI chat lines",
        "m1.jsonl",
        lines({"messages": chat("Which fern?", "This one.")}),
        "answers",
        (PROMPTED, [("p1", "m1", "This one.")], []),
    ),
    Layout(
        "ShareGPT conversations",
        "m1.json",
        lines(
            [
                {
                    "id": "x1",
                    "conversations": [
                        {"from": "human", "value": "Hello"},
                        {"from": "gpt", "value": "Hello."},
                        {"from": "human", "value": "Which fern?"},
                        {"from": "gpt", "value": "This one."},
                    ],
                }
            ]
        ),
        "answers",
        ([("x1", "Which fern?")], [("x1", "m1", "This one.")], []),
    ),
    Layout(
        "LMArena conversations",
        "arena.json",
        lines(
            [
                {
                    "question_id": "q1",
                    "model_a": "m1",
                    "model_b": "m2",
                    "winner": "model_b",
                    "judge": "u1",
                    "conversation_a": chat("Which fern?", "This one."),
                    "conversation_b": chat("Which fern?", "None."),
                    "turn": 1,
                    "language": "English",
                }
            ]
        ),
        "answers",
        (
            [("q1", "Which fern?")],
            [("q1", "m1", "This one."), ("q1", "m2", "None.")],
            [("q1", "m1", "m2", "m2")],
        ),
    ),
    Layout(
        "MT-Bench questions",
        "question.jsonl",
        lines({"question_id": 81, "category": "writing", "turns": ["Which fern?", "And why?"]}),
        "answers",
        ([("81", "1. Which fern?\n2. And why?")], [], []),
    ),
    Layout(
        "MT-Bench answers",
        "m1.jsonl",
        lines({"question_id": "q1", "model_id": "m1", "choices": [{"index": 0, "turns": ["This one."]}]}),
        "answers",
        ([], [("q1", "m1", "This one.")], []),
    ),
    Layout(
        "Prompts with a column for each model",
        "wide.csv",
        b"prompt,gpt,llama\nWhich fern?,This one here.,None of these.\n",
        "answers",
        (PROMPTED, [("p1", "gpt", "This one here."), ("p1", "llama", "None of these.")], []),
    ),
    Layout(
        "Answers in rows",
        "answers.jsonl",
        lines({"prompt": "Which fern?", "model": "m1", "response": "This one."}),
        "answers",
        (PROMPTED, [("p1", "m1", "This one.")], []),
    ),
    Layout(
        "Ragas table",
        "ragas.csv",
        b"user_input,retrieved_contexts,response,reference,faithfulness\nWhich fern?,['x'],This.,That.,0.5\n",
        "answers",
        (PROMPTED, [("p1", "ragas", "This.")], []),
    ),
    Layout(
        "DeepEval table",
        "deepeval.csv",
        b"input,actual_output,expected_output,context\nWhich fern?,This.,That.,x\n",
        "answers",
        (PROMPTED, [("p1", "deepeval", "This.")], []),
    ),
    Layout(
        "Answers of systems with ids",
        "answers.csv",
        b'prompt_id,model,answer\nq1,d1,A fern.\nq2,d2,"Moss, of course."\n',
        "answers",
        ([], ITEMS, []),
    ),
    Layout(
        "Unicode text of spreadsheets",
        "topics.txt",
        "\ufeffTopic ID\tQuery\r\nq1\tWhich fern?\r\nq2\tWhy moss?\r\n".encode("utf-16-le"),
        "topics",
        TOPICS,
    ),
    Layout(
        "Rows as lists of JSON",
        "rows.jsonl",
        lines(["qid", "query"], ["q1", "Which fern?"], ["q2", "Why moss?"]),
        "topics",
        TOPICS,
    ),
    Layout(
        "Anything gzipped", "a.qrels.gz", gzip.compress(b"q1 0 d1 2\nq1 0 d2 0\n", mtime=0), "qrels", GRADES
    ),
    Layout(
        "Parquet",
        "m1.parquet",
        parquet({"id": ["x1"], "model": ["m1"], "messages": [chat("Which fern?", "This one.")]}),
        "answers",
        ([("x1", "Which fern?")], [("x1", "m1", "This one.")], []),
    ),
]
