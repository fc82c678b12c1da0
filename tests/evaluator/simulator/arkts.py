"""Small ArkTS projects for tests, the build of them, and the app that comes out."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from evaluator.simulator.device.__main__ import find_node
from evaluator.toolchains.registry import SIMULATOR
from tests.requirements import require

NODE = find_node()
HVIGORW = SIMULATOR / "bin" / "hvigorw"
SERVE = SIMULATOR / "arkui" / "serve.mjs"
PAGES = Path(__file__).parent / "pages"
COMMAND = (
    *("assembleHap", "--mode", "module", "-p", "product=default"),
    *("-p", "module=entry@default", "-p", "buildMode=debug", "--no-daemon"),
)
HAP = "entry/build/default/outputs/default/entry-default-unsigned.hap"
INDEX = "entry/src/main/ets/pages/Index.ets"
MAPPED = "entry/src/main/ets/view/Mapped.ets"
ROUTE = {
    "name": "mapped",
    "pageSourceFile": "src/main/ets/view/Mapped.ets",
    "buildFunction": "MappedBuilder",
}
PICTURE = bytes.fromhex("89504e470d0a1a0a")  # enough of a PNG to be a file

_DIAGNOSTIC = re.compile(
    r"(\d+) ERROR: (\d+) (.+)\nError Message: (.*) At File: (.*):(\d+):(\d+)\n"
)


def need_node() -> None:
    compiler = SIMULATOR / "node_modules" / "ohos-typescript"
    require("node", NODE is not None, "install Node 20 or newer")
    require("ohos-typescript", compiler.is_dir(), "run `make setup`")


def path_with_node() -> str:
    """A PATH whose first Node is the one of these tests."""
    assert NODE is not None
    return os.pathsep.join([str(NODE.parent), os.environ["PATH"]])


def page(body: str, *, members: str = "", top: str = "") -> str:
    """A page whose build method holds ``body`` inside one Column."""
    return (
        f"{top}\n@Entry\n@Component\nstruct Index {{\n{members}\n"
        f"  build() {{\n    Column() {{\n{body}\n    }}\n  }}\n}}\n"
    )


ABILITY = """\
import { AbilityConstant, UIAbility, Want } from '@kit.AbilityKit';
import { hilog } from '@kit.PerformanceAnalysisKit';
import { window } from '@kit.ArkUI';

export default class EntryAbility extends UIAbility {
  onCreate(want: Want, launchParam: AbilityConstant.LaunchParam): void {
    hilog.info(0x0001, 'Ability', '%{public}s %{private}s', 'created', 'secret');
  }

  onWindowStageCreate(windowStage: window.WindowStage): void {
    windowStage.loadContent('pages/Index', (error) => {
      if (error.code) {
        hilog.error(0x0001, 'Ability', 'no content: %{public}s', JSON.stringify(error));
      }
    });
  }

