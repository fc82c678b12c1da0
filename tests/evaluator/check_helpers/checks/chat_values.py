from devicetest.core.test_case import TestCase
from hypium import BY, UiDriver
from ohb_checks import screen
from ohb_checks.values import drawn

VALUES = drawn("chat_values")


class chat_values(TestCase):  # noqa: N801 - xdevice wants the file's name
    def __init__(self, configs):
        super().__init__(self.__class__.__name__, configs)
        self.tests = ["test_send_appends", "test_components", "test_one_picture"]
        self.driver = UiDriver(self.device1)

    def setup(self):
        self.driver.start_app("com.example.chat")

    def test_send_appends(self):
        self.driver.input_text(BY.id("input"), VALUES["message"])
        self.driver.touch(BY.text("Send"))
        self.driver.check_component_exist(
            BY.text(VALUES["message"]).within(BY.type("List")),
            scroll_target=BY.type("List"),
        )

    def test_components(self):
        screen.check_made_of_components(self.driver, texts=["Chat", "Send"])
        screen.keep(self.driver, "chat")

    def test_one_picture(self):
        screen.check_made_of_components(self.driver, texts=["A picture has no text"])

    def teardown(self):
        self.driver.stop_app("com.example.chat")
