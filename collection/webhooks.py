"""Webhooks: signed JSON posted to an address that a member gave, never into the server's own network.

The name is resolved once, every address behind it is looked at, and one of these is connected to: a name that
means something else a moment later leads nowhere. Redirects are not followed, and no proxy is asked, which
would resolve the name anew.
"""

import hmac
import ipaddress
import json
import socket
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future
from hashlib import sha256
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

if TYPE_CHECKING:
    import httpx

# Seconds for each step of a request, and for all of it. Of what is answered the head alone is read.
TIMEOUT, LONGEST = 10.0, 30.0
# Addresses in which one of the older kind is packed, by which a network could be reached from outside; those
# of old that some systems still route inside; those of protocols, documentation and segment routing; and one
# at which a cloud answers its own machines.
INSIDE = tuple(
    ipaddress.ip_network(network)
    for network in (
        *("64:ff9b::/96", "64:ff9b:1::/48", "::/96", "::ffff:0:0:0/96", "fec0::/10", "192.88.99.0/24"),
        *("192.0.0.0/24", "3fff::/20", "5f00::/16", "168.63.129.16/32"),
    )
)


class Forbidden(Exception):
    """The address may not be posted to; the message says why, in a sentence."""


class WebhookFailed(Exception):
    """The other side did not take it; the message says what it answered. for_good: it never will."""

    def __init__(self, said: str, *, for_good: bool = False) -> None:
        super().__init__(said)
        self.for_good = for_good


def problem(url: str) -> str:
    """Why an address cannot be a webhook's, by its letters alone; "" if it can. Looks no name up."""
    try:
        parts = urlsplit(url)
        _port(parts)
    except ValueError:
        return "This is no address: it begins with https:// and a name."
    if parts.scheme not in _schemes() or not parts.hostname:
        return "The address has to begin with https:// and a name."
    if parts.username or parts.password:
        return "Leave name and password out of the address: it is shown on this page."
    try:
        if not _is_allowed(parts.hostname):
            return "The address leads into the server’s own network, which webhooks may not reach."
    except ValueError:
        pass  # a name, which is looked up when something is sent
    return ""


def signature(secret: str, body: bytes, at: int) -> str:
    """The header of a body that is sent at a time (seconds since 1970): `t=TIME,v1=HEX`, where HEX is the
    HMAC-SHA256 of "TIME.BODY" by the secret.
    """
    return f"t={at},v1={hmac.new(secret.encode(), f'{at}.'.encode() + body, sha256).hexdigest()}"


def post(url: str, message: Mapping[str, Any], *, secret: str, number: int) -> str:
    """Post a message; return what the other side answered, such as "204 No Content".

    number: of the delivery, by which the other side knows one that it has already. Raises Forbidden; Failed
    where the answer is another than 2xx, or none.
    """
    if why := problem(url):
        raise Forbidden(why)
    parts = urlsplit(url)
    address = resolved(parts)
    body = json.dumps(message, ensure_ascii=False).encode()
    headers = {
        "Host": parts.netloc,
        "Content-Type": "application/json",
        "User-Agent": "Faceoff",
        "Faceoff-Delivery": str(number),
        "Faceoff-Signature": signature(secret, body, int(time.time())),
    }
    import httpx  # slow to import, and pages do without it

    target = httpx.URL(url).copy_with(host=address, fragment=None)
    client = httpx.Client(timeout=TIMEOUT, follow_redirects=False, trust_env=False)
    request = client.build_request(
        "POST", target, content=body, headers=headers, extensions={"sni_hostname": str(parts.hostname)}
    )
    answer: Future[tuple[int, str]] = Future()
    # By a thread of its own: an answer that comes drop by drop would hold up all others.
    threading.Thread(target=_send, args=(answer, client, request), name="webhook", daemon=True).start()
    try:
        status, said = answer.result(timeout=LONGEST)
    except TimeoutError as error:
        raise WebhookFailed(f"It did not answer in {LONGEST:.0f} seconds.") from error
    finally:
        client.close()  # and with its connection the thread ends, whatever still drips in
    if not HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        # Gone is the word for: do not come again.
        raise WebhookFailed(f"It answered {said}.", for_good=status == HTTPStatus.GONE)
    return said


def _send(answer: "Future[tuple[int, str]]", client: "httpx.Client", request: "httpx.Request") -> None:
    """Send a request; its status and words become the answer."""
    try:
        reply = client.send(request, stream=True)
        reply.close()
        answer.set_result((reply.status_code, f"{reply.status_code} {reply.reason_phrase}".strip()))
    except Exception as error:  # of any kind: anyone who waits is told
        answer.set_exception(WebhookFailed(f"It could not be reached ({type(error).__name__})."))


def resolved(parts: SplitResult) -> str:
    """The address behind a URL's name that may be connected to. Raises Forbidden, and Failed without any."""
    try:
        found = socket.getaddrinfo(parts.hostname, _port(parts), type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise WebhookFailed("Its name is not known.") from error
    addresses = [str(one[4][0]) for one in found]
    for address in addresses:
        if not _is_allowed(address):
            raise Forbidden("The address leads into the server’s own network, which webhooks may not reach.")
    return addresses[0]


def _is_allowed(address: str) -> bool:
    """Whether an IP address may be posted to: one of the open Internet. Raises ValueError for a name."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if settings.WEBHOOKS_TO_PRIVATE:
        return True
    packed = isinstance(found, ipaddress.IPv6Address) and (
        found.ipv4_mapped or found.sixtofour or found.teredo
    )
    inside = packed or any(found in network for network in INSIDE)
    return found.is_global and not found.is_multicast and not inside


def _schemes() -> tuple[str, ...]:
    return ("https", "http") if settings.WEBHOOKS_TO_PRIVATE else ("https",)


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)
