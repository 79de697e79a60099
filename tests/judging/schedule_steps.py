"""Steps of random schedules: each does the same to the product and to the model, which then must agree."""

import sys

import pytest
from django.db import transaction
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
)
from hypothesis.strategies._internal.featureflags import FeatureFlags

from collection.models import Item, Study, Topic
from judging.audit import derived_state
from judging.batches import answering, declines
from judging.models import Assessor, Assignment, BatchQuestion, Judgment, Question, QuestionRole
from judging.questions import asking
from panels import local
from prefir import rules
from tests.judging import twins
from tests.judging.schedule_model import Model, Pair
from tests.judging.schedule_stored import places_in, stored_answers
from tests.makers import Choice, finish, places, run_out, whim, whim_of
from tournament.models import Tournament
from tournament.plans import plan_of
from web.live import progress

TOPICS = ("t1", "t2")


def use_every_rule(machine: RuleBasedStateMachine) -> None:
    """Let each example draw from all rules.

    Hypothesis leaves some rules out of each example, at random. With hundreds of short examples that is a
    gain; here, half of a few long ones would consist of one rule alone. It has no public setting for this.
    """
    chooser = machine._rules_strategy
    assert "enabled_rules_strategy" in vars(chooser)
    chooser.enabled_rules_strategy = st.just(FeatureFlags())


