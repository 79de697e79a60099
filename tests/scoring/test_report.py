"""The report: the facts of the pages, the same in each of its forms, on two A4 sheets whatever they are."""

import html
import re
from dataclasses import fields, is_dataclass, replace
from types import SimpleNamespace

import pytest
from django.test import RequestFactory
from django.urls import reverse

from collection.models import Run, Study, Topic
from judging.audit import hash_chain
from judging.models import Question, Task
from panels.models import Budget, Campaign
from panels.money import AccountEntry, Kind, post_now
from prefir.plots import Look, race
from scoring import jobs
from scoring.analysis.doubtful_judgments import DOUBTS
from scoring.board import leaderboard, standings
from scoring.compute.trust_figures import Agreement, OfTask
from scoring.quality.trust import TRUST
from scoring.scores.stored_measures import MEASURED
from tests.ground import ROOT
from tests.judging.organizing import account, logged_in, staff_of, text
from tests.makers import add_run, finish, make_study, open_study
from tests.plots.reading import words
from tests.scoring.loaded_judgments import recorded
from tests.scoring.test_leaderboard_pages import judge, with_runs
from tests.web.printed import page_sizes, shown_texts, streams
from web.coordinator import citations
from web.coordinator.answers.trust_verdict import headline
from web.coordinator.report import facts, markdown
from web.coordinator.report.facts import MOST_ROWS, report_of, short
from web.coordinator.report.figure_labels import labels_apart
from web.release import readme
from web.shared import pdf
from web.shared.latest_trust import latest_trust
from web.shared.phrases import isolated

pytestmark = pytest.mark.django_db
A4 = (595, 842)
LONG = "مقارنة <script>alert(1)</script> 比較 | *run* & Ζεύς 🙂 with a name that goes on and on until its end"


@pytest.fixture(scope="module")
def judged(module_data):
    study = with_runs(topics=7, runs=3)
    judge(study, 3)
    finish(study)
    jobs.sweep()
    return study.pk


@pytest.fixture
def study(db, judged):
    return Study.objects.get(pk=judged)


@pytest.fixture
def patient(monkeypatch):
    """Requests that wait for a PDF, however slow the machine is."""
    monkeypatch.setattr(pdf, "WAIT_SECONDS", None)


def reported(study):
    request = RequestFactory().get("/")
    request.user = account("bob")
    return report_of(request, study)


def page(study, name, query="") -> str:
    """What a page says to the coordinator."""
    return html.unescape(text(logged_in("bob").get(reverse(name, args=[study.slug]) + query)))


def test_the_facts_are_those_of_the_pages(study):
    found = reported(study)
    board = page(study, "leaderboard")
    assert f"{found.verdict.answer} {found.verdict.but}".strip() in board
    for line in found.board.lines:
        assert all(said in board for said in (line.name, line.mean, line.ranks, *line.further))
    two = page(study, "compare")
    assert found.against.answer in two
    assert found.against.but in two
    assert len(found.against.tests) == 4
    assert all(p in two for _, p, _ in found.against.tests)
    # Doubtful judgments are looked for by the page of trust alone.
    assert DOUBTS.cached(study) is None
    trust = page(study, "trust")
    found = reported(study)
    assert found.trust[-1] == headline(DOUBTS.cached(study))
    # Within the verdict a sentence begins small.
    assert all(sentence[1:] in trust for sentence in found.trust)


@pytest.mark.parametrize("questions", [29, 30])
def test_methods_give_an_agreement_only_where_it_tells_something(study, monkeypatch, questions):
    own = Agreement(questions, 1.0, 1.0, "nominal", None, 0, 0)
    trust = replace(latest_trust(study)[0].value.trust, agreements=[OfTask(1, own, None)])
    computed = SimpleNamespace(value=SimpleNamespace(trust=trust))
    monkeypatch.setattr(facts, "latest_trust", lambda study: (computed, False))
    found = reported(study)
    few = "too few to say how far people agree" in " ".join(found.trust)
    assert (few, "α" in found.methods) == (questions < 30, questions >= 30)


def test_the_figures_at_a_glance_are_counted(study):
    """By slow versions: what the rows of the database say, one by one."""
    numbers = {fact.name: fact.value for fact in reported(study).numbers}
    kept = [a for person in study.assessors.all() for a in person.assignments.all() if a.state == "kept"]
    rows = [judgment for a in kept for judgment in a.judgments.all()]
    last = {(row.assignment_id, row.question_id): row for row in rows}
    assert numbers["judgments"] == f"{len(last):,}"
    assert numbers["people"] == str(len({a.assessor_id for a in kept}))
    assert numbers["of 7 topics judged"] == "7"
    assert numbers["batches kept, 0 discarded"] == str(len(kept))


