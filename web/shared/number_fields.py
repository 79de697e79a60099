"""Numbers as people type them."""

import re
from typing import Any

from django import forms

THOUSANDS = re.compile(r"[1-9]\d{0,2}(,\d{3})+(\.\d+)?")


class NumberField(forms.DecimalField):
    """A number with a decimal point or a decimal comma, or with commas between thousands."""

    def to_python(self, value: Any) -> Any:
        """Read 0,02 as 0.02, and 1,500 as 1500."""
        if isinstance(value, str):
            value = value.strip()
            value = value.replace(",", "" if THOUSANDS.fullmatch(value) else ".")
        return super().to_python(value)
