"""Sound and film from the zip to the ledger: loaded, served in ranges, and what was heard of them."""

import io
import re

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext

from collection.material.pictures import captions_of, is_picture, medium_of
from collection.models import Item, Study
from collection.presets import PRESETS, RECORDINGS
from collection.study import lifecycle, study_copy
from collection.upload import loading
from judging.audit import derived_state, hash_chain
from judging.batches import answering, examples
from judging.models import Judgment, Task
from judging.questions import expected_time
from judging.tasks import aspects
from judging.tasks.aspects import Details
from judging.transfer import judgment_export
from prefir.formats import BadFile
from scoring import jobs as scoring_jobs
from tests.formats.pictures import zipped
from tests.formats.recordings import CAPTIONS, RED, mp3, mp4, wav, webm
from tests.judging.files import stored_files
from tests.judging.organizing import account, logged_in, staff_of
from tests.judging.studies import invite, make_study
from tests.judging.test_desk_pages import begin, seated
from tests.judging.visiting import JSON, Visitor, answer_all, send
from tests.makers import make_study as bare_study
from tests.makers import open_study, sit
from web.release.files import release
from web.release.folder import write_folder
from web.release.release_loader import load as load_release
from web.shared import tokens
from web.shared.ranges import ranged

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]


@pytest.fixture
def sounds():
    """A study of sound with open questions: each item a tone of a second."""
    return heard(make_study())


def heard(study: Study) -> Study:
    for n, item in enumerate(Item.objects.filter(topic__study=study).order_by("pk")):
        item.image.save("x.wav", ContentFile(wav(1.0, tone=200 + 10 * n)), save=False)
        item.text, item.seconds = "", 1.0
        item.save()
    Study.objects.filter(pk=study.pk).update(kind="sound")
    study.refresh_from_db()
    return study


def test_a_zip_of_recordings_is_loaded_and_a_bad_one_names_its_files(load):
    study = bare_study(topics=0, kind="sound")
    told = load(study, "images", zipped({"a song/one.wav": wav(1.5), "a song/two.mp3": mp3(50)}))
    assert told == "2 recordings for 1 topic"
    assert dict(Item.objects.values_list("docno", "seconds")) == {
        "one": 1.5,
        "two": pytest.approx(50 * 1152 / 44_100),
    }
    names = [item.image.name for item in Item.objects.all()]
    assert set(stored_files()) == set(names)
    assert {medium_of(name) for name in names} == {"sound"}
    with pytest.raises(BadFile) as caught:
        load(study, "images", zipped({"a song/three.wav": b"no", "a song/four.png": b"no"}), file="b.zip")
    assert [str(one).partition(": ")[0] for one in caught.value.problems] == [
        "b.zip/a song/three.wav",
        "b.zip/a song/four.png",
    ]
    assert len(stored_files()) == 2


def test_films_are_loaded_with_their_size_and_replaced(load, django_capture_on_commit_callbacks):
    study = bare_study(topics=0, kind="film")
    load(study, "images", zipped({"t/a.mp4": mp4((b"vide", b"avc1")), "t/b.webm": webm(b"V_VP8")}))
    assert set(Item.objects.values_list("docno", "width", "height", "seconds")) == {
        ("a", 320, 240, 4.0),
        ("b", 320, 240, 4.0),
    }
    with django_capture_on_commit_callbacks(execute=True):
        load(study, "images", zipped({"t/a.mp4": mp4((b"vide", b"avc1"), seconds=9)}), file="again.zip")
    assert Item.objects.get(docno="a").seconds == 9.0
    assert len(stored_files()) == 2


