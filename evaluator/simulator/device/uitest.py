"""The uitest daemon: answers the RPC calls of Hypium's UiDriver.

Objects live on this side and travel as references such as ``Component#3``.
"""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from evaluator.simulator.device.arguments import (
    button_of,
    notches_of,
    point_of,
    way_of,
)
from evaluator.simulator.device.gestures import Gesture
from evaluator.simulator.device.matching import Condition, find, read_condition
from evaluator.simulator.device.omissions import NotSimulatedError
from evaluator.simulator.device.phone import Phone
from evaluator.simulator.device.readers import COMPONENT, WINDOW
from evaluator.simulator.device.scrolling import scroll_search, scroll_to_end
from evaluator.simulator.device.touch import Hand
from evaluator.simulator.device.tree import SCREEN_HEIGHT, SCREEN_WIDTH, Node, Tree

Chain = tuple[Condition, ...]

_POLL_SECONDS = 0.05
_MAX_WAIT_SECONDS = 120.0
_MAX_OBJECTS = 100_000
_EVENTS = {"toastShow": "Toast", "dialogShow": "Dialog"}


class ComponentGoneError(Exception):
    """The component that a reference stands for is not on the screen any more."""


class UiTest:
    """One daemon; its methods may be called from any thread."""

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self._hand = Hand(phone)
        self._objects: dict[str, Any] = {}
        self._observed = ("", 0)
        self._numbers = itertools.count()

    def answer(self, request: object) -> dict[str, Any]:
        """The reply to one request: ``{"result": ...}`` or ``{"exception": ...}``."""
        try:
            return {"result": self._call(request)}
        except ComponentGoneError as error:
            return _exception("17000004", str(error))
        except NotSimulatedError as error:
            self._phone.omissions.add(error.name)
            return _exception("801", str(error))
        except (LookupError, TypeError, ValueError, AttributeError, re.error) as error:
            return _exception("401", f"cannot be called like this: {error!r}")

    def _call(self, request: object) -> Any:
        if not isinstance(request, dict):
            raise TypeError("a request is an object")
        params = request.get("params")
        if request.get("method") != "callHypiumApi" or not isinstance(params, dict):
            raise NotSimulatedError(f"RPC method {request.get('method')}")
        api, this = str(params.get("api")), params.get("this")
        arguments = params.get("args") or []
        kind, _, name = api.partition(".")
        if kind in {"BackendObjectsCleaner", "ObjectCleaner"}:
            for reference in arguments:
                self._objects.pop(reference, None)
            return None
        if kind == "On":
            return self._on(name, this, arguments)
        table: Mapping[str, Callable[[str, Any, Sequence[Any]], Any]] = {
            "Driver": self._driver,
            "Component": self._component,
            "UiWindow": self._window,
            "PointerMatrix": self._matrix,
        }
        if kind not in table:
            raise NotSimulatedError(api)
        return table[kind](name, this, arguments)

    def _keep(self, kind: str, value: Any) -> str:
        if len(self._objects) >= _MAX_OBJECTS:
            raise ValueError("too many objects")
        reference = f"{kind}#{next(self._numbers)}"
        self._objects[reference] = value
        return reference

    # --- On: chains of conditions ------------------------------------

    def _on(self, name: str, this: Any, arguments: Sequence[Any]) -> str:
        base: Chain = () if str(this).endswith("seed") else self._objects[this]
        link = read_condition(name, arguments, self._objects)
        return self._keep("On", (*base, link))

    def _find(self, tree: Tree, chain: Chain) -> list[Node]:
        front = self._phone.front
        bundle = front.bundle.bundle if front else ""
        return find(tree, chain, bundle=bundle)

    # --- Driver: the screen as a whole -------------------------------

    def _driver(self, name: str, this: Any, arguments: Sequence[Any]) -> Any:
        if name == "create":
            return self._keep("Driver", None)
        if name in {"findComponent", "waitForComponent"}:
            limit = arguments[1] / 1000 if len(arguments) > 1 else 0
            return self._wait(self._objects[arguments[0]], limit)
        if name == "findComponents":
            found = self._find(self._phone.tree(), self._objects[arguments[0]])
            return [self._keep("Component", node) for node in found]
        if name == "assertComponentExist":
            if not self._find(self._phone.tree(), self._objects[arguments[0]]):
                raise ComponentGoneError("no such component")
            return None
        if name in {"click", "doubleClick", "longClick"}:
            self._hand.tap(*point_of(arguments), name)
            return None
        if name in {"swipe", "fling"}:
            self._hand.swipe(*way_of(arguments))
            return None
        if name in {"drag", "dragBetween"}:
            self._hand.carry(*way_of(arguments))
            return None
        if name == "mouseClick":
            self._hand.press_mouse(*point_of(arguments), button_of(arguments))
            return None
        if name == "mouseScroll":
            self._hand.turn_wheel(*point_of(arguments), notches_of(arguments))
            return None
        if name == "mouseMoveTo":
            self._hand.hover(point_of(arguments))
            return None
        if name == "mouseMoveWithTrack":
            self._hand.hover(*way_of(arguments))
            return None
        if name == "uiEventObserverOnce":
            self._observed = (arguments[0], len(self._phone.popups()))
            return None
        if name == "getRecentUiEvent":
            return self._event(arguments[0])
        if name == "findWindow":
            return self._find_window(arguments[0])
        if name == "injectMultiPointerAction":
            gesture = self._objects[arguments[0]]
            gesture.perform(self._hand)
            return None
        return self._simple_driver_call(name, arguments)

    def _simple_driver_call(self, name: str, arguments: Sequence[Any]) -> Any:
        phone, hand = self._phone, self._hand
        calls: Mapping[str, Callable[[], Any]] = {
            "delayMs": lambda: time.sleep(min(arguments[0] / 1000, _MAX_WAIT_SECONDS)),
            "getDisplayDensity": lambda: {"x": 3, "y": 3},
            "getDisplayRotation": lambda: 0,
            "getDisplaySize": lambda: {"x": SCREEN_WIDTH, "y": SCREEN_HEIGHT},
            "inputText": lambda: hand.write_at(*point_of(arguments), str(arguments[1])),
            "pressBack": phone.press_back,
            "pressHome": phone.go_home,
            "triggerCombineKeys": lambda: hand.press_keys(list(arguments)),
            "triggerKey": lambda: hand.press_keys([arguments[0]]),
            "waitForIdle": lambda: True,
            "wakeUpDisplay": lambda: None,
        }
        if name not in calls:
            raise NotSimulatedError(f"Driver.{name}")
        return calls[name]()

    def _wait(self, chain: Chain, seconds: float) -> str | None:
        deadline = time.monotonic() + min(seconds, _MAX_WAIT_SECONDS)
        while True:
            found = self._find(self._phone.tree(), chain)
            if found:
                return self._keep("Component", found[0])
            if time.monotonic() >= deadline or self._phone.settled():
                return None
            time.sleep(_POLL_SECONDS)

    def _event(self, limit: float) -> dict[str, str] | str:
        """The first toast or dialog since the observation began; empty if none came."""
        kind, known = self._observed
        ending = _EVENTS.get(kind)
        if ending is None:
            raise NotSimulatedError(f"event {kind}")
        deadline = time.monotonic() + min(limit, _MAX_WAIT_SECONDS)
        while True:
            self._phone.tree()
            for popup in self._phone.popups()[known:]:
                if popup.type.endswith(ending):
                    front = self._phone.front
                    bundle = front.bundle.bundle if front else ""
                    return {"bundleName": bundle, **popup._asdict()}
            if time.monotonic() >= deadline or self._phone.settled():
                return ""
            time.sleep(_POLL_SECONDS)

    # --- Component: one component ------------------------------------

    def _component(self, name: str, this: Any, arguments: Sequence[Any]) -> Any:
        tree = self._phone.tree()
        node = self._alive(tree, this)
        read = COMPONENT.get(name)
        if read is not None:
            return read(node)
        if name in {"click", "doubleClick", "longClick"}:
            self._hand.tap(*node.bounds.center, name)
            return None
        if name == "inputText":
            mode = arguments[1] if len(arguments) > 1 else {}
            keep = isinstance(mode, dict) and mode.get("addition") is True
            self._hand.write(node, str(arguments[0]), keep=keep)
            return None
        if name == "clearText":
            self._hand.write(node, "")
            return None
        if name == "dragTo":
            target = self._alive(tree, arguments[0])
            self._hand.carry(node.bounds.center, target.bounds.center)
            return None
        if name in {"pinchIn", "pinchOut"}:
            self._hand.pinch_on(node, float(arguments[0]))
            return None
        if name == "scrollSearch":
            chain = self._objects[arguments[0]]
            found = scroll_search(
                self._phone,
                self._hand,
                node,
                lambda shown: self._find(shown, chain),
                vertical=arguments[1] if len(arguments) > 1 else True,
            )
            return None if found is None else self._keep("Component", found)
        if name in {"scrollToTop", "scrollToBottom"}:
            down = name == "scrollToBottom"
            scroll_to_end(self._phone, self._hand, node, down=down)
            return None
        raise NotSimulatedError(f"Component.{name}")

    def _alive(self, tree: Tree, reference: Any) -> Node:
        kept = self._objects.get(reference)
        node = tree.get(kept.uid) if isinstance(kept, Node) else None
        if not isinstance(kept, Node) or node is None or node.type != kept.type:
            raise ComponentGoneError(
                f"{reference} does not exist on the current UI; the UI has changed"
            )
        return node

    # --- windows and gestures ----------------------------------------

    def _find_window(self, wanted: Any) -> str | None:
        front = self._phone.front
        if front is None or not isinstance(wanted, dict):
            return None
        facts = {
            "bundleName": front.bundle.bundle,
            "title": front.bundle.bundle,
            "focused": True,
            "actived": True,
            "active": True,
        }
        for name, value in wanted.items():
            if name not in facts:
                raise NotSimulatedError(f"window filter {name}")
            if facts[name] != value:
                return None
        return self._keep("UiWindow", front.bundle.bundle)

    def _window(self, name: str, this: Any, arguments: Sequence[Any]) -> Any:
        if name not in WINDOW:
            raise NotSimulatedError(f"UiWindow.{name}")
        return WINDOW[name](self._objects[this])

    def _matrix(self, name: str, this: Any, arguments: Sequence[Any]) -> Any:
        if name == "create":
            return self._keep("PointerMatrix", Gesture(*arguments[:2]))
        if name == "setPoint":
            finger, step, point = arguments[:3]
            self._objects[this].set_point(finger, step, (point["x"], point["y"]))
            return None
        raise NotSimulatedError(f"PointerMatrix.{name}")


def _exception(code: str, message: str) -> dict[str, Any]:
    return {"exception": {"code": code, "message": message}}
