"""Rounds and top places are derived: dropped and played again they are the same."""

import pytest
from django.core.management import CommandError, call_command

from collection.models import Item
from tests.makers import invite, make_study, open_study, sit, whim
from tournament import services
from tournament.models import Round, Tournament

pytestmark = [pytest.mark.slow, pytest.mark.django_db]


def derived(study):
    """Everything of a study that can be dropped, without the rows' own numbers."""
    rounds = Round.objects.filter(tournament__topic__study=study).order_by("tournament", "number")
    return (
        [
            (
                *(row.tournament_id, row.number, row.kind, row.pool, row.wins, row.answered, row.complete),
                set(row.pairings.values_list("question_id", flat=True)),
            )
            for row in rounds
        ],
        list(Item.objects.filter(topic__study=study).order_by("pk").values_list("pk", "top_rank")),
        list(Tournament.objects.filter(topic__study=study).order_by("pk").values_list("finished", "seen")),
        list(study.topics.order_by("pk", "questions").values_list("questions__pk", "questions__wanted")),
    )


@pytest.fixture
def half_played():
    """Two topics of twelve, with cycles and ties, one of them finished."""
    study = open_study(make_study(topics=2, items=12, batch_challenges=0))
    while not Tournament.objects.filter(topic__study=study, finished=True).exists():
        sit(invite(study), choose=whim)
        services.catch_up()
    return study


def test_dropping_the_rounds_and_playing_again_gives_the_same(half_played, capsys):
    before = derived(half_played)
    assert any(place for _, place in before[1])
    call_command("rebuild_rounds", half_played.slug)
    assert derived(half_played) == before
    rounds = len(before[0])
    assert f"2 topics, 1 of them finished; {rounds} rounds of " in capsys.readouterr().out


def test_rows_that_were_damaged_are_made_good(half_played):
    """The rebuilt rounds come from the ledger, not from what stood there."""
    before = derived(half_played)
    Round.objects.filter(number=1).update(wins={}, pool=[1, 2])
    Item.objects.filter(topic__study=half_played).update(top_rank=None)
    call_command("rebuild_rounds", half_played.slug)
    assert derived(half_played) == before


def test_an_unknown_study_is_named():
    with pytest.raises(CommandError, match="no study 'nowhere'"):
        call_command("rebuild_rounds", "nowhere")
