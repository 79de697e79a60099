"""Every setting, read from the environment: nothing set means one machine, SQLite and no other service.

docs/operators.md lists the variables; a test fails when one of them is missing there.
"""

import contextlib
import os
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from django.utils.log import CallbackFilter
from kombu import Queue

from config.code_edition import edition, static_edition
from config.data_folder import data_folder
from config.request_bodies import is_no_client_gone

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()

# Where SQLite, pictures and the generated key live.
DATA_DIR = data_folder()


def generated_key(name: str = "secret-key", variable: str = "SECRET_KEY") -> str:
    """A key made at first start and stored beside the data, so that signatures outlive a restart."""
    path = DATA_DIR / name
    if not path.exists():
        # Several processes may start at once: each writes a file of its own, and the first to link it
        # decides. So nobody reads a key that is half written.
        draft = DATA_DIR / f"{name}-{os.getpid()}-{secrets.token_hex(4)}"
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(50))
        with contextlib.suppress(FileExistsError):
            path.hardlink_to(draft)
        draft.unlink()
    key = path.read_text()
    if len(key) < 50:
        raise ImproperlyConfigured(f"{path} is damaged: delete it or set {variable}.")
    return key


def panel_id_keys() -> list[str]:
    """Keys of panel ids: the first encrypts, all decrypt, and the last one makes the hashes."""
    keys = [key.strip() for key in os.environ.get("PANEL_ID_KEYS", "").split(",") if key.strip()]
    if any(len(key) < 32 for key in keys):
        raise ImproperlyConfigured("PANEL_ID_KEYS are keys of 32 characters or more, with commas between.")
    return keys or [generated_key("panel-id-key", "PANEL_ID_KEYS")]


DEBUG = env.bool("DEBUG", default=False)
# Not by `env`, for which a value that begins with $ is the name of another variable.
SECRET_KEY = os.environ.get("SECRET_KEY") or generated_key()
PANEL_ID_KEYS = panel_id_keys()
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
CSRF_FAILURE_VIEW = "web.shared.refusals.form_refused"
# Set when a proxy in front speaks HTTPS: cookies are then only sent over it.
HTTPS = env.bool("HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
# Browsers send cookies to every port of a host: two installations on one would log each other's people out.
COOKIE_SUFFIX = env.str("COOKIE_SUFFIX", default="")
SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = f"sessionid{COOKIE_SUFFIX}", f"csrftoken{COOKIE_SUFFIX}"
# Proxies in front. Each adds an address to X-Forwarded-For; throttles go by the client's address there.
PROXIES = int(env.str("PROXIES", default="") or HTTPS)
# How many may join a study by its open link in a minute from one address, and four times as many in all.
JOINS_A_MINUTE = env.int("JOINS_A_MINUTE", default=30)
# Batches without an answer that those who joined by a study's open link may have open at once.
LINK_SITTINGS = env.int("LINK_SITTINGS", default=50)
# Requests to the HTTP API that one account may make in a minute.
API_REQUESTS_A_MINUTE = env.int("API_REQUESTS_A_MINUTE", default=600)
if HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    # Browsers that came once by HTTPS never ask without it again.
    SECURE_SSL_REDIRECT, SECURE_HSTS_SECONDS = True, 365 * 24 * 3600
    # The health check asks the process itself, not through the proxy.
    SECURE_REDIRECT_EXEMPT = [r"^health$"]

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "collection",
    "judging",
    "panels",
    "tournament",
    "scoring",
    "web",
    "simulation",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    # Before the policies, which are for pages.
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.policy.permissions",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "web.shared.access.acting",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

# Bytes of a request's body that are read at all: of an assessor's forms, of others, of uploads.
MOST_BYTES = {"assessors": 64 * 2**10, "forms": 2_500_000, "uploads": 4 * 2**30}
# What assessors ask for, and open leaderboards: no cookie is read or set there, and they are asked for most.
PATHS_WITHOUT_ACCOUNTS = ("/answer/", "/submit/", "/i/", "/join/", "/p/", "/e/", "/image/", "/live/", "/api/")
MIDDLEWARE_WITHOUT_ACCOUNTS = [
    "django.middleware.security.SecurityMiddleware",
    "config.compression.CompressPages",
    "config.policy.permissions",
    "config.policy.OnePolicy",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
# The languages of the assessor's pages, by the names that their speakers give them; a catalog for each but
# English is in locale/. Organizers' pages are in English.
LANGUAGES = [
    ("en", "English"),
    ("ar", "العربية"),
    ("de", "Deutsch"),
    ("es", "Español"),
    ("fr", "Français"),
    ("it", "Italiano"),
    ("ja", "日本語"),
    ("pt", "Português"),
    ("zh-hans", "简体中文"),
]
LOCALE_PATHS = [BASE_DIR / "locale"]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": ["django.templatetags.static", "web.shared.template_tags"],
        },
    },
]
TEMPLATES += [
    {
        # For the pages in templates/assessor/, one for each language: `web.shared.languages` chooses.
        "NAME": f"assessor-{language}",
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {"environment": "web.shared.jinja.environment", "language": language},
    }
    for language, _ in LANGUAGES
]

