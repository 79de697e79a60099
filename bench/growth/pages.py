"""Pages that coordinators and organizers open, and the figures on them: each visited first, and again."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from bench.growth.material import COORDINATOR, SLUG
from bench.growth.measuring import Cost, after, measured, well
from collection.models import Item, Study, Topic
from judging.models import Assessor
from scoring.analysis.doubtful_judgments import DOUBTS
from scoring.analysis.head_to_head import STRENGTHS
from scoring.analysis.system_maps import MAPS
from scoring.models import Standing
from scoring.quality.trust import TRUST

JOBS = {"map": [MAPS.job], "duels": [STRENGTHS.job], "trust": [TRUST.job, DOUBTS.job]}
FIGURE = re.compile(r'(?:src|srcset)="([^"]*/figures/(\w+)[^"]*)"')
Named = Iterator[tuple[str, Cost]]


def all_of(study: Study) -> Named:
    """Name and cost of each page.

    "First" is a visit after a load or a restart: the cache is empty. What is computed by a job, so that
    nobody waits for it in a page, has a line of its own before the page that shows it.
    """
    client = Client(headers={"host": "localhost"})
    client.force_login(get_user_model().objects.get(username=COORDINATOR))

    def page(name: str, *more: Any, **query: Any) -> Callable[[], Any]:
        return lambda: well(client.get(reverse(name, args=[SLUG, *more]), query))

    yield "average all scores for a leaderboard", measured(_new(study, page("leaderboard")), repeats=1)
    drawn: dict[str, str] = {}  # the first address of each figure: of one width, light or dark
    for name, look in _pages(study, page):
        yield f"{name}, first", measured(after(cache.clear, look), repeats=1, warm=False)
        for job in JOBS.get(name, ()):  # which that visit asked for
            yield f"job {job.name}", measured(partial(job, study.pk), repeats=1, warm=False)
        yield name, measured(look)
        drawn = {named: address for address, named in FIGURE.findall(look().content.decode())} | drawn
    for named, address in drawn.items():
        look = partial(_read, client, address.replace("&amp;", "&"))
        yield f"figure {named}, first", measured(look, repeats=1, warm=False)
        yield f"figure {named}", measured(look)
    for name in ("leaderboard", "topics"):
        live = _followed(client, name)
        headers = {"if-none-match": client.get(live).headers["ETag"]}
        yield f"poll of the {name}", measured(partial(client.get, live, headers=headers))


def _read(client: Client, address: str) -> Any:
    return well(client.get(address))


def _pages(study: Study, page: Callable[..., Callable[[], Any]]) -> Iterator[tuple[str, Callable[[], Any]]]:
    topic = Topic.objects.filter(study=study).order_by("pk")[0]
    item = Item.objects.filter(topic=topic).order_by("pk")[0]
    person = Assessor.objects.filter(study=study).order_by("pk")[0]
    first, second, third = study.runs.order_by("pk")[:3]
    for name in (
        "study",
        "topics",
        "progress",
        "leaderboard",
        "leaderboard-topics",
        "compare",
        "baseline",
        "pairs",
        "duels",
        "measures",
        "history",
        "map",
        "trust",
        "share-links",
        "data",
        "duplicates",
        "notices",
        "people",
        "challenges",
        "trail",
        "keep",
        "files",
        "load",
        "imports",
        "study-settings",
        "study-preview",
        "tasks",
        "campaigns",
    ):
        yield name, page(name)
    yield "topics, finished ones", page("topics", state="finished")
    yield "topic", page("topic", topic.pk)
    yield "topic, three runs explained", page("topic", topic.pk, run=[first.pk, second.pk, third.pk])
    yield "topic-judgments", page("topic-judgments", topic.pk)
    yield "data-topic", page("data-topic", topic.pk)
    yield "data-item", page("data-item", item.pk)
    yield "run-page", page("run-page", first.pk)
    yield "person", page("person", person.pk)
    yield "scores by topic, sorted by a run", page("leaderboard-topics", by=first.pk)
    yield "compare, two in the middle", page("compare", a=first.pk, b=second.pk)


def _new(study: Study, act: Callable[[], Any]) -> Callable[[], Any]:
    def do() -> None:
        Standing.objects.filter(study=study).delete()
        cache.clear()
        act()

    return do


def _followed(client: Client, page: str) -> str:
    """The address that an open page asks for what is new."""
    html = client.get(reverse(page, args=[SLUG])).content.decode()
    return html.partition('data-live="')[2].partition('"')[0].replace("&amp;", "&")
