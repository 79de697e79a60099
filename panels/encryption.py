"""Encryption and keyed hashes of panels' ids of people.

The keys are in the setting PANEL_ID_KEYS. The first key encrypts, and all of them decrypt. To rotate keys,
put a new one in front and run `manage.py rotateids`, which encrypts everything again. The hashes use the last
key, so that one must never change: otherwise nobody would be recognized or kept out any more.
"""

import base64
import hashlib
import hmac
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings


class WrongKey(Exception):
    """None of the keys decrypts a value: a key is missing, or the value was altered."""


def _derived(key: str, purpose: str) -> bytes:
    return hashlib.sha256(f"{purpose}:{key}".encode()).digest()


@lru_cache(maxsize=4)
def _ciphers(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(base64.urlsafe_b64encode(_derived(key, "panel ids"))) for key in keys])


def _now() -> MultiFernet:
    return _ciphers(tuple(settings.PANEL_ID_KEYS))


def seal(text: str) -> bytes:
    """Encrypt a text."""
    return _now().encrypt(text.encode())


def unseal(sealed: bytes) -> str:
    """Decrypt a value made by `seal`. Raises WrongKey if no key decrypts it."""
    try:
        return _now().decrypt(sealed).decode()
    except InvalidToken as error:
        raise WrongKey(
            "An id of a panel opens with none of the keys in PANEL_ID_KEYS (or the file panel-id-key beside "
            "the data): put back the key with which it was encrypted."
        ) from error


def sealed_anew(sealed: bytes) -> bytes:
    """Encrypt a value made by `seal` again, with the first key. Raises WrongKey."""
    return seal(unseal(sealed))


def digest(*parts: str) -> str:
    """Return a keyed hash of some texts. Without the last key nobody can compute it."""
    key = _derived(settings.PANEL_ID_KEYS[-1], "panel digests")
    return hmac.new(key, "\0".join(parts).encode(), hashlib.sha256).hexdigest()