# No address of the file is made: what stands after # or ? in a folder's name would fall off it.
OWN_FILE: dict[str, Any] = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(DATA_DIR / "faceoff.sqlite3")}
DATABASES = {"default": env.db_url("DATABASE_URL") if env.str("DATABASE_URL", default="") else OWN_FILE}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # IMMEDIATE takes the one write lock at the start of a transaction: a reader that turns writer
    # half-way would otherwise fail instead of waiting. WAL lets pages be read meanwhile. Recursive triggers:
    # INSERT OR REPLACE would otherwise remove rows of the ledger unasked. The threads of a process write in
    # the order in which they came.
    DATABASES["default"]["ENGINE"] = "config.sqlite3"
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 60,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; "
        "PRAGMA recursive_triggers=ON;",
    }
    # Opening a file and its pragmas cost more than an answer does.
    DATABASES["default"]["CONN_MAX_AGE"] = None
else:
    DATABASES["default"]["CONN_MAX_AGE"] = 60
    # Statements that come again are planned once for each connection.
    DATABASES["default"]["OPTIONS"] = {"server_side_binding": True, "prepare_threshold": 3}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = env.str("REDIS_URL", default="")


def cache_store(name: str) -> dict[str, Any]:
    """One store of the cache; in memory without Redis, because there is one process."""
    if not REDIS_URL:
        bounds = {"MAX_ENTRIES": 50_000, "MAX_BYTES": 128 * 2**20}
        return {"BACKEND": "config.memory_cache.MemoryCache", "LOCATION": name, "OPTIONS": bounds}
    return {
        "BACKEND": "config.redis_cache.ForgivingRedisCache",
        "LOCATION": REDIS_URL,
        # What outlives an upgrade there is not read after it; throttles go on counting.
        "KEY_PREFIX": edition(BASE_DIR) if name == "default" else "",
        "OPTIONS": {"socket_timeout": 1, "socket_connect_timeout": 1, "retry": None},
    }


# Throttles count in a store of their own: nothing that is kept elsewhere makes them forget a guess.
CACHES = {name: cache_store(name) for name in ("default", "throttles")}

# Without Redis tasks run at once, in the process that asks for them.
CELERY_TASK_ALWAYS_EAGER = not REDIS_URL
CELERY_BROKER_URL = REDIS_URL or "memory://localhost"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A worker that lost Redis waits for it, however long; the default gives up after 100 tries.
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
# A broker that is down must not hold up the assessor; a sweep makes up for the lost nudge.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "socket_timeout": 3,
    "socket_connect_timeout": 2,
    # Without a limit here, publishing to a dead Redis would wait until it comes back.
    "max_retries": 1,
    "interval_start": 0.1,
    # Tasks that a killed worker held are given to another one after this many seconds. Longer than a
    # task takes; nothing waits for it, since sweeps find what was left undone.
    "visibility_timeout": 600,
}
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0.1}
CELERY_TASK_IGNORE_RESULT = True
# A task is taken off the queue when it is done, not when it begins, and comes back when its process
# dies: every task may be repeated.
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 4
# Standings have a queue of their own, so that those who watch need not wait for rescoring.
CELERY_TASK_QUEUES = [Queue("celery"), Queue("standings")]
CELERY_TASK_DEFAULT_QUEUE = "celery"
CELERY_TASK_ROUTES = {"scoring.jobs.write_standing": {"queue": "standings"}}
# A worker keeps its database connection: a new one for every job cost PostgreSQL half of its time.
CELERY_DB_REUSE_MAX = 1000
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "beat-schedule")
# Seconds between two sweeps: how long a lost nudge can delay a round or a score.
SWEEP_SECONDS = env.float("SWEEP_SECONDS", default=10.0)
# Seconds between two seals of the ledgers.
SEAL_SECONDS = 3 * SWEEP_SECONDS

