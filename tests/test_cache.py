"""What is kept in the cache: bounded in memory, and never read by other code than that which kept it."""

import pytest
from django.core.cache import caches
from django.core.cache.backends.redis import RedisCache
from django.urls import reverse

from config import memory_cache, settings
from config.code_edition import edition
from config.memory_cache import MemoryCache
from config.redis_cache import ForgivingRedisCache
from scoring.analysis import head_to_head
from scoring.analysis.head_to_head import STRENGTHS
from tests.judging.organizing import logged_in, staff_of
from tests.makers import add_run, make_study

MONTH = 30 * 24 * 3600


@pytest.fixture
def store(request):
    """A function: a store of the test's own with these bounds."""

    def make(**options):
        made = MemoryCache(request.node.name, {"OPTIONS": options})
        made.clear()
        return made

    return make


def test_a_result_that_is_kept_for_a_month_survives_a_thousand_others():
    store = caches["default"]
    store.set("figures", [1, 2, 3], timeout=MONTH)
    for number in range(1_000):
        store.set(f"other-{number}", number, timeout=600)
    assert store.get("figures") == [1, 2, 3]


def test_the_memory_is_bounded_by_bytes_and_what_was_not_used_for_longest_goes_first(store):
    own = store(MAX_ENTRIES=1_000, MAX_BYTES=10_000)
    for number in range(20):
        own.set(f"page-{number}", "x" * 1_000)
        own.get("page-0")
        assert memory_cache._held[own._name] == sum(map(len, own._cache.values())) <= 10_000
    assert (own.get("page-0"), own.get("page-1")) == ("x" * 1_000, None)
    own.set("page-19", "")
    own.delete("page-0")
    assert memory_cache._held[own._name] == sum(map(len, own._cache.values()))


def test_what_has_expired_goes_before_anything_that_has_not(store, monkeypatch):
    own = store(MAX_ENTRIES=10)
    own.set("kept", 1, timeout=MONTH)
    for number in range(9):
        own.set(f"short-{number}", number, timeout=60)
    later = memory_cache.time.time() + 61
    monkeypatch.setattr(memory_cache.time, "time", lambda: later)
    own.set("one-more", 1, timeout=60)
    assert sorted(own._cache) == [":1:kept", ":1:one-more"]


def test_any_change_of_the_code_is_another_edition(tmp_path):
    (tmp_path / "scoring").mkdir()
    (tmp_path / "templates").mkdir()
    code, page = tmp_path / "scoring" / "trust.py", tmp_path / "templates" / "board.html"
    code.write_text("a: int\n")
    page.write_text("<p>")
    first = edition(tmp_path)
    assert edition(tmp_path) == first
    code.write_text("a: int\nb: int\n")
    second = edition(tmp_path)
    page.write_text("<b>")
    assert len({first, second, edition(tmp_path)}) == 3


def test_over_redis_kept_results_have_the_edition_in_their_keys_and_throttles_go_on(monkeypatch):
    assert settings.cache_store("default").get("KEY_PREFIX") is None  # memory does not outlive its process
    monkeypatch.setattr(settings, "REDIS_URL", "redis://cache")
    prefixes = [settings.cache_store(name)["KEY_PREFIX"] for name in ("default", "throttles")]
    assert prefixes == [edition(settings.BASE_DIR), ""]


@pytest.mark.django_db
def test_an_object_of_an_older_edition_breaks_no_page(monkeypatch):
    study = staff_of(make_study())
    for name in ("oak", "elm"):
        add_run(study, name, {topic.name: [f"{topic.name}-a"] for topic in study.topics.all()})
    alice, address = logged_in("alice"), reverse("duels", args=[study.slug])
    assert alice.get(address).status_code == 200
    STRENGTHS.compute(study, 0.95)
    old = STRENGTHS.latest(study, 0.95)
    object.__delattr__(old.value, "strengths")  # a field that it did not have yet
    store = caches["default"]
    for p in head_to_head.CUTS:
        store.set(STRENGTHS._key("result", study, (p,)), old)
    with pytest.raises(AttributeError):
        alice.get(address)
    monkeypatch.setattr(store, "key_prefix", "other")
    assert alice.get(address).status_code == 200


@pytest.mark.parametrize("error", [AttributeError("no class"), ModuleNotFoundError("scoring.old")])
def test_what_cannot_be_read_is_not_there(monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(RedisCache, "get", fail)
    monkeypatch.setattr(RedisCache, "get_many", fail)
    store = ForgivingRedisCache("redis://127.0.0.1", {})
    assert store.get("figures", "absent") == "absent"
    assert store.get_many(["figures"]) == {}
