"""Settings; environments differ only in the variables listed in .env.example."""

from __future__ import annotations

from pathlib import Path

from csp.constants import NONE, SELF
from django.utils.translation import gettext_lazy as _
from whitenoise.compress import Compressor

from leaderboard.config.env import (
    broker,
    cache,
    database,
    email,
    env_bool,
    env_choice,
    env_int,
    env_list,
    env_path,
    env_required,
    env_text,
    load_env_file,
    storage_folder,
    system_variables,
)
from leaderboard.config.providers import providers

BASE_DIR = Path(__file__).resolve().parent.parent.parent
load_env_file(BASE_DIR / ".env")

# Core

DEBUG = env_bool("OHB_DEBUG", default=False)
SECRET_KEY = (
    env_text("OHB_SECRET_KEY", default="development-only")
    if DEBUG
    else env_required("OHB_SECRET_KEY")
)
ALLOWED_HOSTS = env_list(
    "OHB_ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"] if DEBUG else []
)
CSRF_TRUSTED_ORIGINS = env_list("OHB_TRUSTED_ORIGINS", default=[])
PUBLIC_URL = env_text("OHB_PUBLIC_URL", default="http://localhost:8000").rstrip("/")

# Named on the page about the site.
OPERATOR = env_text("OHB_OPERATOR", default="")
CONTACT = env_text("OHB_CONTACT", default="")

INSTALLED_APPS = [
    "leaderboard",
    "evaluator",
    "submissions",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "rest_framework",
    "knox",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "csp",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "leaderboard.middleware.refuse_nul",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    # Outside the compression, so that it keeps what is sent.
    "leaderboard.page_cache.PageCacheMiddleware",
    "leaderboard.compression.CompressionMiddleware",
    # Inside the compression: an ETag of the content, and 304 where it is unchanged.
    "django.middleware.http.ConditionalGetMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "submissions.accounts.second_factor.LeadStaffToSecondFactor",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
]

ROOT_URLCONF = "leaderboard.config.urls"
WSGI_APPLICATION = "leaderboard.config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "leaderboard.context.site",
            ],
        },
    }
]

# Data: everything that is written lies under DATA_DIR unless named apart.

DATA_DIR = Path(env_text("OHB_DATA_DIR", default=str(BASE_DIR / "var"))).resolve()
DATA_DIR.mkdir(parents=True, exist_ok=True)
DATABASES = {
    "default": database(
        env_text("DATABASE_URL", default=f"sqlite:///{DATA_DIR / 'ohb.sqlite3'}")
    )
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
WORK_DIR = DATA_DIR / "work"
# <benchmark>/kits.json, multipliers.json and foreign_files.json, before those of
# leaderboard/facts.
BENCHMARK_FACTS = env_text("OHB_BENCHMARK_FACTS", default="")
STORAGE_URL = env_text("OHB_STORAGE_URL", default=f"file://{DATA_DIR / 'artifacts'}")
CACHES = {
    "default": cache(env_text("OHB_CACHE_URL", default="memory:")),
    # Each web process keeps its own: a page is made again faster than it is fetched.
    "pages": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "pages",
        "OPTIONS": {"MAX_ENTRIES": 500},
    },
}
# Whole public pages in memory until the data changes (leaderboard/page_cache.py).
OHB_PAGE_CACHE = env_bool("OHB_PAGE_CACHE", default=not DEBUG)

# Static files

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "staticfiles"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": DATA_DIR / "uploads"},
    },
    "artifacts": {
        "BACKEND": "leaderboard.storage.WholeFileSystemStorage",
        "OPTIONS": {"location": storage_folder(STORAGE_URL)},
    },
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = DEBUG
# Source maps of the API pages are large: compressing them took most of a minute.
WHITENOISE_SKIP_COMPRESS_EXTENSIONS = [*Compressor.SKIP_COMPRESS_EXTENSIONS, "map"]
WHITENOISE_KEEP_ONLY_HASHED_FILES = True