def test_captions_are_stored_beside_their_film_served_with_it_and_go_with_it(
    load, django_capture_on_commit_callbacks
):
    study = bare_study(topics=0, kind="film")
    load(study, "images", zipped({"t/a.webm": RED, "t/a.vtt": CAPTIONS, "t/b.webm": RED}))
    one, other = (Item.objects.get(docno=docno) for docno in "ab")
    shown = Visitor().get(f"/image/{tokens.sign_image(one.pk)}/?captions")
    assert (shown["Content-Type"], b"".join(shown)) == ("text/vtt; charset=utf-8", CAPTIONS)
    assert Visitor().get(f"/image/{tokens.sign_image(other.pk)}/?captions").status_code == 404
    assert len(stored_files()) == 3
    with django_capture_on_commit_callbacks(execute=True):
        load(study, "images", zipped({"t/a.webm": RED}), file="again.zip")
    assert len(stored_files()) == 2


def test_a_release_takes_captions_along(tmp_path, load):
    study = bare_study(topics=0, kind="film")
    load(study, "images", zipped({"t/a.webm": RED, "t/a.vtt": CAPTIONS}))
    write_folder(release(study), tmp_path / "out")
    loaded = load_release(tmp_path / "out", slug="again")
    item = Item.objects.get(topic__study=loaded)
    assert default_storage.open(captions_of(item.image.name)).read() == CAPTIONS
    assert len(stored_files()) == 4


def test_a_recording_is_no_picture():
    assert not is_picture("x.wav")
    assert not is_picture("x.mp4")
    assert not is_picture("")
    assert is_picture("x.png")


def begun(study: Study):
    Task.objects.filter(study=study).update(batch_challenges=0)
    person = invite(study)
    return person, answering.arrive(person.pk)


def test_it_is_served_in_ranges_while_the_batch_is_open_and_to_nobody_else(sounds):
    _person, batch = begun(sounds)
    visitor, address = Visitor(), f"/image/{tokens.sign_shown(batch.pk, 1, 0)}/"
    whole = visitor.get(address)
    data = b"".join(whole)
    assert (whole["Content-Type"], whole["Accept-Ranges"]) == ("audio/wav", "bytes")
    assert int(whole["Content-Length"]) == len(data) == len(wav(1.0))

    def part(asked: str) -> tuple[int, str, bytes]:
        got = visitor.get(address, headers={"range": asked})
        return got.status_code, got.get("Content-Range", ""), b"".join(got)

    last = len(data) - 1
    assert part("bytes=0-") == (206, f"bytes 0-{last}/{len(data)}", data)
    assert part("bytes=100-199") == (206, f"bytes 100-199/{len(data)}", data[100:200])
    assert part("bytes=-50") == (206, f"bytes {len(data) - 50}-{last}/{len(data)}", data[-50:])
    assert part(f"bytes={last}-{len(data) + 9}") == (206, f"bytes {last}-{last}/{len(data)}", data[-1:])
    assert part(f"bytes={len(data)}-") == (416, f"bytes */{len(data)}", b"")
    for ignored in ("bytes=0-1,5-6", "lines=1-2", "bytes=-", "bytes=5-2"):
        assert part(ignored)[0] == 200
    assert visitor.get("/image/" + tokens.sign_shown(batch.pk, 1, 0)[:-2] + "xx/").status_code == 403
    for place in batch.batch.all():
        answering.answer(batch.pk, place.position, 1, kind="pair", nonce=str(place.position))
    answering.close(batch.pk)
    assert visitor.get(address, headers={"range": "bytes=0-"}).status_code == 404


def test_a_range_is_a_file_to_the_server_so_that_no_thread_waits_for_a_slow_reader():
    """As `tests/web/test_serving.py` shows of files."""
    file = io.BytesIO(b"abcdef")
    reply = ranged(RequestFactory().get("/", headers={"range": "bytes=1-3"}), file, "audio/wav")
    part = reply.file_to_stream
    assert [part.read(2), part.read(2), part.read(2)] == [b"bc", b"d", b""]
    reply.close()
    assert file.closed


