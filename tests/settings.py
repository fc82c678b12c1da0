"""Settings of the test suite: nothing outside a temporary folder is touched."""

import atexit
import os
import shutil
import tempfile

_folder = tempfile.mkdtemp(prefix="ohb-test-")
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
os.environ["OHB_DEBUG"] = "1"
os.environ["OHB_DATA_DIR"] = _folder
os.environ["OHB_BROKER_URL"] = f"filesystem://{_folder}/broker"
os.environ["OHB_STORAGE_URL"] = f"file://{_folder}/artifacts"
os.environ["DATABASE_URL"] = os.environ.get(
    "OHB_TEST_DATABASE_URL", f"sqlite:///{_folder}/ohb.sqlite3"
)

from leaderboard.config.settings import *  # noqa: E402, F403 - after the environment

DEBUG = False
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
REST_FRAMEWORK = {**REST_FRAMEWORK, "DEFAULT_THROTTLE_CLASSES": []}  # noqa: F405
# Most tests never commit, so the version of the data would stand still on PostgreSQL.
OHB_PAGE_CACHE = False
# Tests of other things act as staff at once.
OHB_STAFF_SECOND_FACTOR = False
# Tests of other things submit as often as they like.
OHB_QUOTA_PER_MONTH = OHB_RUNNING_LIMIT = 10_000
# Whitenoise warns of a missing folder, and a warning is an error here.
STATIC_ROOT.mkdir(exist_ok=True)  # noqa: F405
# A file, not memory: several threads of a test must see the same database.
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):  # noqa: F405
    DATABASES["default"]["TEST"] = {"NAME": f"{_folder}/test.sqlite3"}  # noqa: F405
