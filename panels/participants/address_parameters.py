"""Query parameters that a panel adds to a link: ids of the person, the study and the session."""

import re

from django.http import HttpRequest
from django.utils.translation import gettext as _

from panels.base import CannotEnter

# Characters of a placeholder that the service should have replaced by an id.
PLACEHOLDER = re.compile(r"[{}%$\[\]<>]")
LONGEST_ID = 100
NO_SESSION = "~"  # no id begins with it: links with such ids are refused


def read_parameter(request: HttpRequest, name: str, *, required: bool = True) -> str:
    """Return a query parameter of a request; "" if it is missing and not required.

    Raises CannotEnter if it is missing, has different values, or still holds the placeholder.
    """
    values = [value.strip() for value in request.GET.getlist(name)]
    value = values[0] if values else ""
    if not value and not required:
        return ""
    if not value:
        raise CannotEnter(
            _(
                "The address has no “{name}”, so nobody knows whom to pay. Open it from the panel's page."
            ).format(name=name)
        )
    if PLACEHOLDER.search(value):
        raise CannotEnter(
            _("The panel did not fill in “{name}”. Please tell the researchers; do not start here.").format(
                name=name
            )
        )
    strange = len(value) > LONGEST_ID or not value.isprintable() or value.startswith(NO_SESSION)
    if len(set(values)) > 1 or strange:
        raise CannotEnter(
            _("The address is damaged at “{name}”. Open it from the panel's page again.").format(name=name)
        )
    return value
