"""Random schedules: people come, answer, correct, cannot judge, go away, come back, submit, fail, run out
of time, are released, paused, excluded or let back in, in any order, and tournaments are advanced now and
then. After each step a plain model must agree, and what is written by statements must be what the plain form
through the ORM writes.
"""

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from collection.models import Item
from judging.batches import answering, sittings
from judging.models import Assignment, BatchQuestion, Judgment, Question, QuestionRole
from judging.questions import asking
from judging.verdicts import decisions, pauses
from tests.examples import examples
from tests.judging import twins
from tests.judging.schedule_steps import TOPICS, Steps
from tests.judging.schedule_stored import places_in, stored_rounds
from tests.makers import Choice, later, make_study, run_out
from tournament import services

SHAPES = {
    # Three pairs; then all pairs of the two or three items that won, perhaps one of the first three again.
    "rounds": {"items": 5, "pairings": 1, "final_size": 3, "batch_pairs": 6},
    # Three pairs at once, each judged by two people; two of a batch are asked again.
    "final": {"items": 3, "judgments_per_pair": 2, "batch_pairs": 4, "repeats": 2},
    # The same; anyone who fails is warned once.
    "warned": {"items": 3, "judgments_per_pair": 2, "batch_pairs": 4, "failing": "warn"},
    # Two pairs in a batch, and two batches a person.
    "limited": {"items": 3, "judgments_per_pair": 2, "batch_pairs": 2, "batches_each": 2},
}
MOST_PAIRS = 6  # of a batch


def one_of(people: str) -> st.SearchStrategy[int]:
    """Draw from a list of people that the machine has under this name at this step."""
    return st.runner().flatmap(lambda machine: st.sampled_from(getattr(machine, people)))


choices = st.sampled_from([Choice.A, Choice.B, Choice.TIE])
answers_to_all = st.lists(choices, min_size=MOST_PAIRS, max_size=MOST_PAIRS)


