"""The study of bench/growth is one that the product can work with: it is written by SQL, past the models."""

import pytest

from bench.growth import material
from judging.audit import derived_state
from judging.models import Judgment, QuestionRole
from scoring.scores import topic_scores as scoring
from tournament import services as tournament


@pytest.mark.django_db
def test_the_study_is_whole_and_can_be_advanced_and_scored():
    study = material.make(material.Size(200, 2, 2, 5), lambda what: None)
    assert Judgment.objects.filter(role=QuestionRole.COUNTS).count() == 200
    assert derived_state.rebuild(study) == 0
    tournament.catch_up()
    assert all(scoring.rescore(topic.pk) for topic in study.topics.all())
    assert [topic.scored.judgments for topic in study.topics.all()] == [100, 100]
