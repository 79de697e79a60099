"""What answers cite, in Chromium: folded, and unfolded on both sides by one key that answers nothing."""

import pytest
from playwright.sync_api import expect

from collection.models import Item
from tests.browser.accessibility import assert_accessible
from tests.browser.batches import press, ready, stored

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("width", [1280, 320])
def test_one_key_unfolds_both_and_folds_them_again(page, address, width):
    cited = {"title": "Flora", "text": "Ferns.", "address": "https://x.example/" + "a" * 300}
    Item.objects.update(sources=[cited])
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(address)
    ready(page, 1)
    folds = page.locator("[data-position='1'] .cited")
    expect(folds).to_have_count(2)
    page.keyboard.press("c")
    for fold in folds.all():
        expect(fold).to_have_attribute("open", "")
        expect(fold.locator("a")).to_have_count(0)
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.keyboard.press("c")
    expect(page.locator("[data-position='1'] .cited[open]")).to_have_count(0)
    press(page, "ArrowLeft")
    assert stored() == {1: "left"}


def test_a_number_in_the_text_unfolds_its_source_and_answers_nothing(page, address):
    Item.objects.update(text="Ferns like shade.[2]", sources=[{"text": "Moss."}, {"text": "Ferns."}])
    page.goto(address)
    ready(page, 1)
    side = page.locator("[data-position='1'] .side.right")
    source = side.locator(".cited li").nth(1)
    expect(source).to_be_hidden()
    here = page.url
    side.get_by_role("link", name="[2]").click()
    expect(source).to_be_in_viewport()
    expect(page.locator("[data-position='1'] .cited[open]")).to_have_count(1)
    assert_accessible(page)
    assert (page.url, stored()) == (here, {})
