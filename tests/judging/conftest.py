"""Shared by the judging room: an Alice who may make studies, and studies into which files are loaded."""

import pytest
from django.core.cache import cache

from collection.models import Item, Study
from collection.upload import loading
from tests.judging.organizing import logged_in
from tests.makers import add_items, make_study


@pytest.fixture
def alice(db):
    """Staff, so that she may make studies."""
    return logged_in("alice", is_staff=True)


@pytest.fixture
def own_files(settings, tmp_path):
    """A media folder of the test's own, and no progress that an import of the same number left behind."""
    settings.MEDIA_ROOT = tmp_path / "media"
    cache.clear()


@pytest.fixture
def passages(db):
    """A study with topics t1 and t2; t1 has the passages d1, d2, d3."""
    study = make_study(topics=2, items=0, junk=0)
    add_items(study.topics.get(name="t1"), dict.fromkeys(["d1", "d2", "d3"]))
    return study


@pytest.fixture
def pictures(db):
    """An image study with topics t1 and t2; of t1 the docnos d1, d2, d3 and two of Xie's are known."""
    study = make_study(topics=2, items=0, junk=0, kind=Study.Kind.IMAGE)
    topic = study.topics.get(name="t1")
    docnos = ["d1", "d2", "d3", "baidu/t1_0.jpg", "sogou/t1_0.jpg"]
    Item.objects.bulk_create(Item(topic=topic, docno=docno) for docno in docnos)
    return study


@pytest.fixture
def load(tmp_path):
    """A function: load text or bytes as a file of a kind."""

    def run(study: Study, kind: str, content: str | bytes, *, file: str = "file.txt", **options) -> str:
        path = tmp_path / file
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return loading.load(study, kind, path, **options).summary

    return run