def test_the_page_has_players_with_and_without_scripts(sounds):
    person, _batch = begun(sounds)
    page = Visitor().get(f"/i/{person.reference}/").content.decode()
    [first] = re.findall(r'<section class="question" data-position="1".*?</section>', page, re.DOTALL)
    assert len(re.findall(r'<audio src="/image/[^"]+" controls', first)) == 2
    assert "<img" not in first
    assert "Before you choose, play 3 s of each, or all of a shorter one." in first
    assert "js/judge/players" in page
    plain = Visitor().get(f"/i/{person.reference}/?plain=1").content.decode()
    assert "<audio" in plain
    assert "players" not in plain


def test_seconds_heard_are_stored_with_the_answer_by_one_statement(sounds):
    person, batch = begun(sounds)
    page = Visitor().get(f"/i/{person.reference}/").content.decode()
    [token] = re.findall(r'data-token="([^"]+)"', page)
    fields = {"token": token, "kind": "pair", "position": 1, "choice": "left", "seconds": "9.5"}
    with CaptureQueriesContext(connection) as asked:
        posted = fields | {"heard": "3.25 12.00", "nonce": "a"}
        assert Visitor().post("/answer/", posted, headers=JSON).json() == {"stored": True}
    assert [query for query in asked if "judging_judgment" in query["sql"]] == list(asked)[:1]
    row = Judgment.objects.get()
    assert (row.details, row.seen) == ({"heard": [3.25, 12.0]}, None)
    # What was heard is no answer: the same one with other seconds is a repeat, another one a correction.
    for choice, told, rows in (("left", "9.00 9.00", 1), ("right", "1.00 0.00", 2)):
        Visitor().post("/answer/", fields | {"choice": choice, "heard": told, "nonce": choice}, headers=JSON)
        assert Judgment.objects.count() == rows
    assert Judgment.objects.latest("pk").details == {"heard": [1.0, 0.0]}
    for position, bad in enumerate(("", "a b", "1 2 3 4 5 6 7 8 9 10", "99999 1", "-1 1", "1  2"), 2):
        Visitor().post("/answer/", fields | {"position": position, "heard": bad}, headers=JSON)
        assert Judgment.objects.latest("pk").details is None
    assert batch.judgments.count() == 8
    staff_of(sounds)
    shown = logged_in("alice").get(f"/studies/{sounds.slug}/people/{person.pk}/").content.decode()
    assert "played 4.3 s and 12.0 s" in " ".join(shown.split())


def test_heard_is_sealed_and_stays_through_a_rebuild(sounds):
    _person, batch = begun(sounds)
    for place in batch.batch.all():
        said = Details(heard=(2.5, float(place.position)))
        answering.answer(batch.pk, place.position, 1, kind="pair", nonce=str(place.position), details=said)
    answering.close(batch.pk)
    hash_chain.seal()
    before = list(Judgment.objects.order_by("pk").values_list("details", flat=True))
    derived_state.rebuild(sounds)
    call_command("verify", sounds.slug, stdout=io.StringIO())
    assert list(judgment_export.aspects(sounds, lambda *_: "anna")) == []
    assert list(Judgment.objects.order_by("pk").values_list("details", flat=True)) == before


def test_a_release_takes_recordings_and_what_was_heard_along(tmp_path):
    study = heard(bare_study(topics=1, items=4, k=1, batch_pairs=4))
    study.play_first, study.levelled = 7, False
    study.save()
    open_study(study)
    staff_of(study)
    sit(invite(study), say=lambda _place: Details(heard=(1.0, 0.5)))
    lifecycle.close(study.pk)
    scoring_jobs.sweep()
    write_folder(release(Study.objects.get(pk=study.pk)), tmp_path / "out")
    loaded = load_release(tmp_path / "out", slug="again")
    assert (loaded.kind, loaded.play_first, loaded.levelled) == ("sound", 7, False)
    rows = Judgment.objects.order_by("pk").values_list("details", flat=True)
    told = [list(rows.filter(topic__study=one)) for one in (study, loaded)]
    assert told[0] == told[1]
    assert {"heard": [1.0, 0.5]} in told[0]
    own, other = (
        [(one.seconds, one.image.read()) for one in Item.objects.filter(topic__study=of).order_by("pk")]
        for of in (study, loaded)
    )
    assert own == other