def test_every_row_has_its_stored_mean_and_interval(study):
    board = leaderboard.board_of(standings.current(study), 0.95)
    for line, row in zip(reported(study).board.lines, board.rows, strict=True):
        mean = row.means["pgc"]
        assert (line.name, line.mean) == (row.name, f"{mean.value:.3f}")
        assert line.interval == f"{mean.low:.3f} to {mean.high:.3f}"


def said(value) -> list[str]:
    """Every text of a report, of what it is made of too, but for what only a drawing shows."""
    if isinstance(value, str):
        return [value] if value else []
    if isinstance(value, list | tuple):
        return [one for part in value for one in said(part)]
    if is_dataclass(value):
        left = ("study", "race", "drawn", "scale", "pair", "papers", "state")
        return [
            one
            for field in fields(value)
            if field.name not in left
            for one in said(getattr(value, field.name))
        ]
    return []


def shown(markdown_text: str) -> str:
    """A Markdown text as a reader sees it: without its marks."""
    return " ".join(re.sub(r"\\([\\`*_\[\]<>|#~&$])", r"\1", markdown_text).split())


def test_page_and_markdown_say_everything_that_the_report_knows(study):
    Study.objects.filter(pk=study.pk).update(baseline="run-1")
    study.refresh_from_db()
    found = reported(study)
    on_page = page(study, "report")
    file = logged_in("bob").get(reverse("report-md", args=[study.slug]))
    assert file["Content-Type"] == "text/markdown; charset=utf-8"
    in_file = shown(file.content.decode())
    texts = [" ".join(one.split()) for one in said(found)]
    assert len(texts) > 40
    for one in [*texts, *found.pair.texts]:
        assert one in in_file, one
    # What stands in SVG is text of the page too; a table's p is written "p = 0.012".
    for one in texts:
        assert one in on_page, one
    for paper in found.papers:
        assert " ".join(paper.bibtex.split()) in " ".join(on_page.split())
        assert " ".join(paper.bibtex.split()) in in_file


def test_the_pdf_has_two_sheets_of_a4(study, patient):
    answer = logged_in("bob").get(reverse("report-pdf", args=[study.slug]))
    assert answer["Content-Type"] == "application/pdf"
    assert answer["Content-Disposition"] == f'inline; filename="{study.slug}-report.pdf"'
    assert page_sizes(answer.content) == [A4, A4]
    again = logged_in("bob").get(reverse("report-pdf", args=[study.slug]), HTTP_IF_NONE_MATCH=answer["ETag"])
    assert again.status_code == 304


def test_hard_material_stays_on_two_sheets_and_is_nowhere_markup(patient):
    study = staff_of(make_study(topics=7, batch_challenges=0, measures=" ".join(MEASURED)))
    Study.objects.filter(pk=study.pk).update(name=(LONG * 2)[:120])
    Task.objects.filter(study=study).update(wording=(LONG * 4)[:300])
    for topic in Topic.objects.filter(study=study):
        Topic.objects.filter(pk=topic.pk).update(text=LONG * 20)
        topic.items.update(text=LONG * 60)
    ranked = {t.name: list(t.items.values_list("docno", flat=True)) for t in study.topics.all()}
    for n in range(60):
        turned = {t: docnos[n % 5 :] + docnos[: n % 5] for t, docnos in ranked.items()}
        add_run(study, f"{n} {LONG * 2}"[:190], turned)
    open_study(Study.objects.get(pk=study.pk))
    jobs.sweep()
    finish(study)
    jobs.sweep()
    study = Study.objects.get(pk=study.pk)
    study.baseline = Run.objects.filter(study=study).order_by("name")[3].name
    study.save()
    found = reported(study)
    assert found.decision is not None
    assert len(found.board.lines) == MOST_ROWS
    assert found.board.rest == f"{60 - MOST_ROWS} runs of lower rank are left out. The leaderboard has all."
    for name in ("report", "report-md"):
        body = logged_in("bob").get(reverse(name, args=[study.slug])).content.decode()
        assert "alert(1)" in body
        assert "<script>alert" not in body
    answer = logged_in("bob").get(reverse("report-pdf", args=[study.slug]))
    assert page_sizes(answer.content) == [A4, A4]
    assert not any(b"/JavaScript" in part or b"/Launch" in part for part in streams(answer.content))


