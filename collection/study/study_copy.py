"""Copy a study: its settings at once, its material as an import into the copy."""

import json

from django.contrib.auth.models import AbstractBaseUser
from django.core.files.base import ContentFile
from django.db import transaction

from collection import audit_log
from collection.models import Import, Membership, Study
from collection.study.lifecycle import LIMITS, create_study
from collection.upload import loading

# A copy has an address, a seed and a link of its own, and no date that has come already.
SETTINGS = (
    *("kind", "case", "markup", "ground", "play_first", "levelled", "language", "asked_by", "contact"),
    *("persistence", "measures", "kept_only", "baseline", "least_difference", "currency"),
    *(name for name in LIMITS if name != "closes_at"),
)


@transaction.atomic
def copy_settings(original: Study, name: str, organizer: AbstractBaseUser, *, members: bool = False) -> Study:
    """Make a study with the settings of another, which `organizer` organizes; rooms above copy their own.

    members: the other's organizers, coordinators and viewers have the same part in it.
    """
    copy = Study(name=name, **{field: getattr(original, field) for field in SETTINGS})
    create_study(copy, organizer)
    if members:
        parts = (Membership.Role.ORGANIZER, Membership.Role.COORDINATOR, Membership.Role.VIEWER)
        others = Membership.objects.filter(study=original, role__in=parts).exclude(user=organizer.pk)
        Membership.objects.bulk_create(
            [Membership(study=copy, user_id=one.user_id, role=one.role) for one in others]
        )
    audit_log.note(copy.pk, audit_log.What.COPIED, about=original.name, after={"members": members})
    return copy


def begin_material(original: Study, copy: Study, *, runs: bool) -> Import:
    """Have the topics, items, pictures and grades of a study copied, and its runs if they are wanted.

    The caller starts the job that loads files, and has made sure that who asks organizes the original.
    """
    options = {"study": str(original.pk)} | ({"runs": "yes"} if runs else {})
    upload = ContentFile(json.dumps(options).encode(), name="copy.json")
    return loading.begin(copy, "study", original.name, upload, options)