# Languages

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LOCALE_PATHS = [BASE_DIR / "leaderboard" / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True

# People

LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "submission-list"
LOGOUT_REDIRECT_URL = "home"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
    )
]
ACCOUNT_ADAPTER = "submissions.accounts.adapters.AccountAdapter"
ACCOUNT_SIGNUP_ENABLED = env_bool("OHB_SIGNUP", default=True)
ACCOUNT_SIGNUP_FIELDS = ["email*", "username*", "password1*"]
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_USERNAME_MIN_LENGTH = 3
ACCOUNT_USERNAME_VALIDATORS = "submissions.accounts.adapters.USERNAME_VALIDATORS"
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[OpenHarmony Bench] "
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = 15 * 60
# Failed tries of one name and of one address; the adapter counts those of all together.
ACCOUNT_RATE_LIMITS = {"login": "30/m/ip", "login_failed": "10/5m/key,10/5m/ip"}
OHB_FAILED_LOGINS_IN_ALL = "1000/5m/key"
OHB_STAFF_SECOND_FACTOR = env_bool("OHB_STAFF_SECOND_FACTOR", default=True)
MFA_ADAPTER = "submissions.accounts.adapters.TwoFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "OpenHarmony Bench"
MFA_TOTP_TOLERANCE = 1

# E-mail

globals().update(email(env_text("OHB_EMAIL_URL", default="console:")))
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env_text(
    "OHB_EMAIL_FROM", default="OpenHarmony Bench <noreply@localhost>"
)

_providers = providers(
    github=(
        env_text("OHB_GITHUB_CLIENT_ID", default=""),
        env_text("OHB_GITHUB_SECRET", default=""),
    ),
    oidc=(
        env_text("OHB_OIDC_CLIENT_ID", default=""),
        env_text("OHB_OIDC_SECRET", default=""),
    ),
    oidc_url=env_text("OHB_OIDC_URL", default=""),
    oidc_name=env_text("OHB_OIDC_NAME", default="OpenID Connect"),
)
INSTALLED_APPS += _providers.apps
SOCIALACCOUNT_PROVIDERS = _providers.settings
OHB_PROVIDER_ORIGINS = _providers.origins

# Headers

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
HTTPS_ONLY = env_bool("OHB_HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS_ONLY
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if HTTPS_ONLY else "http"
# How many proxies of ours add to X-Forwarded-For; 0 believes nothing but the socket.
ALLAUTH_TRUSTED_PROXY_COUNT = env_int(
    "OHB_PROXY_COUNT", default=1 if HTTPS_ONLY else 0, minimum=0
)
if HTTPS_ONLY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "font-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

# Task packages

# Below these addresses packages and base projects may be fetched with git.
OHB_PACKAGE_SOURCES = env_list("OHB_PACKAGE_SOURCES", default=[])
PACKAGE_LIMIT_BYTES = env_int("OHB_PACKAGE_LIMIT_MIB", default=2048, minimum=1) * (
    1024 * 1024
)
PACKAGE_FILE_COUNT_LIMIT = 200_000

# Data that leaves the site

DATA_LICENSE = env_text("OHB_DATA_LICENSE", default="Apache-2.0")

# Uploads

UPLOAD_LIMIT_BYTES = env_int("OHB_UPLOAD_LIMIT_MIB", default=512, minimum=1) * (
    1024 * 1024
)
OHB_SUBMISSION_STORAGE_BYTES = env_int(
    "OHB_SUBMISSION_STORAGE_MIB", default=8192, minimum=1
) * (1024 * 1024)
OHB_LOG_DAYS = env_int("OHB_LOG_DAYS", default=180, minimum=0)
OHB_MESSAGE_DAYS = env_int("OHB_MESSAGE_DAYS", default=90, minimum=0)
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024

# API

# Requests of one address without a token, requests of one person, and, in those, the
# ones that have a bundle read.
API_LIMITS = {
    "anon": "600/min",
    "user": "1200/min",
    "upload": "60/h",
    "validation": "120/h",
}
REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "submissions.accounts.api_access.Authentication"
    ],
    "DEFAULT_PERMISSION_CLASSES": ["submissions.accounts.api_access.TokenScope"],
    "DEFAULT_PARSER_CLASSES": [
        "submissions.api.json_body.StrictJSONParser",
        "rest_framework.parsers.FormParser",
        "rest_framework.parsers.MultiPartParser",
    ],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_THROTTLE_CLASSES": [
        "rest_framework.throttling.AnonRateThrottle",
        "rest_framework.throttling.UserRateThrottle",
        "rest_framework.throttling.ScopedRateThrottle",
    ],
    "DEFAULT_THROTTLE_RATES": API_LIMITS,
    "NUM_PROXIES": ALLAUTH_TRUSTED_PROXY_COUNT,
    "EXCEPTION_HANDLER": "leaderboard.api.problems.problem_response",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
