"""The open leaderboard moves by itself when somebody judges, and can be read by everybody who comes to it."""

import json
import socket
import urllib.error
import urllib.request
from itertools import product

import pytest
from django.conf import settings
from django.db.models import F
from playwright.sync_api import expect

from collection.models import Placement
from collection.study import lifecycle
from config import broadcast
from config.task_queue import send_gathered
from judging.batches import answering
from scoring import jobs
from tests.browser.accessibility import assert_accessible
from tests.browser.batches import press, ready
from tests.judging.organizing import account, logged_in, staff_of
from tests.makers import Choice, add_run, answer, invite, make_study, open_study, sit
from tests.servers import free_port, wait_until
from tournament.services import catch_up
from web.shared import streaming, tokens

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

# ms in which an open leaderboard has to ask for what is new: of the page's own time, which stands still until
# a test lets it run. So nothing depends on how busy the machine is, and nobody waits.
MOVES = 2000


@pytest.fixture
def study(settings):
    """Two topics and three runs: one as people prefer, one in between, one backwards; the first is judged."""
    study = staff_of(make_study(topics=3, batch_challenges=0))
    order = {t.name: sorted(t.items.values_list("docno", flat=True)) for t in study.topics.all()}
    add_run(study, "agreeing", order)
    add_run(study, "between", {t: docnos[1:] + docnos[:1] for t, docnos in order.items()})
    add_run(study, "backwards", {t: docnos[::-1] for t, docnos in order.items()})
    open_study(study)
    gather, settings.GATHER_SECONDS = settings.GATHER_SECONDS, 3600.0  # scored once, not at every answer
    sit(invite(study))
    settings.GATHER_SECONDS = gather
    send_gathered()
    catch_up()
    jobs.sweep()
    return study


def log_in(context, live_server, name="bob") -> None:
    """Let a browser be logged in as somebody."""
    cookie = logged_in(name).cookies[settings.SESSION_COOKIE_NAME]
    context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": live_server.url}])


def stop_clock(page) -> None:
    """Let time stand still on pages that are opened here from now on; `page.clock.run_for` lets it run."""
    page.clock.install(time=0)
    page.clock.pause_at(1)


@pytest.fixture
def board(page, live_server, study):
    """The leaderboard, open and following, with a clock that stands still."""
    stop_clock(page)
    log_in(page.context, live_server)
    page.goto(f"{live_server.url}/studies/{study.slug}/leaderboard/")
    page.clock.run_for(MOVES)
    expect(page.get_by_text("Updates by itself")).to_be_visible()
    return page


def test_a_judgment_in_one_window_moves_the_leaderboard_in_another(board, live_server, study):
    """Judged with the keyboard at the assessor's own page; the leaderboard is not touched."""
    assessor = invite(study)
    answering.arrive(assessor.pk)
    judging = board.context.browser.new_page()
    judging.goto(f"{live_server.url}/i/{assessor.reference}/")
    ready(judging, 1)
    expect(board.get_by_text("1 of 3 topics judged")).to_be_visible()
    press(judging, "ArrowLeft")
    board.clock.run_for(MOVES)
    expect(board.locator(".far")).to_contain_text("11 judgments, 1 of them in batches still being judged")
    expect(board.get_by_text("3 topics: 2 begun, 1 with a full round")).to_be_visible()
    judging.close()


def judge_backwards(study, most: int) -> None:
    """Somebody answers questions of a batch the other way round than everybody before."""
    answer(answering.arrive(invite(study).pk), choose=lambda question: Choice.B, most=most)


def test_what_moved_is_marked_with_its_direction_and_the_mark_goes_away(board, study):
    value = board.get_by_role("row", name="agreeing").locator(".m1 .value")
    before = float(value.inner_text())
    judge_backwards(study, most=1)
    board.clock.run_for(MOVES)
    expect(value).to_have_class("value moved")
    now = float(value.inner_text())
    sign = f"{'▲' if now > before else '▼'} {abs(now - before):.3f}"
    drawn = value.evaluate("element => getComputedStyle(element, '::after').content")
    assert (now != before, sign in drawn) == (True, True)
    board.clock.run_for(4100)
    expect(value).to_have_class("value")
    assert value.get_attribute("data-moved") is None


def test_nothing_moves_for_those_who_asked_for_less_motion(board, study):
    board.emulate_media(reduced_motion="reduce")
    judge_backwards(study, most=6)
    board.clock.run_for(MOVES)
    moved = board.locator(".moved").first
    expect(moved).to_be_visible()
    assert moved.evaluate("element => getComputedStyle(element).animationName") == "none"


def test_somebody_who_is_at_a_link_stays_there_when_the_table_is_exchanged(board, study):
    link = board.get_by_role("link", name="between")
    link.focus()
    judge_backwards(study, most=1)
    board.clock.run_for(MOVES)
    expect(board.locator(".far")).to_contain_text("11 judgments")
    expect(link).to_be_focused()


