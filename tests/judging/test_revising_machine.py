"""Random schedules, in which people also open batches again: they correct and withdraw answers, while others
come and tournaments are advanced, and send them anew, run out of time, go away or are excluded.
"""

import pytest
from django.contrib.auth.models import User
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule, run_state_machine_as_test

from judging.audit import hash_chain, verification
from judging.batches import answering, batch_reopen
from judging.models import Assignment
from judging.verdicts import decisions
from tests.examples import examples
from tests.judging.schedule_steps import TOPICS
from tests.judging.test_schedule_machine import MOST_PAIRS, SHAPES, Schedule, choices, one_of
from tests.makers import later, make_study, run_out
from tournament import services


class Revising(Schedule):
    """The schedule's rules, and one for a batch that is opened again. Everybody has an account."""

    def _comes(self) -> None:
        super()._comes()
        newest = self.people[-1]
        newest.user = User.objects.create(username=f"person-{newest.pk}")
        newest.save(update_fields=["user"])

    @property
    def kept(self) -> list[int]:
        """Batches that can be opened again: kept, and their people have no other that takes answers."""
        model = self.model
        return [
            number
            for number, batch in model.batches.items()
            if model.kept(batch) and self._free(model.open_one(batch.person))
        ]

    def _free(self, number: int | None) -> bool:
        return number is None or self.model.batches[number].run_out

    @precondition(lambda self: self.kept)
    @rule(
        number=one_of("kept"),
        other=one_of("present"),
        said=st.lists(st.tuples(st.integers(0, MOST_PAIRS - 1), st.none() | choices), max_size=3),
        right=st.sampled_from([None, True, True, False]),
        topic=st.sampled_from(TOPICS),
        end=st.sampled_from(["sent", "sent", "out of time", "away", "excluded"]),
    )
    def revises(self, number, other, said, right, topic, end):
        model, batch = self.model, self.model.batches[number]
        self._closes(batch.person)
        if batch.person in model.excluded:
            return  # what was late has failed
        hash_chain.seal()
        batch_reopen.reopen(number, self.people[batch.person].pk)
        # Only what was answered is asked again.
        batch.gone |= batch.asked - model.answered(number)
        batch.state, batch.run_out = "working", False
        self.agrees()
        if pairs := sorted(model.answered(number)):
            for place, choice in said:
                if choice is None:
                    self._decline(number, pairs[place % len(pairs)])
                else:
                    self._say(number, pairs[place % len(pairs)], choice)
        if right is not None:
            self._check(number, right=right)
        self.advances(topic)
        if other != batch.person:
            self._arrives(other)
        self.agrees()
        if end == "sent":
            self._submit(number)
        elif end == "out of time":
            run_out(Assignment(pk=number))
            answering.release_overdue()
            # Never lapsed, also where nothing but the challenge was answered.
            self._shut_again(number)
            self._closes()
        elif end == "away":
            with later(minutes=20):
                answering.release_overdue()
            self._shut_again(number)
            self._closes()
            model.go_away(by_link={person for person in range(len(self.people)) if person % 2})
        else:
            decisions.exclude(self.people[batch.person].pk, "for a test")
            batch.state = "passed" if batch.passes else "failed"
            self._goes(batch.person)
        hash_chain.seal()

    # Listed thrice, it happens thrice as often.
    revises_too = revises
    revises_once_more = revises

    def _shut_again(self, number: int) -> None:
        batch = self.model.batches[number]
        batch.state = "passed" if batch.passes else "failed"
        if not batch.passes and self.model.goes(batch.person):
            self._goes(batch.person)

    @precondition(lambda self: self.model.shut())
    @rule(number=one_of("shut"))
    def what_is_not_kept_stays_shut(self, number):
        batch = self.model.batches[number]
        if not self.model.kept(batch):
            person = self.people[batch.person]
            if self.model.open_one(batch.person) is None:
                with pytest.raises(batch_reopen.CannotReopen):
                    batch_reopen.reopen(number, person.pk)

    def _ends_where_the_rules_end(self) -> None:
        super()._ends_where_the_rules_end()
        hash_chain.seal()
        assert verification.verify(self.study).problems == []


@pytest.mark.django_db
@pytest.mark.parametrize("shape", ["rounds", "warned"])
def test_whatever_is_revised_the_product_agrees_with_a_plain_model_and_ends_where_the_rules_end(shape):
    study = make_study(topics=2, junk=4, batch_challenges=1, wrong_allowed=0, **SHAPES[shape])
    services.start(study.pk)
    run_state_machine_as_test(
        lambda: Revising(study),
        settings=settings(
            examples(3),
            stateful_step_count=40,
            phases=set(settings.default.phases) - {Phase.explain},
        ),
    )
