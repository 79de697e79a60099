"""Reduced copies of large pictures: made when pictures are loaded, shown first, gone with their picture."""

import io

import pytest
from django.core.files.storage import default_storage
from PIL import Image

from collection.material import pictures as copies
from collection.models import Item
from judging.batches import answering
from judging.models import Task
from tests.formats.pictures import picture, zipped
from tests.judging.files import stored_files
from tests.judging.studies import give_pictures, invite, make_study
from tests.judging.visiting import Visitor
from web.shared import tokens

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]


def noisy(kind="PNG", size=(2400, 600), mode="RGB", **options) -> bytes:
    """A picture that does not pack to nothing: red on the left, blue on the right, with grain."""
    image = Image.effect_noise(size, 40).convert(mode)
    image.paste((200, 20, 20), (0, 0, size[0] // 2, size[1] // 2))
    image.paste((20, 20, 200), (size[0] // 2, 0, size[0], size[1] // 2))
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def test_a_large_picture_gets_two_copies_and_a_smaller_one_that_for_cells(load, pictures):
    load(pictures, "images", zipped({"t1/d1.png": noisy(), "t1/d2.png": noisy(size=(1600, 900))}))
    large, less = (Item.objects.get(docno=docno).image.name for docno in ("d1", "d2"))
    of = copies.name_of_copy
    assert set(stored_files()) == {large, of(large), of(large, "small"), less, of(less, "small")}
    with Image.open(default_storage.open(of(large, "small"))) as copy:
        assert (copy.format, copy.size) == ("WEBP", (800, 200))
    with Image.open(default_storage.open(of(less, "small"))) as copy:
        assert copy.size == (800, 450)
    with Image.open(default_storage.open(copies.name_of_copy(large))) as copy:
        assert (copy.format, copy.size) == ("WEBP", (1600, 400))
        left, right = copy.convert("RGB").getpixel((200, 100)), copy.convert("RGB").getpixel((1400, 100))
    assert left[0] > 150 > 60 > left[2]
    assert right[2] > 150 > 60 > right[0]


def test_what_is_moving_transparent_or_coloured_by_a_profile_stays_so():
    frames = [Image.new("RGB", (2000, 20), colour) for colour in ("red", "blue")]
    file = io.BytesIO()
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:])
    assert copies.reduced(file.getvalue()) is None
    file = io.BytesIO()
    Image.new("RGBA", (2000, 20), (9, 99, 199, 0)).save(file, "PNG", icc_profile=b"a profile")
    with Image.open(io.BytesIO(copies.reduced(file.getvalue()))) as copy:
        assert copy.mode == "RGBA"
        assert copy.getpixel((5, 5))[3] == 0
        assert copy.info["icc_profile"] == b"a profile"


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
def test_of_a_picture_that_moves_the_first_frame_is_stored(settings, tmp_path, kind):
    settings.MEDIA_ROOT = tmp_path
    frames = [Image.new("RGB", (40, 20), colour) for colour in ("red", "blue")]
    file, still = io.BytesIO(), io.BytesIO()
    frames[0].save(file, kind, save_all=True, append_images=frames[1:], duration=100)
    frames[0].save(still, kind)
    assert copies.moves(file.getvalue())
    assert not copies.moves(still.getvalue())
    name = f"x.{kind.lower()}"
    assert list(copies.store_copies(name, file.getvalue(), 40, 20)) == [f"{name}.still.webp"]
    with Image.open(default_storage.open(f"{name}.still.webp")) as found:
        assert getattr(found, "n_frames", 1) == 1
        assert found.convert("RGB").getpixel((20, 10))[0] > 200


def test_a_copy_that_is_no_smaller_is_not_kept(load, pictures):
    plain = picture(size=(2000, 3))
    load(pictures, "images", zipped({"t1/d1.png": plain}))
    assert stored_files() == [Item.objects.get(docno="d1").image.name]


def test_all_files_go_when_the_picture_is_replaced(load, pictures, django_capture_on_commit_callbacks):
    load(pictures, "images", zipped({"t1/d1.png": noisy()}))
    with django_capture_on_commit_callbacks(execute=True):
        load(pictures, "images", zipped({"t1/d1.png": picture()}), file="again.zip")
    assert stored_files() == [Item.objects.get(docno="d1").image.name]


def test_an_import_that_fails_leaves_no_copy(load, pictures, monkeypatch):
    def fail(*_):
        raise RuntimeError("no more")

    monkeypatch.setattr("collection.upload.staging.Pieces.write", fail)
    with pytest.raises(RuntimeError):
        load(pictures, "images", zipped({"t1/d1.png": noisy()}))
    assert stored_files() == []


def test_assessors_get_the_copy_first_and_the_whole_where_they_ask_for_it():
    study = make_study(kind="image")
    give_pictures(study)
    copy = copies.reduced(whole := noisy())
    for item in Item.objects.filter(topic__study=study):
        name = default_storage.save("large.png", io.BytesIO(whole))
        list(copies.store_copies(name, whole, 2400, 600))
        Item.objects.filter(pk=item.pk).update(image=name, width=2400, height=600)
    Task.objects.update(batch_challenges=0)
    assessor = invite(study)
    batch = answering.arrive(assessor.pk)
    visitor = Visitor()
    address = f"/image/{tokens.sign_shown(batch.pk, 1, 0)}/"
    page = visitor.get(f"/i/{assessor.reference}/").content.decode()
    assert f'src="{address}" data-whole="{address}?whole"' in page
    first, asked, cell = (visitor.get(address + size) for size in ("", "?whole", "?small"))
    assert (first["Content-Type"], asked["Content-Type"]) == ("image/webp", "image/png")
    assert (b"".join(first), b"".join(asked)) == (copy, whole)
    assert b"".join(cell) == copies.reduced(copy, 800)
    names = [place.item.image.name for place in batch.batch.get(position=1).question.subjects.all()]
    for name in names:
        default_storage.delete(copies.name_of_copy(name, "small"))
    assert b"".join(visitor.get(address + "?small")) == copy
    for name in names:
        default_storage.delete(copies.name_of_copy(name))
    assert [b"".join(visitor.get(address + size)) for size in ("", "?small")] == [whole, whole]


def test_small_pictures_have_one_address():
    study = make_study(kind="image")
    give_pictures(study)
    assessor = invite(study)
    answering.arrive(assessor.pk)
    assert "data-whole" not in Visitor().get(f"/i/{assessor.reference}/").content.decode()
