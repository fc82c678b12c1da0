"""A stand-in for the process that runs an app: `python fake_app.py PACKAGE --data DIR`.

The package's `mode` file says how it behaves; without one it is a small chat.
"""

import json
import sys
import time
from pathlib import Path

PACKAGE, DATA = Path(sys.argv[1]), Path(sys.argv[3])
MODE = (PACKAGE / "mode").read_text().strip() if (PACKAGE / "mode").exists() else "chat"
ROW, LIST_TOP, LIST_BOTTOM = 200, 1000, 2000
LIST, INPUT, SEND, TOGGLE, CRASH, ABOUT, TOAST = 20, 2, 3, 5, 6, 9, 10


def node(uid, parent, kind, bounds, **more):
    return {"uid": uid, "parent": parent, "type": kind, "bounds": list(bounds), **more}


class Chat:
    def __init__(self):
        self.checked, self.offset, self.page, self.focused = False, 0, "main", None
        self.sent = [f"line {number}" for number in range(12)]
        self.last, self.toast = "", ""
        saved = DATA / "draft"
        self.draft = saved.read_text() if saved.exists() else ""

    def tree(self):
        nodes = [node(0, None, "Column", (0, 0, 1308, 2880))]
        if self.page == "about":
            return [*nodes, node(1, 0, "Text", (40, 100, 600, 200), text="About")]
        nodes += [
            node(1, 0, "Text", (40, 100, 600, 200), text="Chat", id="title"),
            node(
                INPUT,
                0,
                "TextInput",
                (40, 300, 900, 420),
                id="input",
                text=self.draft,
                hint="Message",
                clickable=True,
                focused=self.focused == INPUT,
            ),
            node(
                SEND,
                0,
                "Button",
                (920, 300, 1268, 420),
                id="send",
                clickable=True,
                enabled=bool(self.draft),
            ),
            node(4, SEND, "Text", (980, 330, 1200, 390), text="Send"),
            node(
                TOGGLE,
                0,
                "Toggle",
                (40, 500, 200, 600),
                id="toggle",
                checkable=True,
                checked=self.checked,
            ),
            node(
                CRASH,
                0,
                "Button",
                (40, 700, 300, 800),
                text="Crash",
                clickable=True,
                longClickable=True,
            ),
            node(7, 0, "Text", (400, 700, 800, 800), id="last", text=self.last),
            node(8, 0, "Text", (400, 850, 800, 900), text="hidden", visible=False),
            node(
                ABOUT, 0, "Button", (900, 700, 1200, 800), text="About", clickable=True
            ),
            node(
                TOAST, 0, "Button", (900, 850, 1200, 950), text="Toast", clickable=True
            ),
            node(LIST, 0, "List", (0, LIST_TOP, 1308, LIST_BOTTOM), scrollable=True),
        ]
        for place, text in enumerate(self.sent):
            top = LIST_TOP + place * ROW - self.offset
            box = (0, top, 1308, top + ROW)
            nodes.append(node(100 + place, LIST, "Text", box, text=text))
        if self.toast:
            nodes.append(node(50, None, "Toast", (300, 2500, 1000, 2600)))
            nodes.append(node(51, 50, "Text", (320, 2520, 980, 2580), text=self.toast))
        return nodes

    def fire(self, uid, event, value):
        if MODE == "broken":
            return
        uid = {4: SEND}.get(uid, uid)
        self.last = f"{event} {uid}"
        if event == "click":
            self.focused = INPUT if uid == INPUT else None
        if event == "input":
            self.draft = value
            (DATA / "draft").write_text(value)
        elif event == "scroll":
            most = len(self.sent) * ROW - (LIST_BOTTOM - LIST_TOP)
            self.offset = max(0, min(most, self.offset - value[1]))
        elif (uid, event) in {(SEND, "click"), (INPUT, "submit")} and self.draft:
            self.sent.append("hello there" if MODE == "hardcoded" else self.draft)
            self.draft = ""
        elif (uid, event) == (TOGGLE, "click"):
            self.checked = not self.checked
        elif (uid, event) == (CRASH, "click"):
            raise RuntimeError("TypeError: cannot read property of undefined")
        elif (uid, event) == (ABOUT, "click"):
            self.page = "about"
        elif (uid, event) == (TOAST, "click"):
            self.toast = "Saved"


def misbehave(request):
    """Do what the mode says; what this returns is written in place of a reply."""
    if MODE == "garbage":
        return '{"tree": [{"uid": 1, "bounds": "everywhere"}]}'
    if MODE == "no_json":
        return "Segmentation fault"
    if MODE == "silent_exit":
        sys.exit(0)
    if MODE == "endless":
        while True:
            sys.stdout.write("x" * 65536)
    if MODE == "freeze" and request["op"] == "fire":
        time.sleep(3600)
    return None


def answer(app, request):
    crash, more = None, {}
    try:
        if request["op"] == "fire":
            app.fire(request["uid"], request["event"], request["value"])
        elif request["op"] == "back":
            more["handled"] = app.page == "about"
            app.page = "main"
    except RuntimeError as error:
        crash = str(error)
    if MODE == "crash_on_start":
        crash = "Error: no page"
    missing = ["Kit.Teleport"] if MODE == "not_simulated" else []
    if MODE == "idle":
        more["idle"] = True
    reply = {"tree": app.tree(), "crash": crash, "not_simulated": missing}
    said = request["op"]
    if said == "fire":
        said += f" {request['event']} {request['uid']}"
    return json.dumps({**reply, "log": [said], **more}), crash


def main():
    if MODE == "host_broken":
        sys.exit(1)
    app = None
    for line in sys.stdin:
        request = json.loads(line)
        crash = None
        if app is None and request["op"] != "start":
            text = '{"tree": [], "crash": null}'
        else:
            app = app or Chat()
            text = misbehave(request)
            if text is None:
                text, crash = answer(app, request)
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
        if crash:
            return


main()
