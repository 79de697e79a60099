"""Several processes at the same moment, on PostgreSQL: each event is told once, each message sent by one."""

import pytest

from collection import notices
from collection.models import Delivery, Event, NotificationLog
from tests.judging.organizing import account, staff_of
from tests.judging.test_at_once import together
from tests.makers import make_study
from web.alerts import notifications

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
ROUNDS, THREADS = 5, 6


def test_somebody_who_comes_first_tells_and_nobody_else():
    for n in range(ROUNDS):
        study = staff_of(make_study(slug=f"s{n}"))
        wanted = {"topics": True, "stalls": False, "challenges": False, "mail": False}
        notifications.watch(study, account("bob").pk, webhook="https://example.org/", **wanted)

        def tell(study=study) -> int:
            notices.record(study, "topic", {"1": {"name": "t1"}, "2": {"name": "t2"}})
            return notices.gather(study)

        made = together([tell] * THREADS)
        assert not [one for one in made if isinstance(one, Exception)]
        assert Event.objects.filter(study=study).count() == 2
        assert NotificationLog.objects.filter(watch__study=study, delivery__isnull=False).count() == 2
        deliveries = Delivery.objects.filter(watch__study=study)
        assert sum(made) == deliveries.count() == 1
        pk = deliveries.get().pk
        claimed = together([lambda pk=pk: notices.claim(pk)] * THREADS)
        assert [one for one in claimed if one is not None] == [deliveries.get()]
        assert deliveries.get().attempts == 1
