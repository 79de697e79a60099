"""Content security policy and permissions policy, as middleware."""

from collections.abc import Callable

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from csp.utils import build_policy
from django.http import HttpRequest, HttpResponseBase


class OnePolicy(CSPMiddleware):
    """Middleware that sends the policy of the settings; a view that changes it is served by django-csp."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        super().__init__(get_response)
        self.policy = build_policy()

    def process_request(self, request: HttpRequest) -> None:
        """Offer no nonce, because no page has an inline script or style."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Set the header."""
        if vars(response).keys() & {"_csp_update", "_csp_replace", "_csp_config", "_csp_exempt"}:
            return super().process_response(request, response)
        response.setdefault(HEADER, self.policy)
        return response


# Nothing of a device is asked for; full screen is, to look at pictures.
PERMISSIONS = ", ".join(
    f"{feature}=()"
    for feature in (
        *("accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer"),
        *("microphone", "midi", "payment", "usb", "browsing-topics"),
    )
)


def permissions(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Middleware that sends the permissions policy: pages use no camera, position or microphone."""

    def door(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        response.setdefault("Permissions-Policy", PERMISSIONS)
        return response

    return door
