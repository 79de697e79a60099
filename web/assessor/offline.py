"""The script of the judging pages' service worker, at an address from which it may see them."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

SCRIPT = (settings.BASE_DIR / "static" / "js" / "offline.js").read_bytes()


@require_safe
def offline_worker(request: HttpRequest) -> HttpResponse:
    """Serve the script. Browsers let a service worker see addresses below its own alone."""
    return HttpResponse(SCRIPT, content_type="text/javascript", headers={"Cache-Control": "no-cache"})
