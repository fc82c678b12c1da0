"""What the ArkUI runtime does with state, input and pages; a page a topic."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.evaluator.simulator.arkts import App


def test_a_state_change_redraws_what_reads_it(app: App):
    app.open("State")
    assert (app.text("count"), app.text("branch")) == ("count 0", "none")

    app.click("count+")
    assert (app.text("count"), app.text("branch")) == ("count 1", "one")
    app.click("count+")

    assert (app.text("count"), app.text("branch")) == ("count 2", "many")


def test_an_undecorated_variable_redraws_nothing(app: App):
    app.open("State").click("plain+")
    app.click("count+")

    assert app.text("plain") == "plain 0"


def test_only_the_first_level_of_a_state_object_is_watched(app: App):
    app.open("State").click("deep+")
    assert app.text("deep") == "deep 1"

    app.click("flat+")  # redraws every reader of the variable, with all it has now
    assert (app.text("flat"), app.text("deep")) == ("flat 2", "deep 2")
    app.click("replace")

    assert (app.text("flat"), app.text("deep")) == ("flat 1", "deep 9")


def test_date_and_set_are_watched_through_their_methods(app: App):
    app.open("State").click("later")

    assert app.text("builtin") == "year 2000 names 1"


def test_a_prop_is_a_copy_that_follows_its_source(app: App):
    app.open("State").click("prop+")
    app.click("prop+")
    assert (app.text("prop"), app.text("count")) == ("prop 2", "count 0")

    app.click("count+")

    assert (app.text("prop"), app.text("count")) == ("prop 1", "count 1")


def test_a_link_is_the_variable_of_the_parent(app: App):
    app.open("State").click("link+")
    app.click("count+")

    assert app.text("link") == "link 2 own 1"
    assert app.text("count") == "count 2"


def test_watch_is_called_with_the_name_after_each_change(app: App):
    app.open("State").click("count+")
    app.click("link+")

    assert app.text("seen") == "count=1;count=2;"


def test_an_object_link_sees_inside_an_observed_object(app: App):
    app.open("State").click("rename")
    assert "A" in app.texts()
    assert "a" not in app.texts()

    app.click("push")

    assert app.text("cell_c") == "c"


def test_provide_consume_and_storage_reach_past_the_parents(app: App):
    app.open("Shared")
    assert (app.text("root"), app.text("grandchild")) == ("red 5", "red 5")

    app.click("grandchild")
    assert (app.text("root"), app.text("grandchild")) == ("green 6", "green 6")
    app.click("own")  # a StorageProp changes for itself only
    assert (app.text("root"), app.text("grandchild")) == ("green 100", "green 6")
    app.click("set")

    assert (app.text("root"), app.text("grandchild")) == ("green 50", "green 50")


def test_text_is_typed_filtered_and_bound(app: App):
    app.open("Inputs").write("bound", "hello")
    assert app.text("bound_text") == "hello"
    assert app.node("bound")["focused"]
    assert app.node("bound")["hint"] == "Bound"

    app.write("field", "1a2b34")

    assert app.text("field") == "123"
    assert app.text("log") == "change 123"
    assert app.node("field")["hint"] == "A number"
    assert app.node("field")["focused"]
    assert not app.node("bound")["focused"]


def test_what_was_typed_stays_until_the_app_sets_another_text(app: App):
    app.open("Inputs").write("field", "12")
    app.click("toggle")
    assert app.text("field") == "12"

    app.click("reset")

    assert app.text("field") == ""


def test_enter_submits(app: App):
    app.open("Inputs").write("field", "1")
    app.fire("field", "submit")
    assert app.text("log") == "submit true"

    app.write("search", "needle")
    app.fire("search", "submit")

    assert app.text("log") == "search needle"


def test_a_disabled_component_takes_nothing(app: App):
    app.open("Inputs").write("off", "no")
    assert app.text("off") == ""
    assert not app.node("off")["enabled"]

    app.click("reset")  # back to the first page, where a row is disabled as a whole
    app.ask("back")
    app.click("Places")
    app.click("off")

    assert app.log == []
    assert not app.node("off")["enabled"]


def test_switches_boxes_and_radios_change_together(app: App):
    app.open("Inputs").click("toggle")
    assert app.text("on_text") == "on"
    assert app.node("toggle")["checked"]

    app.click("one")
    assert not app.node("all")["checked"]
    app.click("two")
    assert app.node("all")["checked"]
    assert app.text("log") == "one+two true"
    app.click("radio_b")

    assert app.node("radio_b")["checked"]
    assert not app.node("radio_a")["checked"]


def test_a_slider_moves_in_its_steps_and_a_select_has_a_menu(app: App):
    app.open("Inputs")
    app.fire("slider", "scroll", [400, 0])
    assert app.text("log") == "slider 50"

    app.click("select")
    app.click("Blue")

    assert app.text("log") == "select 1 Blue"
    assert app.text("select") == "Blue"


def test_for_each_keeps_what_keeps_its_key(app: App):
    app.open("Lists")
    assert [line for line in app.log if "appear" in line] == [
        *("appear a", "appear b", "appear c")
    ]
    app.click("c")
    before = app.node("c")["uid"]

    app.click("reverse")
    buttons = [text for text in app.texts() if ":" in text]
    assert buttons == ["c:1", "b:0", "a:0"]
    assert app.node("c")["uid"] == before
    assert app.log == []
    app.click("drop")

    assert app.log == ["disappear b"]
    assert app.find("b") is None


def test_of_equal_keys_only_the_first_is_shown(app: App):
    app.open("Lists").click("twice")

    assert [text for text in app.texts() if ":" in text] == ["a:0", "b:0", "c:0"]


def test_a_lazy_list_follows_its_data_source(app: App):
    app.open("Lists")
    assert "two" not in app.texts()

    app.click("add")

    assert "two" in app.texts()


def test_a_list_shows_what_is_scrolled_into_view(app: App):
    app.open("Lists")
    left, top, right, bottom = app.node("list")["bounds"]
    assert app.node("row_0")["visible"]
    assert not app.node("row_59")["visible"]

    app.fire("row_2", "scroll", [0, -600])
    assert not app.node("row_0")["visible"]
    app.click("bottom")

    assert app.node("row_59")["visible"]
    assert app.log == ["end"]
    shown = [node for node in app.tree if node["id"].startswith("row_")]
    for node in (each for each in shown if each["visible"]):
        assert top <= node["bounds"][1] <= node["bounds"][3] <= bottom
        assert left <= node["bounds"][0] <= node["bounds"][2] <= right


def test_a_builder_is_live_by_reference_and_fixed_by_value(app: App):
    app.open("Builders").click("count+")

    assert app.text("by_reference") == "ref 1"
    assert app.text("by_value") == "value 0"
    assert app.text("own") == "own 1!"
    assert app.text("inside") == "inside 1"
    assert app.text("empty") == "empty"
    assert "wrapped" in app.texts()


def test_extend_and_styles_set_attributes(app: App):
    app.open("Builders")

    style = app.node("styled")["style"]
    assert style["fontSize"] == 20
    assert style["fontColor"] == "#123456"
    assert style["backgroundColor"] == "#ff0000"


def test_a_custom_dialog_has_its_controller_and_its_link(app: App):
    app.open("Dialogs").click("custom")
    assert app.text("question") == "Really?"
    assert app.find("Dialog") is not None

    app.click("Yes")

    assert app.text("answer") == "yes"
    assert app.find("question") is None
    assert app.log == ["done"]


def test_an_open_dialog_covers_the_page(app: App):
    app.open("Dialogs").click("alert")
    app.click("custom")  # lands beside the dialog, which closes it
    assert app.text("answer") == "cancelled"
    assert app.find("Message") is None
    assert app.find("question") is None

    app.click("alert")
    app.click("OK")
    assert app.text("answer") == "ok"
    app.click("alert")
    app.ask("back")

    assert app.text("answer") == "cancelled"


def test_a_system_dialog_answers_with_the_button(app: App):
    app.open("Dialogs").click("choose")
    app.click("B")

    assert app.text("answer") == "picked 1"


def test_a_toast_goes_by_itself(app: App):
    app.open("Dialogs").click("toast")
    assert "Hello you" in app.texts()
    assert app.reply["idle"] is False

    assert app.comes_to(lambda: "Hello you" not in app.texts())
    assert app.reply["idle"] is True


def test_a_sheet_closes_with_the_back_key_and_tells_its_variable(app: App):
    app.open("Dialogs").click("open sheet")
    assert (app.text("sheet_text"), app.text("sheet_state")) == ("sheet", "sheet open")

    assert app.ask("back")["handled"] is True

    assert app.find("sheet_text") is None
    assert app.text("sheet_state") == "sheet closed"


def test_a_bound_menu_opens_at_a_tap(app: App):
    app.open("Dialogs").click("menu")
    app.click("Second")

    assert app.text("answer") == "second"
    assert app.find("First") is None


def test_the_router_keeps_the_page_below(app: App):
    app.open("Routing").click("local+")
    app.click("detail")
    assert app.text("detail") == "from routing"
    assert app.find("routing") is None
    assert app.log == ["routing hidden"]

    app.click("leave")

    assert app.text("routing") == "error  local 1"
    assert app.log == ["routing shown"]


def test_a_page_that_is_not_registered_is_refused_at_run_time(app: App):
    app.open("Routing").click("nowhere")

    assert app.text("routing") == "error 100002 local 0"


def test_replaced_pages_are_gone(app: App):
    app.open("Routing").click("replace")
    assert app.text("detail") == "replaced"

    app.ask("back")

    assert "Routing" in app.texts()  # the first page, with its buttons


def test_a_page_may_keep_the_back_key_to_itself(app: App):
    app.open("Routing").click("detail")
    app.click("ask first")
    assert app.ask("back")["handled"] is True
    assert app.text("detail") == "from routing"

    assert app.ask("back")["handled"] is True
    assert app.text("routing")
    app.ask("back")

    assert app.ask("back")["handled"] is False


def test_navigation_pushes_pops_and_returns_a_result(app: App):
    app.open("Navigating").click("to second")
    assert app.text("second") == "second p"
    assert "Second" in app.texts()
    assert app.find("result") is None

    app.click("to third")
    assert app.text("third") == "third 2"
    assert app.log == ["third shown"]
    app.ask("back")
    app.click("pop")

    assert app.text("result") == "popped"


def test_preferences_and_persistent_storage_outlive_the_process(
    run_app: Callable[[], App],
):
    first = run_app().open("Saved")
    assert first.text("note") == "empty 0"
    first.click("save")
    first.click("forget to flush")
    first.end()

    second = run_app().open("Saved")

    assert second.text("note") == "written 1"


@pytest.mark.parametrize(
    ("button", "message"),
    [
        ("throw", "Error message: thrown on purpose"),
        ("build", "Cannot read properties of undefined (reading 'toUpperCase')"),
    ],
)
def test_an_uncaught_exception_is_a_crash_and_ends_the_process(
    app: App, button: str, message: str
):
    reply = app.open("Faults").click(button)

    assert message in reply["crash"]
    assert "entry/src/main/ets/pages/Faults.ets" in reply["crash"]
    assert reply["tree"] == []
    assert app.process.wait(timeout=120) == 1


def test_a_crash_in_a_timer_is_told_with_the_next_reply(app: App):
    app.open("Faults").click("timer")
    assert app.reply["crash"] is None

    assert app.comes_to(lambda: app.reply["crash"] is not None)
    assert "reading 'length'" in app.reply["crash"]


def test_caught_errors_and_rejected_promises_do_not_crash(app: App):
    app.open("Faults").click("caught")
    assert app.log == ["caught thrown on purpose"]

    app.click("reject")

    assert app.reply["crash"] is None
    assert any("only logged" in line for line in app.reply["log"])


def test_what_is_not_simulated_is_named_when_it_is_used(app: App):
    app.open("Omitted")
    assert app.text("here") == "here"
    assert app.reply["not_simulated"] == []

    app.click("http")
    assert app.reply["not_simulated"] == ["@kit.NetworkKit http.createHttp"]
    app.click("vibrate")
    app.click("picker")
    app.click("web")

    assert app.reply["not_simulated"][1:] == [
        "@kit.SensorServiceKit vibrator.startVibration",
        "promptAction.showDatePicker",
        "Web",
        "Web.onPageEnd",
    ]
    assert app.reply["crash"] is None


def test_an_unknown_event_or_request_is_named(app: App):
    app.open("Omitted")
    app.fire("here", "shake")
    app.ask("sing")

    assert app.reply["not_simulated"] == ["event shake", "request sing"]


def test_the_newer_state_model_sees_deep_changes(app: App):
    app.open("Newer").click("deep")
    assert (app.text("sum"), app.text("item_0")) == ("sum 2", "0:a:2")

    app.click("push")
    assert app.text("item_1") == "1:b:0"
    app.click("stepper")
    assert app.text("stepper") == "step 2/1"
    assert app.log == ["value 1 2"]
    app.write("field", "typed")

    assert app.text("text") == "typed"


def test_rows_weights_and_percentages_share_the_width(app: App):
    app.open("Places")
    row = app.node("row")["bounds"]
    left, middle, right = (
        app.node(name)["bounds"] for name in ("left", "middle", "right")
    )

    assert row == [36, 153, 1272, 333]
    assert left[0] == row[0]
    assert left[2] - left[0] == 300
    assert middle[0] == left[2] + 60
    assert right[2] == row[2]
    assert right[2] - right[0] == round((row[2] - row[0]) / 4)
    assert middle[2] == right[0] - 60


def test_stacks_grids_and_relative_containers_place_their_children(app: App):
    app.open("Places")
    stack, over = app.node("stack")["bounds"], app.node("over")["bounds"]
    assert over[2:] == stack[2:]

    first, second, third = (app.node(f"g{index}")["bounds"] for index in range(3))
    assert first[1] == second[1] < third[1]
    assert first[0] == third[0] < second[0]
    outer, anchor = app.node("relative")["bounds"], app.node("anchor")["bounds"]
    assert anchor[0] + anchor[2] == outer[0] + outer[2]
    assert anchor[1] + anchor[3] == outer[1] + outer[3]
    assert app.node("below")["bounds"][:2] == [anchor[0], anchor[3]]


def test_hidden_things_keep_their_place_and_removed_things_do_not(app: App):
    app.open("Places")
    assert app.node("gone")["visible"]

    app.click("hide")

    assert app.find("gone") is None
    assert not app.node("faint")["visible"]


def test_a_tap_goes_to_the_nearest_component_with_a_handler(app: App):
    app.open("Places").click("outer")
    assert app.log == ["outer"]

    app.click("child")

    assert app.log == ["row"]
    assert app.node("outer")["clickable"]
    assert not app.node("child")["clickable"]


def test_tabs_build_a_page_when_it_is_first_shown(app: App):
    app.open("Paged")
    assert app.text("content_zero")
    assert app.find("content_one") is None
    assert "content one" not in app.log

    app.click("label_1")
    assert (app.text("index"), app.text("label_1")) == ("index 1", "label 1*")
    assert app.log == ["content one"]
    app.click("plain")
    assert app.text("content_two")
    app.click("second")

    assert app.text("index") == "index 1"
    assert app.log == []


def test_a_swipe_turns_the_page_of_a_swiper(app: App):
    app.open("Paged")
    assert app.find("slide_1") is None

    app.fire("slide_0", "scroll", [-500, 0])

    assert app.find("slide_0") is None
    assert app.text("slide_1") == "slide 1"
    assert app.log == ["slide 1"]


def test_texts_come_from_resources_of_the_locale(app: App):
    app.open("Words")
    assert app.text("greeting") == "Hello Ann"
    assert app.text("apples") == "1 apple"
    assert app.text("spans") == "two spans"
    assert app.text("managed") == "A number"
    colored = app.node("colored")
    assert colored["style"]["fontColor"] == "#0A59F7"
    assert colored["description"] == "said aloud"

    app.click("more")

    assert app.text("apples") == "2 apples"


def test_the_life_cycle_reaches_the_ability_and_the_page(app: App):
    app.open("Routing")
    assert "routing shown" in app.log

    app.ask("background")
    assert app.log == ["routing hidden", "background"]
    app.ask("foreground")

    assert app.log == ["foreground", "routing shown"]


def test_private_values_stay_out_of_the_log(app: App):
    app.ask("start")

    assert app.reply["log"][0] == "I A00001/Ability: created <private>"


def test_uids_are_stable_and_the_tree_is_well_formed(app: App):
    app.open("State")
    before = {node["id"]: node["uid"] for node in app.tree if node["id"]}

    app.click("count+")

    after = {node["id"]: node["uid"] for node in app.tree if node["id"]}
    assert {key: after[key] for key in before if key != "branch"} == {
        key: before[key] for key in before if key != "branch"
    }
    seen: set[int] = set()
    for node in app.tree:
        assert node["parent"] is None or node["parent"] in seen
        assert node["uid"] not in seen
        seen.add(node["uid"])


def test_nonsense_is_answered_with_an_error_and_does_no_harm(app: App):
    assert "error" in app.ask("tree")
    app.open("State")
    assert app.process.stdin is not None
    app.process.stdin.write("not json\n")
    app.process.stdin.flush()
    assert app.process.stdout is not None
    assert "No request: not json" in app.process.stdout.readline()

    app.click("count+")

    assert app.text("count") == "count 1"


def test_a_row_pulled_aside_shows_its_action(app: App):
    app.open("Extras")
    assert "head" in app.texts()
    assert app.find("delete") is None

    app.fire("row", "scroll", [-400, 0])
    app.click("delete")

    assert app.log == ["deleted"]


def test_a_badge_shows_its_count_up_to_the_most(app: App):
    assert "99+" in app.open("Extras").texts()


def test_a_grid_row_has_columns_for_a_small_screen(app: App):
    app.open("Extras")
    first, second, third = (app.node(f"c{index}")["bounds"] for index in (1, 2, 3))

    assert first[1] == second[1] < third[1]
    assert first[0] < second[0]


def test_size_changes_are_told_to_the_app(app: App):
    app.open("Extras")
    assert app.text("area") == "0->100"

    app.click("widen")

    assert app.text("area") == "100->200"


def test_a_builder_named_in_an_attribute_keeps_its_struct(app: App):
    app.open("Extras").click("popup")

    assert app.text("hint") == "hint swiped"


def test_files_are_kept_in_the_storage_of_the_app(run_app: Callable[[], App]):
    app = run_app().open("Extras")
    app.click("write")

    assert app.text("file") == "kept true false"


def test_a_local_storage_is_shared_below_its_page(app: App):
    app.open("More")
    assert (app.text("whole"), app.text("part")) == ("whole 3", "part 3")

    app.click("part")

    assert (app.text("whole"), app.text("part")) == ("whole 4", "part 4")


def test_a_swiper_turns_by_itself_while_it_is_told_to(app: App):
    app.open("More")
    assert app.reply["idle"] is True

    app.click("turn")
    assert app.reply["idle"] is False
    assert app.comes_to(lambda: "second" in app.texts())
    assert app.comes_to(lambda: "first" in app.texts())
    app.click("turn")
    assert app.reply["idle"] is True


def test_a_custom_dialog_opens_and_closes_by_its_number(app: App):
    app.open("More").click("open")
    assert app.text("custom") == "custom"

    app.click("close")

    assert app.find("custom") is None


def test_the_route_map_leads_to_a_builder(app: App):
    app.open("More").click("mapped")

    assert app.text("mapped") == "mapped by name"
