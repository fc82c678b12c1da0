"""``python -m submissions.cli`` is the same as ``ohbench``."""

from __future__ import annotations

import sys

from submissions.cli.app import main

sys.exit(main())