def test_the_answer_is_read_out_when_it_has_changed(board, study):
    said = board.locator("[data-live-said]")
    expect(said).to_have_attribute("aria-live", "polite")
    expect(said).to_be_empty()
    judge_backwards(study, most=1)  # of a second topic: from now on there are intervals
    board.clock.run_for(MOVES)
    expect(said).to_contain_text("Over only 2 topics")


def test_a_server_that_does_not_answer_is_said_to_be_so_and_found_again(board):
    board.route("**/live/**", lambda route: route.abort())
    board.clock.run_for(MOVES)
    expect(board.get_by_text("Not connected: trying again")).to_be_visible()
    # Other parts of the page that are answered do not say otherwise.
    board.clock.run_for(12_000)
    expect(board.get_by_text("Not connected: trying again")).to_be_visible()
    board.unroute("**/live/**")
    board.clock.run_for(6000)
    expect(board.get_by_text("Updates by itself")).to_be_visible()


def test_somebody_who_is_logged_out_is_told_when_the_address_is_renewed(page, live_server, study):
    page.clock.install()
    log_in(page.context, live_server)
    page.goto(f"{live_server.url}/studies/{study.slug}/leaderboard/")
    page.context.clear_cookies()
    page.clock.fast_forward("04:01")
    expect(page.get_by_text("You were logged out: reload the page to log in")).to_be_visible()


def test_somebody_who_was_told_of_the_log_out_is_not_told_otherwise_by_an_answer_that_was_on_its_way(
    page, live_server, study
):
    page.clock.install()
    log_in(page.context, live_server)
    held = []
    page.route("**/live/**", lambda route: held.append(route))
    page.goto(f"{live_server.url}/studies/{study.slug}/leaderboard/")
    page.context.clear_cookies()
    page.clock.fast_forward("04:01")  # asks both what is new and for a new address
    told = page.get_by_text("You were logged out: reload the page to log in")
    expect(told).to_be_visible()
    with page.expect_response("**/live/**"):
        held[0].fulfill(status=503)
    page.evaluate("fetch(location.href).then(answer => answer.text())")  # whatever came before is done with
    expect(told).to_be_visible()


def test_somebody_who_is_no_member_any_more_is_told_at_once(board, study):
    lifecycle.remove_member(study.pk, account("bob").pk)
    board.clock.run_for(MOVES)
    expect(board.get_by_text("You have no part in this study any more")).to_be_visible()


@pytest.fixture
def streamed(page, live_server, study, settings):
    """The leaderboard, open and following by a stream, while asking what is new is not possible."""
    port = free_port()
    streaming.start(port)
    wait_until(lambda: listens(port), what="the stream's server")
    settings.LIVE_URL = f":{port}/"
    log_in(page.context, live_server)
    page.route(f"{live_server.url}/live/**", lambda route: route.abort())
    page.goto(f"{live_server.url}/studies/{study.slug}/leaderboard/")
    wait_until(lambda: streaming.hub.count == 1, what="the page's stream is open")
    expect(page.get_by_text("Updates by itself")).to_be_visible()
    return page


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def stream_status(address: str) -> int:
    """What somebody is answered who opens a stream again by its address."""
    try:
        with urllib.request.urlopen(address, timeout=10) as stream:
            return stream.status
    except urllib.error.HTTPError as error:
        return error.code


def test_what_changed_comes_by_the_stream_and_is_marked(streamed, study):
    judge_backwards(study, most=1)
    expect(streamed.locator(".far")).to_contain_text("11 judgments")
    expect(streamed.locator(".moved").first).to_be_visible()
    order = "rows => rows.map(row => row.dataset.piece)"
    before = streamed.locator("tbody tr").evaluate_all(order)
    sit(invite(study), choose=lambda question: Choice.B)
    expect(streamed.locator(".far")).not_to_contain_text("11 judgments")
    streamed.unroute_all()
    after = streamed.locator("tbody tr").evaluate_all(order)
    streamed.reload()
    assert streamed.locator("tbody tr").evaluate_all(order) == after
    assert sorted(after) == sorted(before)


def test_a_message_that_is_older_than_what_is_shown_is_passed_over(streamed, study):
    """It waited while the whole was fetched; to ask again would only bring the next ones too late."""
    judge_backwards(study, most=1)
    expect(streamed.locator(".far")).to_contain_text("11 judgments")
    asked = []
    # The line of trust asks for itself, elsewhere.
    streamed.on("request", lambda request: asked.append(request.url) if "/live/" in request.url else None)
    streamed.clock.install()
    channel = tokens.board_channel(study.pk, study.persistence)
    shown = json.loads(streaming.hub.latest[channel][1].removeprefix(b"data: "))
    pieces = {name: html.replace("11", "12") for name, html in shown["pieces"].items()}
    newer = shown | {"version": "1000000.0", "base": shown["version"], "pieces": pieces}
    for message in ({"version": "0.1", "base": "0.0", "pieces": {}}, newer):
        broadcast.send(channel, json.dumps(message))
    expect(streamed.get_by_text("12 judgments")).to_be_visible()
    streamed.clock.run_for(2000)
    assert asked == []


