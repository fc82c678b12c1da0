"""A stand-in for the process that runs an app: `python fake_app.py PACKAGE --data DIR`.

The package's `mode` file says how it behaves; without one it is a small chat.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

PACKAGE, DATA = Path(sys.argv[1]), Path(sys.argv[3])
MODE = (PACKAGE / "mode").read_text().strip() if (PACKAGE / "mode").exists() else "chat"
ROW, LIST_TOP, LIST_BOTTOM = 200, 1000, 2000


class Chat:
    def __init__(self) -> None:
        self.draft, self.checked, self.offset, self.page = "", False, 0, "main"
        self.sent = [f"line {number}" for number in range(12)]
        self.events: list[str] = []
        if (DATA / "draft").exists():
            self.draft = (DATA / "draft").read_text()

    def tree(self) -> list[dict[str, object]]:
        nodes: list[dict[str, object]] = [node(0, None, "Column", (0, 0, 1308, 2880))]
        if self.page == "about":
            return [*nodes, node(1, 0, "Text", (40, 100, 600, 200), text="About")]
        nodes += [
            node(1, 0, "Text", (40, 100, 600, 200), text="Chat", id="title"),
            node(
                2,
                0,
                "TextInput",
                (40, 300, 900, 420),
                id="input",
                text=self.draft,
                hint="Message",
                clickable=True,
            ),
            node(
                3,
                0,
                "Button",
                (920, 300, 1268, 420),
                id="send",
                clickable=True,
                enabled=bool(self.draft),
            ),
            node(4, 3, "Text", (980, 330, 1200, 390), text="Send"),
            node(
                5,
                0,
                "Toggle",
                (40, 500, 200, 600),
                id="toggle",
                checkable=True,
                checked=self.checked,
            ),
            node(
                6,
                0,
                "Button",
                (40, 700, 300, 800),
                text="Crash",
                clickable=True,
                longClickable=True,
            ),
            node(
                7,
                0,
                "Text",
                (400, 700, 800, 800),
                id="last",
                text=self.events[-1] if self.events else "",
            ),
            node(8, 0, "Text", (400, 850, 800, 900), text="hidden", visible=False),
            node(9, 0, "Button", (900, 700, 1200, 800), text="About", clickable=True),
            node(20, 0, "List", (0, LIST_TOP, 1308, LIST_BOTTOM), scrollable=True),
        ]
        for place, text in enumerate(self.sent):
            top = LIST_TOP + place * ROW - self.offset
            box = (0, top, 1308, top + ROW)
            nodes.append(node(100 + place, 20, "Text", box, text=text))
        return nodes

    def fire(self, uid: int, event: str, value: object) -> None:
        if MODE == "broken":
            return
        self.events.append(f"{event} {uid}")
        if event == "input":
            self.draft = str(value)
            (DATA / "draft").write_text(self.draft)
        elif event == "scroll":
            limit = len(self.sent) * ROW - (LIST_BOTTOM - LIST_TOP)
            self.offset = max(0, min(limit, self.offset + value[1]))  # type: ignore[index]
        elif (uid, event) == (3, "click"):
            self.sent.append(self.draft)
            self.draft = ""
        elif (uid, event) == (5, "click"):
            self.checked = not self.checked
        elif (uid, event) == (6, "click"):
            raise RuntimeError("TypeError: cannot read property of undefined")
        elif (uid, event) == (9, "click"):
            self.page = "about"


def node(uid, parent, kind, bounds, **more):  # type: ignore[no-untyped-def]
    return {"uid": uid, "parent": parent, "type": kind, "bounds": list(bounds), **more}


def main() -> None:
    app = Chat()
    for line in sys.stdin:
        request = json.loads(line)
        crash, extra = None, {}
        if MODE == "garbage":
            sys.stdout.write('{"tree": [{"uid": 1, "bounds": "everywhere"}]}\n')
            sys.stdout.flush()
            continue
        if MODE == "crash_on_start":
            crash = "Error: no page"
        if MODE == "silent_exit":
            return
        if MODE == "freeze" and request["op"] != "start":
            time.sleep(3600)
        if MODE == "endless":
            while True:
                sys.stdout.write("x" * 65536)
        try:
            if request["op"] == "fire":
                app.fire(request["uid"], request["event"], request["value"])
            elif request["op"] == "back":
                extra["handled"] = app.page == "about"
                app.page = "main"
        except RuntimeError as error:
            crash = str(error)
        missing = ["Kit.Teleport"] if MODE == "not_simulated" else []
        reply = {
            "tree": app.tree(),
            "crash": crash,
            "not_simulated": missing,
            "log": [request["op"]],
            **extra,
        }
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()
        if crash:
            return


main()
