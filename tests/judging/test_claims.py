"""Claims, the sentences that cite: marked as supported or not, from the form to a release and back."""

import io
import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from django.core.management import call_command
from django.db import connection
from django.db.models import Value
from django.db.models.functions import Concat
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from collection.material.claims import MOST, claims_of
from collection.models import Item, Study
from collection.study import lifecycle
from judging.audit import derived_state, hash_chain, verification
from judging.batches import answering
from judging.models import Judgment
from judging.questions import asking
from judging.tasks.aspects import AspectSettings, Details, problem_of_change, restored
from judging.transfer import judgment_export
from scoring import jobs as scoring_jobs
from scoring.analysis.aspects import ASPECTS
from tests.api.programs import Program
from tests.judging.organizing import account, logged_in, staff_of, text
from tests.judging.test_preview import token_of
from tests.makers import add_run, invite, make_study, open_study, sit
from tournament.services import catch_up
from web.coordinator.compare import aspects_page
from web.release.release_loader import load

TASK = AspectSettings(claims="asked")
MARKDOWN, HTML = Study.Markup.MARKDOWN, Study.Markup.HTML
TEXT = "Ferns like **shade**.[1] They are old [2]. Nobody knows why. Moss is older.[1][2]"


@pytest.mark.parametrize(
    ("written", "markup", "found"),
    [
        (TEXT, MARKDOWN, ["Ferns like shade.[1]", "They are old [2].", "Moss is older.[1][2]"]),
        (
            "Dr. Fern [1] has 2.5 leaves. [2] says so.",
            MARKDOWN,
            ["Dr. Fern [1] has 2.5 leaves.", "[2] says so."],
        ),
        ("- One [1]\n- Two\n  lines [2](https://x.example)", MARKDOWN, ["One [1]", "Two lines [2]"]),
        ("```\na[1]\n```\n[1]: https://x.example\n[2] Flora, https://y.example", MARKDOWN, []),
        ("<p>A <b>bold</b> one [1].</p><p>None.</p>", HTML, ["A bold one [1]."]),
        ("苔が古い。[1]次【2】。", MARKDOWN, ["苔が古い。[1]", "次【2】。"]),
        ("Beyond the list [3].", MARKDOWN, []),
    ],
)
def test_sentences_that_cite_a_source_are_claims(written, markup, found):
    assert [claim.words for claim in claims_of(written, markup, 2)] == found


def test_lists_and_ranges_cite_each_of_their_sources_and_others_are_left_out():
    [claim] = claims_of("Many say so [1-3, 2, 9].", MARKDOWN, 3)
    assert claim.cites == (1, 2, 3)
    assert len(claims_of("So it is.[1] " * (MOST + 5), MARKDOWN, 1)) == MOST


@pytest.mark.parametrize("sign", ["a.[1] ", "[", ".", "[1", "[1, ", "<", "*", " ", '."', "[1]("])
def test_signs_of_any_number_are_read(sign):
    claims_of(sign * 5_000 + " [1]", MARKDOWN, 1)
    claims_of(sign * 5_000 + " [1]", HTML, 1)


@pytest.fixture
def study(db):
    """Three models; each answer cites two sources in three sentences."""
    study = make_study(topics=2, items=3, k=1, pairings=1, judgments_per_pair=2, slug="cited")
    study.case, study.markup = Study.Case.ANSWERS, MARKDOWN
    study.save()
    task = asking.task_of(study)
    task.settings = asdict(TASK)
    task.save()
    for letter in "abc":
        add_run(study, f"model-{letter}", {topic: [f"{topic}-{letter}"] for topic in ("t1", "t2")})
    text = Concat(Value(f"{TEXT}\n\n"), "docno")
    Item.objects.update(text=text, sources=[{"text": "Flora."}, {"text": "Of moss."}])
    open_study(staff_of(study))
    return study


def marks(place) -> Details:
    """Of model a all are supported; of others the first is not, and of the second nobody can tell."""
    items = [one.item.docno for one in place.question.subjects.all()]
    shown = [items[int(at)] for at in place.shown]
    claims = tuple((1, 1, 1) if docno.endswith("-a") else (-1, 0, None) for docno in shown)
    return Details(claims=claims, rules=TASK.rules)


def test_a_form_posts_them_with_the_answer_in_one_statement_and_back_shows_them(study, client):
    person = invite(study)
    batch = answering.arrive(person.pk)
    page = client.get(f"/i/{person.reference}/")
    html = page.content.decode()
    assert html.count('name="claim-left-3" value="yes"') >= 1
    assert "Ferns like shade.[1]" in html
    posted = {"token": token_of(page), "kind": "pair", "position": 1, "choice": "left", "plain": "page"}
    posted |= {
        "rules": TASK.rules.told,
        "claim-left-1": "yes",
        "claim-left-3": "no",
        "claim-right-1": "unsure",
    }
    with CaptureQueriesContext(connection) as asked:
        assert client.post("/answer/", posted | {"claim-right-2": ""}).status_code == 303
    assert len([query for query in asked if "judging_judgment" in query["sql"]]) == 1
    assert Judgment.objects.get().details == {"claims": [[1, None, -1], [0]]}
    shown = client.get(f"/i/{person.reference}/?at=1").content.decode()
    assert 'name="claim-left-3" value="no" data-key="right" checked' in shown
    for bad in ({"claim-left-1": "up"}, {"claim-left-99": "yes"}):
        again = posted | {"position": 2} | bad
        refused = client.post("/answer/", again, headers={"accept": "application/json"})
        assert refused.status_code == 400
    assert Judgment.objects.filter(assignment=batch).count() == 1


