"""The language that a text's script tells, and its place on the judging page."""

import pytest

from collection.models import Item
from judging.batches import answering
from tests.judging.studies import invite, make_study
from tests.judging.visiting import Visitor
from web.shared.script_language import script_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Which plant suits shade?", ""),
        ("Über Öl und Straße", ""),
        ("ما النبات المناسب للظل؟", ""),
        ("哪种植物适合阴凉处？", "zh"),
        ("日陰に合う植物はどれですか。", "ja"),
        ("経済産業省令和五年度報告書の概要", "zh"),  # without kana nothing tells them apart
        ("그늘에 맞는 식물은 무엇입니까?", "ko"),
        ("大韓民國의 憲法", "zh"),
        ("The word 猫 means cat in Japanese, and this sentence is English.", ""),
        ("Python で書く: for x in range(10) を使います。これは日本語の文章です。", "ja"),
        ("", ""),
        ("…", ""),
        ("a" * 5000 + "猫" * 5000, ""),
    ],
)
def test_the_script_tells_the_language_or_nothing(text, language):
    assert script_language(text) == language


def test_each_side_has_its_own_language(db):
    study = make_study()
    Item.objects.update(text="日陰に合う植物です。")
    assessor = invite(study)
    batch = answering.arrive(assessor.pk)
    first = batch.batch.select_related("question").get(position=1).question.subject_ids[0]
    Item.objects.filter(pk=first).update(text="A plant for shade.")
    page = Visitor().get(f"/i/{assessor.reference}/").content.decode()
    question = page.partition('data-position="2"')[0]
    assert (question.count('<div class="set" lang="ja">'), question.count('<div class="set">')) == (1, 1)
