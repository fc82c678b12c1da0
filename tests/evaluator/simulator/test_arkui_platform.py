"""What an app meets of the platform besides its user interface."""

from __future__ import annotations

from tests.evaluator.simulator.arkts import App


def test_a_source_may_use_names_of_the_platform_for_its_own(app: App):
    app.open("Platform").click("names")

    assert app.text("told") == "mine own"


def test_the_context_leads_to_the_window_and_traces_are_taken(app: App):
    app.open("Platform").click("window")
    assert app.text("told") == "1308"

    app.click("trace")

    assert app.text("told") == "traced"
    assert app.reply["not_simulated"] == []


def test_what_the_window_stage_lacks_is_named_and_crashes_nothing(app: App):
    app.open("Platform").click("stage")

    assert app.reply["crash"] is None
    assert app.reply["not_simulated"] == ["WindowStage.setWindowModal"]