# Our own table takes the place of knox's, whose migrations would make it all the same.
MIGRATION_MODULES = {"knox": None}
KNOX_TOKEN_MODEL = "submissions.ApiToken"  # noqa: S105 - the name of a table
# The prefix lets secret scanners, and our own check of bundles, recognize a token.
REST_KNOX = {"TOKEN_PREFIX": "ohb_"}
SPECTACULAR_SETTINGS = {
    "TITLE": "OpenHarmony Bench API",
    "DESCRIPTION": "Standings, tasks, evaluations, artifacts and submissions. "
    "Rates are fractions of 1 with their counts beside them.\n\n"
    f"**Limits**: {API_LIMITS['anon']} without a token, {API_LIMITS['user']} with one, "
    f"{API_LIMITS['upload']} bundles uploaded, {API_LIMITS['validation']} checked. "
    "Above them the answer is 429 with `Retry-After`.\n\n"
    "**Lists** have `count`, `next`, `previous` and `results`; `?limit=` and "
    "`?offset=` choose the page. **Answers** to GET carry an `ETag`: sent back as "
    "`If-None-Match`, it gets 304 while nothing has changed. **Errors** are problem "
    "details (RFC 9457) with every fault in `errors`.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    # Without the validator's badge no foreign host is asked for anything.
    "SWAGGER_UI_SETTINGS": {"deepLinking": True, "validatorUrl": None},
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    # Fields that share a name or a set of values keep one name for each set.
    "ENUM_NAME_OVERRIDES": {
        "OriginEnum": "leaderboard.failures.taxonomy.LabelOrigin",
        "ScreenOriginEnum": "leaderboard.models.VisualOrigin",
        "RunRangesEnum": [
            (name, name) for name in ("overlap", "first_above", "second_above")
        ],
    },
}

# Submissions

OHB_VIEWER_RULE = "submissions.accounts.permissions.may_read"
OHB_QUOTA_PER_MONTH = env_int("OHB_QUOTA_PER_MONTH", default=5, minimum=0)
OHB_RUNNING_LIMIT = env_int("OHB_RUNNING_LIMIT", default=1, minimum=1)

# Evaluator