def test_a_long_board_with_a_decision_and_a_race_stays_on_two_sheets(patient):
    study = with_runs(topics=7, runs=24)
    for run in study.runs.all():
        Run.objects.filter(pk=run.pk).update(name=f"{run.name}-of-a-system-with-quite-a-long-name")
    for _ in range(2):
        judge(study)
        standings.write(study)
    finish(study)
    jobs.sweep()
    for kind in (TRUST, DOUBTS):
        kind.job(study.pk)
    study.baseline = study.runs.order_by("pk")[MOST_ROWS].name
    study.save()
    found = reported(study)
    assert found.race
    assert found.decision
    assert "To choose the best" in found.decision.two_questions
    assert len(found.board.lines) == MOST_ROWS
    answer = logged_in("bob").get(reverse("report-pdf", args=[study.slug]))
    assert page_sizes(answer.content) == [A4, A4]


def test_a_study_without_judgments_says_what_to_do_next(patient):
    study = staff_of(make_study())
    assert "no runs. Load them first" in page(study, "report")
    add_run(study, "one", {"t1": ["t1-a", "t1-b"]})
    standings.write(study)
    assert "judging is not open" in page(study, "report")
    open_study(study)
    assert "Invite people to judge" in page(study, "report")
    for name in ("report-pdf", "report-md"):
        answer = logged_in("bob").get(reverse(name, args=[study.slug]))
        assert (answer.status_code, answer["Location"]) == (302, reverse("report", args=[study.slug]))
    assert reverse("report-pdf", args=[study.slug]) not in records(study)
    assert reverse("report", args=[study.slug]) not in board(study)


def body(study, name) -> str:
    return logged_in("bob").get(reverse(name, args=[study.slug])).content.decode()


def records(study) -> str:
    """The list of files alone, without the navigation."""
    return body(study, "records").partition("<main")[2]


def board(study) -> str:
    return body(study, "leaderboard").partition('class="bench')[2]


def test_loaded_judgments_are_reported_though_judging_never_opened(patient, tmp_path):
    study = recorded(tmp_path)
    found = reported(study)
    assert found.empty == ""
    assert found.question == "Which of 2 runs is best? 10 judgments for 3 topics were loaded from files."
    assert found.asked == ["Judgments were loaded from files; how people were asked is not recorded here."]
    assert [fact.name for fact in found.numbers] == ["judgments", "of 3 topics judged", "runs"]
    assert "10 judgments were loaded from files on " in found.methods
    shown = page(study, "report")
    assert not re.search(r"A batch had|Answers: |\bpeople\b[^<]*\bgave|Strategy|tournament", shown)
    assert "10 judgments were loaded from files" in shown
    assert page_sizes(logged_in("bob").get(reverse("report-pdf", args=[study.slug])).content) == [A4, A4]
    file = logged_in("bob").get(reverse("report-md", args=[study.slug])).content.decode()
    assert "loaded from files" in file
    assert "Answers:" not in file
    assert reverse("report-pdf", args=[study.slug]) in records(study)


def test_labels_of_a_file_are_people_and_files_without_are_none(tmp_path):
    found = reported(recorded(tmp_path, " anna"))
    assert "10 judgments by 2 people were loaded from files" in found.methods
    assert [fact.value for fact in found.numbers if fact.name == "people"] == ["2"]


def test_challenges_are_those_that_were_made(study):
    """The settings ask for three in a batch, and there are none to ask."""
    Task.objects.filter(study=study).update(batch_challenges=3)
    Question.objects.filter(task__study=study).update(expected=None)
    found = reported(study)
    assert "and no challenges." in found.asked[0]
    assert "and no challenges." in found.methods
    assert "Batches had no challenges" in " ".join(
        readme.datasheet(readme.facts(study, pictures=False)).split()
    )
    question = Question.objects.filter(task__study=study).first()
    question.expected = {"lean": 1}
    question.save()
    assert "and 3 challenges with a known answer." in reported(study).asked[0]


def test_a_study_of_models_speaks_of_models_and_prompts(study):
    Study.objects.filter(pk=study.pk).update(case=Study.Case.ANSWERS)
    study.refresh_from_db()
    found = reported(study)
    assert "Which of 3 models is best?" in found.question
    assert "We compared 3 models" in found.methods
    assert "on 7 prompts" in found.methods
    told = " ".join([found.question, found.methods, found.glance]).replace("run-", "")
    assert not re.search(r"\b(runs?|topics?|items?)\b", told)