# How browsers reach this server, where an address of it is given to a panel.
# Commands in another shell do not know its port: `make run` notes its address beside the data.
ADDRESS_NOTE = DATA_DIR / "address"
_noted = ADDRESS_NOTE.read_text().strip() if "PORT" not in os.environ and ADDRESS_NOTE.exists() else ""
_here = _noted or f"http://127.0.0.1:{env.str('PORT', default='8000')}"
PUBLIC_URL = env.str("PUBLIC_URL", default=CSRF_TRUSTED_ORIGINS[0] if CSRF_TRUSTED_ORIGINS else _here)
if urlsplit(PUBLIC_URL).path.strip("/"):
    raise ImproperlyConfigured(
        f"PUBLIC_URL={PUBLIC_URL} leads below a path. Faceoff needs a host name of its own, such as "
        "https://faceoff.example.org."
    )
# Which Mechanical Turk is meant: "emulator", "sandbox" or "production"; never another than this.
MTURK_MODE = env.str("MTURK_MODE", default="sandbox")
if MTURK_MODE not in ("emulator", "sandbox", "production"):
    raise ImproperlyConfigured(f"MTURK_MODE is emulator, sandbox or production, not {MTURK_MODE!r}.")
# The emulator's API, and its site if workers reach that by another address (localhost for 127.0.0.1, else).
MTURK_EMULATOR_URL = env.str("MTURK_EMULATOR_URL", default="")
MTURK_EMULATOR_SITE = env.str("MTURK_EMULATOR_SITE", default="")
# Keys of the requester's account at AWS, for the sandbox or the real market.
MTURK_ACCESS_KEY_ID = env.str("MTURK_ACCESS_KEY_ID", default="")
MTURK_SECRET_ACCESS_KEY = env.str("MTURK_SECRET_ACCESS_KEY", default="")
# It closed to the public that day: anyone who publishes there for real people says that they know.
MTURK_PRODUCTION_ACKNOWLEDGED_CLOSED_2026_09_30 = env.bool(
    "MTURK_PRODUCTION_ACKNOWLEDGED_CLOSED_2026_09_30", default=False
)
# Prolific's API, or a program on this machine that speaks its protocol, and the researcher's token for it.
PROLIFIC_URL = env.str("PROLIFIC_URL", default="https://api.prolific.com/api/v1")
PROLIFIC_TOKEN = env.str("PROLIFIC_TOKEN", default="")
# The secret that signs Prolific's events, from `manage.py panel_events prolific`; empty: no events are taken.
PROLIFIC_WEBHOOK_SECRET = env.str("PROLIFIC_WEBHOOK_SECRET", default="")
# The site to which participants go back, where it is not the one that belongs to the API.
PROLIFIC_SITE = env.str("PROLIFIC_SITE", default="")
# Seconds between two times at which campaigns are compared with what panels list.
PANEL_SECONDS = env.float("PANEL_SECONDS", default=60.0)
# Calls to a panel in a second, of the whole installation: more are refused by the panels themselves.
PANEL_CALLS_A_SECOND = env.float("PANEL_CALLS_A_SECOND", default=2.0)
# Seconds that a call to a panel may take: after them, the process that makes it is taken for dead.
PANEL_CLAIM_SECONDS = env.float("PANEL_CLAIM_SECONDS", default=120.0)
# Days after the end of their campaigns for which panels' ids of people are kept; 0: for good.
PANEL_IDS_DAYS = env.int("PANEL_IDS_DAYS", default=90)
# Days after the payment of a place, or its end, when the panel is told to forget it; 0: never.
PANEL_DISPOSE_DAYS = env.int("PANEL_DISPOSE_DAYS", default=30)
# Arrivals at a campaign from one address in a minute: people of a panel may share one.
PANEL_ARRIVALS_A_MINUTE = env.int("PANEL_ARRIVALS_A_MINUTE", default=120)

# Mail to invited people goes by SMTP where EMAIL_URL names a server, else into a file each beside the data.
if EMAIL_URL := env.str("EMAIL_URL", default=""):
    vars().update(env.email_url_config(EMAIL_URL))
else:
    EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    EMAIL_FILE_PATH = str(DATA_DIR / "mails")
# Whom mails come from; needed as soon as they are sent.
# Mails that one account may send in 24 hours: an address that mails without end is soon refused everywhere.
MAILS_A_DAY = env.int("MAILS_A_DAY", default=5000)
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="")
# A mail server that does not answer holds up nobody for longer.
EMAIL_TIMEOUT = 20