class Schedule(Steps):
    """The rules: what can happen to people and tournaments, in any order."""

    @initialize()
    def begins(self):
        self._begins()
        for topic in TOPICS:
            self.advances(topic)

    # What happens

    @rule(person=one_of("present"), place=st.integers(0, MOST_PAIRS - 1), said=st.lists(choices, max_size=3))
    def answers(self, person, place, said):
        """Answer a pair and correct the answer, as often as something is said; with nothing, only arrive."""
        if number := self._arrives(person):
            pairs = sorted(self.model.batches[number].asked)
            for choice in said if pairs else []:
                self._say(number, pairs[place % len(pairs)], choice)

    @rule(person=one_of("present"), place=st.integers(0, MOST_PAIRS - 1))
    def cannot_judge(self, person, place):
        """Say of a pair, answered or not, that it cannot be judged."""
        if number := self._arrives(person):
            pairs = sorted(self.model.batches[number].asked - self.model.impossible(number))
            if pairs:
                self._decline(number, pairs[place % len(pairs)])

    @rule(person=one_of("present"), right=st.booleans())
    def answers_the_challenge(self, person, right):
        if number := self._arrives(person):
            self._check(number, right=right)

    @rule(person=one_of("present"))
    def is_released(self, person):
        """By an organizer: what was not answered goes to others at once."""
        number = self.model.open_one(person)
        if number and not self.model.batches[number].run_out:
            released = self.model.batches[number].state == "working"
            assert sittings.release(number) == released
            self.model.batches[number].state = "idle"

    @rule(person=one_of("present"), other=one_of("present"))
    def is_overtaken(self, person, other):
        """Be released, and come back after another person has come: perhaps to fewer pairs."""
        number = self._arrives(person)
        if number and person != other:
            assert sittings.release(number)
            self.model.batches[number].state = "idle"
            self._arrives(other)
            assert self._arrives(person) == number

    @rule()
    def time_passes(self):
        """So much that everybody is away; deadlines are later."""
        with later(minutes=20):
            answering.release_overdue()
        self._closes()
        self.model.go_away(by_link={person for person in range(len(self.people)) if person % 2})

    @precondition(lambda self: self.model.idle())
    @rule(number=one_of("away"), place=st.integers(0, MOST_PAIRS - 1), choice=choices)
    def answers_from_a_page_left_open(self, number, place, choice):
        """An answer to a batch that its person was away from resumes it, unless the pair went to others."""
        pairs = sorted(self.model.batches[number].pairs)
        pair = pairs[place % len(pairs)]
        gone = self.model.lost(number) | self.model.batches[number].gone
        if pair in gone or self.model.taken_since(number, pair):
            question = Question.objects.get(key=f"{pair[0]} {pair[1]}")
            with pytest.raises(answering.Gone):
                twins.record(number, question.pk, choice)
            return
        if self.model.said.get((number, pair)) != choice:
            self.model.resume(number)
        self._say(number, pair, choice)

    @precondition(lambda self: self.model.lost_for_good())
    @rule(number=one_of("poorer"), choice=choices)
    def answers_what_went_to_others(self, number, choice):
        first, second = min(self.model.batches[number].gone)
        with pytest.raises(answering.Gone):
            twins.record(number, Question.objects.get(key=f"{first} {second}").pk, choice)

    @precondition(lambda self: self.model.idle())
    @rule(number=one_of("away"))
    def submits_from_a_page_left_open(self, number):
        batch = self.model.batches[number]
        left = batch.asked - batch.declined - self.model.lost(number) - self.model.answered(number)
        # What is asked again goes with its question.
        lost = {f"{first} {second}" for first, second in self.model.lost(number)}
        waiting = [place.question for place in asking.without_answer(number)]
        again = [question for question in waiting if question.again and question.key not in lost]
        if left or again or batch.passes is None:
            with pytest.raises(answering.Unfinished):
                twins.submit(number)
        else:
            self.model.resume(number)
            self._submit(number)

    @rule(person=one_of("present"), said=answers_to_all, corrected=st.booleans())
    def submits(self, person, said, corrected):
        self._hand_in(person, said, wrong=False, corrected=corrected)

    @rule(person=one_of("present"), said=answers_to_all, corrected=st.booleans())
    def fails(self, person, said, corrected):
        self._hand_in(person, said, wrong=True, corrected=corrected)

    @precondition(lambda self: self.model.shut())
    @rule(number=one_of("shut"), said=choices)
    def comes_too_late(self, number, said):
        """Answer and submit a batch that was closed, or whose time has run out."""
        question = (
            BatchQuestion.objects.filter(assignment=number, role=QuestionRole.COUNTS).first().question_id
        )
        if not Judgment.objects.filter(assignment=number, question=question).exists():
            with pytest.raises(answering.Over):
                twins.record(number, question, said)
        if not self.model.batches[number].sent:
            with pytest.raises(answering.Over):
                twins.submit(number)

    @precondition(lambda self: self.model.excluded)
    @rule(person=one_of("gone"))
    def comes_though_excluded(self, person):
        """Nothing is given to them; but as for anybody for whom nothing is left, overdue batches lapse."""
        limited = self.model.limited(person)
        with pytest.raises(answering.Limited if limited else answering.Excluded):
            twins.arrive(self.people[person].pk)
        self._closes(person if limited else None)

    @rule(person=one_of("present"))
    def runs_out_of_time(self, person):
        """Move a deadline into the past. The batch is closed when a sweep or an arrival meets it."""
        if number := self._arrives(person):
            run_out(Assignment(pk=number))
            self.model.batches[number].run_out = True

    @precondition(lambda self: self.model.overdue())
    @rule()
    def sweep(self):
        answering.release_overdue()
        self._closes()

    @rule(person=one_of("present"))
    def is_excluded(self, person):
        decisions.exclude(self.people[person].pk, "for a test")
        self._goes(person)

    @precondition(lambda self: self.model.excluded)
    @rule(person=one_of("gone"))
    def is_let_back_in(self, person):
        decisions.readmit(self.people[person].pk, "a mistake")
        self.model.reinstate(person)

    @rule(person=one_of("present"))
    def is_paused_or_let_on(self, person):
        paused = person in self.model.paused
        assert (pauses.resume if paused else pauses.pause)(self.people[person].pk, "for a test")
        self.model.paused ^= {person}

    @rule(topic=st.sampled_from(TOPICS))
    def advances(self, topic):
        """Compare rounds, places and what is asked with the rules, played on the model's answers."""
        tournament = self.tournaments[topic]
        services.advance(tournament.topic_id)
        state = self._play(topic, self.model.settled())
        self.model.want(topic, state.wanted())
        assert stored_rounds(tournament) == [
            (r.number, list(r.pool), set(r.pairs), dict(r.wins or {}), r.answered, r.complete)
            for r in state.rounds
        ]
        asked = Question.objects.filter(topic=tournament.topic_id, wanted__gt=0)
        assert {q.subject_ids: q.wanted for q in asked} == state.wanted()
        placed = Item.objects.filter(topic=tournament.topic_id, top_rank__isnull=False)
        assert dict(placed.values_list("pk", "top_rank")) == places_in(state)

    # Listed twice, they happen twice as often.
    submits_too = submits
    advances_too = advances


@pytest.mark.django_db
@pytest.mark.parametrize("shape", SHAPES)
def test_whatever_happens_the_product_agrees_with_a_plain_model_and_ends_where_the_rules_end(shape):
    """Each example runs in a transaction of its own, which is rolled back.

    They are few, and others in every run: what one run does not try, another does.
    """
    # 20 challenges and at most 20 pairs: nobody is given so many batches that no challenge is left for one.
    study = make_study(topics=2, junk=4, batch_challenges=1, wrong_allowed=0, **SHAPES[shape])
    services.start(study.pk)
    run_state_machine_as_test(
        lambda: Schedule(study),
        settings=settings(
            examples(5),
            stateful_step_count=40,
            # To explain a failure, hypothesis would trace every line of Django while it shrinks the example.
            phases=set(settings.default.phases) - {Phase.explain},
        ),
    )
