"""Environments of Mechanical Turk: the addresses of the API, the worker site and the submit form.

Makes no requests and does not need boto3, because pages of assessors use it.
"""

from urllib.parse import urlsplit

from django.conf import settings

REGION = "us-east-1"
ENDPOINTS = {
    "sandbox": "https://mturk-requester-sandbox.us-east-1.amazonaws.com",
    "production": "https://mturk-requester.us-east-1.amazonaws.com",
}
# The site of the workers, which shows our page in a frame.
WORKER_SITES = {"sandbox": "https://workersandbox.mturk.com", "production": "https://worker.mturk.com"}
# The site to which the form of a worker who has finished is posted.
SUBMIT_SITES = {"sandbox": "https://workersandbox.mturk.com", "production": "https://www.mturk.com"}
# Names of this machine. To a browser they are different origins.
LOOPBACK = ("localhost", "127.0.0.1")


def endpoint(environment: str) -> str:
    """Return the URL of an environment's API. Raises ValueError if it is not configured."""
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
    """Return the origins to which the form of a worker who has finished may be posted; ours comes first."""
    if environment != "emulator":
        return (SUBMIT_SITES[environment],)
    site = origin(settings.MTURK_EMULATOR_SITE or endpoint("emulator").replace("//127.0.0.1", "//localhost"))
    host = urlsplit(site).hostname or ""
    others = [site.replace(f"//{host}", f"//{name}") for name in LOOPBACK if host in LOOPBACK]
    return tuple(dict.fromkeys([site, *others]))


def frame_origins(environment: str) -> tuple[str, ...]:
    """Return the origins that may show our pages in a frame."""
    own = (WORKER_SITES[environment],) if environment in WORKER_SITES else ()
    return tuple(dict.fromkeys([*own, *submit_origins(environment)]))


def origin(address: str) -> str:
    """Return scheme, host and port of a URL, in lower case."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}".lower()