# Whether webhooks may be posted to addresses of this machine and its network, and without TLS.
WEBHOOKS_TO_PRIVATE = env.bool("WEBHOOKS_TO_PRIVATE", default=False)
# Hours without an answer after which judging stalls, where members asked to be told.
NOTICE_STALL_HOURS = env.float("NOTICE_STALL_HOURS", default=24.0)

# Seconds for which the nudges of one process are gathered: what many answers ask for is done once.
GATHER_SECONDS = env.float("GATHER_SECONDS", default=0.25)
# Seconds between two standings of a study: how often, at most, its leaderboard is recomputed.
STANDING_SECONDS = env.float("STANDING_SECONDS", default=1.0)
# How browsers reach the stream of leaderboards: a path or an origin that leads there, ":8001/" for a port of
# the same host; empty where none is served, and pages ask once a second instead.
LIVE_URL = env.str("LIVE_URL", default="")
# A job that takes longer is stuck: it is ended, and its worker takes the next one. Shorter than the
# visibility timeout, or a second worker would be given it meanwhile; imports have a limit of their own.
CELERY_TASK_TIME_LIMIT = 540
CELERY_TASK_SOFT_TIME_LIMIT = 510


def every(seconds: float, task: str) -> dict[str, Any]:
    """A beat entry. Sweeps that pile up while no worker runs expire, because the next one does their work."""
    return {"task": task, "schedule": seconds, "options": {"expires": max(seconds, 1.0)}}


CELERY_BEAT_SCHEDULE = {
    "release overdue batches": every(3 * SWEEP_SECONDS, "judging.jobs.release_overdue"),
    "see to imports": every(3 * SWEEP_SECONDS, "collection.jobs.sweep_imports"),
    "go on deleting studies": every(6 * SWEEP_SECONDS, "collection.jobs.delete_studies"),
    "seal the ledgers": every(SEAL_SECONDS, "judging.jobs.seal"),
    "advance forgotten tournaments": every(SWEEP_SECONDS, "tournament.jobs.sweep"),
    "make calls to panels": every(SWEEP_SECONDS, "panels.jobs.sweep_calls"),
    "put campaigns right": every(PANEL_SECONDS, "panels.jobs.reconcile"),
    "destroy ids that nobody needs": every(3600.0, "panels.jobs.forget_ids"),
    "dispose of places that are over": every(3600.0, "panels.jobs.dispose"),
    "send mails": every(SWEEP_SECONDS, "panels.jobs.sweep_mails"),
    "write to those who asked": every(6 * SWEEP_SECONDS, "panels.jobs.sweep_wishes"),
    "tell members what happened": every(3 * SWEEP_SECONDS, "web.jobs.sweep_notices"),
    "rescore forgotten topics": every(SWEEP_SECONDS, "scoring.jobs.sweep"),
}

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
# A folder for each edition: a server that still runs an older one keeps its files.
COLLECTED = BASE_DIR / "staticfiles" / static_edition(BASE_DIR)
STATIC_ROOT = COLLECTED if COLLECTED.is_dir() else None
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "config.static_files.HashedStaticFiles",
        "OPTIONS": {"location": COLLECTED},
    },
}
# Where nothing was collected, WhiteNoise serves the folder as it is.
WHITENOISE_USE_FINDERS = True
MEDIA_ROOT = DATA_DIR / "media"
FILE_UPLOAD_MAX_MEMORY_SIZE = 2 * 2**20
# Uploaded files do not count here, and forms stay small.
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 2**20
# Hundreds of runs are dropped at once; the page itself says which number is too much.
DATA_UPLOAD_MAX_NUMBER_FILES = 1000

LANGUAGE_CODE = "en"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "studies"
LOGOUT_REDIRECT_URL = "login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

SECURE_REFERRER_POLICY = "same-origin"
# On every page, errors too: whatever a file smuggles into one, no script but ours runs.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        # What moves is played from addresses that the page's script makes of what it fetched here.
        "img-src": [SELF, "blob:"],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "filters": {"not gone": {"()": CallbackFilter, "callback": is_no_client_gone}},
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="WARNING")},
    # What a page refuses is told to the one who asked; in the log it would hide what went wrong.
    "loggers": {
        "django.request": {"level": "ERROR", "filters": ["not gone"]},
        # Anybody may send a Host that is not ours, as often as they like.
        "django.security.DisallowedHost": {"level": "CRITICAL"},
        # Clients of panels: what they log of a call has people's ids in it, at whatever level.
        **{name: {"level": "WARNING"} for name in ("botocore", "httpcore", "httpx", "urllib3")},
    },
}
