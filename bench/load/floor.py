"""The floor: a bare Django project with one view that stores a row and reads it, and nothing around it.

`python -m bench.load.floor` makes its table; `gunicorn bench.load.floor:application` serves it.
FLOOR_DATABASE is the address of its database.
"""

import os

import environ
from django.conf import settings

if not settings.configured:
    database = environ.Env.db_url_config(os.environ["FLOOR_DATABASE"])
    if database["ENGINE"].endswith("sqlite3"):
        # As the product's: otherwise eight threads would meet a locked database.
        database["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 60,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
        }
    settings.configure(
        ALLOWED_HOSTS=["127.0.0.1"],
        DATABASES={"default": database | {"CONN_MAX_AGE": None}},  # connections are kept
        ROOT_URLCONF=__name__,
        SECRET_KEY="bare",
        USE_TZ=True,
    )

import django

django.setup(set_prefix=False)

from django.core.wsgi import get_wsgi_application
from django.db import connection, models
from django.http import HttpRequest, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt


class Row(models.Model):
    """What is stored: as many columns as an answer has that matter."""

    question = models.IntegerField(db_index=True)
    value = models.SmallIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    objects: "models.Manager[Row]" = models.Manager()

    class Meta:
        app_label = "floor"


@csrf_exempt
def store(request: HttpRequest) -> JsonResponse:
    """One INSERT, committed, and one SELECT."""
    made = Row.objects.create(question=int(request.POST["question"]), value=int(request.POST["value"]))
    found = Row.objects.get(pk=made.pk)
    return JsonResponse({"stored": found.value})


urlpatterns = [path("", store)]
application = get_wsgi_application()

if __name__ == "__main__":
    with connection.schema_editor() as editor:
        editor.create_model(Row)
