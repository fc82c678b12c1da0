"""The commands `bm` and `aa`: packages and abilities."""

from __future__ import annotations

import json
from collections.abc import Sequence

from evaluator.simulator.device.omissions import NotSimulatedError
from evaluator.simulator.device.packages import Installed
from evaluator.simulator.device.phone import Phone

_NO_BUNDLE = "error: failed to get information and the parameters may be wrong.\n"
_NO_ABILITY = (
    "error: failed to start ability.\n"
    "Error Code:10104001  Error Message:The specified ability does not exist.\n"
)
_NOT_INSTALLED = (
    "error: failed to uninstall bundle.\n"
    "code:9568386\nerror: uninstall missing installed bundle.\n"
)
_START_FLAGS = {"-a", "-b", "-m"}


def bundle_manager(phone: Phone, words: Sequence[str]) -> str:
    action = words[1]
    if action == "dump" and "-a" in words:
        listed = "".join(f"\t{name}\n" for name in phone.packages.names())
        return f"ID: 100:\n{listed}"
    if action not in {"clean", "dump", "uninstall"}:
        raise NotSimulatedError(f"shell bm {action}")
    bundle = words[words.index("-n") + 1]
    if action == "dump":
        found = phone.packages.get(bundle)
        return _NO_BUNDLE if found is None else _dump(found)
    phone.stop(bundle)
    if action == "uninstall":
        done = phone.packages.uninstall(bundle)
        return "uninstall bundle successfully.\n" if done else _NOT_INSTALLED
    if "-d" not in words:
        return "clean bundle cache files successfully.\n"
    if phone.packages.clean(bundle):
        return "clean bundle data files successfully.\n"
    return "error: clean bundle data files failed.\n"


def ability_manager(phone: Phone, words: Sequence[str]) -> str:
    action = words[1]
    if action == "force-stop":
        phone.stop(words[2])
        return "force stop process successfully.\n"
    if action != "start":
        raise NotSimulatedError(f"shell aa {action}")
    flags = {word for word in words[2:] if word.startswith("-")}
    if not flags <= _START_FLAGS:
        raise NotSimulatedError(f"shell aa start {' '.join(flags - _START_FLAGS)}")
    bundle = words[words.index("-b") + 1]
    ability = words[words.index("-a") + 1]
    started = phone.start(bundle, ability)
    return "start ability successfully.\n" if started else _NO_ABILITY


def _dump(found: Installed) -> str:
    abilities = [
        {
            "name": name,
            "moduleName": found.module,
            "skills": [
                {"actions": ["action.system.home"], "entities": ["entity.system.home"]}
            ]
            if name in found.home_abilities
            else [],
        }
        for name in found.abilities
    ]
    facts = {
        "name": found.bundle,
        "mainEntry": found.module,
        "hapModuleInfos": [
            {
                "name": found.module,
                "mainAbility": found.main_ability,
                "abilityInfos": abilities,
            }
        ],
    }
    return f"{found.bundle}:\n{json.dumps(facts, indent=4)}\n"
