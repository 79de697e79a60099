"""What pages will not show of texts is counted where they are loaded, and where their markup is changed."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from collection.material.hidden_parts import say_hidden
from collection.models import Item
from tests.api.programs import Program
from tests.api.test_loading import load
from tests.judging.organizing import logged_in, staff_of, text
from tests.makers import make_study

TEXTS = {
    "a": "one<!-- two --> <svg><path/></svg> <svg/> List<String>",
    "b": "see <img src=x> <img alt=leaf src=y> <script>x()</script>",
    "c": "plain \u202eword",
    "d": "nothing ![](x.png) here < there",
}
SAID = {
    "html": "3 texts are not shown whole: drawings (2), comments (1), pictures without a description (1), "
    "scripts (1), signs that turn the order of letters (1)",
    "markdown": "3 texts are not shown whole: pictures without a description (2), "
    "signs that turn the order of letters (1)",
    "plain": "1 text is not shown whole: signs that turn the order of letters (1)",
}


@pytest.mark.parametrize("markup", SAID)
def test_parts_that_pages_do_not_show_are_counted_by_kind(markup):
    assert say_hidden(TEXTS.values(), markup) == SAID[markup]
    assert say_hidden(["shown whole < and <b>bold</b>", "x" * 30_001 + "<!-- y -->"], markup) == ""


@pytest.mark.django_db
def test_every_door_of_loading_says_what_is_not_shown(tmp_path, capsys):
    study = staff_of(make_study(markup="html"))
    topic = study.topics.first().name
    lines = "".join(
        f"{json.dumps({'docno': docno, 'topic': topic, 'text': words})}\n" for docno, words in TEXTS.items()
    )
    (tmp_path / "items.jsonl").write_text(lines)
    call_command("load", study.slug, "items", tmp_path / "items.jsonl")
    assert SAID["html"] in capsys.readouterr().err
    again = lines.replace("nothing", "less")
    assert SAID["html"] in load(Program("alice", "load"), study, "items", again.encode())["doubts"]
    dropped = SimpleUploadedFile("items.jsonl", again.replace("less", "more").encode())
    files = reverse("files", args=[study.slug])
    assert SAID["html"] in text(logged_in("alice").post(files, {"files": [dropped]}, follow=True))


@pytest.mark.django_db
def test_who_changes_how_texts_are_written_is_told_what_is_not_shown():
    study = staff_of(make_study())
    for item, words in zip(Item.objects.filter(topic__study=study), TEXTS.values(), strict=False):
        Item.objects.filter(pk=item.pk).update(text=words)
    alice, page = logged_in("alice"), reverse("study-settings", args=[study.slug])
    form = alice.get(page).context["form"]
    fields = {name: form[name].value() for name in form.fields}
    given = {name: value for name, value in fields.items() if value is not None and value is not False}
    assert SAID["html"] in text(alice.post(page, given | {"markup": "html"}, follow=True))
    assert "not shown whole" not in text(alice.post(page, given | {"markup": "html"}, follow=True))