@pytest.mark.parametrize("bad", [[], [-1], ["1"], 3, [True]])
def test_a_release_with_impossible_seconds_is_refused(bad):
    with pytest.raises(ValueError, match="heard"):
        aspects.restored({"heard": bad}, aspects.AspectSettings())
    assert aspects.restored({"heard": [0, 1.5]}, aspects.AspectSettings()) == {"heard": [0, 1.5]}


def test_time_is_promised_by_the_length_of_recordings(sounds):
    task = Task.objects.get()
    assert expected_time.typical_seconds(task, sounds) == 20.0
    Item.objects.update(seconds=40.0)
    assert expected_time.typical_seconds(task, sounds) == 80.0
    _person, batch = begun(sounds)
    asked = [place.question_id for place in batch.batch.all()]
    assert set(expected_time.of_questions(task, "sound", asked).values()) == {80.0}


def test_a_copy_plays_the_same_files_as_its_original_does(sounds):
    copy = study_copy.copy_settings(sounds, "Copy", account("alice"))
    assert (copy.kind, copy.play_first, copy.levelled) == ("sound", 3, True)
    loading.run(study_copy.begin_material(sounds, copy, runs=False).pk)
    fields = ("docno", "image", "seconds")
    own, other = (Item.objects.filter(topic__study=one).values_list(*fields) for one in (sounds, copy))
    assert set(own) == set(other) != set()


AUDIO = re.compile(r'<audio[^>]* src="(/image/[^"?]+)')


def test_recordings_are_played_on_the_preview_and_among_ones_answers(sounds):
    staff_of(sounds)
    client = logged_in("alice")
    for asks in ("pair", "grade"):
        shown = client.get(f"/studies/{sounds.slug}/preview/?asks={asks}").content.decode()
        assert (found := AUDIO.findall(shown))
        assert Visitor().get(found[0]).status_code == 200
    Task.objects.update(batch_challenges=0, batch_size=3)
    dora = seated(sounds)
    batch = begin(dora, sounds, sounds.topics.get(name="drought"))
    answer_all(dora, batch)
    send(dora, batch)
    found = AUDIO.findall(dora.get(f"/desk/{sounds.slug}/answers/").content.decode())
    assert len(found) == 6
    assert {Visitor().get(address).status_code for address in found} == {200}


def test_examples_are_heard_where_they_are_chosen_and_in_the_instructions(sounds):
    staff_of(sounds)
    client, task = logged_in("alice"), Task.objects.get()
    [first, *_] = examples.candidates(task)
    key = first.key.replace(" ", "-")
    page = f"/studies/{sounds.slug}/examples/"
    client.post(page, {f"use-{key}": "example", f"why-{key}": "it is clearer", "change": "new"})
    assert len(AUDIO.findall(client.get(page).content.decode())) >= 2
    told = Visitor().get(f"/i/{invite(sounds).reference}/").content.decode()
    assert len(found := AUDIO.findall(told)) == 2
    assert Visitor().get(found[0]).status_code == 200


def test_a_study_of_sound_is_made_by_command():
    options = ("--kind", "sound", "--play-first", "5", "--as-they-are")
    call_command("study", "mine", *options, stdout=io.StringIO())
    study = Study.objects.get()
    assert (study.kind, study.play_first, study.levelled) == ("sound", 5, False)
    with pytest.raises(CommandError, match="not picked"):
        call_command("study", "more", "--kind", "film", "--pick", "4")


def test_organizers_choose_it_and_hear_each_item(sounds):
    assert PRESETS[RECORDINGS] == {"kind": "sound"}
    staff_of(sounds)
    client = logged_in("alice")
    item = Item.objects.first()
    shown = client.get(f"/studies/{sounds.slug}/data/items/{item.pk}/").content.decode()
    assert "<audio" in shown