  onForeground(): void { hilog.info(0x0001, 'Ability', 'foreground'); }
  onBackground(): void { hilog.info(0x0001, 'Ability', 'background'); }
}
"""

MODULE = {
    "module": {
        "name": "entry",
        "type": "entry",
        "mainElement": "EntryAbility",
        "deviceTypes": ["phone"],
        "pages": "$profile:main_pages",
        "abilities": [
            {
                "name": "EntryAbility",
                "srcEntry": "./ets/entryability/EntryAbility.ets",
                "label": "$string:app_name",
                "icon": "$media:icon",
                "exported": True,
                "skills": [{"actions": ["ohos.want.action.home"]}],
            }
        ],
    }
}

FILES: Mapping[str, str] = {
    "AppScope/app.json5": """{
  // a comment, as JSON5 allows
  app: { bundleName: 'com.example.sample', vendor: "example", versionCode: 1000000,
    versionName: '1.0.0', icon: '$media:icon', label: '$string:app_name', },
}
""",
    "build-profile.json5": """{
  "app": { "signingConfigs": [], "products": [{ "name": "default" }] },
  "modules": [{ "name": "entry", "srcPath": "./entry", "targets": [] }],
}
""",
    "hvigorfile.ts": "throw new Error('hvigorfile.ts must never run');\n",
    "oh-package.json5": '{ "modelVersion": "6.0.0", "dependencies": {}, '
    '"devDependencies": { "@ohos/hypium": "1.0.24" } }\n',
    "entry/build-profile.json5": '{ "apiType": "stageMode", "targets": [] }\n',
    "entry/hvigorfile.ts": "throw new Error('hvigorfile.ts must never run');\n",
    "entry/oh-package.json5": '{ "name": "entry", "dependencies": {} }\n',
    "entry/src/main/module.json5": json.dumps(MODULE, indent=2),
    "entry/src/main/ets/entryability/EntryAbility.ets": ABILITY,
    INDEX: page("      Text($r('app.string.app_name'))"),
    "entry/src/main/resources/base/profile/main_pages.json": '{"src":["pages/Index"]}',
    "entry/src/main/resources/base/element/string.json": """{
  "string": [
    { "name": "app_name", "value": "Sample" },
    { "name": "greeting", "value": "Dear %s" },
    { "name": "hint", "value": "A number" }
  ],
  "plural": [{ "name": "apples", "value": [
    { "quantity": "one", "value": "%d apple" },
    { "quantity": "other", "value": "%d apples" }
  ]}]
}
""",
    "entry/src/main/resources/en_US/element/string.json": """{
  "string": [{ "name": "greeting", "value": "Hello %s" }]
}
""",
    "entry/src/main/resources/base/element/color.json": """{
  "color": [{ "name": "accent", "value": "#0A59F7" }],
  "float": [{ "name": "big", "value": "24fp" }]
}
""",
}


def write_project(root: Path, changes: Mapping[str, str | None] | None = None) -> Path:
    """Write the sample project with ``changes``; None leaves a file out."""
    for name, text in {**FILES, **(changes or {})}.items():
        if text is not None:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, "utf-8")
    media = root / "entry/src/main/resources/base/media"
    media.mkdir(parents=True, exist_ok=True)
    (media / "icon.png").write_bytes(PICTURE)
    return root


class Finding(NamedTuple):
    """One numbered error of a build."""

    number: int
    code: str
    title: str
    message: str
    file: str
    line: int
    column: int


@dataclass(frozen=True)
class Build:
    """What one run of hvigorw did."""

    status: int
    raw: str
    root: Path

    @property
    def text(self) -> str:
        return re.sub(r"\x1b\[\d+m", "", self.raw)

    @property
    def findings(self) -> list[Finding]:
        return [
            Finding(
                int(number),
                code,
                title,
                message,
                Path(file).relative_to(self.root).as_posix(),
                int(line),
                int(column),
            )
            for number, code, title, message, file, line, column in (
                _DIAGNOSTIC.findall(self.text)
            )
        ]

    @property
    def hap(self) -> Path:
        return self.root / HAP


def build(root: Path, *words: str) -> Build:
    done = subprocess.run(
        [HVIGORW, *(words or COMMAND)],
        cwd=root,
        env={"PATH": path_with_node(), "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.stderr == ""
    return Build(done.returncode, done.stdout, root)


_BUILD_MANY = """
const { main } = await import(process.argv[1]);
const roots = process.argv.slice(2);
const done = roots.map((root) => {
  const parts = [];
  const status = main(['assembleHap'], root, (text) => parts.push(text));
  return [status, parts.join('')];
});
console.log(JSON.stringify(done));
"""


def build_many(roots: Iterable[Path]) -> list[Build]:
    """Build many projects in one process, which saves its start for each."""
    roots = list(roots)
    assert NODE is not None
    module = (SIMULATOR / "hvigor" / "main.mjs").as_uri()
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", _BUILD_MANY, module, *roots],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    return [
        Build(status, text, root)
        for root, (status, text) in zip(roots, json.loads(done.stdout), strict=True)
    ]


def built_with_pages(root: Path, names: Iterable[str]) -> Path:
    """Build one project that holds these pages, and unpack its HAP.

    The first page has a button for each of them.
    """
    buttons = "\n".join(
        f"      Button('{name}').onClick(() => {{ "
        f"router.pushUrl({{ url: 'pages/{name}' }}); }})"
        for name in names
    )
    top = "import { router } from '@kit.ArkUI';"
    changes = {
        f"entry/src/main/ets/pages/{name}.ets": (PAGES / f"{name}.ets").read_text()
        for name in names
    }
    urls = [f"pages/{name}" for name in ("Index", *names)]
    changes[INDEX] = page(buttons, top=top)
    profiles = "entry/src/main/resources/base/profile"
    changes[f"{profiles}/main_pages.json"] = json.dumps({"src": urls})
    changes[f"{profiles}/route_map.json"] = json.dumps({"routerMap": [ROUTE]})
    changes[MAPPED] = (PAGES.parent / "view" / "Mapped.ets").read_text()
    module = {**MODULE["module"], "routerMap": "$profile:route_map"}
    changes["entry/src/main/module.json5"] = json.dumps({"module": module})
    done = build(write_project(root / "project", changes))
    assert done.status == 0, done.text
    with zipfile.ZipFile(done.hap) as hap:
        hap.extractall(root / "package")
    return root / "package"


Node = dict[str, Any]


class App:
    """A started app, asked as the device asks it."""

    def __init__(self, package: Path, data: Path) -> None:
        assert NODE is not None
        self.reply: dict[str, Any] = {}
        self.process = subprocess.Popen(
            [NODE, SERVE, package, "--data", data],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, op: str, **more: object) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"op": op, **more}) + "\n")
        self.process.stdin.flush()
        self.reply = json.loads(self.process.stdout.readline())
        return self.reply

    def open(self, name: str) -> App:
        """Start the app and go to one of its pages."""
        self.ask("start")
        self.click(name)
        return self

    @property
    def tree(self) -> list[Node]:
        tree: list[Node] = self.reply["tree"]
        return tree

    def find(self, wanted: str) -> Node | None:
        """The first component with this id, text or type."""
        for key in ("id", "text", "type"):
            for node in self.tree:
                if node[key] == wanted:
                    return node
        return None

    def node(self, wanted: str) -> Node:
        found = self.find(wanted)
        assert found is not None, f"{wanted} is not among {self.texts()}"
        return found

    def text(self, wanted: str) -> str:
        return str(self.node(wanted)["text"])

    def texts(self) -> list[str]:
        return [node["text"] for node in self.tree if node["text"]]

    def fire(self, wanted: str, event: str, value: object = None) -> dict[str, Any]:
        return self.ask("fire", uid=self.node(wanted)["uid"], event=event, value=value)

    def click(self, wanted: str) -> dict[str, Any]:
        return self.fire(wanted, "click")

    def write(self, wanted: str, text: str) -> dict[str, Any]:
        return self.fire(wanted, "input", text)

    def comes_to(self, condition: Callable[[], bool]) -> bool:
        """Whether ``condition()`` holds of the reply in the end; looks until then."""
        deadline = time.monotonic() + 120
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.02)
            self.ask("tree")
        return condition()

    @property
    def log(self) -> list[str]:
        """The lines of the last reply without level, domain and tag."""
        return [line.split(": ", 1)[1] for line in self.reply["log"]]

    def end(self) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        status = self.process.wait(timeout=120)
        self.process.stdout.close()
        return status
