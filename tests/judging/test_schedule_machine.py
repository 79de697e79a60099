"""Random schedules: people come, answer, correct, cannot judge, go away, come back, submit, fail, run out
of time, are released, excluded or let back in, in any order, and tournaments are advanced now and then. After
each step a plain model must agree, and what is written by statements must be what the plain form through the
ORM writes.
"""

import sys

import pytest
from django.db import transaction
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from hypothesis.strategies._internal.featureflags import FeatureFlags

from collection.models import Item, Study
from judging import answering, asking, deciding, declining, rebuilding, sittings
from judging.models import Assessor, Assignment, BatchQuestion, Judgment, Question
from panels import local
from prefir import rules
from tests.examples import examples
from tests.judging import twins
from tests.judging.schedule_model import Model, Pair
from tests.judging.schedule_stored import places_in, stored_answers, stored_rounds
from tests.makers import Choice, finish, later, make_study, places, run_out, whim, whim_of
from tournament import services
from tournament.models import Tournament

TOPICS = ("t1", "t2")
SHAPES = {
    # Three pairs; then all pairs of the two or three items that won, perhaps one of the first three again.
    "rounds": {"items": 5, "pairings": 1, "final_size": 3, "batch_pairs": 6},
    # Three pairs at once, each judged by two people; two of a batch are asked again.
    "final": {"items": 3, "judgments_per_pair": 2, "batch_pairs": 4, "repeats": 2},
    # The same; whoever fails is warned once.
    "warned": {"items": 3, "judgments_per_pair": 2, "batch_pairs": 4, "failing": "warn"},
}
MOST_PAIRS = 6  # of a batch


def one_of(people: str) -> st.SearchStrategy[int]:
    """Draw from a list of people that the machine has under this name at this step."""
    return st.runner().flatmap(lambda machine: st.sampled_from(getattr(machine, people)))


def use_every_rule(machine: RuleBasedStateMachine) -> None:
    """Let each example draw from all rules.

    Hypothesis leaves some rules out of each example, at random. With hundreds of short examples that is a
    gain; here, half of a few long ones would consist of one rule alone. It has no public setting for this.
    """
    chooser = machine._rules_strategy
    assert "enabled_rules_strategy" in vars(chooser)
    chooser.enabled_rules_strategy = st.just(FeatureFlags())


choices = st.sampled_from([Choice.A, Choice.B, Choice.TIE])
answers_to_all = st.lists(choices, min_size=MOST_PAIRS, max_size=MOST_PAIRS)


class Schedule(RuleBasedStateMachine):
    """The rules, each of which does the same to the product and to the model.

    People are numbers: their index in `people`. For each one who is excluded a new one is invited.
    """

    def __init__(self, study: Study) -> None:
        super().__init__()
        use_every_rule(self)
        self.study = study
        self.model = Model(warns=study.tasks.filter(failing="warn").exists())
        self.people: list[Assessor] = []
        self.steps = 0
        self.example = transaction.atomic()
        self.example.__enter__()

    @initialize()
    def begins(self):
        tournaments = Tournament.objects.filter(topic__study=self.study).select_related("topic")
        self.tournaments = {tournament.topic.name: tournament for tournament in tournaments}
        self.items = {item.pk: item for item in Item.objects.filter(topic__study=self.study)}
        for topic in TOPICS:
            self.advances(topic)
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
        """Say so of a pair that has no answer yet."""
        if number := self._arrives(person):
            batch = self.model.batches[number]
            if pairs := sorted(batch.asked - batch.declined - self.model.answered(number)):
                first, second = pair = pairs[place % len(pairs)]
                at = BatchQuestion.objects.get(
                    assignment=number, question__key=f"{first} {second}", challenge=False
                )
                assert declining.decline(number, at.position, "alike")
                batch.declined.add(pair)

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
        question = BatchQuestion.objects.filter(assignment=number, challenge=False).first().question_id
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
        with pytest.raises(answering.Excluded):
            twins.arrive(self.people[person].pk)
        self._closes()

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
        deciding.exclude(self.people[person].pk, "for a test")
        self._goes(person)

    @precondition(lambda self: self.model.excluded)
    @rule(person=one_of("gone"))
    def is_let_back_in(self, person):
        deciding.readmit(self.people[person].pk, "a mistake")
        self.model.let_back_in(person)

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
        if person in model.excluded or not model.free_for(person):
            self._closes()
        free = set() if person in model.excluded else model.free_for(person)
        if not free:
            with pytest.raises(answering.Excluded if person in model.excluded else answering.NothingLeft):
                twins.arrive(assessor.pk)
            return None
        assignment = twins.arrive(assessor.pk)
        batch = assignment.batch.filter(challenge=False).select_related("question")
        given = [(a, b) for a, b in (place.question.subject_ids for place in batch)]
        assert len(given) == min(assignment.task.batch_size, len(free))
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
            assignment=number, challenge=True, question__again=False
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
        assert rebuilding.rebuild(self.study) == 0
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
