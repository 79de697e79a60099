"""Groups of topics: what a table of them says, what is refused by name, and what files are taken for one."""

import pytest

from prefir.formats import BadFile, Known, read_groups, recognize, recognize_columns

KNOWN = Known({"q1", "q2", "q3"})


@pytest.mark.parametrize(
    "given",
    [
        b"topic,category,language\nq1,travel,en\nq2,,de\n",
        b"topic\tcategory\tlanguage\nq1\ttravel\ten\nq2\t\tde\n",
        b'[{"topic": "q1", "category": "travel", "language": "en"}, {"topic": "q2", "language": "de"}]',
        b'{"topic": "q1", "category": "travel", "language": "en"}\n{"topic": "q2", "language": "de"}\n',
    ],
)
def test_each_column_but_the_id_is_a_group(given):
    found = read_groups("g", given, KNOWN)
    assert [(one.topic, dict(one.groups)) for one in found] == [
        ("q1", {"category": "travel", "language": "en"}),
        ("q2", {"category": "", "language": "de"}),
    ]
    assert recognize(given).kind == "groups"


def test_what_tables_of_topics_have_besides_is_no_group():
    """The study's own list of topics can be taken, given columns, and loaded."""
    given = b"topic,text,items,graded,nothing_to_show,runs,section\nq1,a text,3,2,0,4,news\n"
    assert dict(read_groups("g", given, KNOWN)[0].groups) == {"section": "news"}
    assert recognize(given).kind != "groups"


def test_columns_that_an_organizer_names_are_groups():
    columns = {"nr": "topic", "kind of text": "group"}
    given = b"nr,kind of text,other\nq2,long,x\n"
    assert dict(read_groups("g", given, KNOWN, columns=columns)[0].groups) == {"kind of text": "long"}
    assert recognize_columns(columns).kind == "groups"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (b"topic,category\nq1,a\nq9,b\n", 'unknown topic "q9"'),
        (b"topic,category\nq1,a\nq1,b\n", 'topic "q1" was already given on line 2'),
        (b"topic,category\nq1," + 81 * b"a" + b"\n", "longer than 80 characters"),
        (b"topic,category\n", "no row under the header"),
        (b"category,language\na,b\n", "names no column of ids"),
        (b"topic,text\nq1,a text\n", "or nothing beside it"),
        (b"q1 travel\n", "names no column of ids"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(given, said):
    with pytest.raises(BadFile, match=said):
        read_groups("g", given, KNOWN)
