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
from collection.cached_results import CachedResult
from collection.material.duplicates import DUPLICATES
from collection.models import Item, Study, Topic
from judging.models import Assessor
from scoring.jobs import RESULTS
from scoring.models import Standing
from tournament.planning import PLANS
from web.shared.access import May
from web.shared.navigation import SECTIONS

JOBS: list[CachedResult[Any]] = [DUPLICATES, PLANS, *RESULTS]  # type: ignore[list-item]
FIGURE = re.compile(r'(?:src|srcset)="([^"]*/figures/(\w+)[^"]*)"')
Named = Iterator[tuple[str, Cost]]


def all_of(study: Study, named: tuple[str, ...] = ()) -> Named:
    """Name and cost of each page, or of those whose names begin with one of `named`.

    "First" is a visit after a load or a restart: the cache is empty but for the results of jobs. What that
    visit asks jobs for, so that nobody waits for it in a page, has lines of its own before the page.
    """
    client = Client(headers={"host": "localhost"})
    client.force_login(get_user_model().objects.get(username=COORDINATOR))

    def page(name: str, *more: Any, of_study: bool = True, **query: Any) -> Callable[[], Any]:
        address = reverse(name, args=[SLUG, *more] if of_study else [])
        return lambda: well(client.get(address, query))

    if not named:
        yield "average all scores for a leaderboard", measured(_new(study, page("leaderboard")), repeats=1)
    kept: list[tuple[CachedResult[Any], Study, Any]] = []
    drawn: dict[str, str] = {}  # the first address of each figure: of one width, light or dark
    for name, look in _pages(study, page):
        if named and not name.startswith(named):
            continue
        yield f"{name}, first", measured(after(partial(_forget, kept), look), repeats=1, warm=False)
        # A result may let the page ask for the next one.
        while asked := [one for one in _requested(study) if one not in kept]:
            for kind, _, params in asked:
                act = partial(kind.compute, study, *params)
                yield f"{name}: job {kind.name}", measured(act, repeats=1, warm=False)
            kept += asked
            look()
        yield name, measured(look)
        found = FIGURE.findall(look().content.decode(errors="replace"))
        drawn = {figure: address for address, figure in found} | drawn
    for figure, address in drawn.items():
        look = partial(_read, client, address.replace("&amp;", "&"))
        yield f"figure {figure}, first", measured(look, repeats=1, warm=False)
        yield f"figure {figure}", measured(look)
    for name in () if named else ("leaderboard", "topics"):
        live = _followed(client, name)
        headers = {"if-none-match": client.get(live).headers["ETag"]}
        yield f"poll of the {name}", measured(partial(client.get, live, headers=headers))


def _requested(study: Study) -> Iterator[tuple[CachedResult[Any], Study, Any]]:
    """The results that pages wait for, and that no page computed by itself."""
    for kind in JOBS:
        for params in kind.requested(study):
            if kind.cached(study, *params) is None:
                yield kind, study, params


def _forget(kept: list[tuple[CachedResult[Any], Study, Any]]) -> None:
    """Empty the cache, but for these results."""
    found = [(kind, study, params, kind.latest(study, *params)) for kind, study, params in kept]
    cache.clear()
    for kind, study, params, result in found:
        cache.set(kind._key("result", study, params), result)
        if result is not None:
            cache.set(kind._key("stamp", study, params), result.stamp)


def _read(client: Client, address: str) -> Any:
    return well(client.get(address))


def _whole(look: Callable[[], Any]) -> Callable[[], Any]:
    """Look again until it is the file, and no page that says that it is being made."""

    def act() -> Any:
        while "Retry-After" in (reply := look()).headers:
            pass
        return reply

    return act


def _pages(study: Study, page: Callable[..., Callable[[], Any]]) -> Iterator[tuple[str, Callable[[], Any]]]:
    topic = Topic.objects.filter(study=study).order_by("pk")[0]
    item = Item.objects.filter(topic=topic).order_by("pk")[0]
    person = Assessor.objects.filter(study=study).order_by("pk")[0]
    first, second, third = study.runs.order_by("pk")[:3]
    # Every page of the navigation, in its order.
    for section in SECTIONS:
        for tab in section.tabs:
            for one in tab.pages:
                if one.may != May.OWN and one.case in ("", study.case) and not one.grades:
                    yield one.name, page(one.name)
    yield "list of studies", page("studies", of_study=False)
    for name in ("pulse", "leaderboard-decision", "leaderboard-trust", "report-md"):
        yield name, page(name)
    yield "groups, by language", page("groups", by="language")
    yield "pairs, of one group", page("pairs", group="category:c1")
    yield "history, since a number", page("history", since=1)
    yield "topics, second page", page("topics", page=2)
    yield "data, second page", page("data", page=2)
    yield "topics, finished ones", page("topics", state="finished")
    yield "topic", page("topic", topic.pk)
    yield "topic, three runs explained", page("topic", topic.pk, run=[first.pk, second.pk, third.pk])
    yield "topic-judgments", page("topic-judgments", topic.pk)
    yield "data-topic", page("data-topic", topic.pk)
    yield "data-item", page("data-item", item.pk)
    yield "run-page", page("run-page", first.pk)
    yield "report-pdf", _whole(page("report-pdf"))
    yield "run-report", _whole(page("run-report", first.pk))
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