def test_the_first_page_and_those_of_the_batch_say_how_many_a_pair_has_at_most(study, client):
    """Of the answers that there are: a cites once more than the others."""
    for item in Item.objects.filter(docno="t2-a"):
        Item.objects.filter(pk=item.pk).update(text=f"{item.text} Moss too.[2]")
    person = invite(study)
    said = "A pair has at most 7 of these short questions."
    assert said in client.get(f"/i/{person.reference}/").content.decode()
    answering.arrive(person.pk)
    assert said in client.get(f"/i/{person.reference}/").content.decode()


def test_an_answer_that_comes_twice_in_a_batch_is_asked_about_once(study, client):
    person = invite(study)
    batch = answering.arrive(person.pk)
    html = client.get(f"/i/{person.reference}/").content.decode()
    items = {pk for place in batch.batch.all() for pk in place.question.subject_ids}
    assert html.count('class="aspect claim"') == 3 * len(items)


def test_nothing_is_asked_where_it_is_off_or_nothing_cites(study, client):
    task = asking.task_of(study)
    person = invite(study)
    answering.arrive(person.pk)
    for settings, words in ((AspectSettings(), TEXT), (TASK, "No source.")):
        task.settings = asdict(settings)
        task.save()
        Item.objects.update(text=words)
        assert "claim-" not in client.get(f"/i/{person.reference}/").content.decode()


def test_when_they_are_asked_stays_once_they_were():
    assert problem_of_change(TASK, AspectSettings(claims="asked", aspects_when="before"))
    assert not problem_of_change(TASK, AspectSettings(aspects="Clear"))


@pytest.fixture
def marked(study):
    for _ in range(2):
        sit(invite(study), say=marks)
        catch_up()
    scoring_jobs.sweep()
    hash_chain.seal()
    return study


def test_the_page_and_its_table_have_each_model_s_share(marked):
    shown = text(logged_in("bob").get(reverse("aspects", args=[marked.slug])))
    found = ASPECTS.cached(marked)
    said = [(docno, mark) for docno, marks in told_by(marked) for mark in marks]
    for number, letter in enumerate("abc"):
        own = [mark for docno, mark in said if docno.endswith(letter)]
        decided = [mark for mark in own if mark in ("yes", "no")]
        share = found.figures.support.shares.shares[number]
        assert share == pytest.approx(decided.count("yes") / len(decided))
        assert found.figures.support.unsure[number] == own.count("cannot tell")
    assert found.figures.support.marks == len([mark for _, mark in said if mark])
    assert "None is surely supported more than the others by what it cites." in shown
    assert "sentences that cite: model-a 100 %, model-" in shown
    assert "Sentences that cite" in shown
    rows = logged_in("bob").get(reverse("table-csv", args=[marked.slug, "supported"])).content.decode()
    assert any(row.startswith("model-a,1") for row in rows.splitlines())


def told_by(study) -> list[tuple[str, list[str | None]]]:
    """Docno and marks, from the exported lines."""
    lines = [json.loads(line) for line in judgment_export.aspects(study, lambda *_: "somebody")]
    return [
        (docno, [one["supported"] for one in said])
        for line in lines
        for docno, said in line["claims"].items()
    ]


def test_the_export_says_the_sentence_its_sources_and_the_mark(marked):
    lines = [json.loads(line) for line in judgment_export.aspects(marked, lambda *_: "somebody")]
    best = [said for line in lines for docno, said in line["claims"].items() if docno.endswith("-a")]
    assert best
    assert best[0][1:] == [
        {"sentence": "They are old [2].", "cites": [2], "supported": "yes"},
        {"sentence": "Moss is older.[1][2]", "cites": [1, 2], "supported": "yes"},
    ]


def test_a_program_reads_the_marks_of_the_export(marked):
    rows = Program("alice", "read").pages(f"/studies/{marked.slug}/judgments", "judgments")
    assert [one for row in rows for one in row["claims"].items()] == told_by(marked)


def test_out_in_a_release_and_in_again_they_are_the_same(marked, tmp_path):
    assert not verification.verify(marked).problems
    assert derived_state.rebuild(marked) == 0
    lifecycle.close(marked.pk)
    call_command("release", marked.slug, str(tmp_path / "out"), stdout=io.StringIO())
    loaded = load(tmp_path / "out", slug="again", organizer=account("alice"))
    hash_chain.seal()
    assert not verification.verify(loaded).problems
    assert told_by(loaded) == told_by(marked)


def test_a_person_s_page_shows_their_marks(marked):
    person = marked.assessors.order_by("pk").first()
    shown = text(logged_in("alice").get(reverse("person", args=[marked.slug, person.pk])))
    assert "Sentences that cite, left : " in shown
    assert "supported, supported, supported" in shown
    assert "not supported, cannot tell, skipped or not answered" in shown


@pytest.mark.parametrize("claims", ["[[1]]", "[[2], []]", "[[true], []]", f"[[{'1, ' * MOST}1], []]", "{}"])
def test_a_release_with_marks_that_nobody_can_give_is_refused(claims):
    with pytest.raises(ValueError, match="claims"):
        restored({"claims": json.loads(claims)}, TASK)


def test_a_model_is_called_the_best_supported_only_where_intervals_do_not_overlap(marked):
    logged_in("bob").get(reverse("aspects", args=[marked.slug]))
    found = ASPECTS.cached(marked)
    own = found.figures.support
    for lows, best in (([0.9, 0.1, 0.1], "model-a is supported most"), ([0.4, 0.1, 0.1], "None is surely")):
        shares = replace(own.shares, lows=np.array(lows), highs=np.array([1.0, 0.5, 0.5]))
        figures = replace(found.figures, support=replace(own, shares=shares))
        assert aspects_page.answer(replace(found, figures=figures), marked.words)[0].startswith(best)