def test_money_and_the_seal_are_those_of_their_ledgers(study):
    campaign = Campaign.objects.create(
        study=study, panel="link", environment="live", number=1, name="c", currency="USD"
    )
    Budget.objects.create(study=study, currency="USD", cap=100, rehearsal=campaign.is_rehearsal)
    post_now(campaign, [AccountEntry(Kind.REWARD, 30, "a"), AccountEntry(Kind.FEE, 6, "b")])
    hash_chain.seal()
    found = reported(study)
    judgments = leaderboard.board_of(standings.current(study), 0.95).judgments
    each = f"{36 / judgments:,.2f} USD a judgment"
    assert found.cost == [
        f"36.00 USD were spent, which is {each}: 6.00 USD for fees and 30.00 USD for rewards."
    ]
    assert found.seal.startswith(hash_chain.last(study.pk).digest)


def test_a_study_without_money_says_so(study):
    assert reported(study).cost == ["No money was spent through Faceoff."]


def test_milestones_are_the_means_of_the_standings(study):
    """By a slow version: every kept standing read by itself."""
    found = reported(study).milestones
    names = [row.name for row in leaderboard.board_of(standings.current(study), 0.95).rows]
    assert found.names == names
    boards = [leaderboard.board_of(one, 0.95) for one in study.standings.order_by("number")]
    known = {
        (f"{one.judgments:,}", row.name): f"{row.means['pgc'].value:.3f}"
        for one in boards
        for row in one.rows
        if row.means["pgc"].value is not None
    }
    assert len(found.lines) > 1
    for judgments, means in found.lines:
        assert means == [known[judgments, name] for name in names]


def test_a_name_from_right_to_left_turns_nothing_beside_it():
    assert isolated("plain-é") == "plain-é"
    assert isolated("נט-1") == "\u2068נט-1\u2069"
    assert short("ا" * 99, 9) == f"\u2068{'ا' * 8}…\u2069"


def test_names_in_the_race_are_text_of_the_page_on_paper():
    runs = {"نموذج <b>": [(0.4, 0.3, 0.5)] * 3, "plain": [(0.6, 0.5, 0.7)] * 3}
    drawn = race([0, 5, 9], runs, across="Judgments", measure="Mean", look=Look())
    svg, labels = labels_apart(drawn)
    assert [label.text for label in labels] == list(runs)
    assert "Judgments" in words(svg)
    assert not {*runs} & {*words(svg)}
    (high, low) = (next(label for label in labels if label.text == name) for name in ("plain", "نموذج <b>"))
    assert 0 < float(high.top) < float(low.top) < 100
    assert 80 < float(high.left) == float(low.left) < 100
    assert high.colour != low.colour


def test_a_hebrew_name_stands_in_order_on_paper(patient):
    """In the board and beside the race, each set as one text, whose letters from left to right are turned."""
    study = staff_of(make_study(topics=2, batch_challenges=0))
    for name in ("אחזור", "plain"):
        add_run(study, name, {t.name: [i.docno for i in t.items.all()] for t in study.topics.all()})
    open_study(study)
    judge(study)
    finish(study)
    jobs.sweep()
    answer = logged_in("bob").get(reverse("report-pdf", args=[study.slug]))
    texts = shown_texts(answer.content)
    assert sum("plain" in text for text in texts) == 2
    assert sum("רוזחא" in text for text in texts) > 2
    assert not any(len(one) == 1 and one in "אחזור" for text in texts for one in text)


def test_works_that_are_cited_stand_in_the_citation_file():
    file = (ROOT / "CITATION.cff").read_text()
    own = [one for one in vars(citations).values() if isinstance(one, citations.Paper)]
    assert len(own) > 9
    assert set(citations.OF_MEASURE) == set(MEASURED)
    for paper in [*own, citations.faceoff()]:
        told = dict(paper.fields)
        assert told["title"] in file
        first = told["author"].split(",")[0].strip("{}")
        assert first in file
        if paper.key != "faceoff":
            entry = file[file.index(told["title"]) :]
            assert f"year: {told['year']}" in entry[: entry.find("- type") if "- type" in entry else None]
    assert f"version: {dict(citations.faceoff().fields)['version']}" in file


def test_markdown_takes_no_name_for_a_mark():
    assert markdown.plain("a|b *c* <d> [e](f)\n# g") == r"a\|b \*c\* \<d\> \[e\](f) \# g"


def test_coordinators_reach_the_report_from_the_leaderboard(study):
    address = reverse("report", args=[study.slug])
    assert (
        f'href="{address}"'
        in logged_in("bob").get(reverse("leaderboard", args=[study.slug])).content.decode()
    )
