"""Tool outcomes sorted into the configuration's doing and our own trouble."""

from __future__ import annotations

import pytest

from evaluator.verdicts import (
    FAILED,
    PASSED,
    Ambiguous,
    CaseReport,
    FailReason,
    InfraReason,
    MethodReport,
    Refused,
    Trouble,
    doubt_about_build,
    doubt_about_checks,
    install_fault,
    judge_report,
    trouble_in_message,
)

EXPECTED = [("case_a", "test_1"), ("case_a", "test_2")]


def case(*kinds: str, name: str = "case_a", message: str = "") -> CaseReport:
    methods = tuple(
        MethodReport(f"test_{number}", kind, message)
        for number, kind in enumerate(kinds, start=1)
    )
    kind = PASSED if kinds and set(kinds) == {PASSED} else FAILED
    return CaseReport(name, kind, message, methods)


def reason_of(cases: list[CaseReport]) -> InfraReason:
    judged = judge_report(cases, EXPECTED)
    assert isinstance(judged, Trouble), judged
    return judged.reason


def test_every_method_is_decided_by_its_own_result():
    judged = judge_report([case(PASSED, FAILED)], EXPECTED)

    assert not isinstance(judged, Trouble)
    assert [judged[pair].passed for pair in EXPECTED] == [True, False]


def test_a_failed_assertion_and_a_crash_of_the_app_are_the_models_doing():
    for code in ("[Script-0203003] check is false", "[Script-0203002] not found"):
        judged = judge_report([case(PASSED, FAILED, message=code)], EXPECTED)

        assert not isinstance(judged, Trouble)
        assert judged["case_a", "test_2"].message == code


def test_a_setup_that_failed_fails_every_method_of_its_case():
    judged = judge_report([case(message="[Script-0203002] no such button")], EXPECTED)

    assert not isinstance(judged, Trouble)
    assert [verdict.passed for verdict in judged.values()] == [False, False]
    assert "setup failed: [Script-0203002]" in judged["case_a", "test_1"].message


def test_a_missing_case_is_never_a_pass_nor_a_fail():
    assert reason_of([]) is InfraReason.NO_REPORT
    assert reason_of([case(PASSED, PASSED, name="case_b")]) is InfraReason.NO_REPORT


def test_a_case_reported_twice_is_our_trouble():
    twice = [case(PASSED, PASSED), case(FAILED, FAILED)]

    assert reason_of(twice) is InfraReason.NO_REPORT


def test_methods_that_differ_from_the_task_mean_a_broken_check():
    assert reason_of([case(PASSED)]) is InfraReason.CHECK_BROKEN
    assert reason_of([case(PASSED, PASSED, PASSED)]) is InfraReason.CHECK_BROKEN
    doubled = case(PASSED, PASSED)._replace(
        methods=(MethodReport("test_1", PASSED), MethodReport("test_1", PASSED))
    )
    assert reason_of([doubled]) is InfraReason.CHECK_BROKEN


def test_a_case_that_passed_without_running_any_method_is_no_pass():
    assert reason_of([CaseReport("case_a", PASSED)]) is InfraReason.CHECK_BROKEN


def test_a_case_that_contradicts_its_methods_is_our_trouble():
    lying = case(FAILED, PASSED)._replace(kind=PASSED)

    assert reason_of([lying]) is InfraReason.RUNNER_CRASH


@pytest.mark.parametrize("kind", ["Blocked", "Ignored", "Unavailable", "Missing"])
def test_a_method_that_did_not_run_is_our_trouble(kind: str):
    assert reason_of([case(PASSED, kind)]) is InfraReason.RUNNER_CRASH


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("[Script-0203001] Can't load file", InfraReason.CHECK_BROKEN),
        ("[Script-0203016] class name", InfraReason.CHECK_BROKEN),
        ("[Environment-0101014] no such case", InfraReason.CHECK_BROKEN),
        ("[Environment-0101021] 0 devices were found", InfraReason.DEVICE_LOST),
        ("[Device-0303026] UI RPC port", InfraReason.DEVICE_LOST),
        ("[Device-0202001] reconnect limit", InfraReason.DEVICE_LOST),
        ("[Environment-0101020] not empty", InfraReason.RUNNER_CRASH),
        ("[Framework-0104002] something else", InfraReason.RUNNER_CRASH),
    ],
)
def test_codes_of_the_framework_name_our_own_trouble(message: str, reason: InfraReason):
    trouble = trouble_in_message(message)

    assert trouble is not None
    assert trouble.reason is reason
    assert reason_of([case(PASSED, FAILED, message=message)]) is reason
    assert reason_of([case(message=message)]) is reason


