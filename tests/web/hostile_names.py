"""A study in which every name that people choose is markup, a spreadsheet formula and an address at once."""

from collection import audit_log
from collection.models import Import, Item, Membership, Run, Study, Topic
from collection.study import share_links
from judging.batches import answering
from judging.models import Assessor, Task
from judging.verdicts import decisions
from panels.models import Campaign
from scoring.board import standings
from tests.judging.organizing import account, staff_of
from tests.makers import add_run, answer, invite, make_study, open_study, sit

# After the mark that begins it, whatever shows it must go on like this, or be cut with "…".
MARK = "=R&D"
REST = """/..</script><hack/onhack="1">'"onhack=1?&amp;%s{{7*7}}#50%"""

ENTITY = "&amp;"
MARKDOWN = ("instructions", "consent")


def hostile(what: str, *, spaced: bool = False) -> str:
    """A name with spaces or, as ids are, without and as long as ids may be."""
    return f"{MARK}{REST} , {what}" if spaced else f"{MARK}{REST},{what}".ljust(190, "x") + what[-9:]


def make_hostile_study() -> Study:
    """Two topics, judged in part by two people, one of them excluded, with every name that people choose."""
    study = staff_of(make_study(topics=2, items=4, batch_pairs=4, join_token="j" * 20))
    for name in ("one", "two"):
        add_run(study, hostile(name), {t: [f"{t}-{letter}" for letter in "abcd"] for t in ("t1", "t2")})
    for topic in Topic.objects.all():
        topic.name, topic.text = hostile(topic.name), hostile("topic")
        topic.save()
    for item in Item.objects.all():
        item.docno, item.text = hostile(item.docno), hostile(item.docno, spaced=True)
        item.save()
    Study.objects.update(**{name: hostile(name, spaced=True) for name in ("name", "asked_by", "contact")})
    Task.objects.update(wording=hostile("wording", spaced=True))
    # Markdown, in which an entity is a character.
    Task.objects.update(**{name: hostile(name, spaced=True).replace(ENTITY, "") for name in MARKDOWN})
    study.refresh_from_db()
    open_study(study)
    judge, failed = invite(study), invite(study)
    Assessor.objects.filter(pk=judge.pk).update(label=hostile("judge", spaced=True))
    Assessor.objects.filter(pk=failed.pk).update(label=hostile("failed", spaced=True))
    sit(judge)
    answer(answering.arrive(failed.pk), most=2)
    decisions.exclude(failed.pk, hostile("why", spaced=True))
    share_links.share(study, blind=False, days=1)
    names = {"name": hostile("campaign", spaced=True), "troubled": hostile("trouble", spaced=True)}
    Campaign.objects.create(study=study, panel="link", environment="live", number=1, **names)
    Import.objects.create(
        study=study, kind="topics", name=hostile("file"), state=Import.State.DONE, summary="2 topics"
    )
    audit_log.note(study.pk, audit_log.What.INVITED, after={hostile("key"): hostile("value")})
    Membership.objects.create(study=study, user=account("erin"), role=Membership.Role.PARTICIPANT)
    Membership.objects.get(user__username="erin").runs.set(Run.objects.all())
    Membership.objects.create(study=study, user=account("dora"), role=Membership.Role.ASSESSOR)
    standings.write(study)
    return study
