"""Start one simulated device and serve it until it is told to stop."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from evaluator.sandbox import Privacy, SandboxError, open_sandbox
from evaluator.simulator.device.app import AppHost
from evaluator.simulator.device.commands import Commands
from evaluator.simulator.device.phone import Phone
from evaluator.simulator.device.server import HdcServer

ARKUI_HOST = Path(__file__).resolve().parent.parent / "arkui" / "serve.mjs"


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    node = shutil.which(options.node or find_node() or "node")
    if node is None:
        sys.stderr.write(
            "No Node.js was found. Install it, or point OHB_NODE at the binary.\n"
        )
        return 2
    try:
        privacy = Privacy(tuple(options.closed), tuple(options.opened))
        sandbox = open_sandbox(options.sandbox, privacy=privacy)
    except SandboxError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    root = options.root.resolve()
    root.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(max_workers=1) as starter:
        host = AppHost(
            Path(node).absolute(), options.app_host.resolve(), sandbox, starter
        )
        phone = Phone(options.serial, root, host)
        commands = Commands(phone)
        with HdcServer(options.port, options.serial, commands) as server:
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_: _stop(server))
            if options.until_stdin_closes:
                threading.Thread(target=_wait_for, args=[server], daemon=True).start()
            _say_ready(root, server.server_address[1])
            server.serve_forever(poll_interval=0.05)
        commands.close()
    return 0


def find_node() -> Path | None:
    """The Node.js binary: OHB_NODE, then NODE_HOME, then PATH."""
    if named := os.environ.get("OHB_NODE"):
        return Path(named)
    if home := os.environ.get("NODE_HOME"):
        return Path(home) / "bin" / "node"
    found = shutil.which("node")
    return Path(found) if found else None


def _say_ready(root: Path, port: int) -> None:
    written = root / "ready.new"
    written.write_text(str(port), "utf-8")
    written.rename(root / "ready")


def _stop(server: HdcServer) -> None:
    # shutdown() waits for serve_forever(), which this thread is running.
    threading.Thread(target=server.shutdown, daemon=True).start()


def _wait_for(server: HdcServer) -> None:
    """Serve for as long as standard input is open: the one who leases holds it."""
    while os.read(sys.stdin.fileno(), 4096):
        continue
    server.shutdown()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m evaluator.simulator.device", description=__doc__
    )
    parser.add_argument("--port", type=int, required=True, help="0 takes a free one")
    parser.add_argument("--serial", required=True)
    parser.add_argument("--root", type=Path, required=True, help="the device's files")
    parser.add_argument(
        "--sandbox", default="none", choices=["none", "bwrap", "unshare", "auto"]
    )
    parser.add_argument("--node", type=Path, help="the binary that runs apps")
    parser.add_argument("--app-host", type=Path, default=ARKUI_HOST)
    for name, what in (("closed", "may not see"), ("opened", "may see all the same")):
        parser.add_argument(
            f"--{name}", type=Path, nargs="*", default=[], help=f"what apps {what}"
        )
    parser.add_argument("--until-stdin-closes", action="store_true")
    parser.add_argument(
        "--role", default="hdc", help="no effect; xdevice looks for hdc among processes"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