@pytest.mark.parametrize(
    "message",
    [
        "",
        "[Script-0203002] Can't find component",
        "[Script-0203003] false",
        "[Script-0203003] expected a, got [Environment-0101021] from the app",
        "text of the app [Device-0303026]",
    ],
)
def test_words_of_the_app_cannot_turn_a_fail_into_trouble(message: str):
    assert trouble_in_message(message) is None


INSTALLED = (
    "[Info]App install path:/a.hap msg:install bundle successfully.\nAppMod finish"
)
REFUSED = (
    "[Info]App install path:/a.hap msg:error: failed to install bundle. "
    "code:{} error: {}.\nAppMod finish"
)


def test_only_the_words_of_success_mean_installed():
    assert install_fault(INSTALLED) is None
    assert install_fault("AppMod finish") is not None
    assert install_fault("") is not None


@pytest.mark.parametrize("code", [9568259, 9568289, 9568305, 9568347])
def test_a_package_that_no_device_would_take_is_the_models_doing(code: int):
    fault = install_fault(REFUSED.format(code, "install failed"))

    assert isinstance(fault, Refused)
    assert str(code) in fault.detail


@pytest.mark.parametrize(
    "answer",
    [
        REFUSED.format(9568320, "no signature file"),
        REFUSED.format(9568332, "sign info inconsistent"),
        REFUSED.format(9568297, "older sdk version in the device"),
        REFUSED.format(9568413, "check syscap filed and device type"),
        REFUSED.format(9999999, "unheard of"),
        "[Fail][E006001] Not any installation package was found",
        "[Fail][E001005] Device not found or connected",
        "Connect server failed",
    ],
)
def test_other_refusals_are_left_to_a_control_run(answer: str):
    fault = install_fault(answer)

    assert isinstance(fault, Trouble)
    assert fault.reason is InfraReason.INSTALL


@pytest.mark.parametrize("code", [9568288, 9568391, 9568401])
def test_a_device_that_can_install_nothing_is_our_trouble(code: int):
    fault = install_fault(REFUSED.format(code, "install failed"))

    assert isinstance(fault, Trouble)
    assert fault.reason is InfraReason.DEVICE_FAULT
    assert "the device: " in fault.detail


# Doubts


@pytest.mark.parametrize(
    ("reason", "model"),
    [
        (InfraReason.DEADLINE, FailReason.TIMED_OUT),
        (InfraReason.RUNNER_CRASH, FailReason.BUILD_FAILED),
    ],
)
def test_a_build_that_hangs_or_crashes_may_be_the_projects_doing(reason, model):
    trouble = Trouble(reason, "seen")

    assert doubt_about_build(trouble) == Ambiguous(model, trouble)


@pytest.mark.parametrize(
    ("reason", "model"),
    [
        (InfraReason.DEADLINE, FailReason.TIMED_OUT),
        (InfraReason.INSTALL, FailReason.INSTALL_FAILED),
    ],
)
def test_checks_that_hang_and_odd_refusals_may_be_the_apps_doing(reason, model):
    trouble = Trouble(reason, "seen")

    assert doubt_about_checks(trouble, []) == Ambiguous(model, trouble)


@pytest.mark.parametrize(
    "reason",
    set(InfraReason)
    - {InfraReason.DEADLINE, InfraReason.RUNNER_CRASH, InfraReason.INSTALL},
)
def test_all_other_trouble_is_ours_without_a_doubt(reason):
    assert doubt_about_build(Trouble(reason, "")) is None
    assert doubt_about_checks(Trouble(reason, ""), []) is None


@pytest.mark.parametrize(
    "message",
    [
        "[Script-0203002] Can't find component",
        "setup failed: [Script-0203002] start_app failed",
        "[Script-0203099] a code that nobody knows",
    ],
)
def test_an_interface_that_raised_is_the_apps_doing_or_the_devices(message):
    doubt = doubt_about_checks(None, ["[Script-0203003] check is false", message])

    assert doubt is not None
    assert doubt.reason_if_model is FailReason.CHECK_FAILED
    assert doubt.trouble_if_ours.detail == message


def test_a_failed_assertion_leaves_no_doubt():
    assert doubt_about_checks(None, ["[Script-0203003] check is false"]) is None
    quoted = "[Script-0203003] expected a, got [Script-0203002] from the app"
    assert doubt_about_checks(None, [quoted]) is None
    assert doubt_about_checks(None, []) is None