OHB_LEASE_SECONDS = env_int("OHB_LEASE_SECONDS", default=90, minimum=2)
OHB_SANDBOX = env_choice("OHB_SANDBOX", choices=("auto", "bwrap", "unshare", "none"))
OHB_HYPIUM_PYTHON = Path(
    env_text(
        "OHB_HYPIUM_PYTHON", default=str(BASE_DIR / ".venv-hypium" / "bin" / "python")
    )
)
OHB_NODE = env_text("OHB_NODE", default="")
# Agents that run here, for submissions of mode "configuration" (evaluator/offers.py).
OHB_AGENT = env_text("OHB_AGENT", default="")
OHB_MODEL_PROVIDERS = env_text("OHB_MODEL_PROVIDERS", default="")
OHB_WORKER_POOLS = env_list(
    "OHB_WORKER_POOLS",
    default=["agent", "build", "device.simulated-pura-90-pro-max"],
)
# The real tools and devices of this machine (docs/operators.md); none by default.
OHB_DEVECO_TOOLS = env_path("OHB_DEVECO_TOOLS")
OHB_HVIGORW = env_path("OHB_HVIGORW")
OHB_OHPM = env_path("OHB_OHPM")
OHB_HDC = env_path("OHB_HDC")
OHB_SDK_HOME = env_path("OHB_SDK_HOME")
OHB_JAVA_HOME = env_path("OHB_JAVA_HOME")
OHB_BUILD_HOME = env_path("OHB_BUILD_HOME")
OHB_BUILD_MEMORY_MIB = env_int("OHB_BUILD_MEMORY_MIB", default=12288, minimum=1024)
OHB_SIGN_HAP = env_path("OHB_SIGN_HAP")
OHB_DEVICES = env_list("OHB_DEVICES", default=[])
SYSTEM_VARIABLES = system_variables()
OHB_HDC_PORT = env_int("OHB_HDC_PORT", default=8710, minimum=1)
OHB_TOOLCHAIN = "evaluator.toolchains.registry.toolchain_for"
# Below 1 in tests only: how long a job waits after trouble of our own.
OHB_BACKOFF_FACTOR = 1.0
# How often a worker looks for work that no hint told it of.
OHB_PATROL_SECONDS = 15.0
OHB_WORKER_SLOTS = env_int("OHB_WORKER_SLOTS", default=2, minimum=1)

# Outbox: what is told outside, and who sends it (leaderboard/outbox.py). Events first.

OHB_OUTBOX_CHANNELS = {
    "event": "submissions.notices.recipients.expand",
    "email": "submissions.notices.mail.send",
    "webhook": "submissions.webhooks.sender.send",
}
OHB_WEBHOOKS = env_bool("OHB_WEBHOOKS", default=True)
# 0 on a machine that cannot reach mail server and internet; another one sends then.
OHB_DELIVER = env_bool("OHB_DELIVER", default=True)

# Celery: a message is a hint that may be lost, doubled or late (evaluator/queue.py).

CELERY_BROKER_URL, CELERY_BROKER_TRANSPORT_OPTIONS = broker(
    env_text("OHB_BROKER_URL", default=f"filesystem://{DATA_DIR / 'broker'}")
)
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = "json"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = False
# Threads give leases back on SIGTERM; other pools may not (evaluator/tasks.py).
CELERY_WORKER_POOL = "threads"
CELERY_WORKER_CONCURRENCY = OHB_WORKER_SLOTS
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A broker that is down must not hold up a request: the reaper sends the hint again.
CELERY_TASK_PUBLISH_RETRY = False
CELERY_TASK_DEFAULT_QUEUE = "control"
CELERY_BEAT_SCHEDULE = {
    "reap": {"task": "evaluator.tasks.reap", "schedule": 15.0},
    "renew-standings": {
        "task": "leaderboard.tasks.renew_standings",
        "schedule": 5.0,
    },
    "look-through": {
        "task": "submissions.tasks.look_through_submissions",
        "schedule": 60.0,
    },
    "label-failures": {
        "task": "submissions.tasks.label_failures",
        "schedule": 60.0,
    },
    "ended-embargoes": {
        "task": "submissions.tasks.tell_ended_embargoes",
        "schedule": 60.0,
    },
    "sweep": {"task": "submissions.tasks.sweep", "schedule": 6 * 3600.0},
    "expire-uploads": {
        "task": "submissions.tasks.remove_expired_uploads",
        "schedule": 3600.0,
    },
}
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "celerybeat")

# Logging

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "INFO"},
}
