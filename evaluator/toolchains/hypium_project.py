"""The project that xdevice runs in: scripts, settings, and places for results."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import secrets
import shutil
from pathlib import Path
from xml.sax.saxutils import quoteattr

from evaluator.toolchains.base import CheckSuite, Device
from evaluator.toolchains.hypium_report import collect_files, screens
from evaluator.verdicts import InfraReason, Trouble
from leaderboard.check_values import drawn_record

# What check scripts may import; xdevice runs in the folder that it is copied to.
HELPERS = Path(__file__).resolve().parents[1] / "check_helpers" / "ohb_checks"

_SEALED = {".py", ".json"}
_CASE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_USER_CONFIG = """<?xml version="1.0" encoding="UTF-8"?>
<user_config>
  <environment>
    <device type="usb-hdc" label="ohos">
      <info ip="127.0.0.1" port={port} sn={serial} alias=""/>
    </device>
  </environment>
  <testcases><dir></dir></testcases>
  <resource><dir></dir></resource>
  <devicelog><enable>OFF</enable></devicelog>
  <loglevel><console>INFO</console></loglevel>
  <taskargs>
    <agent_mode>bin</agent_mode>
    <screenshot>false</screenshot>
  </taskargs>
  <analysis><upload><enable>false</enable></upload></analysis>
</user_config>
"""


class ProjectError(Exception):
    """The checks cannot be run like this; the message says what is in the way."""

    def __init__(self, reason: InfraReason, detail: str) -> None:
        self.trouble = Trouble(reason, detail)
        super().__init__(detail)


class Project:
    """The places of one run below its scratch folder, all of them its own.

    The ``nonce`` is new for every attempt: it names the folder of the report, which
    xdevice writes into the report, and lies in the project as a seal. A report that was
    made elsewhere or before does not have it.
    """

    def __init__(self, top: Path) -> None:
        self.nonce = secrets.token_hex(16)
        self.top = top
        self.folder = top / "project"
        self.home = top / "home"
        self.temporary = top / "tmp"
        self.report = top / f"report-{self.nonce}"
        self.console = top / "console.log"
        self._scripts = self.folder / "testcases"
        self._helpers = self.folder / HELPERS.name
        self._drawn = self._helpers / "drawn.json"
        self._seal = self.folder / "config" / "attempt.seal"

    def prepare(self, suite: CheckSuite, device: Device) -> None:
        """Copy the scripts into a project of their own and write its settings.

        xdevice splits its command lines at spaces, so no path may contain one.
        """
        if any(letter.isspace() for letter in str(self.top)):
            raise ProjectError(
                InfraReason.WORKSPACE,
                f"{str(self.top)!r} contains a space, which xdevice does not bear; "
                "choose another OHB_DATA_DIR",
            )
        for folder in (self.folder / "config", self.home / ".hypium", self.temporary):
            folder.mkdir(parents=True)
        scripts = self._scripts
        shutil.copytree(suite.folder, scripts)
        for case in suite.cases:
            present = all(
                (scripts / f"{case}.{end}").is_file() for end in ("py", "json")
            )
            if not _CASE_NAME.fullmatch(case) or not present:
                raise ProjectError(
                    InfraReason.CHECK_BROKEN,
                    f"the checks lack {case}.py or {case}.json",
                )
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(HELPERS, self._helpers, ignore=ignored)
        self._draw(suite)
        settings = _USER_CONFIG.format(
            port=quoteattr(str(device.server_port)), serial=quoteattr(device.serial)
        )
        (self.folder / "config" / "user_config.xml").write_text(settings, "utf-8")
        self._seal.write_text(self._seal_text(), "utf-8")
        choice = json.dumps(
            {
                "model_init": "",
                "privacy_confirmed": "telemetry_disable",
                "version": "",
                "timestamp": "",
            }
        )
        telemetry = self.home / ".hypium" / "hypium_config"
        telemetry.write_bytes(base64.b64encode(choice.encode()))

    def _draw(self, suite: CheckSuite) -> None:
        """Write the values of this attempt, if a case asks for any."""
        try:
            drawn = drawn_record(self._scripts, suite.cases, seed=suite.seed)
        except ValueError as error:
            raise ProjectError(
                InfraReason.CHECK_BROKEN, f"the values of a case: {error}"
            ) from None
        if drawn:
            self._drawn.write_text(json.dumps(drawn, indent=2), "utf-8")

    def need_an_unbroken_seal(self) -> None:
        """Raise unless the scripts are those that were copied for this attempt."""
        try:
            unbroken = self._seal.read_text("utf-8") == self._seal_text()
        except OSError:
            unbroken = False
        if not unbroken:
            raise ProjectError(
                InfraReason.RUNNER_CRASH, "the check scripts changed during the run"
            )

    def _seal_text(self) -> str:
        """The nonce and every script's digest; what Python leaves behind is apart."""
        lines = [
            f"{hashlib.sha256(path.read_bytes()).hexdigest()} {path.name}"
            for folder in (self._scripts, self._helpers)
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix in _SEALED
        ]
        return "\n".join([self.nonce, *lines])

    def files(self) -> dict[str, bytes]:
        kept = collect_files(self.report)
        if self.console.is_file():
            kept["console.log"] = self.console.read_bytes()
        kept |= screens(self.folder / "screens")
        if self._drawn.is_file():
            kept["values.json"] = self._drawn.read_bytes()
        return kept