class Steps(RuleBasedStateMachine):
    """A machine without rules: its people, what they can do, what is true after every step, how it ends.

    People are numbers: their index in `people`. For each one who is excluded a new one is invited.
    """

    def __init__(self, study: Study) -> None:
        super().__init__()
        use_every_rule(self)
        self.study = study
        self.model = Model(warns=study.tasks.filter(failing="warn").exists(), each=study.batches_each)
        self.people: list[Assessor] = []
        self.steps = 0
        self.example = transaction.atomic()
        self.example.__enter__()

    def _begins(self) -> None:
        tournaments = Tournament.objects.filter(topic__study=self.study).select_related("topic")
        self.tournaments = {tournament.topic.name: tournament for tournament in tournaments}
        self.items = {item.pk: item for item in Item.objects.filter(topic__study=self.study)}
        for _ in range(2):
            self._comes()

    @property
    def present(self) -> list[int]:
        """People who are not excluded."""
        return [p for p in range(len(self.people)) if p not in self.model.excluded]

    @property
    def gone(self) -> list[int]:
        """People who are excluded now."""
        return sorted(self.model.excluded)

    @property
    def shut(self) -> list[int]:
        """Batches that take no answers any more."""
        return self.model.shut()

    @property
    def away(self) -> list[int]:
        """Batches that people are away from."""
        return self.model.idle()

    @property
    def poorer(self) -> list[int]:
        """Batches that have lost pairs to others."""
        return self.model.lost_for_good()

    def _arrives(self, person: int) -> int | None:
        """Open a person's link; return the batch that they can answer now, or None.

        The person's own overdue batches are closed first, and everybody's before anybody is sent away.
        """
        model, assessor = self.model, self.people[person]
        at_hand = model.open_one(person)
        if at_hand and not model.batches[at_hand].run_out:
            assert twins.arrive(assessor.pk).pk == at_hand
            model.resume(at_hand)
            return at_hand
        self._closes(person)
        if model.limited(person):
            with pytest.raises(answering.Limited):
                twins.arrive(assessor.pk)
            return None
        if person in model.excluded or not model.free_for(person):
            self._closes()
        free = set() if person in model.excluded else model.free_for(person)
        if not free:
            with pytest.raises(answering.Excluded if person in model.excluded else answering.NothingLeft):
                twins.arrive(assessor.pk)
            return None
        assignment = twins.arrive(assessor.pk)
        batch = assignment.batch.filter(role=QuestionRole.COUNTS).select_related("question")
        given = [(a, b) for a, b in (place.question.subject_ids for place in batch)]
        size = assignment.task.batch_size
        if assessor.by_link and Assignment.objects.filter(assessor=assessor).count() == 1:
            size = min(size, -(-len(free) // 2))
        assert len(given) == min(size, len(free))
        assert set(given) <= free
        model.give(assignment.pk, person, set(given))
        return assignment.pk

    def _say(self, number: int, pair: Pair, choice: Choice) -> None:
        question = Question.objects.get(key=f"{pair[0]} {pair[1]}")
        if self.model.taken_since(number, pair):
            with pytest.raises(answering.Gone):
                twins.record(number, question.pk, choice)
            return
        twins.record(number, question.pk, choice)
        self.model.say(number, pair, choice)

    def _decline(self, number: int, pair: Pair) -> None:
        """Say that a pair cannot be judged, which withdraws its answer; a repeat changes nothing."""
        place = BatchQuestion.objects.get(
            assignment=number, question__key=f"{pair[0]} {pair[1]}", role=QuestionRole.COUNTS
        )
        first = pair not in self.model.impossible(number)
        assert declines.decline(number, place.position, "alike") == first
        self.model.decline(number, pair)

    def _hand_in(self, person: int, said: list[Choice], *, wrong: bool, corrected: bool) -> None:
        """Answer the challenge and all pairs that have no answer yet, and submit.

        corrected: the challenge is answered the other way first.
        """
        number = self._arrives(person)
        if number is None:
            return
        batch = self.model.batches[number]
        for pair, choice in zip(sorted(batch.asked), said, strict=False):
            if (number, pair) not in self.model.said and pair not in batch.declined:
                self._say(number, pair, choice)
        if corrected:
            self._check(number, right=wrong)
        self._check(number, right=not wrong)
        # To what is asked again anything may be said: it changes nothing.
        for place in asking.without_answer(number):
            twins.record(number, place.question_id, Choice.A)
        self._submit(number)

    def _check(self, number: int, *, right: bool) -> None:
        """Answer the challenge of a batch."""
        challenge = BatchQuestion.objects.select_related("question").get(
            assignment=number, role=QuestionRole.CHALLENGE
        )
        first = (challenge.question.expected == Choice.A) == right
        twins.record(number, challenge.question_id, Choice.A if first else Choice.B)
        self.model.batches[number].passes = right

    def _submit(self, number: int) -> None:
        batch = self.model.batches[number]
        twins.submit(number)
        batch.state, batch.sent = "passed" if batch.passes else "failed", True
        if not batch.passes and self.model.goes(batch.person):
            self._goes(batch.person)

    def _closes(self, person: int | None = None) -> None:
        """Close overdue batches in the model; who fails by what they answered in time is excluded."""
        for failed in self.model.close(person):
            self._goes(failed)

    def _goes(self, person: int) -> None:
        """Exclude a person in the model, close what they had open, and invite another."""
        if number := self.model.open_one(person):
            self.model.batches[number].state = "lapsed"
        self.model.excluded.add(person)
        self._comes()

    def _comes(self) -> None:
        """Invite somebody; every second one joins by the open link."""
        by_link = len(self.people) % 2 == 1
        self.people += local.invite(self.study, ["somebody"], by_link=by_link)

    def _play(self, topic: str, answers: dict[Pair, list[Choice]]) -> rules.State:
        settings, seed = self.study.plan.settings, f"{self.study.plan.seed}:{topic}"
        return rules.play(self.tournaments[topic].pool, answers, **settings, seed=seed)

    # What is true after every step

    @invariant()
    def agrees(self):
        """One invariant: hypothesis prints a line for each after every step of an example that fails."""
        model = self.model
        kept = Assignment.objects.filter(assessor__study=self.study, state=Assignment.State.KEPT)
        assert set(kept.values_list("pk", flat=True)) == {
            number for number, batch in model.batches.items() if model.kept(batch)
        }
        assert stored_answers(Judgment.objects.counting()) == model.counting()
        settled: dict[Pair, list[Choice]] = {}
        for _, pair, choice in stored_answers(Judgment.objects.settled()):
            settled.setdefault(pair, []).append(choice)
        assert settled == model.settled()
        questions = Question.objects.filter(topic__study=self.study, taken__gt=0)
        taken = {q.subject_ids: q.taken for q in questions}
        assert taken == model.taken()
        topics = list(Topic.objects.filter(study=self.study).values_list("pk", flat=True))
        shown = progress.counts(plan_of(self.study), topics)
        assert list(map(sum, zip(*shown.values(), strict=True))) == [
            len(model.counting()),
            sum(map(len, model.settled().values())),
        ]
        assert all(n <= model.ever_wanted[pair] for pair, n in taken.items() if pair not in model.restored)
        self.steps += 1
        if self.steps % 3 == 0:
            twins.look_up(self.people[self.steps // 3 % len(self.people)])

    # How it ends

    def teardown(self):
        try:
            if sys.exception() is None:  # after a step that failed, its error is the one to be told
                self._ends_where_the_rules_end()
        finally:
            transaction.set_rollback(True)
            self.example.__exit__(None, None, None)

    def _ends_where_the_rules_end(self) -> None:
        """Let all open batches run out and new people answer the rest by `whim`; do the same in memory."""
        assert derived_state.rebuild(self.study) == 0
        for number, batch in self.model.batches.items():
            if batch.open:
                run_out(Assignment(pk=number))
                batch.run_out = True
        answering.release_overdue()
        for failed in self.model.close():
            self.model.excluded.add(failed)
        expected: dict[str, int] = {}
        for topic in TOPICS:
            answers = self.model.settled()
            while not (state := self._play(topic, answers)).finished:
                for first, second in state.open_pairs:
                    answer = whim_of(self.items[first].docno, self.items[second].docno)
                    answers.setdefault((first, second), []).append(answer)
            expected |= {self.items[item].docno: place for item, place in places_in(state).items()}
        self.study.tasks.update(batch_size=50)  # fewer batches, less time
        finish(self.study, choose=whim)
        assert places(self.study) == expected
        assert not asking.open_questions(self.study).exists()
