"""Numbers of receipts, by which people ask about a batch that they sent.

A number names the batch and ends with digits that only this server knows, so that nobody quotes another's.
"""

import re

from django.utils.crypto import constant_time_compare, salted_hmac

SALT = "faceoff.receipt"
NUMBER = re.compile(r"(\d{1,18})-(\d{4})")


def receipt_number(assignment_id: int) -> str:
    """Return the number of a batch's receipt, as `1057-4821`."""
    digest = salted_hmac(SALT, str(assignment_id), algorithm="sha256").hexdigest()
    return f"{assignment_id}-{int(digest, 16) % 10_000:04}"


def batch_of(text: str) -> int:
    """Return the batch whose receipt has this number; 0 where no receipt has it."""
    found = NUMBER.fullmatch(text.strip())
    pk = int(found[1]) if found else 0
    return pk if found and constant_time_compare(receipt_number(pk), found[0]) else 0