def test_a_stream_ends_with_the_membership(streamed, study):
    address = streamed.locator("[data-stream]").get_attribute("data-stream")
    lifecycle.remove_member(study.pk, account("bob").pk)
    wait_until(lambda: streaming.hub.count == 0, what="the stream has ended")
    assert stream_status(address) == 403
    lifecycle.set_member(study.pk, account("bob").pk, "coordinator")
    assert stream_status(address) == 200


def test_somebody_who_is_no_member_any_more_is_told_on_the_page_of_topics(page, live_server, study):
    stop_clock(page)
    log_in(page.context, live_server)
    page.goto(f"{live_server.url}/studies/{study.slug}/topics/")
    page.clock.run_for(MOVES)
    expect(page.get_by_text("Updates by itself")).to_be_visible()
    lifecycle.remove_member(study.pk, account("bob").pk)
    page.clock.run_for(MOVES)
    expect(page.get_by_text("You have no part in this study any more")).to_be_visible()


def test_the_topics_move_too(page, live_server, study):
    stop_clock(page)
    log_in(page.context, live_server)
    page.goto(f"{live_server.url}/studies/{study.slug}/topics/")
    row = page.get_by_role("row", name="t2")
    expect(row).to_contain_text("0 of 10 pairs")
    sit(invite(study))
    page.clock.run_for(MOVES)
    expect(row).to_contain_text("finished")
    expect(page.locator("strong", has_text="2 of 3 topics finished")).to_be_visible()


def test_without_scripts_the_page_is_whole_and_can_be_refreshed(browser, live_server, study):
    context = browser.new_context(java_script_enabled=False)
    log_in(context, live_server)
    page = context.new_page()
    page.goto(f"{live_server.url}/studies/{study.slug}/leaderboard/")
    judge_backwards(study, most=1)
    page.get_by_role("link", name="Refresh").click()
    expect(page.locator(".far")).to_contain_text("11 judgments")
    context.close()


def test_every_link_of_the_leaderboard_is_reached_with_the_keyboard(board):
    board.locator("details", has_text="How to read it").evaluate("fold => { fold.open = true; }")
    links = board.locator("main a").evaluate_all("links => links.map(link => link.href)")
    assert len(links) == 2 + 1 + 3 + 3 + 1
    board.locator("#content").evaluate("main => { main.tabIndex = -1; main.focus(); }")
    reached = []
    # Besides, what sorts, finds and unfolds, and a button for each run that pins it.
    others = board.locator("main :is(button, input, select, summary):visible").count()
    for _ in range(len(links) + others):
        board.keyboard.press("Tab")
        reached.append(board.evaluate("document.activeElement.href"))
        assert board.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert [link for link in reached if link] == links


def test_a_link_keeps_the_focus_when_its_part_is_exchanged(page, live_server, study):
    """The line of trust comes anew once its figures are computed."""
    held = []
    log_in(page.context, live_server)
    page.route("**/leaderboard/trust-line/", lambda route: held.append(route))
    with page.expect_request("**/leaderboard/trust-line/"):
        page.goto(f"{live_server.url}/studies/{study.slug}/leaderboard/")
    link = page.get_by_role("link", name="Can the judgments be trusted?")
    link.focus()
    was = link.element_handle()
    held[0].continue_()
    page.wait_for_function("link => !link.isConnected", arg=was)
    expect(link).to_be_focused()


PAGES = (
    *("leaderboard/", "leaderboard/topics/", "topics/", "topics/{topic}/", "start/"),
    *("leaderboard/measures/", "leaderboard/compare/", "leaderboard/map/", "leaderboard/history/"),
    *("leaderboard/trust/", "leaderboard/trust/?person=", "leaderboard/pairs/", "leaderboard/groups/"),
    "runs/{run}/",
)


def test_every_page_is_accessible_and_fits_its_window(page, live_server, study):
    """At both widths and in both schemes."""
    waiting = staff_of(make_study(topics=1))
    Placement.objects.filter(run__name="backwards").update(row=0, column=F("rank") - 1, row_length=F("rank"))
    log_in(page.context, live_server, "alice")
    for path, width in product(PAGES, (1280, 390)):
        of = waiting if path == "start/" else study
        page.set_viewport_size({"width": width, "height": 844})
        named = {"topic": study.topics.first().pk, "run": study.runs.first().pk}
        page.goto(f"{live_server.url}/studies/{of.slug}/{path.format(**named)}")
        assert_accessible(page)
