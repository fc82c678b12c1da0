"""Harbor needs a newer Python than this project: see scripts/harbor.py."""

from __future__ import annotations

from tests.requirements import harbor_python

collect_ignore = [] if harbor_python() else ["test_loaded.py"]
