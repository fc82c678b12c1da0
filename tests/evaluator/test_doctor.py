"""`manage.py doctor`: what it reports of a machine, and what its exit code tells."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.utils import timezone

from evaluator import devices, offers
from leaderboard.models import EvaluationSnapshot, MessageState, OutboxMessage
from tests.evaluator.stubs import write_tool
from tests.evaluator.trust.bench import import_demo

HDC = """
words = sys.argv[1:]
told = {
    "const.ohos.apiversion": "23", "const.product.model": "PUR-AL90",
    "const.product.software.version": "6.1.0.31", "bootevent.boot.completed": "true",
}
if words == ["-v"]:
    print("Ver: 3.1.0e")
elif words[2:] == ["list", "targets", "-v"]:
    print("A1\\t\\tUSB\\tConnected\\tlocalhost")
elif words[2:3] == ["shell"] and words[3].startswith("param get "):
    print(told[words[3].split()[-1]])
elif words[2:] == ["shell", "hidumper -s RenderService -a screen"]:
    print("screen[0]: id=0, render resolution=1308x2880,")
"""
POOLS = ["build", "device.pura-90-pro-max"]


def doctor(*words: str) -> dict:
    """The report as JSON; a machine that is not ready ends with an error besides."""
    out = io.StringIO()
    try:
        call_command("doctor", "--json", *words, stdout=out)
    except CommandError:
        assert not json.loads(out.getvalue())["ready"]
    return json.loads(out.getvalue())


def versions(report: dict) -> dict[str, str | None]:
    return {each["name"]: each["version"] for each in report["tools"]}


@pytest.fixture
def real(settings, tmp_path: Path):
    """A worker with an SDK, one device, and a snapshot for a real device."""
    root = tmp_path / "tools"
    for name in ("hvigorw", "ohpm"):
        write_tool(root / "bin" / name, "print('6.22.4')")
    write_tool(root / "tool/node/bin/node", "print('v18.20.1')")
    write_tool(root / "jbr/bin/java", "print('openjdk version \"21.0.8\"')")
    write_tool(root / "sdk/default/openharmony/toolchains/hdc", HDC)
    facts = {"data": {"apiVersion": "23", "version": "6.1.0.31"}}
    (root / "sdk/default/sdk-pkg.json").write_text(json.dumps(facts))
    settings.OHB_DEVECO_TOOLS = root
    settings.OHB_NODE = ""
    settings.OHB_DEVICES = ["A1"]
    settings.OHB_WORKER_POOLS = POOLS
    settings.OHB_HYPIUM_PYTHON = write_tool(tmp_path / "python", "print('6.1.0.210')")
    snapshot = import_demo()
    EvaluationSnapshot.objects.filter(pk=snapshot.pk).update(
        device_profile_simulated=False,
        device_profile="Pura 90 Pro Max",
        toolchain="DevEco 6.1",
    )
    return root


def test_a_worker_with_everything_is_ready_and_says_what_it_has(db, real):
    report = doctor()

    assert report["ready"], report["faults"]
    told = versions(report)
    assert told["hvigorw"] == told["ohpm"] == "6.22.4"
    assert told["hdc"] == "3.1.0e"
    assert told["java"] == "21.0.8"
    assert told["sdk"] == "API 23, 6.1.0.31"
    (device,) = report["devices"]
    assert device["facts"] == {
        "model": "PUR-AL90",
        "api_level": 23,
        "resolution": [1308, 2880],
        "software": "6.1.0.31",
    }
    (snapshot,) = report["snapshots"]
    assert snapshot["matches"]
    assert {each["field"]: each["ok"] for each in snapshot["fields"]} == {
        "sdk": True,
        "toolchain": True,
        "device pool": True,
        "A1: resolution": True,
    }


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"sdk": "API 24"}, "sdk"),
        ({"toolchain": "DevEco 6.2"}, "toolchain"),
        ({"device_profile": "Mate 80"}, "device pool"),
        ({"device_facts": {"resolution_px": [1, 2]}}, "A1: resolution"),
        ({"device_facts": {"model": "OTHER"}}, "A1: device model"),
        ({"device_facts": {"api_level": 22}}, "A1: device API level"),
    ],
)
def test_the_field_in_which_a_snapshot_differs_is_named(db, real, changes, field):
    EvaluationSnapshot.objects.update(**changes)

    (snapshot,) = doctor()["snapshots"]

    assert not snapshot["matches"]
    differing = {each["field"] for each in snapshot["fields"] if each["ok"] is False}
    assert field in differing


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("bin/ohpm", "ohpm (OHB_DEVECO_TOOLS or OHB_OHPM)"),
        ("sdk/default/openharmony/toolchains/hdc", "hdc (OHB_DEVECO_TOOLS or OHB_HDC)"),
    ],
)
def test_what_is_missing_is_named_with_its_setting(db, real, part, said, monkeypatch):
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    (real / part).unlink()

    assert said in doctor()["faults"]


def test_a_device_that_does_not_answer_is_a_fault(db, real, settings):
    settings.OHB_DEVICES = ["A1", "B2"]

    report = doctor()

    assert [each["fault"] == "" for each in report["devices"]] == [True, False]
    assert any(each.startswith("B2: ") for each in report["faults"])


def test_remarks_name_what_an_operator_should_know(db, real, settings):
    settings.OHB_WORKER_SLOTS = 2
    devices.suspect("A1", reason="it went dark")
    OutboxMessage.objects.create(
        key="a",
        channel="email",
        kind="x",
        state=MessageState.DEAD,
        available_at=timezone.now(),
        created_at=timezone.now(),
    )

    report = doctor()

    assert report["ready"]
    remarks = " ".join(report["remarks"])
    assert "2 slots share 1 devices" in remarks
    assert "A1 is out of use: it went dark" in remarks
    assert "1 messages were given up" in remarks
    assert report["outbox"]["dead"] == 1


def test_the_report_for_people_says_the_same_in_lines(db, real):
    EvaluationSnapshot.objects.update(sdk="API 24")
    out = io.StringIO()

    call_command("doctor", stdout=out)

    text = out.getvalue()
    assert "DIFFERS  sdk: API 24 wanted, API 23 found" in text
    assert "device     A1 PUR-AL90, API 23, 1308x2880, 6.1.0.31" in text
    assert "outbox     0 to send, 0 given up, 0 sent and kept" in text
    assert text.rstrip().endswith("Ready.")


def test_a_database_that_was_not_migrated_is_named(monkeypatch):
    def broken(**_):
        raise OperationalError("no such column: opened_at")

    monkeypatch.setattr("evaluator.management.commands.doctor.examine", broken)

    with pytest.raises(CommandError, match=r"opened_at.*manage.py migrate"):
        call_command("doctor", stdout=io.StringIO())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--snapshot", "none"], "none"),
        (["--snapshot", "demo", "--task", "none"], "Known: "),
        (["--package", "/nonexistent.hap"], "no file"),
    ],
)
def test_a_first_meeting_with_nothing_names_the_choices(db, real, words, said):
    with pytest.raises(CommandError, match=said):
        call_command("doctor", "--first-meeting", *words, stdout=io.StringIO())


def test_agents_are_listed_with_their_models_or_what_they_lack(db, settings, tmp_path):
    deveco = write_tool(tmp_path / "deveco", "print('0.1.0-1.3')")
    (tmp_path / "script.json").write_text('{"conversations": []}')
    providers = tmp_path / "providers.toml"
    providers.write_text('[Script]\nscript = "script.json"\nmodels = ["scripted-x"]\n')
    settings.OHB_MODEL_PROVIDERS = str(providers)
    settings.OHB_AGENT = str(deveco)
    offers.own_agents.cache_clear()
    try:
        report = doctor()
        lacks = [each for each in report["faults"] if "ripgrep" in each]
        wanted = ["DevEco Code 0.1.0-1.3 with scripted-x of Script"]
        assert report["offers"] == ([] if lacks else wanted)

        settings.OHB_AGENT = str(tmp_path / "none")
        offers.own_agents.cache_clear()
        report = doctor()
        assert report["offers"] == []
        assert any("OHB_AGENT names" in each for each in report["faults"])
    finally:
        offers.own_agents.cache_clear()
