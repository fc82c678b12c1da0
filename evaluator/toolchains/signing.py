"""Signing packages on the device worker: its keys never meet a submission's build."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluator.processes import run
from evaluator.toolchains.base import CheckRunner, ChecksOutcome, CheckSuite, Device
from evaluator.verdicts import InfraReason, Trouble

SIGN_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class SigningChecks:
    """Has ``signer`` sign the package, then runs the checks against what it wrote.

    It is called as ``signer IN OUT BUNDLE_NAME`` and has to exit with 0. Whether the
    package or the signer is to blame when it does not, a control run decides.
    """

    checks: CheckRunner
    signer: Path
    environment: Mapping[str, str]
    stop: threading.Event | None = None

    def run(
        self,
        package: Path,
        suite: CheckSuite,
        device: Device,
        *,
        scratch: Path,
        deadline: float,
    ) -> ChecksOutcome:
        signed = package.with_name(f"{package.stem}-signed.hap")
        fault = self._sign(package, signed, suite.bundle_name, deadline=deadline)
        if fault:
            detail = f"{self.signer.name} did not sign the package: {fault}"
            return ChecksOutcome(trouble=Trouble(InfraReason.INSTALL, detail))
        return self.checks.run(
            signed, suite, device, scratch=scratch, deadline=deadline
        )

    def _sign(
        self, package: Path, signed: Path, bundle: str, *, deadline: float
    ) -> str:
        try:
            finished = run(
                [self.signer, package, signed, bundle],
                cwd=package.parent,
                env=self.environment,
                deadline=min(deadline, time.monotonic() + SIGN_SECONDS),
                stop=self.stop,
            )
        except OSError as error:
            return str(error)
        if finished.exit_code == 0 and signed.is_file():
            return ""
        said = finished.output.decode("utf-8", "replace").strip()[-300:]
        return f"exit status {finished.exit_code}: {said or 'no output'}"
