from devicetest.core.test_case import Step, TestCase
from hypium import BY, UiDriver
from hypium.model import MatchPattern


class chat_send(TestCase):  # noqa: N801 - xdevice wants the file's name
    def __init__(self, configs):
        super().__init__(self.__class__.__name__, configs)
        self.tests = ["test_send_appends", "test_clear_disables_send"]
        self.driver = UiDriver(self.device1)

    def setup(self):
        self.driver.start_app("com.example.chat")

    def test_send_appends(self):
        Step("write and send")
        self.driver.input_text(BY.id("input"), "hello there")
        self.driver.touch(BY.text("Send"))
        self.driver.check_component_exist(
            BY.text("hello", MatchPattern.STARTS_WITH).within(BY.type("List")),
            scroll_target=BY.type("List"),
        )

    def test_clear_disables_send(self):
        self.driver.input_text(BY.id("input"), "x")
        self.driver.check_component(BY.id("send"), enabled=True)
        self.driver.clear_text(BY.id("input"))
        self.driver.check_component(BY.id("send"), enabled=False)
        self.driver.check_component_exist(BY.xpath("//Button[@text='Crash']"))
        # What an app makes of these, other tests tell; here Hypium's calls count.
        self.driver.drag(BY.id("toggle"), BY.text("Crash"))
        self.driver.check_component(BY.id("last"), text="release 5")
        self.driver.pinch_out(BY.type("List"))
        self.driver.mouse_scroll(BY.type("List"), "DOWN", 2)
        self.driver.mouse_move_to(BY.id("title"))
        self.driver.mouse_double_click(BY.id("toggle"))
        self.driver.mouse_click(BY.text("Crash"))
        self.driver.check_component(BY.id("last"), text="mouse 6")

    def teardown(self):
        self.driver.stop_app("com.example.chat")
