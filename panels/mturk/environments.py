"""Environments of Mechanical Turk: where each one's API, its site for workers and its form are.

Nothing here asks anything of anybody, and boto3 is not needed for it: pages of assessors use it.
"""

from urllib.parse import urlsplit

from django.conf import settings

REGION = "us-east-1"
ENDPOINTS = {
    "sandbox": "https://mturk-requester-sandbox.us-east-1.amazonaws.com",
    "production": "https://mturk-requester.us-east-1.amazonaws.com",
}
# The site where workers are, which shows our page in a frame.
WORKER_SITES = {"sandbox": "https://workersandbox.mturk.com", "production": "https://worker.mturk.com"}
# The site that takes the form of anyone who has finished.
SUBMIT_SITES = {"sandbox": "https://workersandbox.mturk.com", "production": "https://www.mturk.com"}
# Names of this machine: a page at one of them is another origin for a page at the other.
LOOPBACK = ("localhost", "127.0.0.1")


def endpoint(environment: str) -> str:
    """The address of an environment's API. Raises ValueError for one that is not set up."""
    if environment != "emulator":
        return ENDPOINTS[environment]
    address = str(settings.MTURK_EMULATOR_URL).rstrip("/")
    host = urlsplit(address).hostname or ""
    if not host:
        raise ValueError("Set MTURK_EMULATOR_URL to the address of the emulator (`manage.py emulate mturk`).")
    if host.endswith((".amazonaws.com", ".mturk.com")):
        raise ValueError("MTURK_EMULATOR_URL names Mechanical Turk itself, and no emulator.")
    return address


def submit_origins(environment: str) -> tuple[str, ...]:
    """Origins to which the form of anyone who has finished may go; the one that we use first."""
    if environment != "emulator":
        return (SUBMIT_SITES[environment],)
    site = origin(settings.MTURK_EMULATOR_SITE or endpoint("emulator").replace("//127.0.0.1", "//localhost"))
    host = urlsplit(site).hostname or ""
    others = [site.replace(f"//{host}", f"//{name}") for name in LOOPBACK if host in LOOPBACK]
    return tuple(dict.fromkeys([site, *others]))


def frame_origins(environment: str) -> tuple[str, ...]:
    """Origins whose pages show ours in a frame of theirs."""
    own = (WORKER_SITES[environment],) if environment in WORKER_SITES else ()
    return tuple(dict.fromkeys([*own, *submit_origins(environment)]))


def origin(address: str) -> str:
    """Scheme, host and port of an address, in lower case."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}".lower()
