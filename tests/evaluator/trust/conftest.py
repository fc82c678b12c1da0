from __future__ import annotations

from collections.abc import Iterator

import pytest

from evaluator.sandbox import SandboxUnavailableError, open_sandbox
from evaluator.sandbox.base import Sandbox
from evaluator.toolchains.base import Toolchain
from tests.evaluator.trust import bench as benches
from tests.evaluator.trust.bench import Bench, import_demo
from tests.evaluator.trust.toolchains import good_toolchain
from tests.requirements import require


@pytest.fixture
def plug(settings) -> Iterator[list[Toolchain]]:
    """The toolchain of the worker; the last one put in is used."""
    settings.OHB_TOOLCHAIN = f"{benches.__name__}.plugged"
    settings.OHB_BACKOFF_FACTOR = 0.0
    benches.PLUGGED[:] = [good_toolchain()]
    yield benches.PLUGGED
    benches.PLUGGED.clear()


@pytest.fixture
def bench(db, plug, settings) -> Bench:
    """The demo snapshot, a good toolchain, and the worker's loop."""
    return Bench(import_demo())


@pytest.fixture(scope="session")
def walls() -> Sandbox:
    """A sandbox that isolates; tests that need one are skipped without."""
    try:
        return open_sandbox("bwrap")
    except SandboxUnavailableError as error:
        require("sandbox", False, str(error))
        raise
