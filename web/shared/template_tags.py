"""Tags and filters that every template of the desks may use, without loading them."""

from collections.abc import Mapping
from textwrap import dedent
from typing import Any

from django.core.cache import cache
from django.template import Library
from django.template.context import Context
from django.utils.html import conditional_escape, escape, format_html
from django.utils.safestring import SafeString, mark_safe

from collection.models import Study
from web.shared import phrases, rail, view_choices
from web.shared.navigation import Navigation, navigation, shows_results

register = Library()
register.filter("duration", phrases.duration)
# As Python writes it everywhere else: `floatformat` rounds halves of a last place another way.
register.filter("number", phrases.number)
register.filter("percent", phrases.percent)
# Longer words with hyphens may break anywhere.
WHOLE = 32
# Of longer names so many letters stay where a name is cut: runs of one system differ by their ends.
FITTING, END = 16, 8


@register.simple_tag(takes_context=True)
def worded(context: Context, text: str) -> str:
    """A sentence of the product in the nouns of the page's study; as it is on pages of none."""
    study = context.get("study")
    return conditional_escape(study.words.put_in(str(text)) if isinstance(study, Study) else text)


@register.filter
def of(found: Mapping[Any, Any], key: Any) -> Any:
    """Return the value of a key that a template knows by a variable: `{{ names|of:person.pk }}`."""
    return found[key]


@register.filter
def unbroken(text: str) -> SafeString:
    """HTML of a headline: words with hyphens, such as names of runs, stay in one line."""
    words = (
        format_html('<span class="whole">{}</span>', word)
        if "-" in word[1:-1] and len(word) <= WHOLE
        else escape(word)
        for word in text.split(" ")
    )
    return mark_safe(" ".join(words))  # noqa: S308 - each word is escaped


@register.filter
def end_kept(name: str) -> SafeString:
    """HTML of a name in two parts, so that where it is cut (`static/css/base.css`) its end stays."""
    if len(name) <= FITTING:
        return escape(name)
    parts = '<span class="start">{}</span><span class="end">{}</span>'
    return format_html(parts, name[:-END], name[-END:])


def pulse_key(study: Study) -> str:
    """Key of a study's pulse in the cache, as (when computed, pulse); another one once judging ends."""
    return f"pulse:{study.pk}:{study.is_over:d}{study.paused:d}"


@register.simple_block_tag
def sample(content: str) -> SafeString:
    """What stands between `sample` and `endsample`, and below it its markup to copy."""
    markup = dedent(" " * 6 + content.strip())
    return format_html(
        '{}<details class="small copied"><summary>Markup</summary>'
        '<button type="button" data-copy hidden>Copy</button>'
        '<pre tabindex="0" data-copied>{}</pre></details>',
        mark_safe(content),  # noqa: S308 - a template has rendered it
        markup,
    )


@register.simple_tag(takes_context=True, name="navigation")
def navigation_tag(context: Context) -> Navigation:
    """The links of the study's navigation on this page; without a study, those of making one."""
    request, study = context.get("request"), context.get("study")
    match = getattr(request, "resolver_match", None)
    shown = (match.url_name or "") if match else ""
    if request is None or (not getattr(study, "pk", None) and shown != "study-new"):
        return Navigation()
    return navigation(study if getattr(study, "pk", None) else None, shown, request.GET)


@register.simple_tag(takes_context=True, name="unknown_choices")
def unknown_choices_tag(context: Context) -> list[str]:
    """What the address chooses that is not known, in sentences."""
    request, study = context.get("request"), context.get("study")
    if request is None:
        return []
    match = request.resolver_match
    if isinstance(study, Study) and study.pk and match and shows_results(match.url_name or ""):
        # The rail and the links go by these, whether the page itself does or not.
        view_choices.persistence_of(request.GET, study)
        view_choices.measure_of(request.GET, study)
        view_choices.whole_of(request.GET)
    view_choices.page_numbers(request.GET)
    return view_choices.unknown_choices(request.GET)


@register.simple_tag(takes_context=True, name="rail")
def rail_tag(context: Context) -> SafeString:
    """The rail of runs, by what is chosen on this page; unfolded on the page of a run.

    Context: two_runs, the ids of the two runs that the page compares.
    """
    request = context["request"]
    match = request.resolver_match
    of_run = match.url_name == "run-page"
    shown = [match.kwargs["pk"]] if of_run else list(context.get("two_runs") or ())
    return rail.rendered(context["study"], request.GET, shown, of_run)


@register.simple_tag(takes_context=True)
def latest_pulse(context: Context) -> Any:
    """The study's pulse as last computed, None if that is long ago: the page has its line from the start."""
    _, pulse = cache.get(pulse_key(context["study"])) or (0, None)
    return pulse
